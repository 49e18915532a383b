/**
 * Whose shapes Chinese characters have: markup in, the languages it is written in out; and a script that names, for each text of a
 * loaded document, the font of its language.
 *
 * Chromium looks for a font by itself where those of a text lack a character. A renderer process remembers the result by the
 * character alone, whatever the language, and for as long as it lives; and it makes bold itself, from the regular font. So the font
 * is named behind those of the text, and a page serves documents of one language only, for what no element can name a font for:
 * generated content, margin boxes, canvases, headers and footers.
 */

const HAN =
  '\\u1100-\\u11ff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\ufe30-\\ufe4f\\uff00-\\uffef\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3ffff}';
const SHOWS_HAN = new RegExp(`[${HAN}]`, 'u');
/** Character references, and escapes in scripts and style sheets, of such characters: also of others, which does no harm. */
const REFERS_TO_HAN =
  /&#(?:x(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})\b|[1-9]\d{4,5}\b)|\\u?\{?(?:[23][0-9a-f]{4}|[3-9a-d][0-9a-f]{3})/i;
const LANGUAGE = /\blang(?:uage)?["']?\s*(?:=|content\s*=)\s*["']?\s*(ja|ko|zh(?:[-_][a-z-_]{1,20})?)\b/gi;
const TRADITIONAL = /hant|tw|hk|mo/i;
/** What text without a language is shown in. */
export const UNKNOWN = 'unknown';

/** The languages of the Chinese characters in all of `markup`, in one order; empty where there are no such characters. */
export function hanLanguages(markup: Array<string | undefined>): string {
  const text = markup.join('\n');
  const languages = new Set(Array.from(text.matchAll(LANGUAGE), ([, tag = '']) => languageOf(tag.toLowerCase())));
  if (languages.size) return [...languages].sort().join();
  return SHOWS_HAN.test(text) || REFERS_TO_HAN.test(text) ? UNKNOWN : '';
}

/** The language of text that has none of its own; undefined where there are several to choose from, or none is told. */
export function onlyLanguage(languages: string): string | undefined {
  return !languages || languages === UNKNOWN || languages.includes(',') ? undefined : languages;
}

function languageOf(tag: string): string {
  if (!tag.startsWith('zh')) return tag;
  return TRADITIONAL.test(tag) && !tag.includes('hans') ? 'zh-hant' : 'zh-hans';
}

/** Whether the text may show such characters. */
export function showsHan(characters: Iterable<string>): boolean {
  for (const character of characters) if (SHOWS_HAN.test(character)) return true;
  return false;
}

/**
 * Names the fonts. `guesses`: also for text that has no language, by the letters beside it; otherwise such text is left to the fonts
 * of the operator, which fontconfig prefers.
 */
export function nameFontsExpression(guesses: boolean): string {
  const functions = [rootsOf, elementsOf, guessFont, fontFor, nameFonts].join('\n');
  return `(() => { ${functions}\ntry { nameFonts(new RegExp(${JSON.stringify(`[${HAN}]`)}, 'u'), ${guesses}) } catch {} })()`;
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

/** The elements that show such characters themselves. */
function elementsOf(root: PageRoot, han: RegExp): Set<PageElement> {
  const found = new Set<PageElement>();
  const walker = document.createTreeWalker(root, 4); // text
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    if (text.parentElement?.style && han.test(text.data)) found.add(text.parentElement);
  for (const field of root.querySelectorAll('input, textarea'))
    if (han.test(`${field.value}${field.placeholder}`)) found.add(field);
  return found;
}

/** Of text without a language: by the letters that one of the languages has to itself. */
function guessFont(text: string): string {
  const count = (letters: RegExp) => text.match(letters)?.length ?? 0;
  const han = count(/\p{sc=Han}/gu);
  if (count(/[\u3041-\u30ff]/g) > han / 10) return 'Noto Sans JP';
  return count(/\p{sc=Hangul}/gu) > han ? 'Noto Sans KR' : 'Noto Sans SC';
}

function fontFor(element: PageElement, otherwise: string): string {
  if (element.matches(':lang(ja)')) return 'Noto Sans JP';
  if (element.matches(':lang(ko)')) return 'Noto Sans KR';
  if (!element.matches(':lang(zh)')) return otherwise;
  const isTraditional = element.matches(':is(:lang(zh-Hant), :lang(zh-TW), :lang(zh-HK), :lang(zh-MO))');
  return isTraditional ? 'Noto Sans TC' : 'Noto Sans SC';
}

function nameFonts(han: RegExp, guesses: boolean): void {
  const otherwise = guesses ? guessFont(document.documentElement.textContent ?? '') : '';
  const wanted = new Map<PageElement, string>();
  const note = (element: PageElement) => {
    const { fontFamily } = getComputedStyle(element);
    const font = fontFor(element, otherwise);
    // Alone it has a size of its own, which it would lose beside another.
    if (font && fontFamily !== 'monospace' && !fontFamily.includes(font)) wanted.set(element, `${fontFamily}, "${font}"`);
  };
  // The root first: most elements have it from there, and need nothing of their own.
  const elements = new Set([document.documentElement, ...rootsOf(document).flatMap((root) => [...elementsOf(root, han)])]);
  for (const element of elements) note(element);
  for (const [element, families] of wanted)
    if (getComputedStyle(element).fontFamily !== families) element.style?.setProperty('font-family', families, 'important');
}
