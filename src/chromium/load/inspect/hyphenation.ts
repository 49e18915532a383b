/**
 * Finds languages for which a document requests hyphenation but Chromium does not hyphenate. The functions below run in the page,
 * sent as text.
 */
import { Type } from 'typebox';
import { shape } from '../../devtools/evaluate.ts';

const MAX_ELEMENTS = 5_000;
const MAX_LANGUAGES = 20;
const MAX_CHARACTERS = 40;

/** Evaluates to languages as the document names them. The language of text without one is empty. */
export const UNHYPHENATED = `(() => { ${[wordsByLanguage, isHyphenated, unhyphenated].join(' ')}
  try { return unhyphenated(${MAX_ELEMENTS}, ${MAX_LANGUAGES}, ${MAX_CHARACTERS}) } catch { return [] } })()`;

export const UNHYPHENATED_LANGUAGES = shape(Type.Array(Type.String({ maxLength: MAX_CHARACTERS }), { maxItems: MAX_LANGUAGES }));

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  lang: string;
  offsetHeight: number;
  textContent: string;
  style: { cssText: string };
  childNodes: Iterable<{ nodeType: number; data: string }>;
  closest(selector: string): PageElement | null;
  checkVisibility(): boolean;
  getAttribute(name: string): string | null;
  append(element: PageElement): void;
  remove(): void;
}
declare const document: {
  body: PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  createElement(name: string): PageElement;
};
declare const getComputedStyle: (element: PageElement) => { hyphens: string };

/** Returns the longest word of each language that should be hyphenated. */
function wordsByLanguage(atMost: number): Map<string, string> {
  const words = new Map<string, string>();
  let n = 0;
  for (const element of document.querySelectorAll('body *, body')) {
    if (n++ >= atMost) break;
    const text = [...element.childNodes].map(({ nodeType, data }) => (nodeType === 3 ? data : '')).join(' ');
    const [longest = ''] = (text.slice(0, 10_000).match(/\p{L}{8,}/gu) ?? []).sort((a, b) => b.length - a.length);
    if (!longest || getComputedStyle(element).hyphens !== 'auto' || !element.checkVisibility()) continue;
    const language = element.closest('[lang]')?.getAttribute('lang') ?? '';
    if (longest.length > (words.get(language)?.length ?? 0)) words.set(language, longest);
  }
  return words;
}

/** Lays the word out in a box that is too narrow: it breaks only if it can be hyphenated. */
function isHyphenated(word: string, language: string): boolean {
  const heightWith = (hyphens: string): number => {
    const probe = document.createElement('div');
    if (language) probe.lang = language;
    probe.style.cssText = `all: initial; display: block; position: absolute; visibility: hidden; width: 1px; font: 16px/20px serif; hyphens: ${hyphens}`;
    probe.textContent = word.toLowerCase();
    document.body?.append(probe);
    const { offsetHeight } = probe;
    probe.remove();
    return offsetHeight;
  };
  return heightWith('auto') > heightWith('manual');
}

function unhyphenated(maxElements: number, maxLanguages: number, maxCharacters: number): string[] {
  const words = [...wordsByLanguage(maxElements)].slice(0, maxLanguages);
  return words.filter(([language, word]) => !isHyphenated(word, language)).map(([language]) => language.slice(0, maxCharacters));
}
