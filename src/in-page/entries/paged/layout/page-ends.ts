/** Tells from styles alone how pages may end badly. Most documents need no layout on the screen for that. */
import { isMatch } from '../../../dom/built-ins.ts';
import { call, findFirst, isElement, matches, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import type { StyledElement } from '../styled-elements.ts';
import { avoidsBreak, findBeginning, findInFlow, forcesBreak, isBeside, MONOLITHIC, pageName, styleOf } from './break-causes.ts';
import { HEADINGS, type Heading, NEAR_PX } from './headings.ts';
import { REPEATED, reasonToIgnore } from './ignored-breaks.ts';
import { findInlines, MARKED, PICTURES } from './pictures.ts';

/** What has less in it is lower than half a page. */
const [MUCH_TEXT, MANY_ELEMENTS] = [1_500, 60];
const LOW = 0.5;

/** Whether breaks may divide what they should not, or have no effect. */
export function mayBreakBadly(styled: readonly StyledElement[], heightPx: number): boolean {
  const lowPx = heightPx * LOW;
  return (
    styled.some((each) => mayBeDivided(each, lowPx) || mayBeIgnored(each)) ||
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
    const { ended, begun } = findNext(element);
    const next = begun.at(-1);
    if (!next || isForcedBetween(ended, begun) || pageName(element) !== pageName(next)) continue;
    if (mayBeFar(ended)) return undefined;
    found.push({ element, next: next as HTMLElement | SVGElement });
  }
  return found;
}

function mayBeDivided({ element, style }: StyledElement, lowPx: number): boolean {
  const isMeant = avoidsBreak(style.breakInside) && !matches(element, `html, body, ${REPEATED}`);
  return isMeant && (style.display === 'inline' || mayBeTall(element, style, lowPx));
}

function mayBeIgnored({ element, style }: StyledElement): boolean {
  const { breakBefore, breakAfter } = style;
  const isMeant = avoidsBreak(breakAfter) || forcesBreak(breakAfter) || forcesBreak(breakBefore);
  return isMeant && reasonToIgnore(element, style) !== '';
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

/** Returns the heading with the boxes that end with it, and the boxes that begin with what follows. Text is in no box of its own. */
function findNext(heading: Element): Record<'ended' | 'begun', Element[]> {
  const ended: Element[] = [];
  for (let at: Element | null = heading; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    if (isBeside(at)) return { ended, begun: [] };
    ended.push(at);
    const next = findInFlow(read(at, 'nextSibling'), 'nextSibling', isContent);
    if (next) return { ended, begun: isElement(next) ? findBeginning(next, isContent).boxes : [] };
  }
  return { ended, begun: [] };
}

function isForcedBetween(ended: readonly Element[], begun: readonly Element[]): boolean {
  const isForcedBefore = (each: Element) => forcesBreak(styleOf(each).breakBefore);
  return ended.some((each) => forcesBreak(styleOf(each).breakAfter)) || begun.some(isForcedBefore);
}

/** Whether heights and edges of boxes may move what follows them far down. */
function mayBeFar(boxes: readonly Element[]): boolean {
  const styles = boxes.map(styleOf);
  const edges = styles.flatMap(({ marginBottom, paddingBottom }) => [marginBottom, paddingBottom].map(Number.parseFloat));
  const isHigh = ({ height, minHeight }: CSSStyleDeclaration) =>
    !isBelow(height, NEAR_PX, 'auto') || !isBelow(minHeight, NEAR_PX, 'auto');
  return styles.some(isHigh) || edges.reduce((sum, edge) => sum + (edge || 0), 0) > NEAR_PX;
}

/** Whether an element in the flow has text, is a box without text, or forces a break. */
function isContent(element: Element): boolean {
  const { display, position, cssFloat, breakBefore, breakAfter } = styleOf(element);
  if (display === 'none' || isMatch(/absolute|fixed/, position) || cssFloat !== 'none') return false;
  if (forcesBreak(breakBefore) || forcesBreak(breakAfter) || matches(element, MONOLITHIC)) return true;
  return isMatch(/\S/, read(element, 'textContent') ?? '') || findFirst(element, MONOLITHIC) !== null;
}
