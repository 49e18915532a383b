/** Tells what images of the document are for assistive technology, and what Chromium tags of them. */
import { accessibleName } from '../../dom/accessible-name.ts';
import { layoutChildren } from '../../dom/layout-children.ts';
import { findFirst, isElement, isText, readName } from '../../dom/nodes.ts';
import { isPartOfDrawing } from '../../dom/rasterizing.ts';
import { explicitRole } from '../../dom/roles.ts';
import { hasSize, isShown } from '../../dom/visibility.ts';
import type { ImageStructure } from './reading.ts';
import type { ReadingOrder } from './reading-order.ts';
import { hasBackground, isDecoration, isHidden, isPrinted } from './tagged-content.ts';

/** Returns the kind of an image: a single image for assistive technology, or a group or wrapper around one. Empty for other elements. */
export function imageKind(element: Element, order: ReadingOrder): ImageStructure['kind'] | '' {
  const name = readName(element);
  const isRole = explicitRole(element) === 'img';
  if (!isRole && !/^(?:svg|img|canvas|figure)$/.test(name)) return '';
  if (isPartOfImage(element, order)) return '';
  if (/^(?:svg|img|canvas)$/.test(name)) return hasSize(element) && !isBlank(element) ? 'picture' : '';
  if (isRole) return isWrapper(element, order) ? 'wrapper' : 'role';
  return 'group';
}

export function isDrawing(node: Node): node is SVGSVGElement {
  return readName(node as Element) === 'svg';
}

/** Whether a drawing can be tagged as a single image without losing text. */
export function isOnePicture(drawing: Element): boolean {
  return accessibleName(drawing) !== '' || findFirst(drawing, 'text, foreignObject') === null;
}

/** Returns the drawing that is all that an element shows, if it can be tagged in its place, and nothing else would get a tag by that. */
export function findOnlyDrawing(wrapper: Element, order: ReadingOrder): Element | undefined {
  const inside = listNodes(wrapper)
    .filter(isElement)
    .filter((element) => !isPartOfDrawing(element));
  const others = inside.filter((element) => !isDrawing(element));
  if (!isPlain(wrapper) || !others.every((element) => isPlain(element) && /^(?:none|presentation)?$/.test(explicitRole(element))))
    return undefined;
  const [drawing, ...rest] = inside.filter((element) => isDrawing(element) && isDrawingShown(element));
  return drawing && !rest.length && !isHidden(order.parentOf(drawing), order) ? drawing : undefined;
}

function isPartOfImage(element: Element, order: ReadingOrder): boolean {
  return order.isWithin(order.parentOf(element), 'svg, [role="img" i], [role="image" i]');
}

/** Whether an `svg` element has no content of its own: at most definitions, which other drawings can use. */
function isBlank(element: Element): boolean {
  const drawn = ':scope > :not(defs, symbol, style, script, title, desc, metadata)';
  return isDrawing(element) && element.querySelector(drawn) === null;
}

/** Whether Chromium tags nothing of an element with the role `img`: it has no background, no text, and no images but drawings. */
function isWrapper(element: Element, order: ReadingOrder): boolean {
  const inside = listNodes(element);
  if (hasBackground(element) || inside.some((node) => isTextTagged(node, order) || isPictureTagged(node, order))) return false;
  return [element, ...inside].some((node) => isElement(node) && hasSize(node) && isShown(node)); // it may float
}

function isTextTagged(node: Node, order: ReadingOrder): boolean {
  if (!isText(node) || !/\S/.test(node.data)) return false;
  const around = order.parentOf(node); // none directly in a shadow root
  return !around || (isShown(around) && isPrinted(around) && !isHidden(around, order));
}

function isPictureTagged(node: Node, order: ReadingOrder): boolean {
  return /^(?:img|canvas)$/.test(readName(node as Element)) && !isDecoration(node as Element, order);
}

/** Returns all nodes in an element, as they are laid out, except those that are never shown. */
function listNodes(node: Node): Node[] {
  if (/^(?:style|script|template|title|desc|metadata)$/.test(readName(node as Element))) return [];
  return layoutChildren(node).flatMap((child) => [child, ...listNodes(child)]);
}

function isDrawingShown(drawing: Element): boolean {
  return isShown(drawing) && hasSize(drawing) && !isBlank(drawing);
}

/** Whether only the content of an element counts: it is no link, control, heading, list or table. */
function isPlain(element: Element): boolean {
  return /^(?:span|i|b|em|strong|p|div|slot|br|style|script|link|template)$|-/.test(readName(element));
}
