/** Finds elements whose rules for page breaks have no effect in Chromium. The facts were tried with Chromium 153. */
import { isMatch } from '../../../dom/built-ins.ts';
import { call, matches, measureBox, read } from '../../../dom/nodes.ts';
import type { StyledElement } from '../styled-elements.ts';
import { avoidsBreak, findInFlow, forcesBreak, isBox } from './break-causes.ts';
import { findFollower } from './headings.ts';

/** Every page repeats these. */
export const REPEATED = 'thead, thead *, tfoot, tfoot *';

interface Ignored {
  element: HTMLElement;
  reason: string;
}

/** Finds forced breaks. */
export function findIgnoredBreaks(styled: readonly StyledElement[]): Ignored[] {
  return styled.flatMap(({ element, style }) => {
    const isForced = forcesBreak(style.breakBefore) || forcesBreak(style.breakAfter);
    const reason = isForced && isBox(element) ? reasonOf(element, style) : '';
    return reason ? [{ element, reason }] : [];
  });
}

/** Finds elements that should not be divided, but for those around others. Whether they are, a print tells. */
export function findDivisible(styled: readonly StyledElement[], heightPx: number): Ignored[] {
  const found = styled.flatMap(({ element, style }) => {
    const isMeant = avoidsBreak(style.breakInside) && isBox(element) && !matches(element, `html, body, ${REPEATED}`);
    const reason = isMeant ? reasonToDivide(element, style, heightPx) : '';
    return reason ? [{ element, reason }] : [];
  });
  return found.filter(({ element }, index) => !call(element, 'contains', found[index + 1]?.element ?? null));
}

function reasonToDivide(element: Element, { display, position }: CSSStyleDeclaration, heightPx: number): string {
  if (display === 'inline') return call(element, 'getClientRects').length > 1 ? 'its display is inline: use a block' : '';
  if (position === 'absolute') return 'its position is absolute';
  return measureBox(element).height > heightPx ? 'it is taller than a page' : '';
}

/** Finds elements that should stay with what follows them, which is `next`. Whether they do, a print tells. */
export function findSeparable(styled: readonly StyledElement[]): Array<Ignored & { next: HTMLElement | SVGElement }> {
  return styled.flatMap(({ element, style }) => {
    const isMeant = avoidsBreak(style.breakAfter) && isBox(element);
    const reason = isMeant ? reasonToIgnore(element, style) : '';
    const next = reason && findBelow(element);
    return next ? [{ element, reason, next }] : [];
  });
}

/** Without a layout, no box is beside others. Boxes that may be are in a grid, or in a flex container with rows. */
export function reasonToIgnore(element: Element, style: CSSStyleDeclaration): string {
  return reasonOf(element, style) || reasonBetween(element);
}

function reasonOf(element: Element, { display, cssFloat, position }: CSSStyleDeclaration): string {
  if (matches(element, 'br')) return 'it is a line break: use a block, such as a div';
  if (isMatch(/^inline/, display)) return `its display is ${display}: use a block`;
  if (cssFloat !== 'none') return 'it floats';
  if (isMatch(/absolute|fixed/, position)) return `its position is ${position}`;
  return isBesideOthers(element) ? 'it is beside another box in a flex or grid container' : reasonAround(element);
}

function reasonAround(element: Element): string {
  for (let at = read(element, 'parentElement'); at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    const { display, contain, columnCount, columnWidth } = getComputedStyle(at);
    if (isMatch(/^inline-/, display)) return `it is in a box whose display is ${display}`;
    if (isMatch(/size|strict/, contain)) return `it is in a box with contain: ${contain}`;
    if (matches(at, 'button, thead, tfoot')) return `it is in a ${read(at, 'localName')}`;
    if (columnCount !== 'auto' || columnWidth !== 'auto') return 'it is in columns, which have breaks of their own';
  }
  return '';
}

function isBesideOthers(element: Element): boolean {
  const parent = read(element, 'parentElement');
  if (!parent || !isMatch(/flex|grid/, getComputedStyle(parent).display)) return false;
  const { top, bottom } = measureBox(element);
  const next = forcesBreak(getComputedStyle(element).breakBefore) ? 'previousSibling' : 'nextSibling';
  const neighbour = findInFlow(read(element, next), next);
  if (!(neighbour instanceof Element)) return false;
  const other = measureBox(neighbour);
  return other.bottom > top + 1 && other.top < bottom - 1;
}

/** Chromium keeps items of a column together, but not those of a grid or of several rows. */
function reasonBetween(element: Element): string {
  const parent = read(element, 'parentElement');
  const { display, flexDirection } = getComputedStyle(parent ?? element);
  if (isMatch(/grid/, display)) return 'it is in a grid';
  return isMatch(/flex/, display) && isMatch(/row/, flexDirection) ? 'it is in a flex container with rows' : '';
}

/** Returns the box that begins below the element, as far as no other box is beside it. */
function findBelow(element: Element): HTMLElement | SVGElement | undefined {
  const { bottom } = measureBox(element);
  for (let at: Element | null = element; at && at !== read(document, 'body'); at = read(at, 'parentElement'))
    for (let next = read(at, 'nextElementSibling'); next; next = read(next, 'nextElementSibling'))
      if (isBox(next) && measureBox(next).height > 0)
        return measureBox(next).top >= bottom - 1 ? findFollower(next, element) : undefined;
  return undefined;
}
