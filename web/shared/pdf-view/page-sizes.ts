/** Computes the positions of the pages at a zoom level, and which are visible. Sizes are in CSS pixels. */

export const CSS_PER_POINT = 96 / 72;

export interface PageSize {
  width: number;
  height: number;
}

/** A place in the layout report: a page from 1, and points from its left and upper edge. */
export interface PageBox {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export type Zoom = 'width' | 'page' | number;

/** The gap around and between pages. */
export const GAP = 16;
const MIN_SCALE = 0.1;
const MAX_SCALE = 5;

export interface ViewportSize {
  width: number;
  height: number;
}

/** A position in a document that is independent of the zoom level. */
export interface Anchor {
  index: number;
  /** The share of the height of the page. It is negative in the gap above the page. */
  part: number;
  /** The share of the scrolled width. */
  across: number;
}

export function chooseScale(zoom: Zoom, sizes: readonly PageSize[], viewport: ViewportSize, index: number): number {
  if (typeof zoom === 'number') return limitScale(zoom);
  const width = Math.max(...sizes.map((size) => size.width), 1);
  const toWidth = (viewport.width - 2 * GAP) / width;
  if (zoom === 'width') return limitScale(toWidth);
  const { height = 1 } = sizes[index] ?? {};
  return limitScale(Math.min(toWidth, (viewport.height - 2 * GAP) / height));
}

function limitScale(scale: number): number {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
}

/** Returns the top of each page. */
export function pageTops(sizes: readonly PageSize[], scale: number): number[] {
  let top = GAP;
  return sizes.map(({ height }) => {
    const own = top;
    top += Math.round(height * scale) + GAP;
    return own;
  });
}

/** Returns the page at this position, which is the last one that begins above it. */
export function findPage(tops: readonly number[], y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
