/** What pages that get names have in common, by which they have rules of their own (docs/decisions/0128-areas-of-pages-by-number.md). */
import { type PageFacts, parsePageSelector, specificityOf } from '../../chromium/page-css/page-selectors.ts';
import { BLANK_PAGE, type PageClass } from '../../in-page/contract/page-selectors.ts';
import type { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { isBlank } from '../../pdf/paged/blank-pages.ts';

/** Pages by their class. */
export interface Classified {
  classes: PageClass[];
  /** The number of the class of each page. */
  pages: number[];
}

export function classifyPages(all: readonly PageClass[]): Classified {
  const classes: PageClass[] = [];
  const numbers = new Map<string, number>();
  const pages = all.map((selectors) => {
    const text = JSON.stringify(selectors);
    const number = numbers.get(text) ?? classes.push(selectors) - 1;
    numbers.set(text, number);
    return number;
  });
  return { classes, pages };
}

/** The selectors of a page that Chromium knows, with their specificity. */
export function knownSelectors({ number, isLeft, isBlank: isEmpty, name }: PageFacts): PageClass {
  const kinds = ['', isLeft ? ':left' : ':right', ...(number === 1 ? [':first'] : [])];
  const texts = ['', isEmpty ? BLANK_PAGE : name].flatMap((each) => kinds.map((kind) => each + kind));
  return Object.fromEntries(
    texts.map((text) => {
      const selector = parsePageSelector(text);
      return [text, selector ? specificityOf(selector) : 0];
    }),
  );
}

/** Whether all pages of two prints show the same. */
export function showSamePages(one: PrintedPages, other: PrintedPages): boolean {
  return (
    one.pages.length === other.pages.length &&
    one.pages.every((_, page) => one.content(page) === other.content(page) && hasSameSize(one, other, page))
  );
}

function hasSameSize(one: PrintedPages, other: PrintedPages, page: number): boolean {
  const [size, otherSize] = [one.pageSize(page), other.pageSize(page)];
  return size.width === otherSize.width && size.height === otherSize.height;
}

/** The number of pages up to the last one that shows anything: names alone would add pages. */
export function countShown(file: PrintedPages): number {
  let count = file.pages.length;
  while (count > 0 && isBlank(file, count - 1)) count--;
  return count;
}
