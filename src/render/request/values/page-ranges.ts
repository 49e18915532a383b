/** Page ranges such as `1-3,5,8-`: parses them, and checks that a document has the pages. */
import { ServiceError } from '../../../errors.ts';
import type { ValidationErrors } from './validation-errors.ts';

export interface Range {
  from: number;
  /** Infinity if the range goes to the end. */
  to: number;
}

const PAGE_RANGES = /^(?:(?:\d+(?:-\d*)?|-\d+)(?:,(?=.)|$))*$/;
/**
 * Chromium counts pages with 32 bits (`TextPageRangesToPageRanges`:
 * https://source.chromium.org/chromium/chromium/src/+/main:components/printing/browser/print_to_pdf/pdf_print_utils.cc).
 */
const LAST_PAGE = 2_147_483_647;

/** Returns the ranges without blanks, and with numbers that Chromium can parse. */
export function parsePageRanges(path: string, given: string, errors: ValidationErrors): string {
  const ranges = given.replace(/[ \t]+/g, '');
  if (!PAGE_RANGES.test(ranges)) errors.add(path, 'must be page ranges such as 1-3, 5, 8-');
  for (const range of ranges.split(',')) {
    const [from, to] = range.split('-');
    if (from && to && Number(from) > Number(to)) errors.add(path, `the range ${range.slice(0, 64)} ends before it starts`);
  }
  if (/\b0+\b/.test(ranges)) errors.add(path, 'pages are counted from 1');
  return ranges.replace(/\d+/g, (page) => String(Math.min(Number(page), LAST_PAGE)));
}

/** Whether a document may lack some of the requested pages, given how many of them were printed. */
export function mayLackPages(ranges: string, printed: number): boolean {
  const asked = new Set<number>();
  for (const { from, to } of parseRanges(ranges)) {
    // Pages beyond the printed number cannot change the answer.
    const last = Math.min(to === Number.POSITIVE_INFINITY ? from : to, from + printed);
    for (let page = from; page <= last; page++) asked.add(page);
  }
  return asked.size > printed;
}

/** The error for a range that begins after the last page. */
export function beyondTheEnd(option: string, ranges: string, pages: number): ServiceError | undefined {
  const beyond = parseRanges(ranges).find(({ from }) => from > pages);
  if (!beyond) return undefined;
  const detail = `${option}: there is no page ${beyond.from}; the document has ${pages} page${pages === 1 ? '' : 's'}`;
  return new ServiceError('print_failed', detail, { members: { pages }, isPlain: true });
}

/** Whether the page with an index is within the ranges, or there are none. */
export function pagesWithin(ranges: string): (index: number) => boolean {
  const parsed = parseRanges(ranges);
  return (index) => !parsed.length || parsed.some(({ from, to }) => from <= index + 1 && index + 1 <= to);
}

/** The indexes of the pages of a document that its print has, of which there are so many. */
export function printedPages(ranges: string, count: number): number[] {
  const isPrinted = pagesWithin(ranges);
  const printed: number[] = [];
  for (let page = 0; printed.length < count; page++) if (isPrinted(page)) printed.push(page);
  return printed;
}

/** Returns no ranges for an empty text. */
export function parseRanges(ranges: string): Range[] {
  return ranges
    .split(',')
    .filter(Boolean)
    .map((range) => {
      const [from = '', to] = range.split('-');
      const first = Number(from || 1);
      if (to === undefined) return { from: first, to: first };
      return { from: first, to: to ? Number(to) : Number.POSITIVE_INFINITY };
    });
}
