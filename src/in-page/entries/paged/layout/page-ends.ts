/** Tells from styles alone how pages may end badly. Most documents need no layout on the screen for that. */
import { isMatch } from '../../../dom/built-ins.ts';
import { call, findFirst, isElement, isText, matches, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import type { StyledElement } from '../styled-elements.ts';
import { avoidsBreak, isBeside, MONOLITHIC, pageName, styleOf } from './break-causes.ts';
import { HEADINGS, type Heading, NEAR_PX } from './headings.ts';
import { reasonToSeparate } from './ignored-breaks.ts';
import { findInlines, MARKED, PICTURES } from './pictures.ts';

/** What has less in it is lower than half a page. */
const [MUCH_TEXT, MANY_ELEMENTS] = [1_500, 60];
const LOW = 0.5;

/** Whether breaks may divide what they should not. */
export function mayBeCut(styled: readonly StyledElement[], heightPx: number): boolean {
  const lowPx = heightPx * LOW;
  return (
    styled.some((each) => mayBeDivided(each, lowPx) || maySeparate(each)) ||
    [...selectIn<HTMLElement>(document, PICTURES)].some((each) => mayBeTallPicture(each, lowPx)) ||
    findInlines().some((each) => mayBeTall(each, getComputedStyle(each), lowPx)) ||
    findFirst(read(document, 'documentElement'), MARKED) !== null
  );
}

/** Finds headings that Chromium does not keep with what follows them. Undefined if only a layout tells which are far above it. */
export function findUnkeptHeadings(): Heading[] | undefined {
  const found: Heading[] = [];
  for (const element of selectIn<HTMLElement>(document, HEADINGS)) {
    if (isKept(element)) continue;
    const { boxes, next } = findNext(element);
    if (!next || pageName(element) !== pageName(next)) continue;
    if (mayBeFar(boxes)) return undefined;
    found.push({ element, next });
  }
  return found;
}

function mayBeDivided({ element, style }: StyledElement, lowPx: number): boolean {
  const isMeant = avoidsBreak(style.breakInside) && !matches(element, 'html, body');
  return isMeant && (style.display === 'inline' || mayBeTall(element, style, lowPx));
}

function maySeparate({ element, style }: StyledElement): boolean {
  return avoidsBreak(style.breakAfter) && reasonToSeparate(element, style) !== '';
}

function mayBeTall(element: Element, style: CSSStyleDeclaration, lowPx: number): boolean {
  if (style.display === 'none') return false;
  return (
    (read(element, 'textContent') ?? '').length > MUCH_TEXT ||
    call(element, 'getElementsByTagName', '*').length > MANY_ELEMENTS ||
    findFirst(element, PICTURES) !== null ||
    !isBelow(style.height, lowPx, 'auto') ||
    !isBelow(style.minHeight, lowPx, 'auto')
  );
}

/** A picture whose height follows its width has the size of its file, unless that is loading. */
function mayBeTallPicture(element: HTMLElement | SVGElement, lowPx: number): boolean {
  const { display, height, maxHeight, width } = getComputedStyle(element);
  if (display === 'none' || isBelow(height, lowPx) || isBelow(maxHeight, lowPx)) return false;
  const isOfFile = element instanceof HTMLImageElement && height === 'auto' && width === 'auto' && element.complete;
  return !isOfFile || element.naturalHeight > lowPx;
}

function isBelow(length: string, px: number, none = ''): boolean {
  return length === none || (isMatch(/^[\d.]+px$/, length) && Number.parseFloat(length) <= px);
}

function isKept(heading: Element): boolean {
  const { breakAfter, display } = styleOf(heading);
  return avoidsBreak(breakAfter) || display === 'none' || !read(heading, 'textContent')?.trim();
}

/** Returns the heading with the boxes that end with it, and the innermost box that begins with what follows. Text is in no box of its own. */
function findNext(heading: Element): { boxes: Element[]; next?: HTMLElement | SVGElement | undefined } {
  const boxes: Element[] = [];
  for (let at: Element | null = heading; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    if (isBeside(at)) return { boxes };
    boxes.push(at);
    const next = findContent(read(at, 'nextSibling'));
    if (next) return { boxes, next: isElement(next) ? findInnermost(next) : undefined };
  }
  return { boxes };
}

/** Whether heights and edges of boxes may move what follows them far down. */
function mayBeFar(boxes: readonly Element[]): boolean {
  const styles = boxes.map(styleOf);
  const edges = styles.flatMap(({ marginBottom, paddingBottom }) => [marginBottom, paddingBottom].map(Number.parseFloat));
  const isHigh = ({ height, minHeight }: CSSStyleDeclaration) =>
    !isBelow(height, NEAR_PX, 'auto') || !isBelow(minHeight, NEAR_PX, 'auto');
  return styles.some(isHigh) || edges.reduce((sum, edge) => sum + (edge || 0), 0) > NEAR_PX;
}

function findInnermost(element: Element): HTMLElement | SVGElement {
  let inner = element;
  for (;;) {
    const first = matches(inner, MONOLITHIC) ? undefined : findContent(read(inner, 'firstChild'));
    if (!first || !isElement(first)) return inner as HTMLElement | SVGElement;
    inner = first;
  }
}

/** Returns the first node in the flow that has text, or is a box without text. */
function findContent(start: Node | null): Element | Text | undefined {
  for (let node = start; node; node = read(node, 'nextSibling')) {
    if (isText(node) && isMatch(/\S/, node.data)) return node;
    if (isElement(node) && isContent(node)) return node;
  }
  return undefined;
}

function isContent(element: Element): boolean {
  const { display, position, cssFloat } = styleOf(element);
  if (display === 'none' || isMatch(/absolute|fixed/, position) || cssFloat !== 'none') return false;
  const hasText = isMatch(/\S/, read(element, 'textContent') ?? '');
  return hasText || matches(element, MONOLITHIC) || findFirst(element, MONOLITHIC) !== null;
}
