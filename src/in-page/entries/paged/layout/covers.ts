/** Finds boxes with a position that may cover text. */
import type { RelativeBox } from '../../../contract/layout.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { call, matches, measureBox, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { isShown } from '../../../dom/visibility.ts';
import { findStyled, type StyledElement } from '../styled-elements.ts';
import { boxFrom, type CoveredText, findLines, findTextsBelow, isReadable } from './covered-text.ts';
import { isFixed } from './inner-links.ts';

/** An absolutely positioned box with what it paints, as seen from its corner, and the texts that may be below it. */
export interface AbsoluteCover {
  element: HTMLElement;
  paints: RelativeBox[];
  texts: CoveredText[];
}

/** The part of a page that a box must have not to be a header. The heights of pages may differ. */
const LOW = 0.4;
const OPAQUE = /^rgb\(|, (?:1|0?\.[5-9]\d*)\)$/;
const WITH_TEXT = ':not(img, svg, canvas, video, iframe, object, embed, input, select, textarea, button, hr)';
/** Smaller boxes without text strike text out, or mark it. */
const [MIN_WIDTH_PX, MIN_HEIGHT_PX] = [60, 24];
/** The part of a page that a box must have in which others are placed, to be a page and not a component of one. */
const PAGE_PART = 0.5;
/** Each link over a box or a text takes a millisecond or two of the print at 50 pages. */
const [MAX_LOOKS, MAX_COVERS, MAX_PAINTS] = [100, 8, 20];
/** By how much the height of pages may differ, because the document has other margins. */
const UNSURE_PX = 150;

/** Finds fixed boxes, which are on every page, whose text or background is above what is there. */
export function findFixedCovers(styled: readonly StyledElement[], heightPx: number): HTMLElement[] {
  const isCover = ({ element, style }: StyledElement) =>
    style.position === 'fixed' && covers(element, style) && !hasRoomFor(element, heightPx);
  return styled.filter(isCover).map(({ element }) => element);
}

/** Finds boxes that are placed on a page, and not in a component of one, and have text below them. */
export function findAbsoluteCovers(styled: readonly StyledElement[], heightPx: number): AbsoluteCover[] {
  const placed = styled.filter(({ element, style }) => style.position === 'absolute' && covers(element, style));
  const found: AbsoluteCover[] = [];
  for (const { element, style } of placed.slice(0, MAX_LOOKS)) {
    const page = findPage(element, heightPx);
    const cover = page && findCover(element, style, page, heightPx);
    if (cover && found.push(cover) === MAX_COVERS) break;
  }
  return found;
}

function covers(element: Element, style: CSSStyleDeclaration): boolean {
  const { zIndex, opacity, transform, rotate, pointerEvents, mixBlendMode, backgroundColor } = style;
  const isAbove = matches(element, WITH_TEXT) && !(Number(zIndex) < 0) && isShown(element);
  const isStamp =
    Number(opacity) < 0.5 || transform !== 'none' || rotate !== 'none' || pointerEvents === 'none' || mixBlendMode !== 'normal';
  return isAbove && !isStamp && (Boolean(read(element, 'textContent')?.trim()) || isMatch(OPAQUE, backgroundColor));
}

/** Whether the box is as large as a page, or repeated rows or repeated paddings keep free what it covers. */
function hasRoomFor(element: Element, heightPx: number): boolean {
  const { height } = measureBox(element);
  const rows = [...selectIn<HTMLElement>(document, 'thead, tfoot')].some((group) => measureBox(group).height >= height * 0.8);
  return !height || height > heightPx * LOW || rows || findStyled(/decoration-break: clone/, 'clone').length > 0;
}

/** Returns the box in which the element is placed, if it is as large as a page. */
function findPage(element: HTMLElement, heightPx: number): HTMLElement | undefined {
  const body = read(document, 'body');
  const around = read(element, 'offsetParent') ?? body;
  if (!body || isFixed(element)) return undefined; // a script may have removed the body
  if (around === body) return body;
  const { width, height } = measureBox(around);
  const isPage = height >= heightPx * PAGE_PART && width >= measureBox(body).width * PAGE_PART;
  return isPage && around instanceof HTMLElement ? around : undefined;
}

function findCover(
  element: HTMLElement,
  style: CSSStyleDeclaration,
  page: HTMLElement,
  heightPx: number,
): AbsoluteCover | undefined {
  const box = measureBox(element);
  if (box.height > heightPx * LOW) return undefined;
  const paints = findPaints(element, style, box);
  if (!paints.length) return undefined;
  const isOfFirstPage = page === read(document, 'body') && getComputedStyle(page).position === 'static';
  const movedPx = isOfFirstPage ? distanceInPrint(element, heightPx) : 0;
  const texts = findTextsBelow(element, page, paints, movedPx, movedPx ? UNSURE_PX : 0);
  const [x, y] = [-box.x, -box.y];
  return texts.length ? { element, paints: paints.map((each) => boxFrom(each, x, y)), texts } : undefined;
}

/** How far a box at the bottom is from its place on the screen, where the window has another height than a page. */
function distanceInPrint(element: Element, heightPx: number): number {
  const styles = call(element, 'computedStyleMap');
  const isAuto = (side: string) => String(styles.get(side)) === 'auto';
  return isAuto('top') && !isAuto('bottom') ? heightPx - read(document, 'documentElement').clientHeight : 0;
}

/** Returns the boxes with a background, and the lines of text that are not below such a box. */
function findPaints(element: HTMLElement, { backgroundColor, overflow }: CSSStyleDeclaration, box: DOMRect): DOMRect[] {
  if (isMatch(OPAQUE, backgroundColor)) {
    const isLarge = box.width >= MIN_WIDTH_PX && box.height >= MIN_HEIGHT_PX;
    return isLarge || read(element, 'textContent')?.trim() ? [box] : [];
  }
  const inner = [...selectIn<HTMLElement>(element, '*')].filter((each) =>
    isMatch(OPAQUE, getComputedStyle(each).backgroundColor),
  );
  const lines = findLines(element).filter(({ text }) => isReadable(text));
  const paints = [...inner.map(measureBox), ...lines.flatMap(({ lines: all }) => all)];
  const isSeen = ({ top, left, bottom, right }: DOMRect) =>
    overflow === 'visible' || (top >= box.top - 1 && left >= box.left - 1 && bottom <= box.bottom + 1 && right <= box.right + 1);
  return paints.filter((each) => each.width > 0 && each.height > 1 && isSeen(each)).slice(0, MAX_PAINTS);
}
