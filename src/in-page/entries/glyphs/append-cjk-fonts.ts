/** Adds a font to each text with Chinese characters, whose shapes depend on the language. */
import { cjkCharacters } from '../../contract/cjk-characters.ts';
import { type Root, selectIn, withShadows } from '../../dom/roots.ts';
import { findTexts } from '../../dom/text.ts';

const CJK = new RegExp(`[${cjkCharacters}]`, 'u');
const FONTS: Record<string, string> = {
  ja: 'Noto Sans JP',
  ko: 'Noto Sans KR',
  'zh-hans': 'Noto Sans SC',
  'zh-hant': 'Noto Sans TC',
};

/**
 * Adds the fonts, and returns the languages of the text: keys of `FONTS`, or an empty text where none is declared. If it `guesses`, it
 * also adds a font to text that declares no language, judging by the letters of the document.
 */
export function appendCjkFonts(guesses: boolean): string[] {
  const otherwise = guesses ? guessFont(document.documentElement.textContent ?? '') : '';
  const elements = withShadows(document).flatMap((root) => [...elementsWithCjk(root)]);
  const wanted = new Map<HTMLElement, string>();
  // The root comes first, because most elements inherit the font from it.
  for (const element of new Set([document.documentElement, ...elements])) {
    const { fontFamily } = getComputedStyle(element);
    const font = FONTS[cjkLanguage(element)] ?? otherwise;
    // On its own, `monospace` has a different default size, which it would lose next to another family.
    if (font && fontFamily !== 'monospace' && !fontFamily.includes(font)) wanted.set(element, `${fontFamily}, "${font}"`);
  }
  for (const [element, families] of wanted)
    if (getComputedStyle(element).fontFamily !== families) element.style?.setProperty('font-family', families, 'important');
  return [...new Set(elements.map(cjkLanguage))];
}

/** Returns the elements whose own text contains such characters. */
function elementsWithCjk(root: Root): Set<HTMLElement> {
  const found = new Set<HTMLElement>();
  for (const { data, parentElement } of findTexts(root)) if (parentElement?.style && CJK.test(data)) found.add(parentElement);
  for (const field of selectIn<HTMLInputElement | HTMLTextAreaElement>(root, 'input, textarea'))
    if (CJK.test(`${field.value}${field.placeholder}`)) found.add(field);
  return found;
}

/** Guesses the font of text that declares no language by letters that only one of the languages uses. */
function guessFont(text: string): string {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const han = count(/\p{sc=Han}/gu);
  if (count(/[\u3041-\u30ff]/g) > han / 10) return 'Noto Sans JP';
  return count(/\p{sc=Hangul}/gu) > han ? 'Noto Sans KR' : 'Noto Sans SC';
}

function cjkLanguage(element: Element): string {
  if (element.matches(':lang(ja)')) return 'ja';
  if (element.matches(':lang(ko)')) return 'ko';
  if (!element.matches(':lang(zh)')) return '';
  return element.matches(':is(:lang(zh-Hant), :lang(zh-TW), :lang(zh-HK), :lang(zh-MO))') ? 'zh-hant' : 'zh-hans';
}
