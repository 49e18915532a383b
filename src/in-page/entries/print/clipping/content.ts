/** Walks over texts and images as they are rendered: across slots and shadow roots. */
import { isMatch } from '../../../dom/built-ins.ts';
import { elementAround, layoutChildren } from '../../../dom/layout-children.ts';
import { isText } from '../../../dom/nodes.ts';

/** A text, or an element that shows an image. */
export type Content = Text | HTMLElement;

/** Yields texts and images in a box. `nodes` counts down to the end of the walk. */
export function* findContent(box: HTMLElement, nodes: { left: number }): Generator<Content> {
  const waiting = isWhole(box) ? [] : layoutChildren(box);
  for (let node = waiting.pop(); node && nodes.left-- > 0; node = waiting.pop()) {
    if (isContent(node)) yield node;
    if (!isWhole(node)) for (const child of layoutChildren(node)) waiting.push(child);
  }
}

/** Returns the rectangles of a text or an image. */
export function contentPlaces(content: Content): DOMRect[] {
  const places = isText(content) ? textPlaces(content) : [content.getBoundingClientRect()];
  return places.filter(({ width, height }) => width >= 1 && height >= 1);
}

/** Returns the element and its ancestors up to a box. */
export function ancestorsWithin(inner: Element | null, outer: Element): Element[] {
  const found: Element[] = [];
  for (let each = inner; each && each !== outer; each = renderedParent(each)) found.push(each);
  return found;
}

/** Returns the parent in the tree as it is rendered: the slot of an element, or the host of a shadow root. */
export function renderedParent(node: Text | Element): Element | null {
  return node.assignedSlot ?? elementAround(node);
}

function isContent(node: Node): node is Content {
  if (isText(node)) return node.data.trim() !== '';
  return isMatch(/^(?:img|canvas|video|svg)$/, (node as HTMLElement).localName);
}

/** Whether the content of the element is not searched. */
function isWhole(node: Node): boolean {
  return isMatch(/^(?:svg|select|script|style|noscript|template|textarea|object)$/, (node as Element).localName);
}

function textPlaces(text: Text): DOMRect[] {
  const range = document.createRange();
  range.selectNodeContents(text);
  return [...range.getClientRects()];
}
