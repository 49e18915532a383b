/** Reads where a print has a destination: a fragment of a URL in, a page and CSS pixels out. */
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { PX_PER_POINT } from '../../units.ts';

/** The upper left corner of a box, in whole CSS pixels from that of the area between the margins of its page. */
export interface Corner {
  page: number;
  xPx: number;
  yPx: number;
}

/** Undefined if the print does not have it. Chromium does not apply margins and scale to destinations. */
export function readCorner(file: PrintedPages, fragment: string): Corner | undefined {
  const found = file.destinationOf(fragment);
  if (!found || found.index < 0) return undefined;
  const { height } = file.pageSize(found.index);
  return { page: found.index, xPx: found.left * PX_PER_POINT, yPx: (height - found.top) * PX_PER_POINT };
}
