/** Reads metadata for the PDF from `<meta name="author|description|keywords">`. */

import { Type } from 'typebox';
import { shape } from '../../devtools/evaluate.ts';

/** Maximum number of characters of a text. The options have the same limit. */
export const MAX_TEXT = 4_096;
export const MAX_KEYWORDS = 200;
/** Maximum number of characters of a keyword. */
export const MAX_KEYWORD = 256;
/** Maximum number of elements that are read. */
const MAX_ELEMENTS = 1_000;

export interface DocumentMetadata {
  author?: string;
  subject?: string;
  keywords?: string[];
}

/** Matches the text of a `meta` tag that may state metadata. */
export const NAMES_METADATA = /\b(?:author|description|keywords)\b/i;

/** An expression that evaluates to the name and content of each element. */
export const READ_METADATA = `(() => { try { return (${collectMetadata})(${MAX_ELEMENTS}, ${MAX_TEXT}) } catch { return [] } })()`;

/** What `READ_METADATA` evaluates to. */
export const STATED_METADATA = shape(
  Type.Array(Type.Tuple([Type.String(), Type.String({ maxLength: MAX_TEXT })]), { maxItems: MAX_ELEMENTS }),
);

/** Several authors are joined, and the first description is used. */
export function parseDocumentMetadata(stated: Array<[name: string, content: string]>): DocumentMetadata {
  const under = (wanted: string) => stated.map((pair) => contentOf(pair, wanted)).filter((content) => content !== '');
  const keywords = new Set(under('keywords').flatMap((list) => list.split(',').map(plain)));
  const author = cut(under('author').join(', '), MAX_TEXT);
  const [subject] = under('description');
  const named = [...keywords].filter(Boolean).slice(0, MAX_KEYWORDS);
  return {
    ...(author && { author }),
    ...(subject && { subject }),
    ...(named.length && { keywords: named.map((keyword) => cut(keyword, MAX_KEYWORD)) }),
  };
}

function contentOf([name, content]: [name: string, content: string], wanted: string): string {
  return name === wanted ? cut(plain(content), MAX_TEXT) : '';
}

/** Returns the text as one line. */
function plain(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

// Typed loosely: this project's code runs in Node and has no DOM types.
/** The method is taken from the prototype, because an element with the name of the method would hide it. */
declare const Document: { prototype: { querySelectorAll(selector: string): Iterable<{ name: string; content: string }> } };
declare const document: object;

// This function is sent as text and runs in the page.
function collectMetadata(maxElements: number, maxCharacters: number): Array<[name: string, content: string]> {
  const names = ['author', 'description', 'keywords'].map((name) => `meta[name="${name}" i]`);
  const found = [...Document.prototype.querySelectorAll.call(document, names.join())].slice(0, maxElements);
  return found.map(({ name, content }) => [name.toLowerCase(), content.slice(0, maxCharacters)]);
}
