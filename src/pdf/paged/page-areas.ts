/** Reads the areas between the margins of the pages of a print. */
import type { PrintedPages } from '../edit/printed-pages.ts';
import { type PrintedView, readView } from '../objects/inspect.ts';

/** Lengths in points. */
export type PageArea = Record<'left' | 'top' | 'width' | 'height' | 'pageWidth' | 'pageHeight', number>;

const POINTS_PER_PX = 72 / 96;

/** The area of each page. Undefined for a page that shows nothing between its margins. */
export function readPageAreas(file: PrintedPages): Array<PageArea | undefined> {
  return file.pages.map((_, index) => {
    const view = readPageView(file, index);
    if (!view) return undefined;
    const { scale, widthPx, heightPx, leftPoints: left, topPoints: top } = view;
    const perPixel = POINTS_PER_PX * scale;
    const { width: pageWidth, height: pageHeight } = file.pageSize(index);
    return { left, top, width: widthPx * perPixel, height: heightPx * perPixel, pageWidth, pageHeight };
  });
}

/** Undefined for a page that shows nothing between its margins. */
export function readPageView(file: PrintedPages, index: number): PrintedView | undefined {
  const content = /\/Contents (\d+) 0 R/.exec(file.text(file.pages[index] ?? 0))?.[1];
  return content === undefined ? undefined : readView(file.stream(Number(content)));
}
