/** Finds boxes that cut off content to which a reader could scroll on a screen. */
import { MAX_CLIPPING_ELEMENTS } from '../../../contract/limits.ts';
import { CLIPPED_SIDES } from '../../../contract/questions.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { selectIn, withShadows } from '../../../dom/roots.ts';
import type { Side } from './sides.ts';
import { scrollsTo } from './writing-mode.ts';

export interface ClippingBox {
  box: HTMLElement;
  sides: Side[];
}

/** Leaves out boxes that hide content on purpose. */
export function findClippingBoxes(): ClippingBox[] {
  const found: ClippingBox[] = [];
  const boxes = withShadows(document).flatMap((root) => [...selectIn(root, ':not(head, head *)')]);
  let n = 0;
  for (const box of boxes) {
    if (n++ > MAX_CLIPPING_ELEMENTS) break;
    const [width, height] = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
    if ((width <= 1 && height <= 1) || box.closest('svg, select, object')) continue;
    const style = getComputedStyle(box);
    const isCut = (side: Side) =>
      (side === 'bottom' ? height : width) > 1 && scrollsTo(style, side) && isClipping(box, style, side);
    const sides = CLIPPED_SIDES.filter((side) => isCut(side) && !hidesOnPurpose(box, style, side));
    if (sides.length) found.push({ box, sides });
  }
  return found;
}

/**
 * Whether the box cuts off content at this side. `overflow` of the root, or else of the body, applies to the window and not to paper
 * (https://www.w3.org/TR/css-overflow-3/#overflow-propagation).
 */
function isClipping(element: HTMLElement, style: CSSStyleDeclaration, side: Side): boolean {
  const { documentElement: root, body } = document;
  const property = side === 'bottom' ? 'overflow-y' : 'overflow-x';
  const isContained =
    isMatch(/paint|strict|content/, style.getPropertyValue('contain')) || style.getPropertyValue('content-visibility') === 'auto';
  if (element.localName === 'input') return side === 'right';
  if (element === root || (style.getPropertyValue(property) === 'visible' && !isContained)) return false;
  return (
    element !== body || ['overflow-x', 'overflow-y'].some((each) => getComputedStyle(root).getPropertyValue(each) !== 'visible')
  );
}

function hidesOnPurpose(element: HTMLElement, style: CSSStyleDeclaration, side: Side): boolean {
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
