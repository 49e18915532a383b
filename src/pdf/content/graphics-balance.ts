/** Tells how the content of a page leaves the stack of graphics states (ISO 32000-1, 8.4.2): that of others may leave it changed. */
import { type PdfDict, PdfStream } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { scanContent } from './content-scanner.ts';

/** How content leaves the stack of graphics states. */
export interface GraphicsBalance {
  /** How many states it restores that it has not saved. */
  missing: number;
  /** How many states it saves and does not restore. */
  open: number;
}

const MAX_INLINE_IMAGES = 1_000;
const INLINE_IMAGE = /\s*BI\s[\s\S]*?\sEI(?=\s)/y;

/** Content that cannot be read counts as balanced. */
export function balanceOf(pdf: PdfReader, page: PdfDict): GraphicsBalance {
  const balance = { missing: 0, open: 0 };
  try {
    const streams = pdf.listOrOne(page, 'Contents').map((each) => pdf.resolve(each));
    const parts = streams.flatMap((each) => (each instanceof PdfStream ? [each.getDecodedData(), Buffer.from('\n')] : []));
    countStates(Buffer.concat(parts), balance);
  } catch {}
  return balance;
}

function countStates(content: Buffer, balance: GraphicsBalance): void {
  let from = 0;
  const visit = (operator: string, _: unknown, end: number) => {
    next = from + end;
    if (operator === 'q') balance.open++;
    else if (operator === 'Q' && balance.open) balance.open--;
    else if (operator === 'Q') balance.missing++;
  };
  let next = 0;
  let text: string | undefined;
  for (let images = 0; images < MAX_INLINE_IMAGES; images++) {
    try {
      scanContent(content.subarray(from), visit);
      return;
    } catch (error) {
      INLINE_IMAGE.lastIndex = next;
      text ??= content.toString('latin1');
      if (!INLINE_IMAGE.test(text)) throw error;
      from = INLINE_IMAGE.lastIndex;
      next = from;
    }
  }
}
