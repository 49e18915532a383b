/**
 * Finds large pictures that Chromium has stored without loss: a printed PDF in, their number and size out. It embeds only JPEGs as
 * they are (`do_deflated_image`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFBitmap.cpp).
 */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { readObjects } from '../objects/cross-reference.ts';

export interface LosslessPictures {
  count: number;
  bytes: number;
}

const MIN_BYTES = 1_048_576;
const HEAD_BYTES = 512;

/** Masks do not count, nor do pictures of less than a megabyte. May throw if Chromium did not print the PDF. */
export function losslessPictures(chunks: readonly Buffer[]): LosslessPictures {
  const file = new ChunkedBuffer(chunks);
  if (file.length < MIN_BYTES) return { count: 0, bytes: 0 };
  const sizes = readObjects(file)
    .filter(({ start, end }) => end - start >= MIN_BYTES && isLosslessPicture(readHead(file, start)))
    .map(({ start, end }) => end - start);
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function isLosslessPicture(head: string): boolean {
  return head.includes('/Subtype /Image') && head.includes('/FlateDecode') && !head.includes('/DeviceGray');
}

/** The dictionary of a stream. */
function readHead(file: ChunkedBuffer, start: number): string {
  const [head = ''] = file.text(start, HEAD_BYTES).split('stream\n', 1);
  return head;
}
