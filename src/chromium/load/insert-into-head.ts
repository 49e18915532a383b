/**
 * Inserts an element as the first of a document's head: markup in, markup out. Everything else in the document is
 * parsed as before.
 *
 * It follows the tokenizer of the HTML standard through the insertion modes before the head (13.2.6.4.1 to 13.2.6.4.3:
 * https://html.spec.whatwg.org/multipage/parsing.html), and reads each character once.
 */

/** Matches the end of a comment that is not just `<!-->` or `<!--->`. */
const COMMENT_END = /--!?>/g;
/** Includes zero characters, which Chromium removes before it parses. */
const BLANKS = /[\0\t\n\f\r ]+/y;
const TAG = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const BETWEEN_ATTRIBUTES = /[\t\n\f\r /]*/y;
const ATTRIBUTE_NAME = /[^\t\n\f\r />][^\t\n\f\r />=]*[\t\n\f\r ]*/y;
const ATTRIBUTE_VALUE = /=[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))/y;
/** End tags that have an effect even if no element is open. */
const ENDS = ['head', 'body', 'html', 'br'];

/** A document whose head is never reached, because a comment does not end, stays unchanged. It shows nothing. */
export function insertInHead(html: string, element: string): string {
  const start = headOffset(html);
  return start === undefined ? html : html.slice(0, start) + element + html.slice(start);
}

/**
 * Returns the offset after the start tag of the head, or before the text for which the parser creates a head. Undefined if there
 * is neither.
 */
export function headOffset(html: string): number | undefined {
  for (let at = 0; at !== Number.POSITIVE_INFINITY; ) {
    const end = afterMarkup(html, at) ?? afterMatch(BLANKS, html, at);
    if (end !== undefined) {
      at = end;
      continue;
    }
    const tag = tagAt(html, at);
    if (tag?.name === 'head' && !tag.closes) return tag.end;
    const isPassed = tag && (tag.closes ? !ENDS.includes(tag.name) : tag.name === 'html');
    if (!isPassed) return at;
    at = tag.end;
  }
  return undefined;
}

/** Returns the end of the comment that starts here, or Infinity if it does not end. */
export function afterComment(html: string, start: number): number {
  const abrupt = ['<!-->', '<!--->'].find((empty) => html.startsWith(empty, start));
  if (abrupt) return start + abrupt.length;
  COMMENT_END.lastIndex = start + '<!--'.length;
  return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : Number.POSITIVE_INFINITY;
}

/** Returns the end of a comment, a doctype, or markup that the parser treats as a comment. Undefined if none starts here. */
function afterMarkup(html: string, at: number): number | undefined {
  if (html.startsWith('<!--', at)) return afterComment(html, at);
  if (html.startsWith('</>', at)) return at + '</>'.length;
  return /^(?:<[!?]|<\/[^a-z])/i.test(html.slice(at, at + 3)) ? html.indexOf('>', at) + 1 || Number.POSITIVE_INFINITY : undefined;
}

/** Returns the complete tag that starts here. The parser ignores a tag at the end of the document that is incomplete. */
function tagAt(html: string, at: number): { name: string; closes: boolean; end: number } | undefined {
  TAG.lastIndex = at;
  const [tag, slash, name = ''] = TAG.exec(html) ?? [];
  const end = tag && afterAttributes(html, at + tag.length);
  return end ? { name: name.toLowerCase(), closes: slash !== '', end } : undefined;
}

function afterAttributes(html: string, start: number): number | undefined {
  for (let at = start; ; ) {
    at = afterMatch(BETWEEN_ATTRIBUTES, html, at) ?? at;
    if (html[at] === '>') return at + 1;
    const named = afterMatch(ATTRIBUTE_NAME, html, at);
    if (named === undefined) return undefined;
    const valued = html[named] === '=' ? afterMatch(ATTRIBUTE_VALUE, html, named) : named;
    if (valued === undefined) return undefined;
    at = valued;
  }
}

function afterMatch(pattern: RegExp, html: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(html) ? pattern.lastIndex : undefined;
}
