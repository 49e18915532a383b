/** Finds what is before and after an element in the flow. */
import { call, read } from '../../dom/nodes.ts';

const FORCED = /^(?:page|left|right|recto|verso)$/;

/** The first element after another that is shown and not within it. */
export function findAfter(element: Element): Element | undefined {
  for (let around: Element | null = element; around; around = read(around, 'parentElement')) {
    const next = findShown(around, 'nextElementSibling');
    if (next) return next;
  }
  return undefined;
}

/** Whether a page break is forced where an element begins. A break before or after the child at an edge is one of its parent. */
export function isBreakForced(element: Element): boolean {
  if (isForcedAtEdge(element, 'break-before', 'firstElementChild', 'nextElementSibling')) return true;
  for (let around: Element | null = element; around; around = read(around, 'parentElement')) {
    if (FORCED.test(getComputedStyle(around).breakBefore)) return true;
    const before = findShown(around, 'previousElementSibling');
    if (before) return isForcedAtEdge(before, 'break-after', 'lastElementChild', 'previousElementSibling');
  }
  return false;
}

function isForcedAtEdge(
  element: Element,
  property: 'break-before' | 'break-after',
  edge: 'firstElementChild' | 'lastElementChild',
  direction: Direction,
): boolean {
  for (let each: Element | undefined = element; each; ) {
    if (FORCED.test(getComputedStyle(each).getPropertyValue(property))) return true;
    const child: Element | null = read(each, edge);
    each = child && !isShown(child) ? findShown(child, direction) : (child ?? undefined);
  }
  return false;
}

type Direction = 'nextElementSibling' | 'previousElementSibling';

/** The nearest sibling that is shown. */
export function findShown(element: Element, direction: Direction): Element | undefined {
  for (let each = read(element, direction); each; each = read(each, direction)) if (isShown(each)) return each;
  return undefined;
}

function isShown(element: Element): boolean {
  return call(element, 'checkVisibility');
}
