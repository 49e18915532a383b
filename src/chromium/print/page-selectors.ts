/** Translates rules for pages whose selectors Chromium drops: `:blank`, the first page as `:nth(1)`, and every other page. */
import { BLANK_PAGE, EVEN_PAGES, ODD_PAGES } from '../../in-page/contract/page-selectors.ts';
import { readDeclarations } from './css-statements.ts';

const RULE = /^@page\s{0,9}(:blank|:nth\([^()]{0,40}\))$/i;
const TRANSLATED: Record<string, string> = {
  ...{ ':blank': BLANK_PAGE, ':nth(1)': ':first' },
  ...{ ':nth(odd)': ODD_PAGES, ':nth(2n+1)': ODD_PAGES, ':nth(2n-1)': ODD_PAGES },
  ...{ ':nth(even)': EVEN_PAGES, ':nth(2n)': EVEN_PAGES, ':nth(2n+0)': EVEN_PAGES },
};

/** Returns a rule for each declaration. They belong after the style sheet. */
export function translateSelectors(css: string): string[] {
  if (!/:(?:blank|nth)/i.test(css)) return [];
  return [...readDeclarations(css)].flatMap(({ property, value, within }) => {
    if (!property || !within.some(translateSelector)) return [];
    const known = within.map((block) => translateSelector(block) ?? block);
    return `${known.join(' { ')} { ${property}: ${value} ${'}'.repeat(known.length)}`;
  });
}

/** Returns undefined for what is no such rule. */
export function translateSelector(block: string): string | undefined {
  const selector = RULE.exec(block)?.[1]?.toLowerCase().replace(/\s/g, '') ?? '';
  return Object.hasOwn(TRANSLATED, selector) ? `@page ${TRANSLATED[selector]}` : undefined;
}
