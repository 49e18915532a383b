/**
 * Moves borders of a table, its head and its foot, and its background, to rows and cells: they would surround the place of a row at the edge
 * that takes no room. Only of tables whose cells share borders, or are beside each other and have none at its sides; what others have around them
 * cannot be moved.
 */
import { adoptStyles } from '../../../dom/adopt-styles.ts';
import type { Changes } from '../../../dom/changes.ts';
import { setLook, TRANSPARENT } from '../../../dom/create-html.ts';
import { read, readAttribute, readName, writeAttribute } from '../../../dom/nodes.ts';

const ATTRIBUTE = 'data-platen-edges';

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
type Side = (typeof SIDES)[number];

/** Whether the table, its head or its foot has something around it that stays where it is. */
export function isFramed(table: HTMLTableElement): boolean {
  const style = getComputedStyle(table);
  return (
    SIDES.some((side) => readBorder(style, side)) ||
    style.backgroundColor !== TRANSPARENT ||
    style.backgroundImage !== 'none' ||
    [table, table.tHead, table.tFoot].some((each) => each && hasOutline(getComputedStyle(each)))
  );
}

function hasOutline({ outlineStyle, outlineWidth }: CSSStyleDeclaration): boolean {
  return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
}

/** `number` is that of the table. */
export function moveEdges(table: HTMLTableElement, number: number, changes: Changes): void {
  const name = `[${ATTRIBUTE}="${number}"]`;
  const rows = edgeRows(table);
  const sharesBorders = getComputedStyle(table).borderCollapse === 'collapse';
  if (!sharesBorders && !areEdgesFree(table)) return;
  const { tHead, tFoot } = sharesBorders ? table : { tHead: null, tFoot: null }; // others have no borders
  if (!sharesBorders) moveCorners(table, rows);
  const rules = [
    ...moveBorders(table, rows.first, rows.last, `${name} > * > tr`),
    ...(tHead ? moveBorders(tHead, rows.first, rows.endOfHead, `${name} > thead > tr`) : []),
    ...(tFoot ? moveBorders(tFoot, rows.startOfFoot, rows.last, `${name} > tfoot > tr`) : []),
    ...moveBackground(table, name),
  ];
  if (!rules.length) return;
  writeAttribute(table, ATTRIBUTE, String(number));
  adoptStyles(rules.join('\n'), changes);
}

/** The rows that may be the first and the last of the table on a page, the last of its head and the first of its foot. */
type EdgeRows = Record<'first' | 'endOfHead' | 'startOfFoot' | 'last', HTMLTableRowElement[]>;

/** Whether cells that do not share borders are at the edges of their table, and have no borders at its left and right. */
function areEdgesFree(table: HTMLTableElement): boolean {
  const { borderSpacing, padding } = getComputedStyle(table);
  const cells = [...table.rows].map((row) => [...row.cells]);
  const outer = cells.flatMap((row) => [...row.slice(0, 1), ...row.slice(-1)]).map((cell) => getComputedStyle(cell));
  return (
    /^0px(?: 0px)?$/.test(borderSpacing) &&
    padding === '0px' &&
    cells.flat().every(({ rowSpan }) => rowSpan === 1) &&
    !outer.some((style) => readBorder(style, 'left') || readBorder(style, 'right'))
  );
}

/** The corners of the table become those of its rows. */
function moveCorners(table: HTMLTableElement, { first, last }: EdgeRows): void {
  const style = getComputedStyle(table);
  const atLeft = style.direction === 'rtl' ? -1 : 0;
  for (const [rows, side] of [
    [first, 'top'],
    [last, 'bottom'],
  ] as const)
    for (const { cells } of rows)
      for (const [n, across] of [
        [atLeft, 'left'],
        [-1 - atLeft, 'right'],
      ] as const) {
        const corner = `border-${side}-${across}-radius`;
        setLook([...cells].at(n) as HTMLElement, { [corner]: style.getPropertyValue(corner) });
      }
  setLook(table, { 'border-radius': '0', overflow: 'visible' });
}

function edgeRows(table: HTMLTableElement): EdgeRows {
  const bodies = [...table.tBodies].flatMap((body) => [...body.rows]);
  const head = divideRows(table.tHead);
  const foot = divideRows(table.tFoot);
  const last = [...bodies.slice(-1), ...foot.moved, ...foot.kept];
  return {
    first: untilOther([...head.kept, ...head.moved, ...bodies.slice(0, 1)], 'not-first'),
    endOfHead: [...head.moved.slice(-1), ...untilOther(head.kept.toReversed(), 'not-first')],
    startOfFoot: [...foot.moved.slice(0, 1), ...untilOther(foot.kept, 'not-last')],
    last: untilOther(last.toReversed(), 'not-last'),
  };
}

function divideRows(section: HTMLTableSectionElement | null): Record<'kept' | 'moved', HTMLTableRowElement[]> {
  const rows = [...(section?.rows ?? [])];
  return { kept: rows.filter((row) => !mayMove(row)), moved: rows.filter(mayMove) };
}

/** A row of the head that is only on the first page can be a row of the body, and one of the foot that is only on the last. */
export function mayMove(row: HTMLTableRowElement): boolean {
  const section = readName(read(row, 'parentElement') as Element);
  const on = readAttribute(row, 'data-on');
  return (on === 'first' && section === 'thead') || (on === 'last' && section === 'tfoot');
}

/** The rows up to the first that is on other pages as well. */
function untilOther(rows: HTMLTableRowElement[], on: string): HTMLTableRowElement[] {
  const end = rows.findIndex((row) => readAttribute(row, 'data-on') !== on);
  return end < 0 ? rows : rows.slice(0, end + 1);
}

/** Returns the rules for what is at the left and the right of all rows. */
function moveBorders(
  from: HTMLTableElement | HTMLTableSectionElement,
  first: readonly HTMLTableRowElement[],
  last: readonly HTMLTableRowElement[],
  selector: string,
): string[] {
  const style = getComputedStyle(from);
  const [top = '', right, bottom = '', left] = SIDES.map((side) => readBorder(style, side));
  for (const row of first) addBorder(row, 'top', top);
  for (const row of last) addBorder(row, 'bottom', bottom);
  const outermost = style.direction === 'rtl' ? { left: 'last', right: 'first' } : { left: 'first', right: 'last' };
  const rules = [
    ...(left ? [`${selector} > :${outermost.left}-child { border-left: ${left} }`] : []),
    ...(right ? [`${selector} > :${outermost.right}-child { border-right: ${right} }`] : []),
  ];
  setLook(from, { 'border-style': 'none' });
  return rules.length ? [`@layer platen-edges { ${rules.join(' ')} }`] : [];
}

/** The thicker border wins, as it does where cells share it. */
function addBorder(row: HTMLTableRowElement, side: Side, border: string): void {
  if (!border) return;
  for (const cell of row.cells)
    if (Number.parseFloat(readBorder(getComputedStyle(cell), side) || '0') < Number.parseFloat(border))
      setLook(cell, { [`border-${side}`]: border });
}

/** Empty if there is none. */
function readBorder(style: CSSStyleDeclaration, side: Side): string {
  const [width, line, color] = ['width', 'style', 'color'].map((part) => style.getPropertyValue(`border-${side}-${part}`));
  return line === 'none' || line === 'hidden' || !Number.parseFloat(width ?? '') ? '' : `${width} ${line} ${color}`;
}

/** Sections are painted without the cells of hidden rows. */
function moveBackground(table: HTMLTableElement, name: string): string[] {
  const { backgroundColor, backgroundImage } = getComputedStyle(table);
  if (backgroundColor === TRANSPARENT || backgroundImage !== 'none') return [];
  setLook(table, { 'background-color': 'transparent' });
  return [`@layer platen-edges { ${name} > :is(thead, tbody, tfoot) { background-color: ${backgroundColor} } }`];
}
