/** Finds tables that may be too long to be printed: the HTML of a document in, the greatest number of rows of one table out. */

/** About 200 pages of rows with one line. */
const MANY_ROWS = 8_000;

/** Returns what to do about a table that may have too many pages, or undefined. Takes linear time. */
export function longTableHint(html: string): string | undefined {
  const rows = mostRows(html);
  if (rows < MANY_ROWS) return undefined;
  return `A table has ${rows} rows. One of more than about 200 pages may need more memory than a render may take (resource_limit): split it into several tables, or send the parts of the document as items of a batch and merge them.`;
}

function mostRows(html: string): number {
  let most = 0;
  const outer: number[] = [];
  let rows = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)(table|tr)\b/gi)) {
    if (name.toLowerCase() === 'tr') rows += slash ? 0 : 1;
    else if (slash) rows = outer.pop() ?? 0;
    else rows = outer.push(rows) && 0;
    most = Math.max(most, rows);
  }
  return most;
}
