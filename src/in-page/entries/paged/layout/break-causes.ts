/** Reads from the styles of a box why a page may begin with it. */
import type { BreakCauses } from '../../../contract/layout.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { call, findClosest, findFirst, isElement, isText, matches, measureBox, read } from '../../../dom/nodes.ts';

/** Boxes that no break divides. */
export const MONOLITHIC = 'img, svg, canvas, video, iframe, object, embed, input, select, textarea, button, meter, progress';
const FORCED = /^(?:page|left|right|recto|verso)$/;
const AVOIDED = /^avoid(?:-page)?$/;
const BESIDE_OTHERS = /^(?:table-cell|inline)/;
/** The height of a line whose height is `normal`, as a factor of the size of the font. */
const NORMAL_LINE = 1.2;

/** They stay right when styles change. */
const styles = new WeakMap<Element, CSSStyleDeclaration>();

/** The names of the pages on which elements are. */
export type PageNames = Map<Element, string>;

/** An element that is laid out, or a text. */
type Content = Element | Text;

/** A box with the boxes around it that begin with it, and what is above them. */
interface Start {
  boxes: Element[];
  previous: Content | undefined;
}

/** A box with the boxes in it that begin with it, the last of which has text or cannot be divided. */
interface Beginning {
  boxes: Element[];
  first: 'text' | 'monolithic' | undefined;
}

export function findStart(element: Element): Start {
  const boxes: Element[] = [];
  for (let at: Element | null = element; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    boxes.push(at);
    const previous = isBeside(at) ? undefined : findInFlow(read(at, 'previousSibling'), 'previousSibling');
    if (previous) return { boxes, previous };
  }
  return { boxes, previous: undefined };
}

/** `names` may be shared while the document stays as it is. */
export function readCauses(element: Element, { boxes: around, previous }: Start, names: PageNames = new Map()): BreakCauses {
  const { boxes: inner, first } = findBeginning(element);
  const started = [...around, ...inner].map(styleOf);
  const before = previous && isElement(previous) ? previous : undefined;
  const line = inner.at(-1) ?? element;
  const linePx = first === 'text' ? lineHeight(styleOf(line)) : 0;
  return {
    isForced:
      started.some(({ breakBefore }) => forcesBreak(breakBefore)) || (before ? isForcedBetween(before, element, names) : false),
    isAvoided:
      started.some(({ breakInside, breakBefore }) => avoidsBreak(breakInside) || avoidsBreak(breakBefore)) ||
      inner.some((each) => avoidsBreak(styleOf(each).breakAfter)),
    isMonolithic: first === 'monolithic',
    leadPx: around.reduce((sum, each) => sum + topEdge(each, each !== element), 0) + repeatedAbove(element),
    linePx,
    lines:
      linePx && line === element && !findFirst(element, 'div, p, table, ul, ol, img, svg')
        ? Math.round(contentHeight(element) / linePx)
        : 0,
  };
}

export function forcesBreak(value: string): boolean {
  return isMatch(FORCED, value);
}

export function avoidsBreak(value: string): boolean {
  return isMatch(AVOIDED, value);
}

export function isBox(element: Element): boolean {
  return call(element, 'getClientRects').length > 0;
}

export function isMonolithic(element: Element, { display, contain }: CSSStyleDeclaration): boolean {
  return matches(element, MONOLITHIC) || isMatch(/^inline-/, display) || isMatch(/size|strict/, contain);
}

export function findBeginning(element: Element, isThere = isInFlow): Beginning {
  const boxes = [element];
  for (let at = element; ; ) {
    if (isMonolithic(at, styleOf(at))) return { boxes, first: 'monolithic' };
    const first = findInFlow(read(at, 'firstChild'), 'nextSibling', isThere);
    if (!first || isText(first)) return { boxes, first: first && 'text' };
    boxes.push(first);
    at = first;
  }
}

/** `isThere` tells of an element whether it counts. */
export function findInFlow(start: Node | null, next: 'previousSibling' | 'nextSibling', isThere = isInFlow): Content | undefined {
  for (let node = start; node; node = read(node, next)) {
    if (isText(node) && isMatch(/\S/, node.data)) return node;
    if (isElement(node) && isThere(node)) return node;
  }
  return undefined;
}

function isInFlow(element: Element): boolean {
  if (!measureBox(element).height) return false;
  const { position, cssFloat } = styleOf(element);
  return !isMatch(/absolute|fixed/, position) && cssFloat === 'none';
}

/** Whether what precedes the element is not above it. */
export function isBeside(element: Element): boolean {
  const parent = read(element, 'parentElement');
  const { display, cssFloat } = styleOf(element);
  return (
    isMatch(BESIDE_OTHERS, display) || cssFloat !== 'none' || (parent !== null && isMatch(/flex|grid/, styleOf(parent).display))
  );
}

/** Whether a break is forced after a box or the last one in it, or the next is on pages of another name. */
function isForcedBetween(previous: Element, element: Element, names: PageNames): boolean {
  for (let at: Content | undefined = previous; at && isElement(at); at = findInFlow(read(at, 'lastChild'), 'previousSibling'))
    if (forcesBreak(styleOf(at).breakAfter)) return true;
  return pageName(previous, names) !== pageName(element, names);
}

/** The name of the pages on which an element is. */
export function pageName(element: Element, names: PageNames = new Map()): string {
  const known = names.get(element);
  if (known !== undefined) return known;
  const own = styleOf(element).getPropertyValue('page');
  const parent = own === 'auto' ? read(element, 'parentElement') : null;
  const name = parent ? pageName(parent, names) : own;
  names.set(element, name);
  return name;
}

function topEdge(element: Element, isAround: boolean): number {
  const style = styleOf(element);
  const sum = (lengths: string[]) => lengths.reduce((total, length) => total + Math.max(0, Number.parseFloat(length) || 0), 0);
  return sum(isAround ? [style.marginTop, style.paddingTop, style.borderTopWidth] : [style.marginTop]);
}

/** The height of header rows above an element in a table, which are on every page. */
function repeatedAbove(element: Element): number {
  const table = findClosest(element, 'table');
  const head = table && findFirst(table, 'thead');
  return head && !head.contains(element) ? measureBox(head).height : 0;
}

export function lineHeight({ lineHeight: height, fontSize }: CSSStyleDeclaration): number {
  return Number.parseFloat(height) || NORMAL_LINE * Number.parseFloat(fontSize);
}

function contentHeight(element: Element): number {
  const { paddingTop, paddingBottom, borderTopWidth, borderBottomWidth } = styleOf(element);
  const edges = [paddingTop, paddingBottom, borderTopWidth, borderBottomWidth].map(Number.parseFloat);
  return edges.reduce((height, edge) => height - (edge || 0), measureBox(element).height);
}

export function styleOf(element: Element): CSSStyleDeclaration {
  const known = styles.get(element);
  if (known) return known;
  const style = getComputedStyle(element);
  styles.set(element, style);
  return style;
}
