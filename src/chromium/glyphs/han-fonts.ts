/**
 * Finds the languages of Chinese characters, whose shapes depend on the language, in the markup of a document. `appendCjkFonts` adds
 * the font of its language to each text of a loaded document.
 *
 * Chromium chooses a fallback font by itself if those of a text lack a character. A renderer process remembers the choice for each
 * character, whatever the language, for as long as it lives, and it synthesizes bold from the regular font. Therefore the font is
 * added after those of the text. Generated content, margin boxes, canvases, headers and footers have no element to which a font
 * could be added, so that a page serves documents of only one language. See `GetFallbackFontForCharacter` in
 * https://source.chromium.org/chromium/chromium/src/+/main:content/child/child_process_sandbox_support_impl_linux.cc.
 */

import { Type } from 'typebox';
import { cjkCharacters } from '../../in-page/contract/cjk-characters.ts';
import { shape } from '../devtools/evaluate.ts';

const SHOWS_HAN = new RegExp(`[${cjkCharacters}]`, 'u');
/** Matches character references and escapes for such characters. It also matches some for others, which does no harm. */
const REFERS_TO_HAN =
  /&#(?:x(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})\b|[1-9]\d{4,5}\b)|\\u?\{?(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})/i;
const LANGUAGE = /\blang(?:uage)?["']?\s*(?:=|content\s*=)\s*(?:["']\s*)?(ja|ko|zh(?:[-_][a-z-_]{1,20})?)\b/gi;
const TRADITIONAL = /hant|tw|hk|mo/i;
/** Stands for the language of text that declares none. */
const UNKNOWN = 'unknown';

/**
 * Returns the languages with Chinese characters that all of `markup` declares, sorted and separated by commas. If it declares none,
 * returns `UNKNOWN` if there may be such characters, and otherwise an empty text.
 */
export function hanLanguages(markup: Array<string | undefined>): string {
  const text = markup.join('\n');
  const languages = new Set(Array.from(text.matchAll(LANGUAGE), ([, tag = '']) => hanLanguage(tag.toLowerCase())));
  if (languages.size) return [...languages].sort().join();
  return SHOWS_HAN.test(text) || REFERS_TO_HAN.test(text) ? UNKNOWN : '';
}

/** Returns the language of text that declares none, if the document has only one. Undefined if it has several, or none is known. */
export function onlyLanguage(languages: string): string | undefined {
  return !languages || languages === UNKNOWN || languages.includes(',') ? undefined : languages;
}

function hanLanguage(tag: string): string {
  if (!tag.startsWith('zh')) return tag;
  return TRADITIONAL.test(tag) && !tag.includes('hans') ? 'zh-hant' : 'zh-hans';
}

/** Whether any of the characters is shown in these fonts. */
export function showsHan(characters: Iterable<string>): boolean {
  for (const character of characters) if (SHOWS_HAN.test(character)) return true;
  return false;
}

/**
 * Returns all languages that a page has shown: those `before`, and those of the document it shows `now`. Empty if there are none.
 */
export function joinLanguages(before: string, now: readonly string[]): string {
  const told = now.filter((language) => language && language !== UNKNOWN);
  const all = new Set([...before.split(','), ...(told.length ? told : now)].filter(Boolean));
  return [...all].sort().join();
}

/** The answer to `appendCjkFonts`. */
export const SHOWN_LANGUAGES = shape(Type.Array(Type.String()));

/** The language of text that declares none is unknown. */
export function knownLanguages(told: string[]): string[] {
  return [UNKNOWN, 'ja', 'ko', 'zh-hans', 'zh-hant'].filter((language) => told.includes(language === UNKNOWN ? '' : language));
}
