/** Prints what is painted over the pages of a print: boxes in, a PDF out that shows them over its pages. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { showOverlay } from '../../chromium/paged/table-questions.ts';
import { ServiceError } from '../../errors.ts';
import type { OverlayBox, OverlaySheet } from '../../in-page/contract/overlay.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { drawOverlay } from '../../pdf/paged/overlay-pages.ts';
import { POINTS_PER_INCH } from '../request/values/lengths.ts';
import { pagesWithin } from '../request/values/page-ranges.ts';
import type { Print } from '../steps/print.ts';

/** The boxes of each page by its index. */
export type OverlayBoxes = ReadonlyMap<number, readonly OverlayBox[]>;

/** Returns the chunks of the print with the overlay. Throws `print_failed`. */
export async function layOver(
  document: LoadedDocument,
  { settings }: Print,
  file: PrintedPages,
  boxes: OverlayBoxes,
): Promise<Buffer[]> {
  const pages = [...boxes.keys()].filter((page) => boxes.get(page)?.length).sort((a, b) => a - b);
  const numbers = printedNumbers(settings.pageRanges, file.pages.length);
  const sheets = pages.map((page): OverlaySheet => {
    return { ...file.pageSize(page), boxes: [...(boxes.get(page) ?? [])], number: numbers[page] ?? 0 };
  });
  const [first] = sheets;
  if (!first) return [file.bytes];
  await showOverlay(document.paged, sheets);
  const paper = { widthInches: first.width / POINTS_PER_INCH, heightInches: first.height / POINTS_PER_INCH };
  const { chunks } = await document.print({ ...settings, ...PLAIN, paper });
  const overlay = new PrintedPages(Buffer.concat(chunks));
  if (overlay.pages.length !== pages.length) throw new ServiceError('print_failed', OVERFLOWS);
  return drawOverlay(file, overlay, pages);
}

/** The numbers of the pages that are printed, from 1. */
function printedNumbers(ranges: string, count: number): number[] {
  const isPrinted = pagesWithin(ranges);
  const numbers: number[] = [];
  for (let page = 0; numbers.length < count; page++) if (isPrinted(page)) numbers.push(page + 1);
  return numbers;
}

const OVERFLOWS =
  'what is painted over the pages has other pages than the document; leave out !important for @page in style sheets of other origins, and rules for all elements that break pages, or that give html a size or a position';

/** The sheets say themselves how large they are. */
const PLAIN = {
  paperChosenBy: 'document',
  margin: { top: 0, right: 0, bottom: 0, left: 0 },
  marginChosenBy: 'document',
  scale: 1,
  pageRanges: '',
  tagged: false,
  outline: false,
  singlePage: false,
  templates: { header: undefined, footer: undefined, addressed: false },
} as const;
