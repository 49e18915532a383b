/** Tells which content of the document Chromium tags. */
import { layoutChildren } from '../../dom/layout-children.ts';
import { call, isElement, isText, matches, measureBox, read, readName } from '../../dom/nodes.ts';
import { explicitRole } from '../../dom/roles.ts';
import { hasSize, isShown } from '../../dom/visibility.ts';
import type { ReadingOrder } from './reading-order.ts';

/** Whether the document hides the element from assistive technology, or declares it as presentational. */
export function isDecoration(element: Element, order: ReadingOrder): boolean {
  if (/^(?:presentation|none)$/.test(explicitRole(element))) return true;
  return matches(element, 'img[alt=""]:not([aria-label], [role])') || isHidden(element, order);
}

export function isHidden(element: Element | null, order: ReadingOrder): boolean {
  return order.isWithin(element, '[aria-hidden="true" i], [inert]');
}

/** Whether something of a link or a field that is shown can be on a page: it is not empty, clipped, left of the pages or above them. */
export function isPrinted(element: Element): boolean {
  const { clip, clipPath } = getComputedStyle(element);
  if (/^rect\(([01])px, \1px, \1px, \1px\)$/.test(clip) || /^inset\((?:50|100)%\)$/.test(clipPath)) return false;
  if (!hasSize(element)) return call(element, 'hasChildNodes');
  const { right, bottom } = measureBox(element);
  return right + scrollX > 0 && bottom + scrollY > 0;
}

/** Whether an element has a background, which Chromium tags in an image. */
export function hasBackground(element: Element): boolean {
  const { backgroundImage, backgroundColor } = getComputedStyle(element);
  return backgroundImage !== 'none' || !/[,/] 0\)$/.test(backgroundColor);
}

/** Whether any content of an element gets a tag. Borders and decoration do not. */
export function hasTagged(element: Element, order: ReadingOrder): boolean {
  if (readName(element) === 'slot') return layoutChildren(element).some((child) => isTagged(child, order));
  let child = read(read(element, 'shadowRoot') ?? element, 'firstChild'); // faster than a list
  while (child && !isTagged(child, order)) child = read(child, 'nextSibling');
  return child !== null;
}

function isTagged(node: Node, order: ReadingOrder): boolean {
  if (isText(node)) return /[^ \t\n\r\f]/.test(node.data);
  return isElement(node) && isElementTagged(node, order);
}

function isElementTagged(element: Element, order: ReadingOrder): boolean {
  if (!isShown(element) || isDecoration(element, order)) return false;
  if (/^(?:img|svg|canvas|input|select|textarea|button|progress|meter|hr|math)$/.test(readName(element))) return true;
  return hasTagged(element, order) || (explicitRole(element) === 'img' && hasBackground(element) && hasSize(element));
}
