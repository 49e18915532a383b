/** Finds the tables whose head and foot depend on their pages: `data-carry`, `data-on` and `data-keep` in, what they state out. */
import {
  AMOUNT,
  CARRY_PLACES,
  type CarryPlace,
  type FoundCarry,
  type FoundTable,
  type FoundTables,
  MAX_PAGED_TABLES,
  MAX_ROWS_ON_PAGES,
  MAX_SECTION_ROWS,
  MAX_SUMMED,
  MAX_TABLE_ROWS,
  ROW_PAGES,
} from '../../../contract/paged-tables.ts';
import { Locator } from '../../../dom/locator.ts';
import { findClosest, findFirst, read, readAttribute } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';

export interface PagedTable {
  table: HTMLTableElement;
  /** The rows of its bodies that are shown, without those of tables in them. */
  rows: HTMLTableRowElement[];
  /** The elements that show sums. */
  carries: Element[];
  found: FoundTable;
}

/** The rows of heads and feet that are on some pages only. */
export const ROWS_ON_PAGES = ROW_PAGES.flatMap((on) => [`thead > tr[data-on=${on}]`, `tfoot > tr[data-on=${on}]`]).join(', ');
const PAGED = `[data-carry], ${ROWS_ON_PAGES}, table tr[data-keep], tbody[data-keep]`;
const COLUMN = /^[a-z][\w-]{0,60}$/;
const ROWS = /^\d{1,4}$/;
const MAX_FORMAT = 500;

let tables: PagedTable[] = [];

/** The tables that were found, in the order of the document. */
export function pagedTables(): readonly PagedTable[] {
  return tables;
}

export function hasPagedTables(): boolean {
  return findFirst(read(document, 'documentElement'), PAGED) !== null;
}

export function findTables(): FoundTables {
  tables = [];
  const problem = readTables();
  return problem ? { tables: [], problem } : { tables: tables.map(({ found }) => found), problem };
}

/** Returns what is wrong with them. */
function readTables(): string {
  const found = new Set<HTMLTableElement>();
  for (const element of selectIn<Element>(document, PAGED)) {
    const isCarry = readAttribute(element, 'data-carry') !== null;
    if (isCarry && !findClosest(element, 'table > thead, table > tfoot')) return misplaced(element);
    found.add(findClosest(element, 'table') as HTMLTableElement);
  }
  if (found.size > MAX_PAGED_TABLES) return `more than ${MAX_PAGED_TABLES} tables have data-carry, data-on or data-keep`;
  let count = 0;
  for (const table of found) {
    const rows = [...table.tBodies].filter(isShown).flatMap((body) => [...body.rows].filter(isShown));
    count += rows.length;
    if (count > MAX_TABLE_ROWS)
      return `the tables with data-carry, data-on or data-keep have more than ${MAX_TABLE_ROWS} rows; divide the document`;
    const problem = checkTable(table) || readTable(table, rows);
    if (problem) return problem;
  }
  return checkCosts();
}

/** Whether it has a place in the table. The document may be hidden as a whole. */
function isShown(element: Element): boolean {
  const { display, visibility } = getComputedStyle(element);
  return display !== 'none' && visibility !== 'collapse';
}

function checkCosts(): string {
  if ([...selectIn(document, ROWS_ON_PAGES)].length > MAX_ROWS_ON_PAGES)
    return `more than ${MAX_ROWS_ON_PAGES} rows have data-on`;
  return countSummed() > MAX_SUMMED ? `the sums of tables add more than ${MAX_SUMMED} amounts; divide the document` : '';
}

/** Returns what is wrong with the table as a whole. */
function checkTable(table: HTMLTableElement): string {
  const isLong = [table.tHead, table.tFoot].some((section) => section && section.rows.length > MAX_SECTION_ROWS);
  const isVertical = getComputedStyle(table).writingMode !== 'horizontal-tb';
  if (!isLong && !isVertical) return '';
  const { selector } = new Locator().locate(table);
  const what = isLong ? `more than ${MAX_SECTION_ROWS} rows in thead or tfoot` : 'vertical text';
  return `${selector} has data-carry, data-on or data-keep, and ${what}`;
}

function countSummed(): number {
  const counts = tables.flatMap(({ found }) => found.carries.map(({ column }) => found.columns[column]?.length ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

function misplaced(element: Element): string {
  return `${new Locator().locate(element).selector} has data-carry, and is not in thead or tfoot of a table`;
}

function readTable(table: HTMLTableElement, rows: HTMLTableRowElement[]): string {
  const carries = [...selectIn<Element>(table, '[data-carry]')].filter((each) => isOwn(each, table));
  const locator = new Locator();
  const described = carries.map((element) => describeCarry(element, locator));
  const wrong = described.find((each) => typeof each === 'string') ?? findWrongKeep(table, carries.length > 0, locator);
  if (wrong) return wrong;
  const found: FoundTable = { columns: Object.create(null), carries: described as FoundCarry[] };
  for (const { column, selector } of found.carries) {
    const amounts = found.columns[column] ?? readAmounts(table, rows, column, locator);
    if (typeof amounts === 'string') return amounts;
    if (!amounts.length && rows.length) return `${selector} adds data-${column}, which no row of its table has`;
    found.columns[column] = amounts;
  }
  tables.push({ table, rows, carries, found });
  return '';
}

/** Others may use the attribute for something else: only tables with sums are looked at. */
function findWrongKeep(table: HTMLTableElement, hasSums: boolean, locator: Locator): string | undefined {
  const kept = hasSums ? [...selectIn<Element>(table, 'tr[data-keep], tbody[data-keep]')] : [];
  const wrong = kept.find((each) => isOwn(each, table) && !ROWS.test(readAttribute(each, 'data-keep') ?? ''));
  return wrong && `${locator.locate(wrong).selector}: data-keep is the number of rows before it that stay with it, such as 3`;
}

function isOwn(element: Element, table: HTMLTableElement): boolean {
  return findClosest(element, 'table') === table;
}

/** Returns what is wrong if something is. */
function describeCarry(element: Element, locator: Locator): FoundCarry | string {
  const { selector } = locator.locate(element);
  const column = readAttribute(element, 'data-carry') ?? '';
  const at = readAttribute(element, 'data-carry-at') ?? 'end';
  const format = readAttribute(element, 'data-carry-format') ?? '';
  if (!COLUMN.test(column)) return `${selector}: data-carry is the name of an attribute data-NAME, such as amount`;
  if (!(CARRY_PLACES as readonly string[]).includes(at)) return `${selector}: data-carry-at must be ${CARRY_PLACES.join(', ')}`;
  if (format.length > MAX_FORMAT) return `${selector}: data-carry-format is too long`;
  const language = (readAttribute(findClosest(element, '[lang]') ?? element, 'lang') ?? '').slice(0, MAX_FORMAT);
  return { column, at: at as CarryPlace, language, format, selector };
}

/** Returns what is wrong if something is. */
function readAmounts(
  table: HTMLTableElement,
  rows: HTMLTableRowElement[],
  column: string,
  locator: Locator,
): Array<[row: number, amount: string]> | string {
  const numbers = new Map<Element | null, number>(rows.map((row, number) => [row, number]));
  const amounts: Array<[number, string]> = [];
  for (const element of selectIn<Element>(table, `[data-${column}]`)) {
    const row = numbers.get(findClosest(element, 'tr'));
    if (row === undefined) continue; // of the head, or of a table inside
    const amount = (readAttribute(element, `data-${column}`) ?? '').trim();
    if (!AMOUNT.test(amount)) return noNumber(locator.locate(element).selector, column, amount);
    amounts.push([row, amount]);
  }
  return amounts;
}

function noNumber(selector: string, column: string, amount: string): string {
  const shown = JSON.stringify(amount.slice(0, 60));
  return `${selector}: data-${column} is ${shown}, and must be a decimal number such as 1234.50 or -3, of at most 40 digits before and 20 after the point, without exponent, grouping and currency`;
}
