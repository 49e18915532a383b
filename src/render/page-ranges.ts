/** Ranges of pages such as `1-3,5,8-`: what they ask for, and whether a document has it. */
import { ServiceError } from '../errors.ts';

interface Range {
  from: number;
  /** Infinity: to the end. */
  to: number;
}

/** Whether a document that printed so many pages of them may lack some. */
export function mayLackPages(ranges: string, printed: number): boolean {
  const asked = new Set<number>();
  for (const { from, to } of parse(ranges)) {
    // More than were printed are never needed for the answer.
    const last = Math.min(to === Number.POSITIVE_INFINITY ? from : to, from + printed);
    for (let page = from; page <= last; page++) asked.add(page);
  }
  return asked.size > printed;
}

/** A range that begins after the last page. */
export function beyondTheEnd(ranges: string, pages: number): ServiceError | undefined {
  const beyond = parse(ranges).find(({ from }) => from > pages);
  if (!beyond) return undefined;
  const detail = `options.pageRanges: there is no page ${beyond.from}; the document has ${pages} pages`;
  return new ServiceError('print_failed', detail, { members: { pages } });
}

function parse(ranges: string): Range[] {
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
