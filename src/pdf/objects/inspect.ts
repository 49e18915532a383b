/**
 * Reads facts out of a PDF that Chromium printed without parsing all of it: trailer -> /Root -> /Pages -> /Count (ISO 32000-1,
 * 7.7.2).
 */
import { constants, inflateSync } from 'node:zlib';
import { ChunkedBuffer } from './chunked-buffer.ts';
import { match, objectOf, readCrossReference } from './cross-reference.ts';

/** The number of pages. Throws if Chromium did not print the PDF. */
export function countPages(chunks: readonly Buffer[]): number {
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const catalog = objectOf(file, references, 'Root', references.trailer);
  const pages = objectOf(file, references, 'Pages', catalog.text);
  return Number(match(/\/Count\s+(\d+)/, pages.text));
}

const MEDIA_BOX = /^\/MediaBox\s*\[\s*(-?[\d.]+)\s+-?[\d.]+\s+(-?[\d.]+)/;
const MEDIA_BOX_BYTES = 80;

/** The width of the widest page of a PDF that Chromium wrote, in points. Misses a box that spans two chunks. */
export function widestPage(chunks: readonly Buffer[]): number {
  let widest = 0;
  for (const chunk of chunks) {
    for (let at = chunk.indexOf('/MediaBox'); at >= 0; at = chunk.indexOf('/MediaBox', at + 1)) {
      const [, left, right] = MEDIA_BOX.exec(chunk.toString('latin1', at, at + MEDIA_BOX_BYTES)) ?? [];
      widest = Math.max(widest, Number(right ?? 0) - Number(left ?? 0));
    }
  }
  return widest;
}

/** The start of a content stream of Chromium: the page matrix, the clip between the margins, and the scale of the document. */
const PAGE_START =
  /^\.\d+ 0 0 -\.\d+ 0 [\d.]+ cm\nq\n[\d.]+ [\d.]+ ([\d.]+) ([\d.]+) re\nW\* n\nq\n([\d.]+) 0 0 [\d.]+ [\d.]+ [\d.]+ cm\n/;
const STREAM = 'stream\n';
/** The number of compressed bytes to read: more than `PAGE_START` needs. */
const START_BYTES = 256;
/** The number of streams to try until one is the content of a page. */
const MAX_STREAMS = 16;
/** Units of Chromium's page matrix per CSS pixel of a document that is printed at full size. */
const UNITS_PER_PIXEL = 300 / 96;

/** The scale and the visible area with which a document was printed. */
export interface PrintedView {
  /** 1 if a CSS pixel is printed as 1/96 inch. */
  scale: number;
  /** The area between the margins of the first page, in CSS pixels of the document. */
  widthPx: number;
  heightPx: number;
}

/** Undefined if no content stream in the first chunk has the expected start. */
export function printedView([first]: readonly Buffer[]): PrintedView | undefined {
  if (!first) return undefined;
  for (let at = first.indexOf(STREAM), n = 0; at >= 0 && n < MAX_STREAMS; at = first.indexOf(STREAM, at + 1), n++) {
    const [, width, height, units] = PAGE_START.exec(startOf(first, at + STREAM.length)) ?? [];
    const perPixel = Number(units);
    if (perPixel)
      return { scale: perPixel / UNITS_PER_PIXEL, widthPx: Number(width) / perPixel, heightPx: Number(height) / perPixel };
  }
  return undefined;
}

function startOf(file: Buffer, at: number): string {
  try {
    return inflateSync(file.subarray(at, at + START_BYTES), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  } catch {
    return ''; // not compressed with deflate, so not the content of a page
  }
}
