/**
 * Finds the pages of all rows of a table: those of some rows, and where all rows are on the screen, in; a page for each row out. Rows are as
 * high in print as on the screen, and a row that begins a page is where all such rows are; both are checked. Lengths in CSS pixels.
 */

export interface MarkedRow {
  row: number;
  page: number;
  /** From the top of the area between the margins of its page. */
  topPx: number;
}

/** Destinations are on whole pixels. */
const TOLERANCE_PX = 1.5;
/** Lower rows could be taken for others. */
const LOWEST_ROW_PX = 4;

/** Returns undefined if the pages are not certain. The rows include the first and the last, in their order. */
export function findRowPages(marked: readonly MarkedRow[], topsPx: readonly number[]): number[] | undefined {
  const begins = beginningOfPage(marked);
  if (begins === undefined) return undefined;
  const pages: number[] = [];
  for (const [index, row] of marked.entries()) {
    const next = marked[index + 1];
    const first = next ? firstOnPage(row, next, topsPx, begins) : row.row + 1;
    if (first === undefined) return undefined;
    pages.push(...Array<number>(first - row.row).fill(row.page));
    if (next) pages.push(...Array<number>(next.row - first).fill(next.page));
  }
  return pages;
}

/** Where the first row is on a page, as rows next to each other tell. */
function beginningOfPage(marked: readonly MarkedRow[]): number | undefined {
  const next = marked.find(({ row, page }, index) => {
    const before = marked[index - 1];
    return before?.row === row - 1 && before.page === page - 1;
  });
  return next?.topPx;
}

/** The first row that is on the page of the second of two marked rows; if that is the page of the first, the second itself. */
function firstOnPage(from: MarkedRow, to: MarkedRow, topsPx: readonly number[], begins: number): number | undefined {
  const topOf = (row: number) => to.topPx - ((topsPx[to.row] ?? 0) - (topsPx[row] ?? 0));
  const isAt = (row: number, topPx: number) => Math.abs(topOf(row) - topPx) < TOLERANCE_PX;
  if (from.page === to.page) return isAt(from.row, from.topPx) ? to.row : undefined;
  if (from.page + 1 !== to.page) return undefined;
  const between = Array.from({ length: to.row - from.row }, (_, index) => from.row + 1 + index);
  const isLow = between.some((row) => (topsPx[row] ?? 0) - (topsPx[row - 1] ?? 0) < LOWEST_ROW_PX);
  const first = between.find((row) => isAt(row, begins));
  return isLow ? undefined : first;
}
