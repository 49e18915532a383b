/**
 * Makes the rules by which margin boxes show a text of their own on each page: a counter numbers the sheets, and a counter style has the
 * text of each as its symbol.
 */
import type { MarginText } from '../../chromium/page-css/paged-properties.ts';
import { ServiceError } from '../../errors.ts';
import { writeNumber } from '../../in-page/contract/counter-styles.ts';
import { quote } from '../../in-page/contract/css-string.ts';
import type { NumberedPages } from './page-numbers.ts';

const MAX_CHARACTERS = 4_194_304;

/** A string that an element sets on the page with this index. */
export interface SetString {
  name: string;
  value: string;
  page: number;
  /** Whether nothing is before the element on its page. */
  isAtTop: boolean;
}

/** Throws `resource_limit`. */
export function marginRules(texts: ReadonlyMap<string, MarginText>, pages: NumberedPages, strings: readonly SetString[]): string {
  let css = texts.size ? '@counter-style platen-nothing { system: cyclic; symbols: ""; suffix: "" }' : '';
  for (const [name, text] of texts) {
    css += counterStyle(name, textsOf(text, pages, strings));
    if (css.length > MAX_CHARACTERS)
      throw new ServiceError(
        'resource_limit',
        `the texts of margin boxes have more than ${MAX_CHARACTERS} characters on all pages`,
        {
          members: { limit: MAX_CHARACTERS },
        },
      );
  }
  return css;
}

function textsOf(text: MarginText, { numbers, ofSection, sectionPages }: NumberedPages, strings: readonly SetString[]): string[] {
  if (text.kind === 'string') return stringTexts(text, strings, numbers.length);
  const shown = { page: numbers, 'section-page': ofSection, 'section-pages': sectionPages }[text.kind];
  return shown.map((number) => writeNumber(number, text.style));
}

/** The value of a string on each page (css-gcpm-3, 1.1.2). */
function stringTexts(
  { name, position }: { name: string; position: string },
  strings: readonly SetString[],
  count: number,
): string[] {
  const byPage = Map.groupBy(
    strings.filter((each) => each.name === name),
    ({ page }) => page,
  );
  let before = '';
  return Array.from({ length: count }, (_, page) => {
    const set = byPage.get(page) ?? [];
    const text = stringOn(position, before, set);
    before = set.at(-1)?.value ?? before;
    return text;
  });
}

function stringOn(position: string, before: string, set: readonly SetString[]): string {
  const [first] = set;
  if (!first) return before;
  if (position === 'last') return set.at(-1)?.value ?? '';
  if (position === 'start') return first.isAtTop ? first.value : before;
  return position === 'first-except' ? '' : first.value;
}

function counterStyle(name: string, texts: readonly string[]): string {
  const symbols = texts.map(quote).join(' ');
  return `@counter-style ${name} { system: fixed 1; suffix: ""; fallback: platen-nothing; symbols: ${symbols} }`;
}
