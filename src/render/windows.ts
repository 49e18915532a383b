/**
 * Prints a long document in windows: a loaded document in, one PDF out. Chromium needs time and memory in proportion to the square of the
 * pages, so that parts of the document are shown and printed one after the other. A window ends with a page that the next one begins
 * with, and both prints of it must be equal. A document for which they are not is printed at once.
 */
import { randomBytes } from 'node:crypto';
import type { LoadSettings } from '../chromium/load/load-settings.ts';
import type { LoadedDocument } from '../chromium/loaded-document.ts';
import type { PrintSettings } from '../chromium/print/print-options.ts';
import { MAX_BLOCKS } from '../in-page/contract/limits.ts';
import type { LongDocument, ShownWindow } from '../in-page/contract/questions.ts';
import { PrintedPages, showsSame } from '../pdf/edit/printed-pages.ts';
import { JoinedWindows } from '../pdf/windows/join-windows.ts';
import { JoinedTags } from '../pdf/windows/joined-tags.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { PagedPlan } from './request/paged-options.ts';
import { beyondTheEnd, pagesWithin } from './request/values/page-ranges.ts';
import type { Print } from './steps/print.ts';

/** A document with fewer pages is printed at once, unless its first window has shown all of it. */
const LEAST_PAGES = 150;
/** Rows of a table take memory in proportion to the square of the pages. Other blocks take time for each window, also if it does not show them. */
const PAGES_OF_ROWS = 60;
const PAGES_OF_BLOCKS = 150;
/** A document that is at most so many times as long as its first window is shown in it as a whole. */
const SPARE = 1.3;
/** A window without a suitable end is doubled up to this length, and so many of its ends are tried. */
const MAX_WINDOW_PAGES = 300;
const MAX_CUTS = 3;
/** What a page holds of a document, until the first window tells. */
const PAGE_WEIGHT = 3_500;
/** Points by which the first lines of pages may differ. */
const TOLERANCE = 0.5;
const NUMBERED = /\b(?:pageNumber|totalPages)\b/;

/** A place where a window may begin. */
interface Cut {
  /** The number of the block that begins the page. */
  block: number;
  /** The index of its page in the document. */
  page: number;
  /** The number of pages from the beginning of the block before it. */
  lead: number;
  /** What the page shows. Undefined at the beginning of the document. */
  content: string | undefined;
}

interface PrintedWindow {
  start: Cut;
  bytes: Buffer;
  file: PrintedPages;
  /** The index of its first page in the file. */
  lead: number;
  isLast: boolean;
  /** Where the next window may begin, the latest first. */
  cuts: Cut[];
}

/** A part of the document between two cuts. */
interface Part {
  start: Cut;
  pages: number;
  /** The number of the block after the last. */
  end: number;
}

/** Without scripts, a document cannot be shown in parts. Fields and places are those of the whole document. */
export function canDivide(job: {
  load: LoadSettings;
  print: PrintSettings;
  paged?: PagedPlan | undefined;
  finish: Partial<Pick<FinishPlan, 'forms'>>;
}): boolean {
  const { load, print, paged, finish } = job;
  const isPaged = paged?.contents || paged?.header || paged?.footer || paged?.layout;
  return load.device.javascript && !print.singlePage && !print.fitsWidth && !isPaged && !finish.forms;
}

/** Throws `print_failed` if it lacks pages of the ranges. Returns undefined if the document is not long, or cannot be divided safely. It is as it was then. */
export async function printInWindows(document: LoadedDocument, settings: PrintSettings): Promise<Print | undefined> {
  if (!document.mayBeLong) return undefined;
  const isTagged = settings.tagged || settings.outline;
  const long = await document.windows.begin({ isTagged });
  const mayDivide = !settings.singlePage && long.reason === '' && long.weight >= LEAST_PAGES * (PAGE_WEIGHT / 2);
  const chunks = mayDivide ? await new WindowPrinter(document, settings, long).print() : undefined;
  if (!chunks) {
    await document.windows.end();
    return undefined;
  }
  if (isTagged) await document.windows.putBackContents();
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  document.requireSize(bytes);
  return { chunks, bytes, settings };
}

class WindowPrinter {
  readonly #document: LoadedDocument;
  readonly #settings: PrintSettings;
  readonly #long: LongDocument;
  /** With what the names of destinations begin that mark blocks. */
  readonly #key = `w${randomBytes(8).toString('hex')}-`;
  readonly #joined = new JoinedWindows();
  readonly #tags: JoinedTags | undefined;
  readonly #isWanted: (page: number) => boolean;
  /** Whether pages show their number in a header or footer, or the number of all pages, which is known only afterwards. */
  readonly #printsTwice: boolean;
  readonly #pageRanges: string;
  #pageWeight = PAGE_WEIGHT;

  constructor(document: LoadedDocument, settings: PrintSettings, long: LongDocument) {
    this.#document = document;
    this.#settings = { ...settings, pageRanges: '' };
    this.#long = long;
    const { header = '', footer = '' } = settings.templates;
    this.#tags = settings.tagged || settings.outline ? new JoinedTags() : undefined;
    this.#printsTwice = long.countsPages || NUMBERED.test(header + footer);
    this.#pageRanges = settings.pageRanges;
    this.#isWanted = pagesWithin(settings.pageRanges);
  }

  async print(): Promise<Buffer[] | undefined> {
    await this.#document.windows.findColumnWidths();
    if (this.#document.mayBeHidden && !this.#long.loadsFonts) {
      await this.#document.windows.hideBetweenPrints();
      if (this.#document.wasLaidOut) await this.#document.windows.freeMemory();
    }
    const first = await this.#printWindow({ block: 0, page: 0, lead: 0, content: undefined });
    if (!first || (!first.isLast && this.#long.weight / this.#pageWeight < LEAST_PAGES)) return undefined;
    const parts = await this.#printWindows(first);
    if (!parts) return undefined;
    const total = parts.reduce((sum, { pages }) => sum + pages, 0);
    const error = beyondTheEnd('options.pageRanges', this.#pageRanges, total);
    if (error) throw error;
    if (this.#printsTwice && !(await this.#printParts(parts, total))) return undefined;
    return this.#joined.end(this.#tags);
  }

  /** Prints the windows one after the other, from the first to the end of the document. */
  async #printWindows(first: PrintedWindow): Promise<Part[] | undefined> {
    const parts: Part[] = [];
    for (let window = first; ; ) {
      const next = window.isLast ? undefined : await this.#printNext(window);
      if (!next && !window.isLast) return undefined;
      const part = this.#partUntil(window, next?.start);
      parts.push(part);
      const range = { lead: window.lead, count: part.pages, page: part.start.page };
      if ((await this.#tags?.add(window.file, range)) === false) return undefined;
      if (!this.#printsTwice) await this.#addPages(window.bytes, window.file, part.start.page, window.lead, part.pages);
      if (!next) return parts;
      window = next;
    }
  }

  #partUntil({ start, file, lead }: PrintedWindow, next: Cut | undefined): Part {
    if (next) return { start, pages: next.page - start.page, end: next.block };
    return { start, pages: file.pages.length - lead, end: this.#long.blocks };
  }

  /** Prints the next window, which must begin with the same page as the end of this one. */
  async #printNext({ cuts }: PrintedWindow): Promise<PrintedWindow | undefined> {
    for (const cut of cuts.slice(0, MAX_CUTS)) {
      const next = await this.#printWindow(cut);
      if (!next) return undefined;
      if (next.lead === cut.lead && cut.content !== undefined && showsSame(next.file.content(cut.lead), cut.content)) return next;
    }
    return undefined;
  }

  async #printWindow(start: Cut): Promise<PrintedWindow | undefined> {
    for (let pages = this.#long.hasRows ? PAGES_OF_ROWS : PAGES_OF_BLOCKS; pages <= MAX_WINDOW_PAGES; pages *= 2) {
      const weight = this.#weightOf(start, pages);
      const shown = await this.#show(start, null, weight);
      if (!shown.isInFlow) return undefined;
      const settings = this.#printsTwice ? withoutTemplates(this.#settings) : this.#settings;
      const bytes = Buffer.concat((await this.#document.print(settings)).chunks);
      const file = new PrintedPages(bytes);
      const isLast = shown.end >= this.#long.blocks;
      if (!isLast) this.#pageWeight = weight / file.pages.length;
      const { cuts, lead } = findCuts(file, shown, start, { needsNeighbour: this.#printsTwice, keepsSides: this.#long.hasSides });
      if (isLast || cuts.length) return { start, bytes, file, lead, isLast, cuts };
    }
    return undefined;
  }

  /** What a window of so many pages holds. */
  #weightOf({ block }: Cut, pages: number): number {
    const weight = pages * this.#pageWeight;
    return block === 0 && this.#long.weight < SPARE * weight ? this.#long.weight : weight;
  }

  /** Prints all parts again, each with empty pages around it. Returns whether each has the pages that it had before. */
  async #printParts(parts: readonly Part[], total: number): Promise<boolean> {
    for (const { start, pages, end } of parts) {
      const { page, lead } = start;
      // The block after the part takes a page.
      const empty = { emptyBefore: page - lead, emptyAfter: Math.max(0, total - page - pages - 1) };
      await this.#show(start, Math.min(end + 1, this.#long.blocks), 0, empty);
      const pageRanges = `${page + 1}-${page + pages}`;
      const bytes = Buffer.concat((await this.#document.print({ ...this.#settings, pageRanges })).chunks);
      const file = new PrintedPages(bytes);
      if (file.pages.length !== pages) return false;
      await this.#addPages(bytes, file, page, 0, pages);
    }
    return true;
  }

  #show({ block, page, lead }: Cut, end: number | null, weight: number, empty?: { emptyBefore: number; emptyAfter: number }) {
    const first = lead ? page - lead + 1 : 0;
    const numbering = empty ? { page: 0, ...empty } : { page: first, emptyBefore: 0, emptyAfter: 0 };
    const hidesMargins = !empty && this.#long.countsPages;
    return this.#document.windows.show({ first: block, end, weight, ...numbering, hidesMargins, key: this.#key });
  }

  async #addPages(bytes: Buffer, file: PrintedPages, page: number, lead: number, pages: number): Promise<void> {
    const all = Array.from({ length: pages }, (_, n): [number, number] => [lead + n, page + n]);
    const wanted = all.filter(([, number]) => this.#isWanted(number));
    if (wanted.length) await this.#joined.add(bytes, file, wanted, this.#key);
  }
}

function withoutTemplates(settings: PrintSettings): PrintSettings {
  return { ...settings, templates: { ...settings.templates, header: undefined, footer: undefined } };
}

/**
 * Finds pages that begin with a block at their top, as the next window will. The last page is cut off. If pages depend on their side, it
 * must be the same in the next window.
 */
function findCuts(
  file: PrintedPages,
  { marks }: ShownWindow,
  start: Cut,
  { needsNeighbour, keepsSides }: { needsNeighbour: boolean; keepsSides: boolean },
): { cuts: Cut[]; lead: number } {
  const places = new Map(file.destinations().map((destination) => [destination.name, destination]));
  const placed = marks.flatMap(({ number, name, isForced }) => {
    const place = places.get(name);
    return place ? [{ number, page: place.index, top: place.top, isForced }] : [];
  });
  const lead = placed.find(({ number }) => number === start.block)?.page ?? 0;
  const firsts = placed.flatMap((block, n) => {
    const before = placed[n - 1];
    const pages = block.page - (before?.page ?? block.page);
    return before?.number === block.number - 1 && pages > 0 ? [{ ...block, pages }] : [];
  });
  const top = Math.max(...firsts.map((first) => first.top));
  const suitable = firsts.filter((first) => {
    const page = start.page + first.page - lead;
    const isWhole = first.page > lead && first.page < file.pages.length - 1;
    const neighbour = placed.find(({ number }) => number === first.number + 1);
    const isAtTop = first.isForced || first.top > top - TOLERANCE;
    const staysOnSide = !keepsSides || page % 2 === first.pages % 2;
    return isWhole && staysOnSide && isAtTop && (!needsNeighbour || neighbour?.page === first.page);
  });
  // A block that begins on the page before the cut most likely does so in the next window, too.
  const rank = ({ pages, number }: (typeof suitable)[number]) => number - (pages > 1 ? MAX_BLOCKS : 0);
  const cuts = suitable.sort((one, other) => rank(other) - rank(one)).slice(0, MAX_CUTS);
  return {
    lead,
    cuts: cuts.map((cut) => ({
      block: cut.number,
      page: start.page + cut.page - lead,
      lead: cut.pages,
      content: file.content(cut.page),
    })),
  };
}
