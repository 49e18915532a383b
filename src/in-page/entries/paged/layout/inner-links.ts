/** What is known of boxes with links in them. */
import type { LayoutBox } from '../../../contract/layout.ts';
import { measureBox, read } from '../../../dom/nodes.ts';

/** Returns a box as seen from the link in it. */
export function measureFrom(link: Element, element: Element): LayoutBox['fromMark'] {
  const [from, { x, y, width, height }] = [measureBox(link), measureBox(element)];
  return { x: x - from.x, y: y - from.y, width, height };
}

/** Whether the element is in a box that every page repeats. */
export function isFixed(element: Element): boolean {
  for (let at: Element | null = element; at; at = read(at, 'parentElement'))
    if (getComputedStyle(at).position === 'fixed') return true;
  return false;
}
