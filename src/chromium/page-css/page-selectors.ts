/** Translates rules for pages whose selectors Chromium drops: lists, `:blank`, the first page as `:nth(1)`, and every other page. */
import { BLANK_PAGE, EVEN_PAGES, ODD_PAGES } from '../../in-page/contract/page-selectors.ts';
import { readDeclarations, ruleWithin } from './css-statements.ts';

const RULE = /^@page\b(.*)$/is;
const KNOWN = /^[-\w]*(?::(?:first|left|right))?$/i;
const MAY_TRANSLATE = /:(?:blank|nth)|@page[^{},]{0,200},/i;
const TRANSLATED: Record<string, string> = {
  ...{ ':blank': BLANK_PAGE, ':nth(1)': ':first' },
  ...{ ':nth(odd)': ODD_PAGES, ':nth(2n+1)': ODD_PAGES, ':nth(2n-1)': ODD_PAGES },
  ...{ ':nth(even)': EVEN_PAGES, ':nth(2n)': EVEN_PAGES, ':nth(2n+0)': EVEN_PAGES },
};

/** Returns rules for each declaration. They belong after the style sheet. */
export function translateSelectors(css: string): string[] {
  if (!MAY_TRANSLATE.test(css)) return [];
  return [...readDeclarations(css)].flatMap(({ property, value, within }) => {
    const at = within.findIndex((block) => translateSelector(block));
    if (!property || at < 0) return [];
    const selectors = translateSelector(within[at] ?? '') ?? [];
    return selectors.map((selector) => ruleWithin(within.with(at, selector), `${property}: ${value}`));
  });
}

/** Returns undefined for what is no such rule. */
export function translateSelector(block: string): string[] | undefined {
  const [, prelude = ''] = RULE.exec(block) ?? [];
  const selectors = prelude.split(',').map((each) => each.replace(/\s/g, ''));
  const known = selectors.map((each) => {
    const name = each.toLowerCase();
    return Object.hasOwn(TRANSLATED, name) ? TRANSLATED[name] : each && KNOWN.test(each) ? each : undefined;
  });
  const isTranslated = known.length > 1 || known[0] !== selectors[0];
  return isTranslated && known.every((each) => each !== undefined) ? known.map((each) => `@page ${each}`) : undefined;
}
