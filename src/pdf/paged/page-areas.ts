/** Reads the areas between the margins of the pages of a print. */

import { POINTS_PER_INCH, POINTS_PER_PX } from '../../units.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { type PrintedView, readView } from '../objects/inspect.ts';

/** The share of the height of a page that its area has at least: footnotes leave so much, and so do large margins. */
const LEAST_AREA_SHARE = 1 / 5;
const TURNED_BYTES = 300;

/** The start of the content of a page that `page-orientation` turns: the matrix of the page, a clip, and a matrix with a quarter turn. */
const TURNED = /^\.\d+ 0 0 -\.\d+ 0 [\d.]+ cm\nq\n[\d. -]+ re\nW\*? n\nq\n0 -?[\d.]+ -?[\d.]+ 0 /;

/** Whether `page-orientation` turns the page with this index. */
export function isTurned(file: PrintedPages, index: number): boolean {
  return TURNED.test(file.pageContent(index).toString('latin1', 0, TURNED_BYTES));
}

/** Lengths in points. */
export type PageArea = Record<'left' | 'top' | 'width' | 'height' | 'pageWidth' | 'pageHeight', number>;

/**
 * Makes a function that reads the area of a page by its index. A page that shows too little between its margins is like the one before it,
 * or like the first that shows more; if there is none, the margins are these, in inches.
 */
export function areaReader(
  file: PrintedPages,
  margin: Record<'left' | 'top' | 'right' | 'bottom', number>,
): (page: number) => PageArea {
  const known: PageArea[] = [];
  let next = 0;
  return (page) => {
    for (; next < file.pages.length && (next <= page || !known.length); next++) {
      const area = readPageArea(file, next) ?? known.at(-1);
      while (area && known.length <= next) known.push(area);
    }
    return known[page] ?? areaWithin(file.pageSize(page), margin);
  };
}

function areaWithin(page: { width: number; height: number }, margin: Parameters<typeof areaReader>[1]): PageArea {
  const [left, top] = [margin.left * POINTS_PER_INCH, margin.top * POINTS_PER_INCH];
  const width = page.width - left - margin.right * POINTS_PER_INCH;
  const height = page.height - top - margin.bottom * POINTS_PER_INCH;
  return { left, top, width, height, pageWidth: page.width, pageHeight: page.height };
}

function readPageArea(file: PrintedPages, index: number): PageArea | undefined {
  const view = readPageView(file, index, LEAST_AREA_SHARE);
  if (!view) return undefined;
  const { scale, widthPx, heightPx, leftPoints: left, topPoints: top } = view;
  const perPixel = POINTS_PER_PX * scale;
  const { width: pageWidth, height: pageHeight } = file.pageSize(index);
  return { left, top, width: widthPx * perPixel, height: heightPx * perPixel, pageWidth, pageHeight };
}

/** Undefined for a page that shows nothing between its margins. */
export function readPageView(file: PrintedPages, index: number, leastShare?: number): PrintedView | undefined {
  const content = /\/Contents (\d+) 0 R/.exec(file.text(file.pages[index] ?? 0))?.[1];
  return content === undefined ? undefined : readView(file.stream(Number(content)), leastShare);
}
