/**
 * Hyphenates text for which styles ask, because Chromium has no patterns: lists its words, and inserts the soft hyphens that the service
 * has found. Runs in an isolated world, which keeps the text between the two questions.
 */
import { MAX_HYPHENATED_CHARACTERS, MAX_HYPHENATED_WORD, MAX_LANGUAGE_CHARACTERS, MAX_LANGUAGES } from '../contract/limits.ts';
import type { LanguageWords } from '../contract/questions.ts';
import { textNodes } from '../dom/text.ts';

/** The least number of characters of a word, before a hyphen and after it. */
type Limits = [word: number, before: number, after: number];

interface Hyphenation {
  language: string;
  limits: Limits;
}

/** https://drafts.csswg.org/css-text-4/#propdef-hyphenate-limit-chars */
const DEFAULTS: Limits = [5, 2, 2];
const XHTML = 'http://www.w3.org/1999/xhtml';
/** Text that is not shown, or not as text. */
const OTHER_TEXT = /^(?:script|style|textarea|option|title|template|noscript)$/;
/** URLs, addresses and words that have soft hyphens. */
const UNBREAKABLE = /\u00ad|:\/\/|@|^www\.|\p{L}\.\p{L}/u;
const WORD = /[\p{L}\p{M}]+/gu;

let texts: Array<{ text: Text; hyphenation: Hyphenation }> = [];

/** Returns the words of each language, with spaces between them. */
export function listHyphenatedWords(): LanguageWords[] {
  const words = new Map<string, Set<string>>();
  let left = MAX_HYPHENATED_CHARACTERS;
  texts = findTexts();
  for (const { text, hyphenation } of texts)
    changeWords(text.data, hyphenation, (word) => {
      const known = words.get(hyphenation.language);
      if (known?.has(word) || left < word.length) return word;
      left -= word.length;
      if (known) known.add(word);
      else if (words.size < MAX_LANGUAGES) words.set(hyphenation.language, new Set([word]));
      return word;
    });
  return Array.from(words, ([language, known]) => [language, [...known].join(' ')]);
}

/** Takes the words that get soft hyphens. Returns whether the text has any then, also of its own. */
export function insertSoftHyphens(hyphenated: LanguageWords[]): boolean {
  const languages = new Map(hyphenated.map(([language, words]) => [language, byWord(words)]));
  for (const { text, hyphenation } of texts) {
    const words = languages.get(hyphenation.language);
    if (!words) continue;
    const data = changeWords(text.data, hyphenation, (word) => limitHyphens(words.get(word) ?? word, hyphenation.limits));
    if (data !== text.data) text.data = data;
  }
  const hasSoftHyphens = texts.some(({ text }) => text.data.includes('\u00ad'));
  texts = [];
  // Programs that search a PDF or copy its text know this character at the end of a line, but not U+2010, which Chromium prefers.
  const { style } = document.documentElement;
  if (hasSoftHyphens && getComputedStyle(document.documentElement).hyphenateCharacter === 'auto')
    style.hyphenateCharacter = '"-"';
  return hasSoftHyphens;
}

function byWord(words: string): Map<string, string> {
  return new Map(words.split(' ').map((word) => [word.replaceAll('\u00ad', ''), word]));
}

function findTexts(): typeof texts {
  const known = new Map<Element, Hyphenation | undefined>();
  const found: typeof texts = [];
  for (const text of textNodes(true)) {
    const { parentElement } = text;
    if (!parentElement) continue;
    if (!known.has(parentElement)) known.set(parentElement, readHyphenation(parentElement));
    const hyphenation = known.get(parentElement);
    if (hyphenation) found.push({ text, hyphenation });
  }
  return found;
}

/** Returns undefined for an element whose text is not hyphenated. */
function readHyphenation(element: Element): Hyphenation | undefined {
  if (element.namespaceURI !== XHTML || OTHER_TEXT.test(element.localName)) return undefined;
  const style = getComputedStyle(element);
  const language = style.hyphens === 'auto' ? findLanguage(element) : '';
  if (!language || language.length > MAX_LANGUAGE_CHARACTERS) return undefined;
  const stated = style.getPropertyValue('hyphenate-limit-chars').split(' ');
  const [word = 0, before = 0, after = before] = stated.map((limit, index) => Number(limit) || DEFAULTS[index] || 0);
  return { language, limits: [word || DEFAULTS[0], before || DEFAULTS[1], after || DEFAULTS[2]] };
}

function findLanguage(element: Element): string {
  const own = element.closest('[lang]')?.getAttribute('lang');
  const root = element.getRootNode();
  return own ?? (root instanceof ShadowRoot ? findLanguage(root.host) : '');
}

/** Changes the words that may be hyphenated. */
function changeWords(data: string, { limits: [least] }: Hyphenation, change: (word: string) => string): string {
  return data.replace(/\S+/g, (token) => {
    if (token.length < least || UNBREAKABLE.test(token)) return token;
    return token.replace(WORD, (word) => (word.length < least || word.length > MAX_HYPHENATED_WORD ? word : change(word)));
  });
}

/** Takes hyphens out that are too close to an end of the word. */
function limitHyphens(word: string, [, before, after]: Limits): string {
  const parts = word.split('\u00ad');
  while (parts.length > 1 && (parts[0] ?? '').length < before) parts.splice(0, 2, parts.slice(0, 2).join(''));
  while (parts.length > 1 && (parts.at(-1) ?? '').length < after) parts.push(parts.splice(-2).join(''));
  return parts.join('\u00ad');
}
