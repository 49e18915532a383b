/** Reads the areas between the margins of the pages of a print. */
import type { PrintedPages } from '../edit/printed-pages.ts';
import { readView } from '../objects/inspect.ts';
import { pageSize } from './overlay-pages.ts';

/** Lengths in points. */
export interface PageArea extends Record<'left' | 'top' | 'width' | 'height', number> {
  pageHeight: number;
}

const POINTS_PER_PX = 72 / 96;

/** The area of each page. Undefined for a page that shows nothing between its margins. */
export function readPageAreas(file: PrintedPages): Array<PageArea | undefined> {
  return file.pages.map((id, index) => {
    const content = /\/Contents (\d+) 0 R/.exec(file.text(id))?.[1];
    const view = content === undefined ? undefined : readView(file.stream(Number(content)));
    if (!view) return undefined;
    const { scale, widthPx, heightPx, leftPoints: left, topPoints: top } = view;
    const perPixel = POINTS_PER_PX * scale;
    return { left, top, width: widthPx * perPixel, height: heightPx * perPixel, pageHeight: pageSize(file, index).height };
  });
}
