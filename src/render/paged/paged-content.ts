/**
 * Content that depends on the pages of its document: a loaded document in, a print in which it is right out. Links are placed over
 * elements, a print tells where they are, and the document is changed and printed again until nothing moves.
 */
import { DONE } from '../../chromium/devtools/ask.ts';
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import { ServiceError } from '../../errors.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { findPainted } from '../../pdf/paged/blank-pages.ts';
import { areaReader, isTurned } from '../../pdf/paged/page-areas.ts';
import { readProbes, removeProbes } from '../../pdf/paged/probes.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import { printedPages } from '../request/values/page-ranges.ts';
import { totalLength } from '../steps/finish-queue.ts';
import { printPages } from '../steps/page-ranges.ts';
import type { Print } from '../steps/print.ts';
import { layNotes, layOver, layUnder, type OverlayBoxes } from './overlay.ts';
import type { PagedPart, PagedPrint } from './paged-part.ts';

const TURNED =
  'is turned by page-orientation, and has a footnote, a running element, or a row of a table with data-carry or data-on, which cannot be turned; give the page a landscape size instead';

/** A document that still changes after as many prints does not settle. */
const MAX_PRINTS = 4;
/** As many more if the areas of pages depend on where they are: each print settles at least one page. */
const MAX_LAST_PRINTS = 16;

export class PagedContent {
  readonly #document: LoadedDocument;
  /** With what the addresses of the links begin. */
  readonly #key: string;
  readonly #parts: readonly PagedPart[];
  #last: PagedPrint | undefined;

  constructor(document: LoadedDocument, key: string, parts: readonly PagedPart[]) {
    this.#document = document;
    this.#key = key;
    this.#parts = parts;
  }

  /** The settings for the first print. */
  adjust(settings: Print['settings']): Print['settings'] {
    return this.#parts.reduce((adjusted, part) => part.adjust?.(adjusted) ?? adjusted, settings);
  }

  /**
   * Fills in what the first print tells if it tells nothing else: the document is hidden meanwhile, which takes a quarter of the time.
   * Takes the settings of the print that comes after.
   */
  async fill(settings: Print['settings']): Promise<void> {
    const settling = this.#parts.filter(({ settle }) => settle);
    const filling = settling.filter(({ fillsFirst }) => fillsFirst);
    if (!filling.length || settings.singlePage || !settling.every((part) => part.fillsFirst || part.settlesLater)) return;
    await this.#document.paged.ask('hideDocument', [this.#key], DONE);
    const print = await this.#print({ ...settings, tagged: false, outline: false, pageRanges: '' });
    await this.#document.paged.ask('showDocument', [], DONE);
    for (const part of filling) await part.settle?.(this.#read(print));
  }

  /** Prints the document until it does not change any more. Takes the first print. Throws `print_failed` if it never does. */
  async settle(first: Print): Promise<Print> {
    const { pageRanges } = first.settings;
    const whole = pageRanges ? await this.#print({ ...first.settings, pageRanges: '' }) : first;
    const settled = await this.#settleAll(whole);
    return pageRanges ? this.#print({ ...settled.settings, pageRanges }) : settled;
  }

  /** Reads where everything is in the last print, and takes the links out of it. */
  async end<P extends Print>(print: P): Promise<P & { paged: PagedOutcome }> {
    const read = this.#read(print);
    this.#expectUpright(read);
    const [notes] = this.#parts.filter(({ noteKey }) => noteKey !== undefined);
    const overlay = this.#overlay(
      read,
      this.#parts.filter((part) => part !== notes),
    );
    const noteBoxes: OverlayBoxes = notes ? this.#overlay(read, [notes]) : new Map();
    const painted = [...overlay, ...noteBoxes].flatMap(([index, boxes]) => (boxes.length ? index + 1 : []));
    let paged: PagedOutcome = {};
    for (const part of this.#parts) paged = { ...paged, ...(await part.end?.(read)) };
    removeProbes(read.file, this.#key);
    let { file } = read;
    for (const part of this.#parts) {
      const under = await part.printUnder?.(read);
      if (!under) continue;
      file = layUnder(file, under);
      painted.push(...findPainted(under));
    }
    if (notes?.noteKey) file = await layNotes(this.#document, print, file, noteBoxes, notes.noteKey);
    const chunks = await layOver(this.#document, print, file, overlay);
    paged = { ...paged, painted };
    return { ...print, chunks, bytes: totalLength(chunks), paged };
  }

  /** Throws `print_failed` if a part would paint over the turned content of a page as if it was upright. */
  #expectUpright(read: PagedPrint): void {
    const boxes = this.#overlay(
      read,
      this.#parts.filter(({ paintsTurned }) => !paintsTurned),
    );
    const turned = [...boxes.keys()].find((index) => boxes.get(index)?.length && isTurned(read.file, index));
    if (turned !== undefined) throw new ServiceError('print_failed', `page ${turned + 1} ${TURNED}`);
  }

  /** What is painted over each page of the print that is kept, which may be a part of the document. */
  #overlay({ file, print }: PagedPrint, parts: readonly PagedPart[]): OverlayBoxes {
    const pages = printedPages(print.settings.pageRanges, file.pages.length);
    return new Map(pages.map((page, index) => [index, parts.flatMap(({ overlay }) => overlay?.get(page) ?? [])]));
  }

  async #settleAll(first: Print): Promise<Print> {
    let print = first;
    let [prints, lastPrints] = [1, 0];
    for (;;) {
      const changed = await this.#change(print);
      if (!changed.length) return print;
      if (changed[0]?.settlesLast) [prints, lastPrints] = [0, lastPrints + 1];
      if (prints++ === MAX_PRINTS || lastPrints > MAX_LAST_PRINTS) throw neverSettles(changed);
      print = await this.#print(print.settings);
    }
  }

  /** Returns the parts that need another print. */
  async #change(print: Print): Promise<PagedPart[]> {
    if (!this.#parts.some((part) => part.settle)) return [];
    const paged = this.#read(print);
    const changed: PagedPart[] = [];
    for (const part of this.#parts) if (!part.settlesLast && (await part.settle?.(paged))) changed.push(part);
    if (changed.length) return changed;
    for (const part of this.#parts) if (part.settlesLast && (await part.settle?.(paged))) return [part];
    return [];
  }

  /** Each PDF is read once. */
  #read(print: Print): PagedPrint {
    if (this.#last?.print.chunks === print.chunks) return { ...this.#last, print };
    const file = new PrintedPages(Buffer.concat(print.chunks));
    const area = areaReader(file, print.settings.margin);
    const reservedOn = (page: number) => this.#parts.reduce((sum, part) => sum + (part.reservedOn?.(page) ?? 0), 0);
    const reserved = file.pages.map((_, page) => reservedOn(page)); // before a part changes it
    const frame = (page: number) => ({ ...area(page), height: area(page).height + (reserved[page] ?? 0) });
    this.#last = { print, file, places: readProbes(file, this.#key), area, frame };
    return this.#last;
  }

  #print(settings: Print['settings']): Promise<Print> {
    return printPages(this.#document, settings);
  }
}

function neverSettles(parts: readonly PagedPart[]): ServiceError {
  const what = parts.flatMap((part) => part.describeUnsettled?.() ?? []).join('; ');
  return new ServiceError('print_failed', `the document is different each time that it is printed${what && `: ${what}`}`);
}
