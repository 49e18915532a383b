/** Measures a table whose head and foot depend on their pages, before it is changed. Its bodies need not be laid out. */
import { measureBox, read } from '../../../dom/nodes.ts';
import { zoomOf } from '../zoom.ts';
import { measureEdges, type RowEdges } from './row-edges.ts';
import { isFramed } from './table-edges.ts';

/** The margin in pixels that pulls up what is next to it by so many. */
type MarginAt = (pulledPx: number) => number;

/** The margin of a table, or of its caption, which is between the rows and what is next to the table. */
export interface Pull {
  element: HTMLElement;
  margin: string;
  at: MarginAt;
}

type Style = Record<string, string>;

/** Links are on whole pixels, so that painted cells may be as much narrower, and text that filled them would have another line. */
const SLACK_PX = 1;

export interface MeasuredTable {
  collapsesBorders: boolean;
  /** Whether the table, its head or its foot has something around it that stays where it is. */
  isFramed: boolean;
  /** Whether its width follows that of the page. */
  followsPage: boolean;
  /** By how much it is enlarged. Boxes are measured as they are seen, all other lengths as the style sheets give them. */
  zoom: number;
  /** The space between rows, as it is seen. */
  spacingPx: number;
  /** How far the borders of their cells reach around them, as `inset`. */
  insets: ReadonlyMap<HTMLTableCellElement, string>;
  /** Those of hidden cells have the room of the borders that they share, without which columns would be narrower. */
  paddings: ReadonlyMap<HTMLTableCellElement, Record<'hidden' | 'painted', Style>>;
  /** Of rows whose cells share borders. */
  edges: ReadonlyMap<HTMLTableRowElement, RowEdges>;
  above: Pull;
  below: Pull;
  /** The last box in the flow before the table. */
  before: HTMLElement | undefined;
}

export function measureTable(table: HTMLTableElement, rows: HTMLTableRowElement[]): MeasuredTable {
  const { borderCollapse, borderSpacing, marginTop, marginBottom } = getComputedStyle(table);
  const collapsesBorders = borderCollapse === 'collapse';
  const cells = rows.flatMap((row) => [...row.cells]);
  const [previous, next] = [neighbourOf(table, 'previousElementSibling'), neighbourOf(table, 'nextElementSibling')];
  const box = measureBox(table);
  const parent = read(table, 'parentElement');
  const addsMargins = parent !== null && /flex|grid/.test(getComputedStyle(parent).display);
  const pull = addsMargins ? pullAlone : pullThrough;
  const zoom = zoomOf(table);
  const [above, below] = [
    pull(toPixels(marginTop), previous, (each) => (box.top - measureBox(each).bottom) / zoom, 'marginBottom'),
    pull(toPixels(marginBottom), next, (each) => (measureBox(each).top - box.bottom) / zoom, 'marginTop'),
  ];
  return {
    collapsesBorders,
    isFramed: isFramed(table),
    followsPage: followsPage(table, box.width),
    zoom,
    spacingPx: collapsesBorders ? 0 : toPixels(borderSpacing.split(' ').at(-1)) * zoom,
    insets: new Map(cells.map((cell) => [cell, collapsesBorders ? '0' : insetOf(cell)])),
    paddings: new Map(cells.map((cell) => [cell, paddingsOf(cell, collapsesBorders, SLACK_PX / zoom)])),
    edges: new Map(collapsesBorders ? rows.map((row) => [row, measureEdges(row, rows)]) : []),
    above: pullOf(table, 'top', (pulledPx) => above(pulledPx / zoom), zoom),
    below: pullOf(table, 'bottom', (pulledPx) => below(pulledPx / zoom), zoom),
    before: rows.length ? findBefore(table) : undefined,
  };
}

/** In percent, or as wide as what is around it. */
function followsPage(table: HTMLTableElement, width: number): boolean {
  const stated = table.computedStyleMap().get('width')?.toString() ?? '';
  const parent = read(table, 'parentElement');
  return stated.includes('%') || (stated === 'auto' && parent !== null && width >= contentWidth(parent) - 1);
}

function contentWidth(element: Element): number {
  const { paddingLeft, paddingRight, borderLeftWidth, borderRightWidth } = getComputedStyle(element);
  const around = [paddingLeft, paddingRight, borderLeftWidth, borderRightWidth].map(toPixels);
  return measureBox(element).width - around.reduce((sum, each) => sum + each) * zoomOf(element);
}

/** `at` is the margin if the rows have no caption at this side. */
function pullOf(table: HTMLTableElement, side: 'top' | 'bottom', at: MarginAt, zoom: number): Pull {
  const { caption } = table;
  const { captionSide = '', display = 'none' } = caption ? getComputedStyle(caption) : {};
  if (!caption || display === 'none' || captionSide !== side) return { element: table, margin: `margin-${side}`, at };
  const margin = `margin-${side === 'top' ? 'bottom' : 'top'}`;
  const own = toPixels(getComputedStyle(caption).getPropertyValue(margin));
  return { element: caption, margin, at: (pulledPx) => own - pulledPx / zoom };
}

/** The margins of neighbours and the gap between them stay. */
function pullAlone(own: number): MarginAt {
  return (pulledPx) => own - pulledPx;
}

/** The margin between a table and its neighbour is the larger of theirs, or the sum if one of them is negative. */
function pullThrough(
  own: number,
  neighbour: Element | undefined,
  measureGap: (neighbour: Element) => number,
  margin: 'marginTop' | 'marginBottom',
): MarginAt {
  const gap = neighbour ? Math.max(own, measureGap(neighbour)) : own;
  const other = !neighbour ? 0 : gap > own ? gap : toPixels(getComputedStyle(neighbour)[margin]);
  return (pulledPx) => {
    const wanted = gap - pulledPx;
    return wanted >= other ? wanted : wanted - other;
  };
}

function insetOf(cell: HTMLTableCellElement): string {
  const { borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth } = getComputedStyle(cell);
  return [borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth].map((width) => `-${width}`).join(' ');
}

function paddingsOf(cell: HTMLTableCellElement, collapsesBorders: boolean, slackPx: number): Record<'hidden' | 'painted', Style> {
  const style = getComputedStyle(cell);
  const slack = slackOf(style, slackPx);
  const [hidden, painted]: [Style, Style] = [{}, {}];
  for (const side of ['left', 'right'] as const) {
    const own = toPixels(style.getPropertyValue(`padding-${side}`));
    const border = collapsesBorders ? toPixels(style.getPropertyValue(`border-${side}-width`)) / 2 : 0;
    hidden[`padding-${side}`] = `${Math.max(own, slack[side]) + border}px`;
    painted[`padding-${side}`] = `${Math.max(0, own - slack[side])}px`;
  }
  return { hidden, painted };
}

/** It is where the text does not begin. */
function slackOf({ textAlign, direction }: CSSStyleDeclaration, slackPx: number): Record<'left' | 'right', number> {
  if (textAlign.endsWith('center')) return { left: slackPx / 2, right: slackPx / 2 };
  const isAtRight = textAlign.endsWith('right') || (textAlign === 'end') !== (direction === 'rtl' && !textAlign.endsWith('left'));
  return { left: isAtRight ? slackPx : 0, right: isAtRight ? 0 : slackPx };
}

function toPixels(length = ''): number {
  return Number.parseFloat(length) || 0;
}

function findBefore(table: Element): HTMLElement | undefined {
  for (let at: Element | null = table; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    const before = neighbourOf(at, 'previousElementSibling');
    if (before) return before;
  }
  return undefined;
}

/** The nearest sibling that is in the flow. */
function neighbourOf(element: Element, side: 'previousElementSibling' | 'nextElementSibling'): HTMLElement | undefined {
  for (let each = read(element, side); each; each = read(each, side))
    if (each instanceof HTMLElement && isInFlow(each)) return each;
  return undefined;
}

function isInFlow(element: Element): boolean {
  const { display, position, float } = getComputedStyle(element);
  return display !== 'none' && display !== 'contents' && float === 'none' && position !== 'absolute' && position !== 'fixed';
}
