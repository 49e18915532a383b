/**
 * Computes the area of a page that viewers display (ISO 32000-1, 7.7.3.4 and 14.11.2). libpdf is not used for this, because it
 * mistakes the far corners of boxes for sizes.
 */
import { PdfArray, type PdfDict, PdfNumber, type PdfObject } from '@libpdf/core';
import type { PdfReader } from './pdf-reader.ts';

/** The visible area in points, before the page is rotated. */
export interface PageView {
  left: number;
  bottom: number;
  width: number;
  height: number;
  /** The clockwise rotation in degrees, a multiple of 90. */
  turn: number;
}

export function pageView(pdf: PdfReader, page: PdfDict): PageView {
  const media = readBox(pdf, findInherited(pdf, page, 'MediaBox'));
  if (!media) throw new Error('a page has no size');
  const crop = readBox(pdf, findInherited(pdf, page, 'CropBox')) ?? media;
  const [left, bottom] = [Math.max(media.left, crop.left), Math.max(media.bottom, crop.bottom)];
  const [width, height] = [Math.min(media.right, crop.right) - left, Math.min(media.top, crop.top) - bottom];
  if (!(width > 0 && height > 0)) throw new Error('a page has no size');
  const rotate = findInherited(pdf, page, 'Rotate');
  return { left, bottom, width, height, turn: rotate instanceof PdfNumber ? rotate.value : 0 };
}

/** A point of the page as it is shown, from its lower left corner, in the coordinates of the page. */
export function fromShown({ left, bottom, width, height, turn }: PageView, x: number, y: number): [number, number] {
  switch (((turn % 360) + 360) % 360) {
    case 90:
      return [left + width - y, bottom + x];
    case 180:
      return [left + width - x, bottom + height - y];
    case 270:
      return [left + y, bottom + height - x];
    default:
      return [left + x, bottom + y];
  }
}

/** The opposite, but from the upper left corner. */
export function toShown({ left, bottom, width, height, turn }: PageView, x: number, y: number): [number, number] {
  switch (((turn % 360) + 360) % 360) {
    case 90:
      return [y - bottom, x - left];
    case 180:
      return [left + width - x, y - bottom];
    case 270:
      return [bottom + height - y, left + width - x];
    default:
      return [x - left, bottom + height - y];
  }
}

/** Page trees of others may be chains or circles. */
const MAX_DEPTH = 100;

/** An entry of a page, or of the nearest ancestor that has it. */
export function findInherited(pdf: PdfReader, page: PdfDict, entry: string): PdfObject | undefined {
  let node: PdfDict | undefined = page;
  for (let depth = 0; node && depth < MAX_DEPTH; depth++) {
    const found = pdf.resolve(node.get(entry));
    if (found) return found;
    node = pdf.dict(node, 'Parent');
  }
  return undefined;
}

export function findResources(pdf: PdfReader, page: PdfDict): PdfDict | undefined {
  return pdf.asDict(findInherited(pdf, page, 'Resources'));
}

/** A rectangle is given by any two opposite corners (7.9.5). */
function readBox(pdf: PdfReader, value: PdfObject | undefined) {
  if (!(value instanceof PdfArray)) return undefined;
  const corners = value.toArray().map((item) => pdf.resolve(item));
  const [x1, y1, x2, y2] = corners.map((corner) => (corner instanceof PdfNumber ? corner.value : Number.NaN));
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined;
  return { left: Math.min(x1, x2), bottom: Math.min(y1, y2), right: Math.max(x1, x2), top: Math.max(y1, y2) };
}
