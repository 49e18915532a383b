/**
 * How large the programs of expressions can become, without compiling them: an expression of 1,000 characters can become one of a
 * million, which would take seconds to compile, and longer for each character that is searched.
 */

/** How many units all expressions of a redaction may have together. Compiling so many takes about a tenth of a second. */
export const MAX_EXPRESSION_SIZE = 30_000;

/** The first part of an expression: a quotation, a character, the beginning of a group or a set, flags, a count. */
const TOKEN = /\\p(?:\{[^{}]*\}|.)|\\x\{[\da-f]*\}|\\.|\(\?[imsu-]*\)|\((?:\?p?<\w*>|\?[imsu-]*:)?|\{(\d+)(?:,(\d*))?\}|./isuy;
/** A character or a range in a set, or a set in it, such as `[:alpha:]`. */
const SET_ITEM =
  /\[:\^?\w*:\]|\\p(?:\{[^{}]*\}|.)|\\[dsw]|(?:\\x\{[\da-f]*\}|\\.|[^\\])(?:-(?!\])(?:\\x\{[\da-f]*\}|\\.|[^\\]))?/isuy;
/** Sets of characters by their property, which have hundreds of ranges. */
const PROPERTY = /\\p/gi;
const PROPERTY_SIZE = 50;

/** About the size of the program: at least half of it. What RE2 refuses has any size. */
export function expressionSize(expression: string): number {
  const size = new Size();
  for (let at = 0; at < expression.length; ) {
    const [token, least, most] = matchAt(TOKEN, expression, at);
    const end = endOf(token, expression, at);
    if (least !== undefined) size.repeat(Number(most || least) + 1);
    else size.add(token, expression.slice(at, end));
    at = end;
  }
  return size.whole;
}

class Size {
  /** Those of the groups that are open, from the outermost one. */
  readonly #groups = [0];
  /** Of what a count repeats. */
  #last = 0;

  get whole(): number {
    return this.#groups.reduce((sum, size) => sum + size, 0);
  }

  add(token: string, text: string): void {
    const isEnd = token === ')' && this.#groups.length > 1;
    const size = isEnd ? (this.#groups.pop() ?? 0) + 1 : sizeOf(text);
    this.#grow(size);
    if (token.startsWith('(') && !token.endsWith(')')) this.#groups.push(0);
    else if (!isNothing(text)) this.#last = size;
  }

  repeat(times: number): void {
    const more = (this.#last + 1) * times;
    this.#grow(more);
    this.#last += more;
  }

  #grow(size: number): void {
    this.#groups.push((this.#groups.pop() ?? 0) + size);
  }
}

/** What a count does not repeat: it repeats what is before that. */
function isNothing(text: string): boolean {
  return /^[*+?]$/.test(text) || text.startsWith('(?') || text === '\\Q\\E';
}

function endOf(token: string, expression: string, at: number): number {
  if (token === '[') return endOfSet(expression, at);
  if (token !== '\\Q') return at + token.length;
  const end = expression.indexOf('\\E', at);
  return end < 0 ? expression.length : end + 2;
}

/** A `]` that comes first stands for itself. */
function endOfSet(expression: string, begin: number): number {
  const first = begin + (expression[begin + 1] === '^' ? 2 : 1);
  for (let at = first; at < expression.length; ) {
    if (expression[at] === ']' && at > first) return at + 1;
    at += matchAt(SET_ITEM, expression, at)[0].length || 1;
  }
  return expression.length;
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | [token: string] {
  sticky.lastIndex = at;
  return sticky.exec(text) ?? [''];
}

function sizeOf(text: string): number {
  return text.length + PROPERTY_SIZE * (text.match(PROPERTY)?.length ?? 0);
}
