/** Finds in rules for pages what changes the numbers of their pages (css-page-3, 6), and counts pages by that. */
import { isOfPage } from './css-statements.ts';
import { type PageFacts, type PageSelector, selectsPage, specificityOf } from './page-selectors.ts';
import { pageSelectorOf, type TranslatedDeclaration } from './selector-rules.ts';

/** A declaration for the counters of some pages. */
export interface PageCounter {
  pages: PageSelector;
  property: string;
  /** Undefined if it leaves the page number as it is. */
  number: number | undefined;
}

const COUNTER = /^counter-(?:reset|increment|set)$/;
const PAGE = /(?<![\w-])page(?![\w-])(?:\s+([-+]?\d{1,9})(?!\d))?/i;

export function findPageCounters(declaration: TranslatedDeclaration): PageCounter[] {
  const { property, value, within } = declaration;
  const pages = COUNTER.test(property) && isOfPage(declaration) ? pageSelectorOf(declaration, within.at(-1)) : undefined;
  const [found, number = property === 'counter-increment' ? '1' : '0'] = PAGE.exec(value) ?? [];
  return pages ? [{ pages, property, number: found === undefined ? undefined : Number(number) }] : [];
}

/** Whether Chromium counts the following pages otherwise: after `counter-reset`, it begins at 1. It is trusted with the first page only. */
export function isMiscounted({ pages, property, number }: PageCounter): boolean {
  const isOfFirst = !pages.name && pages.classes.length === 1 && pages.classes[0]?.kind === 'first';
  return number !== undefined && property !== 'counter-increment' && !(isOfFirst && property === 'counter-set');
}

/** The number of a page after one with the number `before`: `counter-reset` takes effect before the page is counted, `counter-set` afterwards. */
export function numberAfter(before: number, page: PageFacts, counters: readonly PageCounter[]): number {
  const applied = counters.filter(({ pages }) => selectsPage(pages, page));
  const declared = (property: string) => {
    const all = applied.filter((each) => each.property === property);
    return all.toSorted((one, other) => specificityOf(one.pages) - specificityOf(other.pages)).at(-1)?.number;
  };
  return declared('counter-set') ?? (declared('counter-reset') ?? before) + (declared('counter-increment') ?? 1);
}
