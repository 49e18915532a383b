/**
 * Finds content that boxes of a document hide: text and images that a reader could scroll to on a screen, but that the PDF lacks.
 * Content that the design hides on purpose does not count. The functions below are sent as text and run in the page, so that they
 * may use only each other. See docs/decisions/0033-what-a-report-tells.md.
 */

import { Type } from 'typebox';
import { MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';
import { FRAMES, type selectIn as SelectIn, type withShadows as WithShadows } from '../in-page/page-frames.ts';

/** Content that is cut off at one side of a box. */
export interface Clipped {
  side: 'left' | 'right' | 'bottom';
  /** CSS pixels that the worst box hides. */
  pixels: number;
  /** The worst box, such as `div.main`. Empty if it is the page itself. */
  element: string;
  /** Number of boxes that hide something at this side. */
  count: number;
}

/** The function that names an element, such as `div.main`. */
export const NAME_FUNCTIONS = [nameOf];

const SIDES = ['left', 'right', 'bottom'] as const;
const MAX_ELEMENTS = 100_000;
/** Limits the nodes of all boxes together. */
const MAX_NODES = 100_000;
const MAX_NAME = 100;

const FUNCTIONS = [
  ...FRAMES,
  nameOf,
  mainStyle,
  isVertical,
  parentOf,
  childrenOf,
  beyond,
  scrollsTo,
  isClipping,
  hidesOnPurpose,
  isMovedAside,
  within,
  isSeen,
  seenEnd,
  placesOf,
  muchOf,
  isContent,
  edgeOf,
  hiddenBy,
  clippingBoxes,
  clippingFrames,
  beyondFrame,
  contentOf,
  hiddenIn,
  beyondPage,
  clippedContent,
];

/** Evaluate it in a window that is as large as the page between its margins. */
export const CLIPPED = `(() => { ${FUNCTIONS.join(' ')}
  try { return clippedContent(${JSON.stringify(SIDES)}, ${MAX_ELEMENTS}, ${MAX_NODES}) } catch { return [] } })()`;

/**
 * Evaluates to whether the writing mode of the document is vertical, so that its pages follow each other sideways and lose
 * nothing there.
 */
export const IS_VERTICAL = `(() => { ${[mainStyle, isVertical].join(' ')} try { return isVertical(mainStyle()) } catch { return false } })()`;

/** What `CLIPPED` evaluates to. */
export const CLIPPED_CONTENT = shape(
  Type.Array(
    Type.Object({
      side: Type.Enum(SIDES),
      pixels: Type.Number({ minimum: 0, maximum: MAX_LENGTH_PX }),
      element: Type.String(),
      count: Type.Integer({ minimum: 1, maximum: MAX_ELEMENTS }),
    }),
    { maxItems: SIDES.length + 1 },
  ),
);

/** Shortens the name of an element for a warning. */
export function shortName(element: string): string {
  return element.slice(0, MAX_NAME).toWellFormed();
}

export function inWholePixels({ side, pixels, element, count }: Clipped): Clipped {
  return { side, pixels: Math.ceil(pixels), element: shortName(element), count };
}

// Typed loosely: this project's code runs in Node and has no DOM types.
type Side = Clipped['side'];
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  width: number;
  height: number;
}
interface PageElement {
  localName: string;
  id: string;
  classList: Iterable<string>;
  parentElement: PageElement | null;
  parentNode: { host?: PageElement } | null;
  assignedSlot: PageElement | null;
  shadowRoot: { childNodes: Iterable<PageText> } | null;
  childNodes: Iterable<PageText>;
  assignedNodes?(): PageText[];
  clientWidth: number;
  clientHeight: number;
  clientLeft: number;
  clientTop: number;
  offsetWidth: number;
  scrollWidth: number;
  scrollHeight: number;
  value?: unknown;
  contentDocument?: { documentElement: PageElement | null } | null;
  getBoundingClientRect(): Box;
  checkVisibility(options: object): boolean;
  closest(selector: string): PageElement | null;
}
interface PageText extends PageElement {
  nodeType: number;
  data: string;
}
interface Style {
  getPropertyValue(name: string): string;
}
declare const document: {
  documentElement: PageElement;
  body: PageElement | null;
  createRange(): { selectNodeContents(node: unknown): void; getClientRects(): Iterable<Box> };
};
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;
declare const getComputedStyle: (element: PageElement) => Style;

function nameOf({ localName, id, classList }: PageElement): string {
  const [first] = classList;
  return `${localName}${id ? `#${id}` : first ? `.${first}` : ''}`;
}

interface Hiding {
  box: PageElement;
  sides: Side[];
  hidden: Record<Side, number>;
}

/** Returns the parent in the tree as it is rendered: the slot of an element, or the host of a shadow root. */
function parentOf(node: PageElement): PageElement | null {
  return node.assignedSlot ?? node.parentElement ?? node.parentNode?.host ?? null;
}

function childrenOf(element: PageElement): PageText[] {
  const assigned = element.localName === 'slot' ? element.assignedNodes?.() : undefined;
  return assigned?.length ? assigned : [...(element.shadowRoot ?? element).childNodes];
}

/** Returns the number of CSS pixels by which a rectangle exceeds an edge. */
function beyond(place: Box, edge: number, side: Side): number {
  return side === 'left' ? edge - place.left : place[side] - edge;
}

/** Returns the style of the element whose writing mode applies to the whole document. */
function mainStyle(): Style {
  return getComputedStyle(document.body ?? document.documentElement);
}

function isVertical(style: Style): boolean {
  return style.getPropertyValue('writing-mode') !== 'horizontal-tb';
}

/** Whether a reader could scroll to content beyond this side. Content beyond the opposite side cannot be reached. */
function scrollsTo(style: Style, side: Side): boolean {
  if (side === 'bottom') return true;
  const mode = style.getPropertyValue('writing-mode');
  const isLeft = isVertical(style) ? mode.endsWith('-rl') : style.getPropertyValue('direction') === 'rtl';
  return (side === 'left') === isLeft;
}

/**
 * Whether the box cuts off content at this side. `overflow` of the root, or else of the body, applies to the window and not to
 * paper.
 */
function isClipping(element: PageElement, style: Style, side: Side): boolean {
  const { documentElement: root, body } = document;
  const property = side === 'bottom' ? 'overflow-y' : 'overflow-x';
  const isContained =
    /paint|strict|content/.test(style.getPropertyValue('contain')) || style.getPropertyValue('content-visibility') === 'auto';
  if (element.localName === 'input') return side === 'right';
  if (element === root || (style.getPropertyValue(property) === 'visible' && !isContained)) return false;
  return (
    element !== body || ['overflow-x', 'overflow-y'].some((each) => getComputedStyle(root).getPropertyValue(each) !== 'visible')
  );
}

function hidesOnPurpose(element: PageElement, style: Style, side: Side): boolean {
  const value = (property: string) => style.getPropertyValue(property);
  const isCollapsed = element.clientWidth <= 2 || element.clientHeight <= 2; // it is for screen readers, or collapsed
  const isFaded = value('mask-image') !== 'none' || value('clip-path') !== 'none' || value('clip') !== 'auto';
  const isEllipsis = side !== 'bottom' && value('text-overflow') !== 'clip' && value('overflow-x') !== 'visible';
  const isClamped = side === 'bottom' && !['', 'none', 'auto'].includes(value('-webkit-line-clamp') || value('line-clamp'));
  const isSnapping = value('scroll-snap-type') !== 'none';
  const indent = Math.abs(Number.parseFloat(value('text-indent')));
  const isReplaced = indent >= (value('text-indent').endsWith('%') ? 100 : Math.max(100, element.clientWidth)); // an image replaces the text
  return isCollapsed || isFaded || isEllipsis || isClamped || isSnapping || isReplaced;
}

/** Whether a whole box was moved out of the outer one, such as a hidden slide or a closed menu. */
function isMovedAside(inner: PageElement | null, outer: PageElement, side: Side): boolean {
  const edge = outer.getBoundingClientRect();
  return within(inner, outer).some((each) => {
    const style = getComputedStyle(each);
    const value = (property: string) => style.getPropertyValue(property);
    if (value('transform') !== 'none' || value('translate') !== 'none' || value('will-change').includes('transform')) return true;
    const { left, right, width } = each.getBoundingClientRect();
    const isOutside = side === 'left' ? right <= edge.left + 1 : side === 'right' && left >= edge.right - 1;
    return isOutside && (['absolute', 'fixed'].includes(value('position')) || width >= edge.width * 0.9);
  });
}

/** Returns the element and its ancestors up to a box. */
function within(inner: PageElement | null, outer: PageElement): PageElement[] {
  const found: PageElement[] = [];
  for (let each = inner; each && each !== outer; each = parentOf(each)) found.push(each);
  return found;
}

function isSeen(element: PageElement): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false });
}

/**
 * Returns how far beyond the edge content would be visible without the outer box, because boxes inside it may also hide content.
 */
function seenEnd(inner: PageElement | null, outer: PageElement, side: Side, place: Box, edge: number): number {
  let seen = beyond(place, edge, side);
  for (const each of within(inner, outer)) {
    const style = getComputedStyle(each);
    const value = (property: string) => style.getPropertyValue(property);
    const cutsOff = value(side === 'bottom' ? 'overflow-y' : 'overflow-x') !== 'visible' && each.clientWidth > 0;
    const isFolded = cutsOff && (each.clientWidth <= 2 || each.clientHeight <= 2);
    if (isFolded || value('clip-path') !== 'none' || value('clip') !== 'auto') return Number.NEGATIVE_INFINITY;
    if (cutsOff) seen = Math.min(seen, beyond(each.getBoundingClientRect(), edge, side));
  }
  return seen;
}

/** Returns the places of the text or image. */
function placesOf(node: PageText): Box[] {
  const range = document.createRange();
  if (node.nodeType === 3) range.selectNodeContents(node);
  const places = node.nodeType === 3 ? [...range.getClientRects()] : [node.getBoundingClientRect()];
  return places.filter(({ width, height }) => width >= 1 && height >= 1);
}

/** How much must be hidden to count: the part of a line that makes it hard to read, or a whole image. */
function muchOf({ nodeType }: PageText, { width, height }: Box, side: Side): number {
  if (nodeType !== 3) return side === 'bottom' ? height : width;
  return side === 'bottom' ? height / 2 : Math.min(width, height) / 2;
}

/** Returns where the box ends, and its scale on the screen. */
function edgeOf(box: PageElement, side: Side): { edge: number; scale: number } {
  const { left, top, width } = box.getBoundingClientRect();
  const scale = width / box.offsetWidth || 1;
  if (side === 'bottom') return { edge: top + (box.clientTop + box.clientHeight) * scale, scale };
  return { edge: left + (box.clientLeft + (side === 'right' ? box.clientWidth : 0)) * scale, scale };
}

/** Returns by how many CSS pixels the content exceeds the box. */
function hiddenBy(box: PageElement, node: PageText, side: Side, places: Box[]): number {
  const { edge, scale } = edgeOf(box, side);
  const owner = node.nodeType === 3 ? parentOf(node) : node;
  let most = 0;
  for (const place of places) {
    if (beyond(place, edge, side) < Math.max(1, muchOf(node, place, side) - 0.5)) continue;
    most = Math.max(most, seenEnd(owner, box, side, place, edge));
  }
  return most >= 1 && owner && isSeen(owner) && !isMovedAside(owner, box, side) ? most / scale : 0;
}

function clippingBoxes(sides: readonly Side[], atMost: number): Array<{ box: PageElement; sides: Side[] }> {
  const found: Array<{ box: PageElement; sides: Side[] }> = [];
  const boxes = withShadows<object>(document).flatMap((root) => [...selectIn<PageElement>(root, ':not(head, head *)')]);
  let n = 0;
  for (const box of boxes) {
    if (n++ > atMost) break;
    const [width, height] = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
    if ((width <= 1 && height <= 1) || box.closest('svg, select, object')) continue;
    const style = getComputedStyle(box);
    const isCut = (side: Side) =>
      (side === 'bottom' ? height : width) > 1 && scrollsTo(style, side) && isClipping(box, style, side);
    const clipped = sides.filter((side) => isCut(side) && !hidesOnPurpose(box, style, side));
    if (clipped.length) found.push({ box, sides: clipped });
  }
  return found;
}

/** Returns the frames whose documents can be accessed, and by how much their content exceeds them. */
function clippingFrames(sides: readonly Side[], nodes: { left: number }): Hiding[] {
  const frames = withShadows<object>(document).flatMap((root) => [...selectIn<PageElement>(root, 'iframe')]);
  return frames.flatMap((box) => {
    const root = box.contentDocument?.documentElement;
    if (!root || box.clientWidth <= 2 || box.clientHeight <= 2 || !isSeen(box)) return [];
    const style = getComputedStyle(root);
    const scrolled = sides.filter((side) => scrollsTo(style, side));
    return [{ box, sides: scrolled, hidden: beyondFrame(root, scrolled, nodes) }];
  });
}

/** Returns by how many CSS pixels content exceeds each side of the frame with the document element `root`. */
function beyondFrame(root: PageElement, sides: Side[], nodes: { left: number }): Record<Side, number> {
  const edges = { left: 0, right: root.clientWidth, bottom: root.clientHeight };
  const hidden = { left: 0, right: 0, bottom: 0 };
  const isLarger = root.scrollWidth - root.clientWidth > 1 || root.scrollHeight - root.clientHeight > 1;
  for (const node of isLarger ? contentOf(root, nodes) : []) {
    const places = placesOf(node);
    for (const side of sides) {
      const much = places.filter((place) => beyond(place, edges[side], side) >= Math.max(1, muchOf(node, place, side) - 0.5));
      hidden[side] = much.reduce((most, place) => Math.max(most, beyond(place, edges[side], side)), hidden[side]);
    }
  }
  return hidden;
}

function isContent(node: PageText): boolean {
  return node.nodeType === 3 ? node.data.trim() !== '' : ['img', 'canvas', 'video', 'svg'].includes(node.localName);
}

/** Returns texts and images in a box until the limit of nodes is reached. */
function* contentOf(box: PageElement, nodes: { left: number }): Generator<PageText> {
  const isWhole = ({ localName }: PageElement) =>
    /^(?:svg|select|script|style|noscript|template|textarea|object)$/.test(localName);
  const waiting = isWhole(box) ? [] : childrenOf(box);
  for (let node = waiting.pop(); node && nodes.left-- > 0; node = waiting.pop()) {
    if (isContent(node)) yield node;
    if (node.nodeType === 1 && !isWhole(node)) for (const child of childrenOf(node)) waiting.push(child);
  }
}

/** Returns how much is hidden at each side. */
function hiddenIn({ box, sides }: { box: PageElement; sides: Side[] }, nodes: { left: number }): Record<Side, number> {
  const hidden = {
    left: 0,
    right: box.localName === 'input' && box.value ? box.scrollWidth - box.clientWidth : 0,
    bottom: box.localName === 'textarea' ? box.scrollHeight - box.clientHeight : 0,
  };
  for (const node of contentOf(box, nodes)) {
    const places = placesOf(node);
    for (const side of sides) hidden[side] = Math.max(hidden[side], hiddenBy(box, node, side, places));
  }
  return hidden;
}

/** Chromium shrinks a document that goes beyond the right edge of its page, and cuts off what goes beyond the left. */
function beyondPage(nodes: { left: number }): Clipped[] {
  const [box, style] = [document.documentElement, mainStyle()];
  if (isVertical(style) || !scrollsTo(style, 'left')) return [];
  const pixels = hiddenIn({ box, sides: ['left'] }, nodes).left;
  return pixels > 0 ? [{ side: 'left', pixels, element: '', count: 1 }] : [];
}

function clippedContent(sides: readonly Side[], maxElements: number, maxNodes: number): Clipped[] {
  const worst = new Map<Side, Clipped>();
  const nodes = { left: maxNodes };
  const boxes = clippingBoxes(sides, maxElements).map((clipping): Hiding => ({ ...clipping, hidden: hiddenIn(clipping, nodes) }));
  for (const { box, hidden, ...clipping } of [...boxes, ...clippingFrames(sides, nodes)]) {
    for (const side of clipping.sides.filter((each) => hidden[each] > 0)) {
      const before = worst.get(side);
      const count = (before?.count ?? 0) + 1;
      const isWorst = !before || hidden[side] > before.pixels;
      worst.set(side, isWorst ? { side, pixels: hidden[side], element: nameOf(box), count } : { ...before, count });
    }
  }
  return [...worst.values(), ...beyondPage({ left: maxNodes })];
}
