/** Translates the rules for `@page :blank`, which Chromium drops, into rules for the empty pages that are inserted. */
import { BLANK_PAGE } from '../../in-page/contract/blank-page.ts';
import { readDeclarations } from './css-statements.ts';

const BLANK_RULE = /^@page\s{0,9}:blank$/i;

/** Returns a rule for each declaration. They belong after the style sheet. */
export function translateBlankRules(css: string): string[] {
  if (!/:blank/i.test(css)) return [];
  return [...readDeclarations(css)].flatMap(({ property, value, within }) => {
    if (!property || !within.some((block) => BLANK_RULE.test(block))) return [];
    const named = within.map((block) => block.replace(BLANK_RULE, `@page ${BLANK_PAGE}`));
    return `${named.join(' { ')} { ${property}: ${value} ${'}'.repeat(named.length)}`;
  });
}
