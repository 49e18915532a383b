/** Measures how much of a text or an image a box hides that would be visible without it. */

import { isText } from '../../../dom/nodes.ts';
import { isShown } from '../../../dom/visibility.ts';
import { ancestorsWithin, type Content, renderedParent } from './content.ts';
import { distanceBeyond, isMissed, type Side } from './sides.ts';

/** Returns by how many CSS pixels the content exceeds the box. */
export function hiddenLength(box: HTMLElement, content: Content, side: Side, places: DOMRect[]): number {
  const { edge, scale } = clippingEdge(box, side);
  const owner = isText(content) ? renderedParent(content) : content;
  let most = 0;
  for (const place of places)
    if (isMissed(content, place, edge, side)) most = Math.max(most, visibleOverflow(owner, box, side, place, edge));
  return most >= 1 && owner && isShown(owner) && !isMovedAside(owner, box, side) ? most / scale : 0;
}

/** Returns where the box ends, and its scale on the screen. */
function clippingEdge(box: HTMLElement, side: Side): { edge: number; scale: number } {
  const { left, top, width } = box.getBoundingClientRect();
  const scale = width / box.offsetWidth || 1;
  if (side === 'bottom') return { edge: top + (box.clientTop + box.clientHeight) * scale, scale };
  return { edge: left + (box.clientLeft + (side === 'right' ? box.clientWidth : 0)) * scale, scale };
}

/** Returns how far beyond the edge content would be visible without the outer box, because boxes inside it may also hide content. */
function visibleOverflow(inner: Element | null, outer: HTMLElement, side: Side, place: DOMRect, edge: number): number {
  let visible = distanceBeyond(place, edge, side);
  for (const each of ancestorsWithin(inner, outer)) {
    const style = getComputedStyle(each);
    const value = (property: string) => style.getPropertyValue(property);
    const cutsOff = value(side === 'bottom' ? 'overflow-y' : 'overflow-x') !== 'visible' && each.clientWidth > 0;
    const isFolded = cutsOff && (each.clientWidth <= 2 || each.clientHeight <= 2);
    if (isFolded || value('clip-path') !== 'none' || value('clip') !== 'auto') return Number.NEGATIVE_INFINITY;
    if (cutsOff) visible = Math.min(visible, distanceBeyond(each.getBoundingClientRect(), edge, side));
  }
  return visible;
}

/** Whether a whole box was moved out of the outer one, such as a hidden slide or a closed menu. */
function isMovedAside(inner: Element, outer: HTMLElement, side: Side): boolean {
  const edge = outer.getBoundingClientRect();
  return ancestorsWithin(inner, outer).some((each) => {
    const style = getComputedStyle(each);
    const value = (property: string) => style.getPropertyValue(property);
    if (value('transform') !== 'none' || value('translate') !== 'none' || value('will-change').includes('transform')) return true;
    const { left, right, width } = each.getBoundingClientRect();
    const isOutside = side === 'left' ? right <= edge.left + 1 : side === 'right' && left >= edge.right - 1;
    return isOutside && (['absolute', 'fixed'].includes(value('position')) || width >= edge.width * 0.9);
  });
}
