/** Reads the cells of tables. */
import type { TableCell } from '../../../tag-structure.ts';
import { readName } from '../../dom/nodes.ts';
import { isShown } from '../../dom/visibility.ts';
import { addItem, type Reading } from './reading.ts';
import type { ReadingOrder } from './reading-order.ts';
import { hasTagged, isDecoration } from './tagged-content.ts';

export function readTables({ structure, locator, order }: Reading): void {
  for (const element of order.elements)
    if (isTable(element, order)) addItem(structure.tables, { ...locator.locate(element), ...readRows(element, order) });
}

function isTable(element: Element, order: ReadingOrder): element is HTMLTableElement {
  return readName(element) === 'table' && isShown(element) && !isDecoration(element, order);
}

/** Reads the rows that are laid out and have cells. Cells that are only invisible have their place in the table. */
function readRows(table: HTMLTableElement, order: ReadingOrder): { head: number; foot: number; rows: TableCell[][] } {
  const { tHead, tFoot, rows } = table;
  const groups = Map.groupBy([...rows].filter(isRow), (row) => row.parentElement);
  const toCells = (row: HTMLTableRowElement, left: number) =>
    [...row.cells].filter(isLaidOut).map((cell): TableCell => [isEmpty(cell, order), cell.colSpan, rowsSpanned(cell, left)]);
  return {
    head: groups.get(tHead)?.length ?? 0,
    foot: groups.get(tFoot)?.length ?? 0,
    rows: [...groups.values()].flatMap((group) => group.map((row, at) => toCells(row, group.length - at))),
  };
}

function isRow(row: HTMLTableRowElement): boolean {
  return row.cells.length > 0 && (isShown(row) || (isLaidOut(row) && getComputedStyle(row).visibility !== 'collapse'));
}

function isLaidOut(element: Element): boolean {
  return element.checkVisibility();
}

function isEmpty(cell: Element, order: ReadingOrder): boolean {
  return !isShown(cell) || isDecoration(cell, order) || !hasTagged(cell, order);
}

/** A cell ends with the last row of its group, whatever it says, and 0 says to. */
function rowsSpanned({ rowSpan }: HTMLTableCellElement, left: number): number {
  return Math.min(rowSpan || left, left);
}
