/** Parses what `<meta name="author|description|keywords">` states: names and contents in, metadata for the PDF out. */

import { Type } from 'typebox';
import { MAX_METADATA_ELEMENTS, MAX_METADATA_TEXT } from '../../../in-page/contract/limits.ts';
import { shape } from '../../devtools/evaluate.ts';

export const MAX_KEYWORDS = 200;
/** Maximum number of characters of a keyword. */
export const MAX_KEYWORD = 256;

export interface DocumentMetadata {
  author?: string;
  subject?: string;
  keywords?: string[];
}

/** Matches the text of a `meta` tag that may state metadata. */
export const NAMES_METADATA = /\b(?:author|description|keywords)\b/i;

/** The shape of an answer to `readMetadata`. */
export const STATED_METADATA = shape(
  Type.Array(Type.Tuple([Type.String(), Type.String({ maxLength: MAX_METADATA_TEXT })]), { maxItems: MAX_METADATA_ELEMENTS }),
);

/** Several authors are joined, and the first description is used. */
export function parseDocumentMetadata(stated: Array<[name: string, content: string]>): DocumentMetadata {
  const findContents = (wanted: string) => stated.map((pair) => matchContent(pair, wanted)).filter((content) => content !== '');
  const keywords = new Set(findContents('keywords').flatMap((list) => list.split(',').map(toPlainText)));
  const author = cut(findContents('author').join(', '), MAX_METADATA_TEXT);
  const [subject] = findContents('description');
  const named = [...keywords].filter(Boolean).slice(0, MAX_KEYWORDS);
  return {
    ...(author && { author }),
    ...(subject && { subject }),
    ...(named.length && { keywords: named.map((keyword) => cut(keyword, MAX_KEYWORD)) }),
  };
}

function matchContent([name, content]: [name: string, content: string], wanted: string): string {
  return name === wanted ? cut(toPlainText(content), MAX_METADATA_TEXT) : '';
}

/** Returns the text as one line. */
function toPlainText(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
