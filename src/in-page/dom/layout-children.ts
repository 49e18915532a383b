/** Walks over nodes as they are laid out. */
import { read, readName } from './nodes.ts';

/** Returns the child nodes of the open shadow root of a node if it has one, or the nodes that are assigned to a slot. */
export function layoutChildren(node: Node): Node[] {
  const shadowRoot = read(node as Element, 'shadowRoot');
  const assigned = readName(node as Element) === 'slot' ? (node as Partial<HTMLSlotElement>).assignedNodes?.() : undefined; // SVG has no slots
  return assigned?.length ? assigned : [...read(shadowRoot ?? node, 'childNodes')];
}

/** Returns the element around a node, which is the host for one directly in a shadow root. */
export function elementAround(node: Node): Element | null {
  const parent = read(node, 'parentNode');
  return read(node, 'parentElement') ?? (parent && (read(parent as ShadowRoot, 'host') as Element | undefined)) ?? null;
}
