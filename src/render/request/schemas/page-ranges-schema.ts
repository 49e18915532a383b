/** The schema of page ranges, which `parsePageRanges` reads. */
import { Type } from 'typebox';

/** A page number from 1, with blanks and leading zeros allowed. */
const PAGE = '[0 \\t]*[1-9][0-9 \\t]*';
const BLANKS = '[ \\t]*';
const RANGE = `(?:${PAGE}(?:-(?:${PAGE}|${BLANKS}))?|${BLANKS}-${PAGE})`;

export const PageRanges = Type.String({
  $id: 'PageRanges',
  maxLength: 1_000,
  'x-pattern': `^(?:${RANGE}(?:,${RANGE})*|${BLANKS})$`,
});
