/**
 * Fixed boxes outside of the window. Style sheets for dompdf place headers and footers so in the margins of pages. Chromium prints them at the
 * end of the page before, or at the beginning of the next one, over what is there, and those at the sides not at all. The overlay paints
 * them instead.
 */
import type { OverlayBox } from '../../contract/overlay.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { call, measureBox, read } from '../../dom/nodes.ts';
import { hasSize, isShown } from '../../dom/visibility.ts';
import { isFixed } from './layout/inner-links.ts';
import { fillBox, registerPainter, withStyle, wrapLike } from './overlay.ts';
import { findStyled } from './styled-elements.ts';
import { moveZoom } from './zoom.ts';

interface FixedBox {
  element: HTMLElement;
  /** Its display, and its place where it has none of its own. */
  look: Record<string, string>;
  /** How far it reaches beside the window, if it is wholly there. */
  leftPx: number;
  rightPx: number;
}

/** Each is painted on each page. */
const MAX_BOXES = 100;

const changes = new Changes();
let boxes: FixedBox[] = [];

/** Returns whether there are any. More than can be painted are none. */
export function findFixedOutside(): boolean {
  boxes = findStyled(({ position }) => position === 'fixed', 'fixed')
    .filter((element) => isOutermost(element) && isShown(element) && hasSize(element))
    .flatMap(measureOutside);
  if (boxes.length > MAX_BOXES) boxes = [];
  return boxes.length > 0;
}

/** A box without a place of its own is where it would be in the flow. */
function measureOutside(element: HTMLElement): FixedBox[] {
  const { top, right, bottom, left } = measureBox(element);
  const leftPx = right <= 0 ? -left : 0;
  const rightPx = left >= innerWidth ? right - innerWidth : 0;
  const own = call(element, 'computedStyleMap');
  const isPlaced = (...sides: string[]) => sides.some((side) => String(own.get(side)) !== 'auto');
  const [isPlacedAcross, isPlacedDown] = [isPlaced('left', 'right'), isPlaced('top', 'bottom')];
  const isBeside = isPlacedAcross && (leftPx > 0 || rightPx > 0);
  const isAboveOrBelow = isPlacedDown && (bottom <= 0 || top >= innerHeight);
  if (!isBeside && !isAboveOrBelow) return [];
  const style = getComputedStyle(element);
  const flow = { ...(!isPlacedAcross && { left: style.left }), ...(!isPlacedDown && { top: style.top }) };
  return [{ element, look: { display: style.display, ...flow }, leftPx, rightPx }];
}

/** Whether the element is fixed to the window. */
function isOutermost(element: HTMLElement): boolean {
  const around = read(element, 'parentElement');
  const isInWindow = read(element, 'offsetParent') === null; // and not in a box that has a transform
  return isInWindow && getComputedStyle(element).position === 'fixed' && !(around && isFixed(around));
}

/** Whether an element is painted in the margins of pages, where a counter has the number of the page. */
export function isInMargin(element: Element): boolean {
  return boxes.some((box) => call(box.element, 'contains', element));
}

/** Takes them out of the document, but for those beside the page that do not fit into such margins. Returns whether there are any. */
export function takeFixedOutside(leftPx: number, rightPx: number): boolean {
  boxes = boxes.filter((box) => box.leftPx <= leftPx && box.rightPx <= rightPx);
  if (!boxes.length) return false;
  moveZoom();
  for (const { element } of boxes) changes.setStyle(element, 'display', 'none');
  registerPainter('fixed', paint);
  return true;
}

/** Copies in a box as large as the area of the page, to which their places refer. Counters of pages have the values of the page. */
function paint(box: OverlayBox): HTMLElement {
  const { page = '1', pages = '1' } = box.texts;
  const area = createHtml('platen-margin');
  for (const { element, look } of boxes) {
    const copy = withStyle(call(element, 'cloneNode', true) as HTMLElement, element);
    setLook(copy, { ...look, position: 'absolute' });
    area.append(wrapLike(copy, read(element, 'parentElement')));
  }
  // Without its scale, the box may end below the page, where it would be divided.
  setLook(area, { display: 'block', contain: 'size', 'counter-reset': `page ${page} pages ${pages}` });
  return fillBox(area, box);
}
