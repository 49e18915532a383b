/**
 * Reads facts out of a PDF that Chromium printed without parsing all of it: trailer -> /Root -> /Pages -> /Count (ISO 32000-1,
 * 7.7.2).
 */
import { constants, inflateSync } from 'node:zlib';
import { ChunkedBuffer } from './chunked-buffer.ts';
import { match, readCrossReference, readReferenced } from './cross-reference.ts';

/** The number of pages. Throws if Chromium did not print the PDF. */
export function countPages(chunks: readonly Buffer[]): number {
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const catalog = readReferenced(file, references, 'Root', references.trailer);
  const pages = readReferenced(file, references, 'Pages', catalog.text);
  return Number(match(/\/Count\s+(\d+)/, pages.text));
}

const MEDIA_BOX = /^\/MediaBox\s*\[\s*(-?[\d.]+)\s+-?[\d.]+\s+(-?[\d.]+)/;
const MEDIA_BOX_BYTES = 80;

/** The widths of the pages of a PDF that Chromium wrote, in points. Misses a box that spans two chunks. */
export function pageWidths(chunks: readonly Buffer[]): Set<number> {
  const widths = new Set<number>();
  for (const chunk of chunks) {
    for (let at = chunk.indexOf('/MediaBox'); at >= 0; at = chunk.indexOf('/MediaBox', at + 1)) {
      const [, left, right] = MEDIA_BOX.exec(chunk.toString('latin1', at, at + MEDIA_BOX_BYTES)) ?? [];
      if (right !== undefined) widths.add(Number(right) - Number(left));
    }
  }
  return widths;
}

/**
 * The start of the content stream of a page of Chromium: the matrix of the page, with its height in points (`initialTransform`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDocument.cpp).
 */
const PAGE_MATRIX = /^(\.\d+) 0 0 -\.\d+ 0 ([\d.]+) cm\n/;
/** The share of the height of its page that a document has at least between its margins. Smaller content is a drawing. */
const LEAST_SHARE = 1 / 2;
/** Content with a clip and a scale of its own, such as the document between its margins, or a drawing in a margin box. */
const SCALED_CONTENT = /q\n([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\nW\* n\nq\n([\d.]+) 0 0 [\d.]+ -?[\d.]+ -?[\d.]+ cm\n/g;
const STREAM = 'stream\n';
/** The number of compressed bytes to read of a page. The document comes after the content of the margin boxes. */
const READ_BYTES = 16_384;
/** The number of streams to try until one is the content of a page. */
const MAX_STREAMS = 16;
/**
 * Units of Chromium's page matrix per CSS pixel of a document that is printed at full size (`fRasterDPI`:
 * https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
 */
const UNITS_PER_PIXEL = 300 / 96;

/** The scale and the visible area with which a document was printed. */
export interface PrintedView {
  /** 1 if a CSS pixel is printed as 1/96 inch. */
  scale: number;
  /** The area between the margins of the first page, in CSS pixels of the document. */
  widthPx: number;
  heightPx: number;
  /** The margins at the left and the top in points. */
  leftPoints: number;
  topPoints: number;
}

/**
 * Reads the view from the first page in the first chunk that shows content with a possible scale. Of several on a page, the one with
 * the largest clip is the document: drawings inside it are clipped by it, and margin boxes are smaller.
 */
export function printedView(
  [first]: readonly Buffer[],
  isPossible: (scale: number) => boolean = () => true,
): PrintedView | undefined {
  if (!first) return undefined;
  for (let at = first.indexOf(STREAM), n = 0; at >= 0 && n < MAX_STREAMS; at = first.indexOf(STREAM, at + 1), n++) {
    const content = inflateStart(first, at + STREAM.length);
    const view = contentView(content, isPossible);
    if (view) return view;
  }
  return undefined;
}

/** The view of the page that has this stream, from its keyword on. */
export function readView(stream: Buffer | undefined, leastShare = LEAST_SHARE): PrintedView | undefined {
  return stream && contentView(inflateStart(stream, STREAM.length), undefined, leastShare);
}

/** The view of the page that has this content. Undefined for content that is not that of a page, or shows nothing of the document. */
export function contentView(
  content: string,
  isPossible: (scale: number) => boolean = () => true,
  leastShare = LEAST_SHARE,
): PrintedView | undefined {
  const [, perUnit, points] = PAGE_MATRIX.exec(content) ?? [];
  const view = points && largestView(content, (Number(points) / Number(perUnit)) * leastShare, isPossible);
  if (!view) return undefined;
  return { ...view, leftPoints: view.leftPoints * Number(perUnit), topPoints: view.topPoints * Number(perUnit) };
}

/** The margins are in units of the page. */
function largestView(content: string, leastHeight: number, isPossible: (scale: number) => boolean): PrintedView | undefined {
  let largest: PrintedView | undefined;
  let mostUnits = 0;
  for (const [, left, top, width, height, perPixel] of content.matchAll(SCALED_CONTENT)) {
    const units = Number(width) * Number(height);
    const scale = Number(perPixel) / UNITS_PER_PIXEL;
    const isTemplates = largest && left === '0' && top === '0'; // which are drawn after the document, on the whole sheet
    if (isTemplates || units <= mostUnits || Number(height) < leastHeight || !(scale > 0) || !isPossible(scale)) continue;
    mostUnits = units;
    largest = {
      scale,
      widthPx: Number(width) / Number(perPixel),
      heightPx: Number(height) / Number(perPixel),
      leftPoints: Number(left),
      topPoints: Number(top),
    };
  }
  return largest;
}

function inflateStart(file: Buffer, at: number): string {
  try {
    return inflateSync(file.subarray(at, at + READ_BYTES), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1');
  } catch {
    return ''; // not compressed with deflate, so not the content of a page
  }
}
