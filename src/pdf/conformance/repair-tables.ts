/**
 * Restores the parts of tables that Chromium leaves out: empty cells and rows (`emitStructElem`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTag.cpp), and the
 * groups THead, TBody and TFoot (`RecursiveBuildStructureTree`:
 * https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc). Corrects cells that
 * would span more rows than there are. A table is changed only if its tagged rows and cells match those of the document one by one.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber } from '@libpdf/core';
import type { PrintedStructure, TableCell } from '../../tag-structure.ts';
import { type Kid, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import { matchInOrder } from './match-by-key.ts';

type TableStructure = PrintedStructure['tables'][number];

export function repairTables(tree: StructureTree, elements: StructureElement[], structure: PrintedStructure): void {
  const structureOf = matchTables(structure);
  for (const table of elements.filter(({ type }) => type === 'Table')) {
    joinCaptions(table);
    const found = structureOf(table);
    const rows = found && alignRows(tree, table, found);
    if (rows) groupRows(tree, table, rows, found);
    else limitSpans(table);
  }
}

/**
 * Returns a function that finds the table of the document for a tag. Call it with the tags in their order. Of a part of the
 * document, a tag can have any successive rows of a table, so that only one table may have such rows.
 */
export function matchTables({ tables, isWhole }: PrintedStructure): (tag: StructureElement) => TableStructure | undefined {
  if (isWhole) {
    const next = matchInOrder(tables, structureKey);
    return (tag) => next(tagKey(tag));
  }
  const keys = tables.map((table) => `,${structureKey(table)},`);
  const known = new Map<string, TableStructure | undefined>();
  return (tag) => {
    const key = `,${tagKey(tag)},`;
    if (known.has(key)) return known.get(key);
    const [only, another] = tables.filter((_, index) => keys[index]?.includes(key));
    const found = another ? undefined : only;
    known.set(key, found);
    return found;
  };
}

/** A key to match a table of the document with its tags: the number of non-empty cells in each row. */
function structureKey({ rows }: TableStructure): string {
  return toKey(rows.map((row) => row.filter(([isEmpty]) => !isEmpty).length));
}

function tagKey(table: StructureElement): string {
  return toKey(findRows(table).map((row) => findCells(row).filter(({ hasElements }) => hasElements).length));
}

function toKey(counts: number[]): string {
  return counts.filter((count) => count > 0).join();
}

export function findRows(table: StructureElement): StructureElement[] {
  const isRow = ({ type }: StructureElement) => type === 'TR';
  return table.elements.flatMap((element) => (isRow(element) ? [element] : element.elements.filter(isRow)));
}

function findCells(row: StructureElement): StructureElement[] {
  return row.elements.filter(({ type }) => type === 'TD' || type === 'TH');
}

/** Puts all captions into the first one, because a table can have only one (ISO 14289-1, 7.2). */
function joinCaptions(table: StructureElement): void {
  const [first, ...others] = table.elements.filter(({ type }) => type === 'Caption');
  if (!first || !others.length) return;
  for (const other of others) other.type = 'Div';
  first.replaceKids([...first.kids, ...others]);
  table.replaceKids(without(table.kids, others));
}

/** One row tag for each row of the document; undefined if they do not match. */
function alignRows(
  tree: StructureTree,
  table: StructureElement,
  { rows: expected }: TableStructure,
): StructureElement[] | undefined {
  if (table.elements.some(({ type }) => type !== 'TR' && type !== 'Caption')) return undefined;
  const isEmpty = (row: TableCell[]) => row.every(([isEmpty]) => isEmpty);
  const rows = align(
    findRows(table),
    expected,
    (row) => !findCells(row).some(({ hasElements }) => hasElements),
    isEmpty,
    () => tree.create('TR', []),
  );
  if (!rows) return undefined;
  for (const [index, row] of rows.entries()) {
    const cells = expected[index] ?? [];
    const aligned = align(
      findCells(row),
      cells,
      (cell) => !cell.hasElements,
      ([isEmpty]) => isEmpty,
      (cell) => emptyCell(tree, cell),
    );
    if (!aligned) return undefined;
    if (aligned.length > findCells(row).length) row.replaceKids([...without(row.kids, findCells(row)), ...aligned]);
    for (const [at, cell] of aligned.entries()) setRowSpan(cell, cells[at]?.[2] ?? 1);
  }
  return rows;
}

/** Of a table that does not match one of the document, because some of its pages are left out, only the end is known. */
function limitSpans(table: StructureElement): void {
  const rows = findRows(table);
  for (const [at, row] of rows.entries())
    for (const cell of findCells(row))
      setRowSpan(cell, Math.min(cell.span('RowSpan') || Number.POSITIVE_INFINITY, rows.length - at));
}

function setRowSpan(cell: StructureElement, down: number): void {
  if (cell.span('RowSpan') === down) return;
  const others = cell.attributes.map((attribute) => attribute.clone());
  for (const attribute of others) attribute.delete('RowSpan');
  const span = PdfDict.of({ O: PdfName.of('Table'), RowSpan: PdfNumber.of(down) });
  cell.set('A', PdfArray.of(...others, span));
}

function without(kids: readonly Kid[], some: readonly Kid[]): Kid[] {
  return kids.filter((kid) => !some.includes(kid));
}

/**
 * Returns one tag for each row or cell of the document: the existing tags in their order, and new ones for empty items that have
 * none. Returns undefined if tags and items do not match.
 */
function align<T>(
  tags: StructureElement[],
  expected: T[],
  isBare: (tag: StructureElement) => boolean,
  isEmpty: (item: T) => boolean,
  create: (item: T) => StructureElement,
): StructureElement[] | undefined {
  let next = 0;
  const aligned: StructureElement[] = [];
  for (const item of expected) {
    const tag = tags[next];
    const fits = tag !== undefined && isBare(tag) === isEmpty(item);
    if (!fits && !isEmpty(item)) return undefined;
    aligned.push(fits ? tag : create(item));
    if (fits) next++;
  }
  return next === tags.length ? aligned : undefined;
}

function emptyCell(tree: StructureTree, [, across, down]: TableCell): StructureElement {
  const cell = tree.create('TD', []);
  const spans = { ColSpan: PdfNumber.of(Math.max(1, across)), RowSpan: PdfNumber.of(Math.max(1, down)) };
  cell.set('A', PdfArray.of(PdfDict.of({ O: PdfName.of('Table'), ...spans })));
  return cell;
}

function groupRows(tree: StructureTree, table: StructureElement, rows: StructureElement[], { head, foot }: TableStructure): void {
  const others = table.kids.filter((kid) => !(kid instanceof StructureElement) || kid.type !== 'TR');
  const body = rows.length - foot;
  if (!(head > 0 || foot > 0) || body <= head) {
    if (rows.length > findRows(table).length) table.replaceKids([...others, ...rows]);
    return;
  }
  const groups: Array<[string, StructureElement[]]> = [
    ['THead', rows.slice(0, head)],
    ['TBody', rows.slice(head, body)],
    ['TFoot', rows.slice(body)],
  ];
  const filled = groups.filter(([, some]) => some.length > 0);
  table.replaceKids([...others, ...filled.map(([type, some]) => tree.create(type, some))]);
}
