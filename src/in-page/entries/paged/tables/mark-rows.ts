/** Chooses the rows of a long table that have a destination, each of which takes Chromium time for each page. */
import { measureBox } from '../../../dom/nodes.ts';

/** All rows of a shorter table are marked. */
export const MAX_MARKED = 1_000;

/** The first page of most papers ends within. All rows there are marked, so that they show where a page begins. */
const FIRST_PAGE_PX = 1_700;
/** A page has some marks if it is much higher. */
const STEP_PX = 200;

/** Where rows begin. Empty if one does not begin below the one before. */
export function measureTops(rows: readonly HTMLTableRowElement[]): number[] {
  const tops = rows.map((row) => Math.round(measureBox(row).top * 100) / 100);
  const [first = 0] = tops;
  return tops.every((top, row) => row === 0 || top > (tops[row - 1] as number)) ? tops.map((top) => top - first) : [];
}

/** The numbers of the rows to be marked, among them the first and the last. */
export function someRows(topsPx: readonly number[]): number[] {
  let next = 0;
  return topsPx.flatMap((top, row) => {
    if (row < topsPx.length - 1 && top > FIRST_PAGE_PX && top < next) return [];
    next = top + STEP_PX;
    return [row];
  });
}
