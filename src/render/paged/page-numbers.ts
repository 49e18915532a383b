/** Numbers pages as a reader sees them: where the number is set, and in which section each page is. */

import { numberAfter, type PageCounter } from '../../chromium/page-css/page-counters.ts';
import type { PageFacts } from '../../chromium/page-css/page-selectors.ts';
import type { PageLabel } from '../../pdf/paged/page-labels.ts';

/** A change of the page number on the page with this index. */
export interface NumberChange {
  page: number;
  number: number;
  /** Whether it is a `counter-reset`, with which 0 means that the page is the first. */
  isReset: boolean;
}

export interface NumberedPages {
  /** The number of each page. */
  numbers: number[];
  /** The number of each page within its section, which begins where an element sets the page number. */
  ofSection: number[];
  /** The pages of the section of each page. */
  sectionPages: number[];
}

export function numberPages(
  pages: readonly PageFacts[],
  counters: readonly PageCounter[],
  changes: readonly NumberChange[],
): NumberedPages {
  const byPage = new Map(changes.map((change) => [change.page, change]));
  const numbers: number[] = [];
  const starts: number[] = [];
  for (const [page, facts] of pages.entries()) {
    const change = byPage.get(page);
    numbers.push(change ? change.number || Number(change.isReset) : numberAfter(numbers[page - 1] ?? 0, facts, counters));
    starts.push(change ? page : (starts[page - 1] ?? 0));
  }
  const ends = starts.map((start) => starts.lastIndexOf(start));
  return {
    numbers,
    ofSection: starts.map((start, page) => page - start + 1),
    sectionPages: starts.map((start, page) => (ends[page] ?? page) - start + 1),
  };
}

/** What begins pages with a name. */
export interface BegunPages {
  name: string;
  /** The index of the page, if it is known. */
  page: number | undefined;
  /** Whether a break is forced before it. */
  isForced: boolean;
}

/** The name of each page: that of the last element before its end that begins pages with a name. Of those on one page, the last counts. */
export function namePages(count: number, begun: readonly BegunPages[]): Array<Pick<PageFacts, 'name' | 'numberInGroup'>> {
  const begins = new Map<number, BegunPages>();
  for (const each of begun) if (each.page !== undefined) begins.set(each.page, each);
  let [name, numberInGroup] = ['', 0];
  return Array.from({ length: count }, (_, page) => {
    const { name: own = name, isForced = false } = begins.get(page) ?? {};
    numberInGroup = own !== name || isForced ? 1 : numberInGroup + 1;
    name = own;
    return { name, numberInGroup };
  });
}

const LABEL_STYLES: Record<string, PageLabel['style']> = {
  'lower-roman': 'r',
  'upper-roman': 'R',
  'lower-alpha': 'a',
  'lower-latin': 'a',
  'upper-alpha': 'A',
  'upper-latin': 'A',
};

/** Returns undefined if all pages have their usual number. `styles` has the counter style that pages with a name show. */
export function labelPages(
  numbers: readonly number[],
  names: readonly string[],
  styles: ReadonlyMap<string, string>,
): PageLabel[] | undefined {
  const labels = numbers.map((number, page): PageLabel => {
    const style = styles.get(names[page] ?? '') ?? styles.get('') ?? '';
    return { number, style: LABEL_STYLES[style] ?? 'D' };
  });
  return labels.some(({ number, style }, page) => number !== page + 1 || style !== 'D') ? labels : undefined;
}
