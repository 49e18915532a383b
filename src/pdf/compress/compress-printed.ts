/** Makes a PDF as Chromium printed it smaller: its bytes in, fewer bytes with the same pages out. */
import { PdfRef, type PdfStream } from '@libpdf/core';
import { PackedFile } from '../objects/object-streams.ts';
import { isStream } from '../objects/raw-file.ts';
import { entriesOf } from '../objects/syntax.ts';
import { compressStreams } from './compress-streams.ts';
import { PrintedPdf } from './printed-pdf.ts';

/** Returns a copy of the bytes if nothing gets smaller. Throws if Chromium did not print the PDF. */
export function compressPrinted(pdf: Buffer): Uint8Array<ArrayBuffer> {
  const printed = new PrintedPdf(pdf);
  const changed = new Map<number, PdfStream>();
  compressStreams(printed, printed.pages(), ({ objectNumber }, stream) => changed.set(objectNumber, stream));
  let nextId = printed.file.size;
  const packed = new PackedFile(() => nextId++);
  for (let id = 1; id < printed.file.size; id++) {
    const body = printed.file.body(id);
    const stream = changed.get(id);
    if (stream) packed.addStream(id, stream);
    else if (body && isStream(body)) packed.addStream(id, body);
    else if (body) packed.addPlain(id, body);
  }
  const { Root, Info } = entriesOf(printed.trailer);
  if (!(Root instanceof PdfRef)) throw new Error('the PDF has no catalog');
  const parts = packed.end({ Root, ...(Info && { Info }) });
  return parts.length < pdf.length ? parts.join() : Uint8Array.from(pdf);
}
