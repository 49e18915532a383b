/** Walks over nodes as they are laid out. */
import { builtIn } from './built-ins.ts';

/** Returns the child nodes of the open shadow root of a node if it has one, or the nodes that are assigned to a slot. */
export function layoutChildren(node: Node): Node[] {
  const { shadowRoot, localName } = builtIn(node) as Element;
  const assigned = localName === 'slot' ? (node as Partial<HTMLSlotElement>).assignedNodes?.() : undefined; // SVG has no slots
  return assigned?.length ? assigned : [...(shadowRoot ?? builtIn(node)).childNodes];
}

/** Returns the element around a node, which is the host for one directly in a shadow root. */
export function elementAround({ parentElement, parentNode }: Node): Element | null {
  return parentElement ?? (parentNode && (builtIn(parentNode) as Partial<ShadowRoot>).host) ?? null;
}
