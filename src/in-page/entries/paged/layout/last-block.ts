/** Moves a block to the bottom of the last page, by its margin. Links tell where it is. */
import type { LastBlock } from '../../../contract/layout.ts';
import { Changes } from '../../../dom/changes.ts';
import { findFirst, isElement, measureBox, read } from '../../../dom/nodes.ts';
import { createProbe, Probes } from '../../../dom/probes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { zoomOf } from '../zoom.ts';
import { findInFlow, findStart, isBox } from './break-causes.ts';

type Styled = HTMLElement | SVGElement;

const SELECTOR = '[data-last-page-bottom]';

const changes = new Changes();
const moves = new Changes();
let block: HTMLElement | undefined;
/** By how much it is enlarged more than the root. */
let zoom = 1;
/** The distance from what is above it. */
let gapPx = 0;

export function hasLastBlock(): boolean {
  return findFirst(read(document, 'documentElement'), SELECTOR) !== null;
}

/** Links to `KEY:last-block` and `KEY:last-end` are at its beginning and at the end of what follows it. Null if it is not shown. */
export function prepareLastBlock(key: string): LastBlock | null {
  block = [...selectIn(document, SELECTOR)].findLast(isBox);
  if (!block) return null;
  changes.setStyle(block, 'break-inside', 'avoid');
  zoom = zoomOf(block) / zoomOf(read(document, 'documentElement'));
  gapPx = measureGap(block);
  const elements = { block, end: findEnd(block) };
  const tailPx = measureTail(elements.end) * zoom;
  const probes = new Probes(changes);
  const places = { block: 'start', end: 'end' } as const;
  for (const [name, place] of Object.entries(places)) {
    const anchor = `--${key}-last-${name}`;
    probes.nameAnchor(elements[name as keyof typeof places], anchor);
    probes.add(createProbe(`${key}:last-${name}`, anchor, place));
  }
  probes.place();
  return { tailPx };
}

/** Moves the block down from where it is in the flow. A margin at the top of a page has an effect only after a forced break. */
export function moveLastBlock(px: number, beginsPage: boolean): null {
  moves.undo();
  if (!block || !px) return null;
  moves.setStyle(block, 'margin-top', `${(beginsPage ? 0 : gapPx) + px / zoom}px`);
  if (beginsPage) moves.setStyle(block, 'break-before', 'page');
  return null;
}

export function restoreLastBlock(): null {
  moves.undo();
  changes.undo();
  return null;
}

/** The margin above the block, which may be that of the box before it. */
function measureGap(element: Element): number {
  const own = Number.parseFloat(getComputedStyle(element).marginTop) || 0;
  const { boxes, previous } = findStart(element);
  const isNext = boxes.length === 1 && previous && isElement(previous);
  return isNext ? Math.max(own, (measureBox(element).top - measureBox(previous).bottom) / zoomOf(element)) : own;
}

/** Returns the last box that follows the block, or the block. */
function findEnd(element: Styled): Styled {
  let end: Element = element;
  for (let at: Element | null = element; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    const last = findInFlow(read(read(at, 'parentElement') ?? at, 'lastChild'), 'previousSibling');
    if (last && isElement(last) && last !== at) end = last;
  }
  return end as Styled;
}

/** The paddings, borders and margins below the last box, which need room on its page. Margins that meet collapse. */
function measureTail(end: Element): number {
  let [tail, margin] = [0, 0];
  for (let at: Element | null = findLastIn(end); at; at = read(at, 'parentElement')) {
    const style = getComputedStyle(at);
    const edge = at !== end && at.contains(end) ? bottomEdge(style) : 0;
    if (edge) [tail, margin] = [tail + margin + edge, 0];
    margin = Math.max(margin, Number.parseFloat(style.marginBottom) || 0);
  }
  return tail + margin;
}

/** Returns the innermost box whose margin at the end may be that of the element. */
function findLastIn(element: Element): Element {
  const style = getComputedStyle(element);
  const holdsMargins = style.display !== 'block' || style.overflow !== 'visible' || bottomEdge(style) > 0;
  const last = holdsMargins ? undefined : findInFlow(read(element, 'lastChild'), 'previousSibling');
  return last && isElement(last) ? findLastIn(last) : element;
}

function bottomEdge({ paddingBottom, borderBottomWidth }: CSSStyleDeclaration): number {
  return (Number.parseFloat(paddingBottom) || 0) + (Number.parseFloat(borderBottomWidth) || 0);
}
