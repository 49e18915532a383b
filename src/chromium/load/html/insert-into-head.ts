/**
 * Inserts an element as the first of a document's head: markup in, markup out. Everything else in the document is
 * parsed as before.
 *
 * It follows the tokenizer of the HTML standard through the insertion modes before the head (13.2.6.4.1 to 13.2.6.4.3:
 * https://html.spec.whatwg.org/multipage/parsing.html), and reads each character once.
 */

import { afterMarkup, readTag } from './html-tags.ts';

/**
 * Includes zero characters, which Chromium removes before it parses (`ProcessNullCharacter`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/html/parser/input_stream_preprocessor.h).
 */
const BLANKS = /[\0\t\n\f\r ]+/y;
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
    const tag = readTag(html, at);
    if (tag?.name === 'head' && !tag.closes) return Number.isFinite(tag.end) ? tag.end : at;
    const end = afterMarkup(html, at) ?? afterBlanks(html, at) ?? afterPassed(tag);
    if (end === undefined) return at;
    at = end;
  }
  return undefined;
}

/** Returns the end of a tag without effect. One that does not end is left to the parser, which ignores it. */
function afterPassed(tag: ReturnType<typeof readTag>): number | undefined {
  const isPassed = tag && Number.isFinite(tag.end) && (tag.closes ? !ENDS.includes(tag.name) : tag.name === 'html');
  return isPassed ? tag.end : undefined;
}

function afterBlanks(html: string, at: number): number | undefined {
  BLANKS.lastIndex = at;
  return BLANKS.test(html) ? BLANKS.lastIndex : undefined;
}
