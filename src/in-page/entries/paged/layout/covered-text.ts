/** Finds the text over which a box is placed. */
import type { RelativeBox } from '../../../contract/layout.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { call, isElement, isText, matches, measureBox, read } from '../../../dom/nodes.ts';
import { isShown } from '../../../dom/visibility.ts';

type Styled = HTMLElement | SVGElement;

/** A block or table with the lines that may be covered, as seen from its corner. */
export interface CoveredText {
  element: Styled;
  heightPx: number;
  lines: RelativeBox[];
}

interface Lines {
  text: Text;
  lines: DOMRect[];
}

type Range = Record<'top' | 'bottom', number>;

const WITHOUT_TEXT = 'script, style, noscript, template, svg, button, select, textarea, iframe, object';
/** Lines on which something is written. */
const TO_FILL_IN = /[_.…·]{4}/;
/** Larger text is a watermark. */
const MAX_FONT_PX = 60;
const FAINT = /^rgba\(.*, 0(?:\.[0-4]\d*)?\)$/;
/** The brightness from which on text is hardly seen on paper. */
const BRIGHT = 200;
const [MAX_TEXTS, MAX_UNSURE_TEXTS, MAX_LINES] = [2, 12, 30];
/** The part of a line, and the pixels of its width, that must be covered. */
const [PART, LEAST_PX] = [0.4, 4];

/** `movedPx` tells how far below its place on the screen the box is, give or take `unsurePx`. */
export function findTextsBelow(
  cover: Element,
  page: Element,
  paints: readonly DOMRect[],
  movedPx: number,
  unsurePx: number,
): CoveredText[] {
  const range = {
    top: Math.min(...paints.map(({ top }) => top)) + movedPx - unsurePx,
    bottom: Math.max(...paints.map(({ bottom }) => bottom)) + movedPx + unsurePx,
  };
  const most = unsurePx ? MAX_UNSURE_TEXTS : MAX_TEXTS;
  const mayMeet = (line: DOMRect) => paints.some((paint) => meets(paint, line, movedPx, unsurePx));
  const found = new Map<Styled, RelativeBox[]>();
  for (const text of findFlowTexts(page, range, cover)) {
    const lines = linesOf(text).filter(mayMeet);
    if (!lines.length || !mayBeCovered(text, cover, page)) continue;
    const element = findBlock(text, page);
    if (found.size === most && !found.has(element)) continue;
    const { x, y } = measureBox(element);
    found.set(element, [...(found.get(element) ?? []), ...lines.map((line) => boxFrom(line, -x, -y))].slice(0, MAX_LINES));
  }
  return [...found].map(([element, lines]) => ({ element, heightPx: measureBox(element).height, lines }));
}

/** Yields the texts within these heights that are in the flow of a box. */
export function* findFlowTexts(around: Element, heights: Range, except?: Element): Generator<Text> {
  const waiting = [{ node: read(around, 'firstChild'), range: heights }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { node, range } = next;
    if (!node) continue;
    waiting.push({ node: read(node, 'nextSibling'), range });
    if (isText(node) && isMatch(/\S/, node.data)) yield node;
    const within = isElement(node) && node !== except ? heightsWithin(node, range) : undefined;
    if (within) waiting.push({ node: read(node, 'firstChild'), range: within });
  }
}

/** The part of the heights in which the element may show text of the flow. */
function heightsWithin(element: Element, { top, bottom }: Range): Range | undefined {
  const box = measureBox(element);
  const exceeds = read(element, 'scrollHeight') > read(element, 'clientHeight');
  if (box.top >= bottom || (box.bottom <= top && !exceeds) || matches(element, WITHOUT_TEXT)) return undefined;
  const { position, overflowY } = getComputedStyle(element);
  if (isMatch(/absolute|fixed/, position)) return undefined;
  if (overflowY === 'visible') return { top, bottom };
  return box.bottom <= top ? undefined : { top: Math.max(top, box.top), bottom: Math.min(bottom, box.bottom) };
}

/** Returns the texts in an element with their lines. */
export function findLines(element: Element): Lines[] {
  const found: Lines[] = [];
  const walker = call(document, 'createTreeWalker', element, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode() as Text | null; text; text = walker.nextNode() as Text | null)
    if (isMatch(/\S/, text.data)) found.push({ text, lines: linesOf(text) });
  return found;
}

function linesOf(text: Text): DOMRect[] {
  const range = call(document, 'createRange');
  range.selectNodeContents(text);
  return [...range.getClientRects()].filter(({ width, height }) => width >= 1 && height >= 1);
}

/** Whether the text is neither faint nor as large as a watermark. */
export function isReadable(text: Text): boolean {
  const parent = read(text, 'parentElement');
  if (!parent || !isShown(parent)) return false;
  const { color, fontSize } = getComputedStyle(parent);
  const [red = 0, green = 0, blue = 0] = color.match(/\d+/g)?.map(Number) ?? [];
  return !isMatch(FAINT, color) && Math.min(red, green, blue) < BRIGHT && Number.parseFloat(fontSize) <= MAX_FONT_PX;
}

function mayBeCovered(text: Text, cover: Element, page: Element): boolean {
  const parent = read(text, 'parentElement');
  const words = text.data.trim();
  if (!parent || !isReadable(text) || isMatch(TO_FILL_IN, words) || read(cover, 'textContent')?.includes(words)) return false;
  const [levels, above] = [levelsWithin(parent, page), levelsWithin(cover, page)];
  const [highest, lowest] = [Math.max(...levels), Math.min(...above)];
  if (lowest < 0 || !levels.length) return lowest >= 0;
  const follows = call(parent, 'compareDocumentPosition', cover) & Node.DOCUMENT_POSITION_FOLLOWING;
  return lowest > highest || (lowest === highest && follows > 0);
}

/** The levels on which the element and the boxes around it are painted, of those that do not belong to the flow. */
function levelsWithin(element: Element, page: Element): number[] {
  const levels: number[] = [];
  for (let at: Element | null = element; at && at !== page; at = read(at, 'parentElement')) {
    const { position, zIndex, opacity, transform } = getComputedStyle(at);
    const isOfFlow = position === 'static' && zIndex === 'auto' && opacity === '1' && transform === 'none';
    if (!isOfFlow) levels.push(Number(zIndex) || 0);
  }
  return levels;
}

/** Returns the table in which the text is, because links in it take long, or else its block. */
function findBlock(text: Text, page: Element): Styled {
  let block: Element | undefined;
  for (let at = read(text, 'parentElement'); at && at !== page; at = read(at, 'parentElement')) {
    if (matches(at, 'table')) block = at;
    else if (!block && !isMatch(/^inline|contents/, getComputedStyle(at).display)) block = at;
  }
  return (block ?? page) as Styled;
}

function meets(paint: DOMRect, line: DOMRect, movedPx: number, unsurePx: number): boolean {
  const width = Math.min(paint.right, line.right) - Math.max(paint.left, line.left);
  const height = Math.min(paint.bottom + movedPx + unsurePx, line.bottom) - Math.max(paint.top + movedPx - unsurePx, line.top);
  return width >= LEAST_PX && height >= PART * Math.min(line.height, paint.height);
}

export function boxFrom({ x, y, width, height }: DOMRect, movedX: number, movedY: number): RelativeBox {
  return { x: x + movedX, y: y + movedY, width, height };
}
