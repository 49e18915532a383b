/**
 * Selects fonts for Chinese characters, whose shapes depend on the language. It finds the languages of a document in its markup, and
 * provides a script that adds the font of its language to each text of a loaded document.
 *
 * Chromium chooses a fallback font by itself if those of a text lack a character. A renderer process remembers the choice for each
 * character, whatever the language, for as long as it lives, and it synthesizes bold from the regular font. Therefore the font is
 * added after those of the text. Generated content, margin boxes, canvases, headers and footers have no element to which a font
 * could be added, so that a page serves documents of only one language.
 */

import { Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';

const HAN =
  '\\u1100-\\u11ff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff00-\\uffef\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3ffff}';
const SHOWS_HAN = new RegExp(`[${HAN}]`, 'u');
/** Matches character references and escapes for such characters. It also matches some for others, which does no harm. */
const REFERS_TO_HAN =
  /&#(?:x(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})\b|[1-9]\d{4,5}\b)|\\u?\{?(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})/i;
const LANGUAGE = /\blang(?:uage)?["']?\s*(?:=|content\s*=)\s*(?:["']\s*)?(ja|ko|zh(?:[-_][a-z-_]{1,20})?)\b/gi;
const TRADITIONAL = /hant|tw|hk|mo/i;
/** Stands for the language of text that declares none. */
export const UNKNOWN = 'unknown';

/**
 * Returns the languages with Chinese characters that all of `markup` declares, sorted and separated by commas. If it declares none,
 * returns `UNKNOWN` if there may be such characters, and otherwise an empty text.
 */
export function hanLanguages(markup: Array<string | undefined>): string {
  const text = markup.join('\n');
  const languages = new Set(Array.from(text.matchAll(LANGUAGE), ([, tag = '']) => languageOf(tag.toLowerCase())));
  if (languages.size) return [...languages].sort().join();
  return SHOWS_HAN.test(text) || REFERS_TO_HAN.test(text) ? UNKNOWN : '';
}

/** Returns the language of text that declares none, if the document has only one. Undefined if it has several, or none is known. */
export function onlyLanguage(languages: string): string | undefined {
  return !languages || languages === UNKNOWN || languages.includes(',') ? undefined : languages;
}

function languageOf(tag: string): string {
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

/** What `nameFontsExpression` evaluates to. */
export const SHOWN_LANGUAGES = shape(Type.Array(Type.String()));

/** The language of text that declares none is unknown. */
export function knownLanguages(told: string[]): string[] {
  return [UNKNOWN, 'ja', 'ko', 'zh-hans', 'zh-hant'].filter((language) => told.includes(language === UNKNOWN ? '' : language));
}

/**
 * Adds the fonts, and evaluates to the languages of the text. If it `guesses`, it also adds a font to text that declares no language,
 * judging by the letters of the document. Otherwise such text is shown in the operator's fonts, which fontconfig prefers.
 */
export function nameFontsExpression(guesses: boolean): string {
  const functions = [rootsOf, elementsOf, guessFont, languageFor, nameFonts].join('\n');
  return `(() => { ${functions}\ntry { return nameFonts(new RegExp(${JSON.stringify(`[${HAN}]`)}, 'u'), ${guesses}) } catch {} })()`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageRoot {
  querySelectorAll(selector: string): Iterable<PageElement>;
  textContent?: string | null;
}
interface PageElement extends PageRoot {
  localName: string;
  shadowRoot: PageRoot | null;
  style: { setProperty(name: string, value: string, priority: 'important'): void } | undefined;
  value?: unknown;
  placeholder?: unknown;
  matches(selector: string): boolean;
}
declare const document: PageRoot & {
  documentElement: PageElement;
  createTreeWalker(root: PageRoot, what: number): { nextNode(): { data: string; parentElement: PageElement | null } | null };
};
declare const getComputedStyle: (element: PageElement) => { fontFamily: string };

function rootsOf(root: PageRoot): PageRoot[] {
  const inner = [...root.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot).filter((shadow) => shadow !== null);
  return [root, ...inner.flatMap(rootsOf)];
}

/** Returns the elements whose own text contains such characters. */
function elementsOf(root: PageRoot, han: RegExp): Set<PageElement> {
  const found = new Set<PageElement>();
  const walker = document.createTreeWalker(root, 4); // text
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    if (text.parentElement?.style && han.test(text.data)) found.add(text.parentElement);
  for (const field of root.querySelectorAll('input, textarea'))
    if (han.test(`${field.value}${field.placeholder}`)) found.add(field);
  return found;
}

/** Guesses the font of text that declares no language by letters that only one of the languages uses. */
function guessFont(text: string): string {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const han = count(/\p{sc=Han}/gu);
  if (count(/[\u3041-\u30ff]/g) > han / 10) return 'Noto Sans JP';
  return count(/\p{sc=Hangul}/gu) > han ? 'Noto Sans KR' : 'Noto Sans SC';
}

function languageFor(element: PageElement): string {
  if (element.matches(':lang(ja)')) return 'ja';
  if (element.matches(':lang(ko)')) return 'ko';
  if (!element.matches(':lang(zh)')) return '';
  return element.matches(':is(:lang(zh-Hant), :lang(zh-TW), :lang(zh-HK), :lang(zh-MO))') ? 'zh-hant' : 'zh-hans';
}

function nameFonts(han: RegExp, guesses: boolean): string[] {
  const fonts: Record<string, string> = {
    ja: 'Noto Sans JP',
    ko: 'Noto Sans KR',
    'zh-hans': 'Noto Sans SC',
    'zh-hant': 'Noto Sans TC',
  };
  const otherwise = guesses ? guessFont(document.documentElement.textContent ?? '') : '';
  const wanted = new Map<PageElement, string>();
  const note = (element: PageElement) => {
    const { fontFamily } = getComputedStyle(element);
    const font = fonts[languageFor(element)] ?? otherwise;
    // On its own, `monospace` has a different default size, which it would lose next to another family.
    if (font && fontFamily !== 'monospace' && !fontFamily.includes(font)) wanted.set(element, `${fontFamily}, "${font}"`);
  };
  // The root comes first, because most elements inherit the font from it.
  const elements = rootsOf(document).flatMap((root) => [...elementsOf(root, han)]);
  for (const element of new Set([document.documentElement, ...elements])) note(element);
  for (const [element, families] of wanted)
    if (getComputedStyle(element).fontFamily !== families) element.style?.setProperty('font-family', families, 'important');
  return [...new Set(elements.map(languageFor))];
}
