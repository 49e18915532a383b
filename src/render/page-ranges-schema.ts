/** The schema of page ranges, which `parsePageRanges` reads. */
import { Type } from 'typebox';

/** A page, with blanks anywhere. */
const PAGE = '(?:0[ \\t]*)*[1-9][ \\t0-9]*';
const RANGE = `(?:${PAGE}(?:-[ \\t]*(?:${PAGE})?)?|-[ \\t]*${PAGE})`;

export const PageRanges = Type.String({
  title: 'PageRanges',
  maxLength: 1_000,
  'x-pattern': `^[ \\t]*(?:${RANGE}(?:,[ \\t]*${RANGE})*)?$`,
});
