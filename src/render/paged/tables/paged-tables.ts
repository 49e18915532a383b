/**
 * Tables whose head and foot depend on their pages. The document has room for sums and for rows that are on some pages; the print tells on
 * which pages the rows of the bodies are, and the overlay paints what belongs to them.
 */

import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import {
  changeTables,
  findTables,
  haveTableRowsChanged,
  markAllRows,
  prepareTables,
  watchTableRows,
} from '../../../chromium/paged/table-questions.ts';
import { ServiceError } from '../../../errors.ts';
import type { OverlayBox } from '../../../in-page/contract/overlay.ts';
import {
  markPrefix,
  type PaintedRow,
  type PreparedTable,
  type PulledRows,
  type TableChange,
} from '../../../in-page/contract/paged-tables.ts';
import type { Place } from '../../../pdf/paged/probes.ts';
import { PX_PER_POINT } from '../../../units.ts';
import type { PagedOutcome } from '../../paged-outcome.ts';
import { readCorner } from '../corners.ts';
import type { PagedPart, PagedPrint } from '../paged-part.ts';
import { readScale } from '../ruler.ts';
import { findRowPages } from './row-pages.ts';
import { TableSums } from './table-sums.ts';

const CHANGED_ROWS =
  'a script changed rows or amounts of a table with data-carry, data-on or data-keep while the document was printed, such as in beforeprint; change them when the document loads';

const IN_COLUMNS =
  'a table with data-carry or data-on goes on in the next column of its page, where its head and foot would be those of another page; put it where there are no columns';

const OF_OTHER_WIDTHS =
  'a table with data-carry or data-on goes on on a page of another width, where Chromium repeats its head and foot with the columns of the page before; give these pages the same width between their margins, or the table a width in mm';

/** CSS pixels by which heights may differ: links are on whole pixels, and rows lose half of a thin border. */
const TOLERANCE_PX = 1.5;

/** Returns undefined if there are no such tables. Throws `print_failed` if something is wrong with one. */
export async function preparePagedTables(
  document: LoadedDocument,
  key: string,
  isTagged: boolean,
): Promise<PagedPart | undefined> {
  if (!document.htmlClass.mayPageTables || !document.mentions.tables) return undefined;
  const { tables, problem } = await findTables(document.paged);
  if (problem) throw new ServiceError('print_failed', problem);
  if (!tables.length) return undefined;
  const sums = tables.map((table) => new TableSums(table));
  const reserved = sums.map((each) => each.reserved());
  const prepared = await prepareTables(document.paged, key, reserved, !isTagged); // what is painted has no tags
  if (!document.htmlClass.isStatic) await watchTableRows(document.paged);
  return new PagedTables(
    document,
    key,
    prepared.map((table, number) => new PrintedTable(table, sums[number] as TableSums)),
  );
}

class PagedTables implements PagedPart {
  /** A table that begins a page gets a forced break, which would stay where room for footnotes moves what is before it. */
  readonly settlesLast = true;
  readonly overlay = new Map<number, OverlayBox[]>();
  readonly #document: LoadedDocument;
  readonly #key: string;
  readonly #tables: readonly PrintedTable[];

  constructor(document: LoadedDocument, key: string, tables: readonly PrintedTable[]) {
    this.#document = document;
    this.#key = key;
    this.#tables = tables;
  }

  async settle(print: PagedPrint): Promise<boolean> {
    const scale = readScale(print);
    this.overlay.clear();
    for (const table of this.#tables) table.read(print, scale);
    const changes = this.#tables.flatMap((table, number) => table.change(number) ?? []);
    if (changes.length) await changeTables(this.#document.paged, changes);
    const isMarked = await this.#markAll();
    if (changes.length || isMarked) return true;
    for (const table of this.#tables) table.paint(this.overlay, scale);
    return false;
  }

  /** Marks all rows of tables whose marked rows do not tell the pages of the others. Returns whether there are any. */
  async #markAll(): Promise<boolean> {
    const uncertain = [...this.#tables.entries()].filter(([, table]) => table.isUncertain);
    for (const [number, table] of uncertain) table.mark(await markAllRows(this.#document.paged, number));
    return uncertain.length > 0;
  }

  /** Throws `print_failed` if the sums are those of other rows. */
  async end({ file }: PagedPrint): Promise<PagedOutcome> {
    const { htmlClass, paged } = this.#document;
    if (!htmlClass.isStatic && (await haveTableRowsChanged(paged))) throw new ServiceError('print_failed', CHANGED_ROWS);
    file.removeDestinations(markPrefix(this.#key));
    return {};
  }

  describeUnsettled(): string {
    return 'a table with data-on has another height or place each time';
  }
}

/** A table on the pages of a print. */
class PrintedTable {
  readonly #prepared: PreparedTable;
  readonly #sums: TableSums;
  #marks: PreparedTable['marks'];
  /** The page of each row that has an amount, and of the first and the last. */
  #pages: ReadonlyMap<number, number> = new Map();
  #places: PagedPrint['places'] = new Map();
  #widths: number[] = [];
  #breaks = false;
  #topPx: number;
  #bottomPx: number;
  #isMoved = false;
  #hasAllMarks: boolean;
  isUncertain = false;

  constructor(prepared: PreparedTable, sums: TableSums) {
    this.#prepared = prepared;
    this.#marks = prepared.marks;
    this.#hasAllMarks = !prepared.topsPx.length;
    this.#sums = sums;
    this.#topPx = prepared.top.heightPx;
    this.#bottomPx = prepared.bottom.heightPx;
  }

  /** Takes the marks of all rows. */
  mark(marks: PreparedTable['marks']): void {
    this.#marks = marks;
    this.#hasAllMarks = true;
  }

  read(print: PagedPrint, scale: number): void {
    this.#places = print.places;
    this.#widths = print.file.pages.map((_, page) => print.frame(page).width);
    const pages = this.#hasAllMarks ? this.#readMarks(print) : this.#readSomeMarks(print);
    this.isUncertain = !pages;
    if (pages) this.#pages = pages;
    this.#sums.place((row) => this.#pages.get(row) ?? this.#first);
    const { top, bottom, before } = this.#prepared;
    const [topPx, bottomPx] = [this.#height(top, scale) ?? this.#topPx, this.#height(bottom, scale) ?? this.#bottomPx];
    const isSame = Math.abs(topPx - this.#topPx) < TOLERANCE_PX && Math.abs(bottomPx - this.#bottomPx) < TOLERANCE_PX;
    const breaks = (this.#placesOf(before).at(-1)?.page ?? this.#first) < this.#first;
    this.#isMoved = !isSame || (breaks && !this.#breaks);
    if (!isSame) [this.#topPx, this.#bottomPx] = [topPx, bottomPx];
    this.#breaks ||= breaks;
  }

  #readMarks({ file }: PagedPrint): Map<number, number> {
    return new Map(this.#marks.map(([row, mark]) => [row, Math.max(0, file.destinationOf(mark)?.index ?? 0)]));
  }

  /** Returns undefined if they do not tell the pages of all rows. */
  #readSomeMarks({ file }: PagedPrint): Map<number, number> | undefined {
    const marked = this.#marks.flatMap(([row, mark]) => {
      const corner = readCorner(file, mark);
      return corner ? { row, page: corner.page, topPx: corner.yPx } : [];
    });
    const pages = marked.length === this.#marks.length ? findRowPages(marked, this.#prepared.topsPx) : undefined;
    return pages && new Map(pages.entries());
  }

  /** A margin at the beginning of a page only has an effect after a forced break. */
  change(table: number): TableChange | undefined {
    return this.#isMoved ? { table, topPx: this.#topPx, bottomPx: this.#bottomPx, breaks: this.#breaks } : undefined;
  }

  paint(overlay: Map<number, OverlayBox[]>, scale: number): void {
    const { carries, rows } = this.#prepared;
    this.#expectOneOnPage();
    this.#expectOneWidth();
    const add = (box: OverlayBox & Place) => {
      const { page, ...rest } = box;
      if (!overlay.get(page)?.push(rest)) overlay.set(page, [rest]);
    };
    for (const [carry, name] of carries)
      for (const place of this.#placesOf(name))
        if (this.#isOn(place.page)) add({ ...place, scale, name, texts: this.#texts([carry], place.page) });
    for (const row of rows)
      for (const { page, ...box } of this.#rowPlaces(row))
        if (this.#isShown(row, page)) {
          const y = box.y + this.#moveOf(row, page);
          add({ ...box, y, page, scale, name: row.name, texts: this.#texts(row.carries, page) });
        }
  }

  /** How far down a row of the head is painted from where it is laid out. */
  #moveOf({ name }: PaintedRow, page: number): number {
    const order = this.#prepared.headOrder;
    if (page === this.#first || !order.includes(name)) return 0; // only those that are not moved are shown
    const rows = order.flatMap((each) => this.#prepared.rows.find((row) => row.name === each) ?? []);
    const places = rows.flatMap((row) => this.#rowPlaces(row).filter((place) => place.page === page));
    const [upper, lower] = places.toSorted((a, b) => a.y - b.y);
    const own = order.indexOf(name);
    const place = places[own];
    if (!upper || !lower || !place) return 0;
    const gap = lower.y - upper.y - upper.height;
    return places.slice(0, own).reduce((y, { height }) => y + height + gap, upper.y) - place.y;
  }

  /** Throws `print_failed` if the table is in several columns of a page. */
  #expectOneOnPage(): void {
    const { carries, rows } = this.#prepared;
    const names = [...carries.map(([, name]) => name), ...rows.map(({ name }) => `${name}-0`)];
    if (names.some((name) => hasSamePage(this.#placesOf(name)))) throw new ServiceError('print_failed', IN_COLUMNS);
  }

  /** Throws `print_failed` if its columns have other widths on some pages. */
  #expectOneWidth(): void {
    const { carries, rows, followsPage } = this.#prepared;
    const widths = this.#widths.slice(this.#first, this.#last + 1);
    const differs = Math.max(...widths) - Math.min(...widths) > TOLERANCE_PX;
    if (followsPage && differs && carries.length + rows.length) throw new ServiceError('print_failed', OF_OTHER_WIDTHS);
  }

  get #first(): number {
    return this.#pages.get(0) ?? 0;
  }

  get #last(): number {
    return this.#pages.get(this.#prepared.last) ?? this.#first;
  }

  #isOn(page: number): boolean {
    return this.#first <= page && page <= this.#last;
  }

  #isShown({ on }: PaintedRow, page: number): boolean {
    const isFirst = page === this.#first;
    const isLast = page === this.#last;
    return this.#isOn(page) && { first: isFirst, 'not-first': !isFirst, last: isLast, 'not-last': !isLast, all: true }[on];
  }

  #texts(carries: readonly number[], page: number): Record<string, string> {
    return Object.fromEntries(carries.map((carry) => [carry, this.#sums.text(carry, page)]));
  }

  #placesOf(name: string): readonly Place[] {
    return this.#places.get(name) ?? [];
  }

  /** The box of a row on each page, with its columns. */
  #rowPlaces({ name, cells }: PaintedRow): Array<Place & { columns: number[] }> {
    const all = Array.from({ length: cells }, (_, cell) => this.#placesOf(`${name}-${cell}`));
    return (all[0] ?? []).map((first) => {
      const ofRow = all.flatMap((places) => places.find(({ page }) => page === first.page) ?? []);
      const [x, y] = [Math.min(...ofRow.map((cell) => cell.x)), Math.min(...ofRow.map((cell) => cell.y))];
      const right = Math.max(...ofRow.map((cell) => cell.x + cell.width));
      const bottom = Math.max(...ofRow.map((cell) => cell.y + cell.height));
      return { page: first.page, x, y, width: right - x, height: bottom - y, columns: ofRow.map(({ width }) => width) };
    });
  }

  /** The height of rows in CSS pixels. Undefined if none is on a later page; on the first, the edge of the page may cut their links off. */
  #height({ names, spacingPx }: PulledRows, scale: number): number | undefined {
    const rows = names.map((name) => this.#prepared.rows.find((row) => row.name === name) as PaintedRow);
    const heights = rows.map((row) => this.#rowPlaces(row).find(({ page }) => page > this.#first)?.height);
    if (!rows.length || heights.some((height) => height === undefined)) return undefined;
    return heights.reduce<number>((sum, height) => sum + ((height ?? 0) * PX_PER_POINT) / scale + spacingPx, 0);
  }
}

function hasSamePage(places: readonly Place[]): boolean {
  return new Set(places.map(({ page }) => page)).size < places.length;
}
