/** Tells how the content of a page leaves the stack of graphics states (ISO 32000-1, 8.4.2): that of others may leave it changed. */
import { type PdfDict, PdfStream } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { scanForeign } from './content-scanner.ts';

/** How content leaves the stack of graphics states. */
export interface GraphicsBalance {
  /** How many states it restores that it has not saved. */
  missing: number;
  /** How many states it saves and does not restore. */
  open: number;
}

/** Content that cannot be read counts as balanced. */
export function balanceOf(pdf: PdfReader, page: PdfDict): GraphicsBalance {
  try {
    return contentBalance(foreignContent(pdf, page));
  } catch {
    return { missing: 0, open: 0 };
  }
}

/** The streams of a page of others, one after the other. */
export function foreignContent(
  pdf: PdfReader,
  page: PdfDict,
  decode = (stream: PdfStream): Uint8Array => stream.getDecodedData(),
): Buffer {
  const streams = pdf.listOrOne(page, 'Contents').map((each) => pdf.resolve(each));
  return Buffer.concat(streams.flatMap((each) => (each instanceof PdfStream ? [decode(each), Buffer.from('\n')] : [])));
}

/** Counts as far as the content can be read. */
export function contentBalance(content: Buffer): GraphicsBalance {
  const balance = { missing: 0, open: 0 };
  try {
    scanForeign(content, (operator) => {
      if (operator === 'q') balance.open++;
      else if (operator === 'Q' && balance.open) balance.open--;
      else if (operator === 'Q') balance.missing++;
    });
  } catch {}
  return balance;
}
