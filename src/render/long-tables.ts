/** Finds tables that may be too long to be printed: the HTML of a document in, the greatest number of rows of one table out. */

/** About 200 pages of rows with one line. */
const MANY_ROWS = 8_000;

const COUNTERS = /counter-(?:increment|reset|set)/i;

/**
 * Returns what to do about a table that may have too many pages, or undefined. `mayDivide` tells whether the request allows to print the
 * document in parts. Takes linear time.
 */
export function longTableHint(html: string, mayDivide: boolean): string | undefined {
  if (mayDivide && !COUNTERS.test(html)) return undefined;
  const rows = mostRows(html);
  if (rows < MANY_ROWS) return undefined;
  const cause = mayDivide ? 'CSS counters' : 'content that depends on pages, form fields, a single page or no scripts';
  return `A table has ${rows} rows, and the document cannot be printed in parts because of ${cause}. A table of more than about 200 pages may then need more memory than a render may take (resource_limit): leave these out, split it into several tables, or send the parts of the document as items of a batch and merge them.`;
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
