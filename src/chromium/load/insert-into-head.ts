/**
 * Inserts an element of ours as the first of a document's head: markup in, markup out. Everything else in the document is
 * parsed as it would be without it.
 *
 * Follows the tokenizer of the HTML standard through the insertion modes before the head (13.2.6.4.1 to 13.2.6.4.3:
 * https://html.spec.whatwg.org/multipage/parsing.html), each character once.
 */

/** Ends a comment that has begun with more than `<!-->` or `<!--->`. */
const COMMENT_END = /--!?>/g;
/** With zeros, which Chromium drops before it parses. */
const BLANKS = /[\0\t\n\f\r ]+/y;
const TAG = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const BETWEEN_ATTRIBUTES = /[\t\n\f\r /]*/y;
const ATTRIBUTE_NAME = /[^\t\n\f\r />][^\t\n\f\r />=]*[\t\n\f\r ]*/y;
const ATTRIBUTE_VALUE = /=[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))/y;
/** End tags that count where no element is open. */
const ENDS = ['head', 'body', 'html', 'br'];

/** A document that ends before its head, in a comment that has no end, is left as it is: it shows nothing. */
export function insertInHead(html: string, element: string): string {
  const start = headOffset(html);
  return start === undefined ? html : html.slice(0, start) + element + html.slice(start);
}

/** The offset after the start tag of the head, or of what makes the parser supply a head; undefined where neither comes. */
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

/** Where the comment that starts here ends: infinitely far away where nothing ends it. */
export function afterComment(html: string, start: number): number {
  const abrupt = ['<!-->', '<!--->'].find((empty) => html.startsWith(empty, start));
  if (abrupt) return start + abrupt.length;
  COMMENT_END.lastIndex = start + '<!--'.length;
  return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : Number.POSITIVE_INFINITY;
}

/** The same of a comment, a doctype, or what is taken for a comment. */
function afterMarkup(html: string, at: number): number | undefined {
  if (html.startsWith('<!--', at)) return afterComment(html, at);
  if (html.startsWith('</>', at)) return at + '</>'.length;
  return /^(?:<[!?]|<\/[^a-z])/i.test(html.slice(at, at + 3)) ? html.indexOf('>', at) + 1 || Number.POSITIVE_INFINITY : undefined;
}

/** The complete tag that starts here. One that the document ends in is not seen by the parser. */
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
