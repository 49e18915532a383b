/**
 * Prepares tables whose head and foot depend on their pages. Sums, and rows that are on some pages, are hidden, and have the room that they
 * need, where links tell their places; the overlay paints them. Rows that are only on the first or last page become rows of the body.
 */

import { POINTS_PER_PX, PX_PER_POINT } from '../../../../units.ts';
import { type OverlayBox, RULER_PX } from '../../../contract/overlay.ts';
import {
  MAX_RESERVED,
  markPrefix,
  type PaintedRow,
  type PreparedTable,
  type PulledRows,
  type RowPages,
  type TableChange,
} from '../../../contract/paged-tables.ts';
import { adoptStyles } from '../../../dom/adopt-styles.ts';
import { Changes } from '../../../dom/changes.ts';
import { createHtml, setLook } from '../../../dom/create-html.ts';
import { Destinations } from '../../../dom/destinations.ts';
import { call, findClosest, measureBox, read, readAttribute, readName } from '../../../dom/nodes.ts';
import { createInnerProbe, createProbe, createRuler, Probes } from '../../../dom/probes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { withHeadsAlone } from '../../print/heads-alone.ts';
import { fillBox, registerPainter, wrapLike } from '../overlay.ts';
import { moveZoom } from '../zoom.ts';
import { type PagedTable, pagedTables, ROWS_ON_PAGES } from './find-tables.ts';
import { keepLook } from './keep-look.ts';
import { MAX_MARKED, measureTops, someRows } from './mark-rows.ts';
import { type MeasuredTable, measureTable } from './measure-table.ts';
import type { RowEdges } from './row-edges.ts';
import { mayMove, moveEdges } from './table-edges.ts';

/** Unlike `span`, no rules of documents match it. */
const CARRY = 'platen-carry';

/** A row is on the page that its sums count it for, unless the document lets it break. */
const WHOLE_ROWS = ':where([data-platen-carries] > tbody > tr) { break-inside: avoid }';

/** They stay until the document is replaced. */
const changes = new Changes();
/** The tables as they were. */
let measures: MeasuredTable[] = [];
let tables: TablePreparation[] = [];

/**
 * Hides what is painted. `reserved` has, for each sum of each table, its value at the end and the longest texts that it shows. Only if heads
 * may be painted, rows below others take no room where they are not shown.
 */
export function hideTableRows(key: string, reserved: string[][][], mayPaintHeads: boolean): null {
  moveZoom();
  const rows = pagedTables().map(({ table }) => [
    ...(mayPaintHeads ? rowsAboveOthers(table) : []),
    ...[...selectIn<HTMLTableRowElement>(table, ROWS_ON_PAGES)].filter((row) => findClosest(row, 'table') === table),
  ]);
  for (const [number, { table }] of pagedTables().entries())
    if (rows[number]?.some(takesNoRoom)) moveEdges(table, number, changes);
  measures = withHeadsAlone(() => pagedTables().map(({ table }, number) => measureTable(table, rows[number] ?? [])));
  adoptStyles(WHOLE_ROWS, changes);
  tables = pagedTables().map((table, number) => new TablePreparation(table, number, key));
  for (const [number, table] of tables.entries()) table.hideRows(reserved[number] ?? [], rows[number] ?? []);
  return null;
}

/** Whether a row takes no room where it is not shown, if it is at the edge of its table. */
function takesNoRoom(row: HTMLTableRowElement): boolean {
  return /^not-/.test(readAttribute(row, 'data-on') ?? '') || mayMove(row);
}

/** Prepares tables whose rows are hidden. */
export function prepareTables(key: string): PreparedTable[] {
  const probes = new Probes(changes);
  probes.add(createRuler(`${key}:ruler`, RULER_PX));
  for (const table of tables) table.measureHidden(); // of all at once, because each change needs a new layout
  const prepared = tables.map((table) => table.prepare(probes));
  probes.place();
  return prepared;
}

/** Moves tables as a print shows that they must be. */
export function changeTables(orders: TableChange[]): null {
  for (const { table, topPx, bottomPx, breaks } of orders) {
    const { above, below } = measures[table] as MeasuredTable;
    const element = (pagedTables()[table] as PagedTable).table;
    for (const [{ element: pulled, margin, at }, px] of [
      [above, topPx],
      [below, bottomPx],
    ] as const)
      if (px) setLook(pulled, { [margin]: `${at(px)}px` });
    if (breaks) setLook(element, { 'break-before': 'page' });
  }
  return null;
}

/** Marks all rows of the table with this number, in addition to those that are. */
export function markAllRows(number: number): PreparedTable['marks'] {
  return tables[number]?.markAll() ?? [];
}

class TablePreparation {
  readonly #table: HTMLTableElement;
  readonly #rows: HTMLTableRowElement[];
  readonly #carries: readonly Element[];
  readonly #found: PagedTable['found'];
  readonly #number: number;
  /** With what the names of its parts begin. */
  readonly #name: string;
  readonly #key: string;
  readonly #measured: MeasuredTable;
  readonly #destinations: Destinations;
  /** What each sum is at the end of the table. */
  #totals: string[] = [];
  /** The rows that the overlay paints. */
  readonly #painted = new Map<HTMLTableRowElement, PaintedRow>();
  #headOrder: string[] = [];
  #heights: ReadonlyMap<HTMLTableRowElement, number> = new Map();
  /** The widths of their cells in CSS pixels. */
  #widths: ReadonlyMap<HTMLTableRowElement, number[]> = new Map();

  constructor({ table, rows, carries, found }: PagedTable, number: number, key: string) {
    this.#table = table;
    this.#rows = [...rows];
    this.#carries = carries;
    this.#found = found;
    this.#number = number;
    this.#name = `t${number}`;
    this.#key = key;
    this.#measured = measures[number] as MeasuredTable;
    this.#destinations = new Destinations(`${markPrefix(key)}${number}r`, changes);
  }

  hideRows(reserved: string[][], onPages: HTMLTableRowElement[]): void {
    this.#totals = reserved.map(([total = '']) => total);
    for (const [number, element] of this.#carries.entries()) this.#reserve(element, number, reserved[number] ?? []);
    const kept = onPages.filter((row) => !mayMove(row));
    for (const [number, row] of kept.entries()) this.#painted.set(row, this.#preparePainting(row, number));
    const moved = onPages.filter((row) => !this.#painted.has(row));
    if (moved.length) keepLook(moved, this.#besides(moved), changes, () => this.#moveRows(moved));
    this.#headOrder = this.#orderHead();
    for (const [row, painted] of this.#painted) this.#hideRow(row, painted);
  }

  /** The rows that may become the first or last of their section by the move of these, or no longer are. */
  #besides(moved: readonly HTMLTableRowElement[]): HTMLTableRowElement[] {
    const sections = new Set(moved.map((row) => read(row, 'parentElement') as HTMLTableSectionElement));
    const left = [...sections].flatMap((section) => [...section.rows]).filter((row) => !moved.includes(row));
    return [...left, ...this.#rows.slice(-1)];
  }

  measureHidden(): void {
    const rows = [...this.#painted.keys()];
    this.#heights = new Map(rows.map((row) => [row, measureBox(row).height]));
    this.#widths = new Map(rows.map((row) => [row, Array.from(row.cells, (cell) => measureBox(cell).width)]));
  }

  prepare(probes: Probes): PreparedTable {
    const [top, bottom] = [this.#leading(), this.#trailing()];
    changeTables([{ table: this.#number, topPx: top.heightPx, bottomPx: bottom.heightPx, breaks: false }]);
    this.#keepRows();
    const alone = [...this.#carries.keys()].filter((number) => !this.#painted.has(this.#rowOf(number)) && !this.#isTotal(number));
    for (const [number, element] of this.#carries.entries())
      if (this.#isTotal(number)) element.textContent = this.#totals[number] ?? '';
    for (const number of alone) this.#registerCarry(number);
    const marked = this.#markRows();
    const before = top.names.length ? this.#nameBefore(probes) : '';
    const carries = alone.map((number): [number, string] => [number, this.#carryName(number)]);
    const [rows, last] = [[...this.#painted.values()], this.#rows.length - 1];
    const { followsPage } = this.#measured;
    return { ...marked, last, carries, rows, top, bottom, headOrder: this.#headOrder, before, followsPage };
  }

  #carryName(number: number): string {
    return `${this.#name}c${number}`;
  }

  #rowOf(carry: number): HTMLTableRowElement {
    return findClosest(this.#carries[carry] as Element, 'tr') as HTMLTableRowElement;
  }

  /** Puts the texts above each other into the element, which is as wide as the widest. */
  #reserve(element: Element, number: number, texts: string[]): void {
    const room = createHtml(CARRY);
    setLook(room, { display: 'inline-grid', position: 'relative', visibility: 'hidden', 'white-space': 'nowrap' });
    room.setAttribute('aria-hidden', 'true');
    room.setAttribute('data-platen-carry', String(number));
    for (const text of texts.slice(0, MAX_RESERVED)) {
      const value = createHtml(CARRY);
      setLook(value, { 'grid-area': '1 / 1' });
      value.textContent = text;
      room.append(value);
    }
    element.replaceChildren(room);
  }

  /** Whether a sum is that of the whole table, wherever its row is. It is text like any other. */
  #isTotal(number: number): boolean {
    const row = this.#rowOf(number);
    const isMoved = readName(read(row, 'parentElement') as Element) === 'tbody';
    return isMoved && !isFirst(row) && this.#found.carries[number]?.at === 'end';
  }

  /** Paints a sum alone, in its place. */
  #registerCarry(number: number): void {
    const name = this.#carryName(number);
    const element = this.#carries[number] as Element;
    element.firstElementChild?.append(createInnerProbe(`${this.#key}:${name}`));
    registerPainter(name, (box) => {
      const painted = fillBox(createHtml(CARRY), box, this.#measured.zoom);
      setLook(painted, { display: 'block', 'white-space': 'nowrap', 'text-align': 'inherit' });
      painted.textContent = box.texts[number] ?? '';
      return wrapLike(painted, element);
    });
  }

  #moveRows(rows: HTMLTableRowElement[]): void {
    const [first, last] = [rows.filter(isFirst), rows.filter((row) => !isFirst(row))];
    const [before] = this.#table.tBodies;
    const after = this.#table.tFoot;
    if (first.length) this.#table.insertBefore(createBody(first), before ?? null);
    if (last.length) {
      const body = this.#table.tBodies[this.#table.tBodies.length - 1];
      const isKept = last.some((row) => readAttribute(row, 'data-keep') !== null);
      if (body && isKept)
        body.append(...last); // Chromium may break between sections in spite of break-before
      else (body ?? after ?? this.#table.lastChild)?.after(createBody(last));
      this.#rows.push(...last);
    }
  }

  /** Copies a row as it is, so that the overlay can paint it. */
  #preparePainting(row: HTMLTableRowElement, number: number): PaintedRow {
    const name = `${this.#name}h${number}`;
    const section = read(row, 'parentElement') as HTMLTableSectionElement;
    const copy = call(section, 'cloneNode', true) as HTMLTableSectionElement;
    const index = [...section.rows].indexOf(row);
    for (const [n, other] of [...copy.rows].entries()) if (n !== index) setLook(other, { display: 'none' });
    const { edges, paddings: measured, zoom } = this.#measured;
    const paddings = Array.from(row.cells, (cell) => measured.get(cell)?.painted ?? {});
    const painting = { table: this.#table, section: copy, row: index, paddings, edges: edges.get(row), zoom };
    registerPainter(name, (box) => paintRow(painting, box, widthsOf(box, this.#widths.get(row) ?? [], zoom)));
    const numbers = [...this.#carries.keys()].filter((carry) => this.#rowOf(carry) === row);
    const on = (readAttribute(row, 'data-on') ?? 'all') as RowPages;
    return { name, on, cells: row.cells.length, carries: numbers };
  }

  /** Lays rows that are not on the first page out above those that are, so that they can be pulled up there. Returns their order. */
  #orderHead(): string[] {
    const rows = [...(this.#table.tHead?.rows ?? [])].flatMap((row) => {
      const painted = this.#painted.get(row);
      return painted ? [{ row, ...painted }] : [];
    });
    if (!rows.some(({ on }) => on === 'all')) return [];
    this.#table.tHead?.prepend(...rows.filter(({ on }) => on === 'not-first').map(({ row }) => row));
    return rows.map(({ name }) => name);
  }

  #hideRow(row: HTMLTableRowElement, { name }: PaintedRow): void {
    const { collapsesBorders, insets, paddings } = this.#measured;
    setLook(row, { visibility: 'hidden', ...(collapsesBorders && { 'border-style': 'none' }) });
    for (const [number, cell] of [...row.cells].entries()) {
      setLook(cell, {
        position: 'relative',
        visibility: 'hidden',
        ...(collapsesBorders && { 'border-style': 'none' }),
        ...paddings.get(cell)?.hidden,
      });
      cell.append(createInnerProbe(`${this.#key}:${name}-${number}`, insets.get(cell)));
    }
  }

  /** The rows of the head above which nothing is painted on the first page. */
  #leading(): PulledRows {
    return this.#pulled(takeWhile(this.#table.tHead?.rows, (row) => this.#painted.get(row)?.on === 'not-first'));
  }

  /** The rows of the foot below which nothing is painted on the last page. */
  #trailing(): PulledRows {
    const rows = [...(this.#table.tFoot?.rows ?? [])].reverse();
    return this.#pulled(takeWhile(rows, (row) => this.#painted.get(row)?.on === 'not-last'));
  }

  /** What is around a table stays in its place, and so do its rows. */
  #pulled(all: HTMLTableRowElement[]): PulledRows {
    const { spacingPx, isFramed } = this.#measured;
    const rows = isFramed ? [] : all;
    const heightPx = rows.reduce((sum, row) => sum + (this.#heights.get(row) ?? 0) + spacingPx, 0);
    return { names: rows.map((row) => (this.#painted.get(row) as PaintedRow).name), heightPx, spacingPx };
  }

  /** Keeps rows with those before them. */
  #keepRows(): void {
    const numbers = new Map(this.#rows.map((row, number) => [row, number]));
    for (const element of selectIn<HTMLElement>(this.#table, '[data-keep]')) {
      const row = readName(element) === 'tr' ? element : (element as HTMLTableSectionElement).rows?.[0];
      const number = numbers.get(row as HTMLTableRowElement);
      const count = Math.min(Number(readAttribute(element, 'data-keep')) || 0, number ?? 0, MAX_KEPT);
      for (let n = 0; number !== undefined && n < count; n++) avoidBreakBefore(this.#rows[number - n] as HTMLTableRowElement);
    }
    if (this.#carries.length) changes.setAttribute(this.#table, 'data-platen-carries', '');
  }

  /** Marks the first and the last row, and all that state an amount. */
  markAll(): PreparedTable['marks'] {
    const counted = Object.values(this.#found.columns).flatMap((amounts) => amounts.map(([row]) => row));
    return this.#mark([0, ...counted, this.#rows.length - 1]);
  }

  /** Marks some of many rows. */
  #markRows(): Pick<PreparedTable, 'marks' | 'topsPx'> {
    const topsPx = this.#rows.length > MAX_MARKED ? measureTops(this.#rows) : [];
    return topsPx.length ? { marks: this.#mark(someRows(topsPx)), topsPx } : { marks: this.markAll(), topsPx };
  }

  #mark(numbers: number[]): PreparedTable['marks'] {
    const rows = [...new Set(numbers)].filter((number) => this.#rows[number]);
    return rows.map((number) => [number, this.#destinations.mark(markable(this.#rows[number] as HTMLTableRowElement))]);
  }

  /** Places a link at the end of what is before the table. Returns its name. */
  #nameBefore(probes: Probes): string {
    const { before } = this.#measured;
    if (!before) return '';
    const name = `${this.#name}before`;
    probes.nameAnchor(before, `--${this.#key}-${name}`);
    probes.add(createProbe(`${this.#key}:${name}`, `--${this.#key}-${name}`, 'end'));
    return name;
  }
}

/** The rows of a head above others that are not on the first page. Empty if cells reach over several rows. */
function rowsAboveOthers({ tHead }: HTMLTableElement): HTMLTableRowElement[] {
  const rows = [...(tHead?.rows ?? [])].filter((row) => !mayMove(row));
  const isLower = (row: HTMLTableRowElement) => readAttribute(row, 'data-on') === 'not-first';
  const above = rows.slice(0, Math.max(0, rows.findLastIndex(isLower))).filter((row) => !isLower(row));
  const isPlain = above.every(
    (row) => readAttribute(row, 'data-on') === null && [...row.cells].every((cell) => cell.rowSpan === 1),
  );
  return isPlain ? above : [];
}

const MAX_KEPT = 50;

function isFirst(row: HTMLTableRowElement): boolean {
  return readAttribute(row, 'data-on') === 'first';
}

function createBody(rows: HTMLTableRowElement[]): HTMLElement {
  const body = createHtml('tbody');
  body.append(...rows);
  return body;
}

function takeWhile<T>(all: Iterable<T> | undefined, isTaken: (each: T) => boolean): T[] {
  const list = [...(all ?? [])];
  const end = list.findIndex((each) => !isTaken(each));
  return end < 0 ? list : list.slice(0, end);
}

/** A row group begins with its first row. */
function avoidBreakBefore(row: HTMLTableRowElement): void {
  setLook(row, { 'break-before': 'avoid' });
  if (!read(row, 'previousElementSibling')) setLook(read(row, 'parentElement') as HTMLElement, { 'break-before': 'avoid' });
}

/** A row that has an id may be the target of links. */
function markable(row: HTMLTableRowElement): Element {
  const [cell] = row.cells;
  return read(row, 'id') && cell && !read(cell, 'id') ? cell : row;
}

/** A row, with all others of its section, which are hidden. */
interface Painting {
  table: HTMLTableElement;
  section: HTMLTableSectionElement;
  row: number;
  /** Of its cells. */
  paddings: ReadonlyArray<Record<string, string>>;
  /** If its cells share borders. */
  edges: RowEdges | undefined;
  /** By how much the table is enlarged. */
  zoom: number;
}

/**
 * The widths of the columns in pixels of the table. Links are on whole pixels, so that those which the window has are more exact if the
 * print has them, too.
 */
function widthsOf({ columns = [], scale }: OverlayBox, measured: readonly number[], zoom: number): number[] {
  const printed = columns.map((points) => (points * PX_PER_POINT) / scale);
  const isSame = printed.every((px, n) => Math.abs(px - (measured[n] ?? 0)) <= 1);
  return (isSame ? measured : printed).map((px) => px / zoom);
}

/** Of the table that has one row. What is around its table is not around the row, which may inherit the color of the border. */
const ROW_LOOK = {
  display: 'table',
  'table-layout': 'fixed',
  'break-before': 'auto',
  padding: '0',
  'border-style': 'none',
  'border-radius': '0',
  'box-shadow': 'none',
  outline: 'none',
  background: 'none',
};

/** Paints a row as a table of its own, with the columns that it has. */
function paintRow({ table, section, row, paddings, edges, zoom }: Painting, box: OverlayBox, widths: number[]): HTMLElement {
  const painted = call(table, 'cloneNode', false) as HTMLTableElement;
  const copy = call(section, 'cloneNode', true) as HTMLTableSectionElement;
  painted.append(copy);
  const cells = [...(copy.rows[row]?.cells ?? [])];
  for (const [number, cell] of cells.entries())
    setLook(cell, { width: `${widths[number]}px`, 'box-sizing': 'border-box', ...paddings[number] });
  if (edges) setLook(copy, { 'border-style': 'none' }); // the section has it where it is
  for (const side of edges?.shared ?? [])
    for (const each of [copy.rows[row] as HTMLElement, ...cells]) setLook(each, { [`border-${side}-style`]: 'none' });
  for (const room of selectIn<HTMLElement>(copy, '[data-platen-carry]')) {
    setLook(room, { visibility: 'visible' });
    room.textContent = box.texts[readAttribute(room, 'data-platen-carry') ?? ''] ?? '';
  }
  const points = box.scale * zoom * POINTS_PER_PX;
  const filled = { ...box, width: widths.reduce((sum, width) => sum + width, 0) * points };
  fillBox(painted, edges ? withEdges(filled, edges, points) : withSpacing(filled, table, points), zoom);
  setLook(painted, ROW_LOOK);
  return wrapLike(painted, read(table, 'parentElement'));
}

/** The box of cells with the borders that they share. A pixel of the table is as many `points` on the page. */
function withEdges(box: OverlayBox, { top, bottom, left, across }: RowEdges, points: number): OverlayBox {
  const [width, height] = [box.width + across * points, box.height + (top + bottom) * points];
  return { ...box, x: box.x - left * points, y: box.y - top * points, width, height };
}

/** The box of cells with the space around and between them, which the table of a row has, too. */
function withSpacing(box: OverlayBox, table: HTMLTableElement, points: number): OverlayBox {
  const [across = 0, down = across] = getComputedStyle(table)
    .borderSpacing.split(' ')
    .map((length) => Number.parseFloat(length) * points);
  const width = box.width + ((box.columns?.length ?? 0) + 1) * across;
  return { ...box, x: box.x - across, y: box.y - down, width, height: box.height + 2 * down };
}
