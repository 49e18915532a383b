/** Translates breaks that are always forced (css-break-4), which on paper begin a page: Chromium knows only `page`. */
import { type Declaration, ruleWithin } from './css-statements.ts';

const BREAK = /^(?:page-)?break-(?:before|after)$/;
const ALWAYS = /^(?:always|all)\b/i;

export function breaksAlways({ property, value }: Declaration): boolean {
  return BREAK.test(property) && !property.startsWith('page-') && ALWAYS.test(value);
}

/** All breaks are declared again, so that none loses its place in the cascade. Returns undefined for other declarations. */
export function translateBreak(declaration: Declaration): string | undefined {
  const { property, written } = declaration;
  if (!BREAK.test(property)) return undefined;
  const value = breaksAlways(declaration) ? written.value.replace(ALWAYS, 'page') : written.value;
  return ruleWithin(written.within, `${property}: ${value}`);
}
