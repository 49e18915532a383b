/** Prints what is painted over the pages of a print: boxes in, a PDF out that shows them over its pages. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { showOverlay } from '../../chromium/paged/table-questions.ts';
import { NOTHING_ADDED } from '../../chromium/print/print-options.ts';
import { ServiceError } from '../../errors.ts';
import type { OverlayBox, OverlaySheet } from '../../in-page/contract/overlay.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { drawNotes, drawOverlay } from '../../pdf/paged/overlay-pages.ts';
import { removeProbes } from '../../pdf/paged/probes.ts';
import { JoinedWindows } from '../../pdf/windows/join-windows.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import { printedPages } from '../request/values/page-ranges.ts';
import type { Print } from '../steps/print.ts';

/** Each box on a sheet takes Chromium time for each other page of the same print. */
const MAX_SHEETS = 100;

/** The boxes of each page by its index. */
export type OverlayBoxes = ReadonlyMap<number, readonly OverlayBox[]>;

/** Returns the chunks of the print with the overlay. Throws `print_failed`. */
export async function layOver(
  document: LoadedDocument,
  { settings }: Print,
  file: PrintedPages,
  boxes: OverlayBoxes,
): Promise<Buffer[]> {
  const { pages, sheets } = toSheets(settings, file, boxes);
  if (!sheets.length) return [file.bytes];
  const overlay =
    sheets.length > MAX_SHEETS
      ? await printInParts(document, settings, sheets)
      : new PrintedPages(await printSheets(document, settings, sheets));
  expectPages(overlay, pages);
  return drawOverlay(file, overlay, pages);
}

/** Returns the print with tagged footnotes over its pages. Throws `print_failed`. */
export async function layNotes(
  document: LoadedDocument,
  { settings }: Print,
  file: PrintedPages,
  boxes: OverlayBoxes,
  noteKey: string,
): Promise<PrintedPages> {
  const { pages, sheets } = toSheets(settings, file, boxes);
  let noted = file;
  for (let from = 0; from < sheets.length; from += MAX_SHEETS) {
    const part = sheets.slice(from, from + MAX_SHEETS);
    const notes = new PrintedPages(await printSheets(document, settings, part, true));
    const ofPart = pages.slice(from, from + MAX_SHEETS);
    expectPages(notes, ofPart);
    noted = new PrintedPages(Buffer.concat(drawNotes(noted, notes, ofPart, noteKey)));
  }
  removeProbes(noted, noteKey);
  return noted;
}

/** The pages that have boxes, and a sheet for each. */
function toSheets({ pageRanges }: Print['settings'], file: PrintedPages, boxes: OverlayBoxes) {
  const pages = [...boxes.keys()].filter((page) => boxes.get(page)?.length).sort((a, b) => a - b);
  const printed = printedPages(pageRanges, file.pages.length);
  const sheets = pages.map((page): OverlaySheet => {
    return { ...file.pageSize(page), boxes: [...(boxes.get(page) ?? [])], number: (printed[page] ?? 0) + 1 };
  });
  return { pages, sheets };
}

function expectPages(overlay: PrintedPages, pages: readonly number[]): void {
  if (overlay.pages.length !== pages.length) throw new ServiceError('print_failed', OVERFLOWS);
}

async function printInParts(
  document: LoadedDocument,
  settings: Print['settings'],
  sheets: OverlaySheet[],
): Promise<PrintedPages> {
  const joined = new JoinedWindows();
  for (let from = 0; from < sheets.length; from += MAX_SHEETS) {
    const bytes = await printSheets(document, settings, sheets.slice(from, from + MAX_SHEETS));
    const part = new PrintedPages(bytes);
    await joined.add(
      bytes,
      part,
      Array.from(part.pages, (_, index) => [index, from + index]),
      '',
    );
  }
  return new PrintedPages(Buffer.concat(await joined.end(undefined)));
}

async function printSheets(
  document: LoadedDocument,
  settings: Print['settings'],
  sheets: OverlaySheet[],
  tagged = false,
): Promise<Buffer> {
  await showOverlay(document.paged, sheets);
  const { width = 0, height = 0 } = sheets[0] ?? {};
  const paper = { widthInches: width / POINTS_PER_INCH, heightInches: height / POINTS_PER_INCH };
  const { chunks } = await document.print({ ...settings, ...PLAIN, tagged, paper });
  return Buffer.concat(chunks);
}

/** Draws each page of a print under that of another. */
export function layUnder(file: PrintedPages, under: PrintedPages): PrintedPages {
  return new PrintedPages(Buffer.concat(drawOverlay(file, under, [...file.pages.keys()], 'under')));
}

const OVERFLOWS =
  'what is painted over the pages has other pages than the document; leave out !important for @page in style sheets of other origins, and rules for all elements that break pages, or that give html a size or a position';

/** The sheets say themselves how large they are. */
const PLAIN = {
  ...NOTHING_ADDED,
  paperChosenBy: 'document',
  margin: { top: 0, right: 0, bottom: 0, left: 0 },
  marginChosenBy: 'document',
} as const;
