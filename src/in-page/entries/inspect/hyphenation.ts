/** Finds languages for which a document requests hyphenation but Chromium does not hyphenate. */
import { MAX_LANGUAGE_CHARACTERS, MAX_LANGUAGES } from '../../contract/limits.ts';
import { selectIn } from '../../dom/roots.ts';

const MAX_ELEMENTS = 5_000;
/** Characters of an element in which a word is looked for. */
const MAX_CHARACTERS = 10_000;

/** Returns languages as the document names them. The language of text without one is empty. */
export function findUnhyphenated(): string[] {
  try {
    const words = [...findLongestWords()].slice(0, MAX_LANGUAGES);
    const whole = words.filter(([language, word]) => !isHyphenated(word, language));
    return whole.map(([language]) => language.slice(0, MAX_LANGUAGE_CHARACTERS));
  } catch {
    return []; // a document that breaks the functions used here is not inspected
  }
}

/** Returns the longest word of each language that should be hyphenated. */
function findLongestWords(): Map<string, string> {
  const words = new Map<string, string>();
  let n = 0;
  for (const element of selectIn(document, 'body *, body')) {
    if (n++ >= MAX_ELEMENTS) break;
    const text = [...element.childNodes].map((node) => (node.nodeType === 3 ? (node as Text).data : '')).join(' ');
    const [longest = ''] = (text.slice(0, MAX_CHARACTERS).match(/\p{L}{8,}/gu) ?? []).sort((a, b) => b.length - a.length);
    if (!longest || getComputedStyle(element).hyphens !== 'auto' || !element.checkVisibility()) continue;
    const language = element.closest('[lang]')?.getAttribute('lang') ?? '';
    if (longest.length > (words.get(language)?.length ?? 0)) words.set(language, longest);
  }
  return words;
}

function isHyphenated(word: string, language: string): boolean {
  return measureHeight(word, language, 'auto') > measureHeight(word, language, 'manual');
}

/** Lays the word out in a box that is too narrow: it breaks only if it can be hyphenated. */
function measureHeight(word: string, language: string, hyphens: 'auto' | 'manual'): number {
  const probe = document.createElement('div');
  if (language) probe.lang = language;
  probe.style.cssText = `all: initial; display: block; position: absolute; visibility: hidden; width: 1px; font: 16px/20px serif; hyphens: ${hyphens}`;
  probe.textContent = word.toLowerCase();
  document.body.append(probe);
  const { offsetHeight } = probe;
  probe.remove();
  return offsetHeight;
}
