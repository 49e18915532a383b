/**
 * How large the programs of expressions can become, without compiling them: an expression of 1,000 characters can become one of a
 * million, which would take seconds to compile, and longer for each character that is searched.
 */

/** How many units all expressions of a redaction may have together. Compiling so many takes about a tenth of a second. */
export const MAX_EXPRESSION_SIZE = 30_000;

const COUNT = /\{(\d+)(?:,(\d*))?\}/g;
/** What a count after such a character repeats may have begun anywhere before. */
const END_OF_SEVERAL = /[)}*+?]/;
/** Sets of characters by their property, which have hundreds of ranges. */
const PROPERTY = /\\p/gi;
const PROPERTY_SIZE = 50;

/** About the size of the program: at least half of it, and more than it for expressions with several repeated groups. */
export function expressionSize(expression: string): number {
  let size = 0;
  let from = 0;
  for (const { index, 0: count, 1: least, 2: most } of expression.matchAll(COUNT)) {
    size += sizeOf(expression.slice(from, index));
    const times = Number(most || least) + 1;
    const isSeveral = END_OF_SEVERAL.test(expression[index - 1] ?? '');
    size = isSeveral ? size * times : size + times;
    from = index + count.length;
  }
  return size + sizeOf(expression.slice(from));
}

function sizeOf(text: string): number {
  return text.length + PROPERTY_SIZE * (text.match(PROPERTY)?.length ?? 0);
}
