/** Tables whose head and foot show sums, or differ by page. */

/** A number as `data-NAME` states it. */
export const AMOUNT = /^[+-]?\d{1,40}(?:\.\d{1,20})?$/;
/** Rows of the bodies of all such tables. Chromium needs about as much memory as a renderer may have for them. */
export const MAX_TABLE_ROWS = 20_000;
export const MAX_PAGED_TABLES = 1_000;
/** Rows that are on some pages. Each is copied with its head or foot. */
export const MAX_ROWS_ON_PAGES = 4_000;
/** Rows of a head or foot. */
export const MAX_SECTION_ROWS = 100;
/** What all sums add. Each sum up to an amount is formatted, which nothing else can interrupt. */
export const MAX_SUMMED = 300_000;
/** Texts for which room is reserved. */
export const MAX_RESERVED = 12;

export const CARRY_PLACES = ['start', 'end', 'page'] as const;
export type CarryPlace = (typeof CARRY_PLACES)[number];

/** An element that shows a sum. */
export interface FoundCarry {
  /** The name of the attribute `data-NAME` whose values are added. */
  column: string;
  at: CarryPlace;
  language: string;
  /** Options of `Intl.NumberFormat` in JSON, or an empty text. */
  format: string;
  selector: string;
}

export interface FoundTable {
  /** The rows that state an amount for each name, and the amounts. */
  columns: Record<string, Array<[row: number, amount: string]>>;
  carries: FoundCarry[];
}

export interface FoundTables {
  tables: FoundTable[];
  /** What is wrong with the first element that is wrong. Empty if nothing is. */
  problem: string;
}

/** Rows that are on all pages are painted only if they change places with others. */
export const ROW_PAGES = ['first', 'not-first', 'last', 'not-last', 'all'] as const;
export type RowPages = (typeof ROW_PAGES)[number];

/** A row of a head or foot that is painted on some pages of its table. */
export interface PaintedRow {
  name: string;
  on: RowPages;
  cells: number;
  /** The numbers of the sums in it. */
  carries: number[];
}

/** A table that is ready to be printed. */
export interface PreparedTable {
  /** The names of the destinations at which rows of its bodies begin. */
  marks: Array<[row: number, mark: string]>;
  /** Where all of its rows begin, in CSS pixels, if only some of them have a mark. */
  topsPx: number[];
  /** The number of its last row. */
  last: number;
  /** The names of the sums that are painted alone, by their numbers. */
  carries: Array<[carry: number, name: string]>;
  rows: PaintedRow[];
  /** The rows that take no room on the first and on the last page, and the CSS pixels by which the table is pulled up for them. */
  top: PulledRows;
  bottom: PulledRows;
  /** The rows of the head in the order in which they are painted. Empty if it is that in which they are laid out. */
  headOrder: string[];
  /** The name of what is before it. */
  before: string;
  /** Whether its width follows that of the page. */
  followsPage: boolean;
}

export interface PulledRows {
  names: string[];
  heightPx: number;
  /** The space between rows. */
  spacingPx: number;
}

/** What changes of a table. */
export interface TableChange {
  table: number;
  topPx: number;
  bottomPx: number;
  /** Whether it begins a page. */
  breaks: boolean;
}

/** With what the names of destinations of rows begin. They are short because Chromium writes thousands of them. */
export function markPrefix(key: string): string {
  return `${key.slice(-16)}-t`;
}
