/**
 * Shows a long document in parts, so that what is outside the part is not laid out. All changes are attributes and one style sheet,
 * and `endWindows` takes them back.
 */
import { BETWEEN_PRINTS } from '../../../contract/limits.ts';
import type { LongDocument, MarkedBlock, ShownWindow, WindowOrder } from '../../../contract/questions.ts';
import { Changes } from '../../../dom/changes.ts';
import { removeCover } from '../../../dom/cover.ts';
import { Destinations } from '../../../dom/destinations.ts';
import { read, readAttribute, readName, writeAttribute } from '../../../dom/nodes.ts';
import { loadPicture } from '../load-picture.ts';
import { NO_MARGIN_BOXES } from '../margin-boxes.ts';
import { findPinned, isOpenInFlow, readDocumentStyles } from './document-styles.ts';
import { HiddenContents, hasCustomElements } from './hidden-contents.ts';
import { findBlocks, type LongBlocks } from './long-blocks.ts';
import { findWidestRows, MEASURING_RULES } from './widest-rows.ts';

/** In the first layer, `!important` precedes that of the document. A collapsed row has no height, but its cells have a width. */
const RULES = `@layer platen {
  [data-platen-open] > :not([data-platen-shown]) { display: none !important }
  [data-platen-shown=widest] { visibility: collapse !important }
  ${MEASURING_RULES}
  @media ${BETWEEN_PRINTS} { :root { display: none !important } }
}`;
const NO_MARGINS = `@page { ${NO_MARGIN_BOXES} }`;
const NO_BLOCKS: LongBlocks = { blocks: [], weights: [0], open: [], ofWholeTables: [] };

let long = NO_BLOCKS;
let pinned: ReadonlySet<HTMLElement> = new Set();
let widest: ReadonlySet<HTMLElement> = new Set();
/** Undefined if hidden contents stay in the document. */
let hidden: HiddenContents | undefined;
/** Pictures of styles, which are loaded before they are shown, and are in memory as long as they are held. */
let held: HTMLImageElement[] = [];
/** The rules for hiding, and those for page numbers. */
let sheets: [hiding: CSSStyleSheet, numbering: CSSStyleSheet] | undefined;
/** The changes of the last window. */
const changes = new Changes();

/** Divides the document, and hides all of it unless there is a reason against it. */
export function beginWindows(isTagged: boolean): LongDocument {
  long = findBlocks();
  const { reason, selectors, pictures, countsPages, hasSides, looksInside } = readDocumentStyles();
  const fixed = reason ? undefined : findPinned(long, selectors);
  const loadsFonts = [...document.fonts].some(({ status }) => status !== 'loaded');
  const { blocks, weights } = long;
  const hasRows = blocks.some(isRow);
  const answer = { blocks: blocks.length, weight: weights.at(-1) ?? 0, hasRows, countsPages, hasSides, loadsFonts };
  if (!fixed) return { ...answer, reason: reason || 'boxes with a position outside their block' };
  pinned = fixed;
  held = [...pictures].map(loadPicture);
  hidden = isTagged && !looksInside && !hasCustomElements() ? new HiddenContents() : undefined;
  sheets = [new CSSStyleSheet(), new CSSStyleSheet()];
  sheets[0].replaceSync(RULES);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  for (const element of long.open) writeAttribute(element, 'data-platen-open', '');
  for (const element of [...long.ofWholeTables, ...pinned]) writeAttribute(element, 'data-platen-shown', '');
  removeCover();
  return { ...answer, reason };
}

/** Lets every window have the columns of the whole table. Takes a few seconds for a hundred thousand rows. */
export function findColumnWidths(): null {
  const found = [...rowsByTable()].flatMap(([table, rows]) => {
    for (const row of rows) showAround(row);
    const ofTable = getComputedStyle(table).tableLayout === 'fixed' ? [] : findWidestRows(rows);
    changes.undo();
    return ofTable;
  });
  widest = new Set(found);
  for (const row of widest) {
    hide(row);
    const group = row.parentElement;
    if (group?.localName === 'tbody') writeAttribute(group, 'data-platen-shown', ''); // it shows nothing unless its table is shown
  }
  return null;
}

function rowsByTable(): Map<HTMLTableElement, HTMLElement[]> {
  const tables = new Map<HTMLTableElement, HTMLElement[]>();
  for (const block of long.blocks) {
    const table = isRow(block) ? block.closest('table') : null;
    if (table && !tables.get(table)?.push(block)) tables.set(table, [block]);
  }
  return tables;
}

/**
 * Shows the blocks of an order, and one before them that ends its page, so that the first begins a page in the same way as in the whole
 * document. Answers when the fonts that they need have loaded.
 */
export async function showWindow(order: WindowOrder): Promise<ShownWindow> {
  const { first, page, key, hidesMargins } = order;
  changes.undo();
  const end = order.end ?? findEnd(order);
  const shown = long.blocks.slice(Math.max(0, first - 1), end);
  takeOutOthers(shown);
  for (const block of shown) {
    hidden?.putBack(block);
    writeAttribute(block, 'data-platen-shown', '');
    showAround(block);
  }
  changes.add(() => shown.forEach(hide));
  const start = first > 0 ? long.blocks[first] : undefined;
  if (start) breakBefore(start);
  const numbering = page ? `@page:first { counter-set: page ${page} !important }` : '';
  sheets?.[1].replaceSync(hidesMargins ? numbering + NO_MARGINS : numbering);
  addEmptyPages(order);
  const marks = order.end === null ? markBlocks(first, end, key) : [];
  const mayEnd = order.end !== null || end === long.blocks.length || marks.length > 1;
  const isInFlow = mayEnd && shownOpen().every(isOpenInFlow);
  await document.fonts.ready;
  await Promise.allSettled(held.map((picture) => picture.decode()));
  return { end, marks, isInFlow };
}

/** Returns the number of the block before which the blocks have the weight. */
function findEnd({ first, weight }: WindowOrder): number {
  const { blocks, weights } = long;
  const until = (weights[first] ?? 0) + weight;
  let end = first + 1;
  while (end < blocks.length && (weights[end] ?? 0) < until) end++;
  return end;
}

/** Takes out the contents of blocks that are not laid out. */
function takeOutOthers(shown: readonly HTMLElement[]): void {
  if (!hidden) return;
  const laidOut = new Set([...shown, ...pinned, ...widest]);
  for (const block of long.blocks) if (!laidOut.has(block)) hidden.takeOut(block);
}

/** Puts everything back into the document, which still shows the last window. */
export function putBackContents(): null {
  hidden?.putAllBack();
  return null;
}

/** Removes all traces of windows. Answers when the fonts of the whole document have loaded. */
export async function endWindows(): Promise<null> {
  changes.undo();
  hidden?.putAllBack();
  removeCover();
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => !sheets?.includes(each));
  for (const name of ['data-platen-open', 'data-platen-shown'])
    for (const element of document.querySelectorAll(`[${name}]`)) writeAttribute(element, name, null);
  void document.documentElement?.offsetHeight;
  await document.fonts.ready;
  return null;
}

/** Empty pages around the body give the pages of the window their numbers, and the right number of pages to all of them. */
function addEmptyPages({ emptyBefore, emptyAfter }: WindowOrder): void {
  const sides = [
    [emptyBefore, 'break-after', 'prepend'],
    [emptyAfter, 'break-before', 'append'],
  ] as const;
  for (const [count, property, place] of sides) {
    if (!count) continue;
    const holder = document.createElement('div');
    holder.style.setProperty('all', 'initial', 'important');
    holder.style.setProperty('display', 'block', 'important');
    holder.innerHTML = `<div style="all: initial; display: block; height: 1px; ${property}: page"></div>`.repeat(count);
    document.documentElement[place](holder);
    changes.add(() => holder.remove());
  }
}

function hide(block: HTMLElement): void {
  if (pinned.has(block)) return;
  writeAttribute(block, 'data-platen-shown', widest.has(block) ? 'widest' : null);
}

/** Shows the open elements around a block. */
function showAround(block: HTMLElement): void {
  for (let around = read(block, 'parentElement'); around; around = read(around, 'parentElement')) {
    if (readAttribute(around, 'data-platen-shown') !== null) continue;
    changes.setAttribute(around, 'data-platen-shown', '');
  }
}

function isRow(block: HTMLElement): boolean {
  return readName(block) === 'tr';
}

function shownOpen(): HTMLElement[] {
  return long.open.filter((element) => readAttribute(element, 'data-platen-shown') !== null);
}

function mayBreakBefore(block: HTMLElement): boolean {
  const { display, float, position } = getComputedStyle(block);
  return !display.startsWith('inline') && float === 'none' && (position === 'static' || position === 'relative');
}

/** Begins a page. An unforced break takes the margins away that are adjacent to it. */
function breakBefore(block: HTMLElement): void {
  if (isForced(block)) return;
  changes.setStyle(block, 'break-before', 'page');
  for (let inner: Element | null = block; inner instanceof HTMLElement; inner = read(inner, 'firstElementChild')) {
    if (!isBlock(inner)) return;
    const { marginTop, paddingTop, borderTopWidth } = getComputedStyle(inner);
    if (marginTop !== '0px') changes.setStyle(inner, 'margin-top', '0');
    if (paddingTop !== '0px' || borderTopWidth !== '0px') return;
  }
}

/** Whether a rule lets a page begin with the block, a box that begins with it, or one with which it begins. */
function isForced(block: HTMLElement): boolean {
  for (let inner = read(block, 'firstElementChild'); inner instanceof HTMLElement; inner = read(inner, 'firstElementChild')) {
    if (!isBlock(inner) || read(inner, 'previousSibling')?.textContent?.trim()) break;
    if (getComputedStyle(inner).breakBefore === 'page') return true;
  }
  for (let at: HTMLElement | null = block; at && at !== document.body; at = read(at, 'parentElement')) {
    if (getComputedStyle(at).breakBefore === 'page') return true;
    const before = read(at, 'previousElementSibling');
    if (before) return getComputedStyle(before).breakAfter === 'page';
  }
  return false;
}

function isBlock(element: Element): boolean {
  return /^(?:block|list-item)$/.test(getComputedStyle(element).display);
}

function markBlocks(first: number, end: number, key: string): MarkedBlock[] {
  const destinations = new Destinations(key, changes);
  const from = first + Math.ceil((end - first) / 2);
  const numbers = [first, ...Array.from({ length: end - from }, (_, n) => from + n)];
  const marks = numbers.flatMap((number) => {
    const block = long.blocks[number] as HTMLElement;
    return mayBreakBefore(block) ? [{ number, name: destinations.mark(block), isForced: isForced(block) }] : [];
  });
  return marks.filter(({ name }) => /^[\w-]+$/.test(name));
}
