/**
 * Reads nodes of a document. Forms and documents have their named elements as members, which hide their own properties and methods.
 */
import { apply, type Call, get, getPrototypeOf } from './built-ins.ts';

// As in `Node`, whose constants a document may replace.
const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;

type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer R ? R : never;

/** Calls a method of a node. */
export function call<N extends Node, K extends keyof N>(node: N, name: K, ...args: Arguments<N[K]>): Result<N[K]> {
  return apply(read(node, name) as Call, node, args) as Result<N[K]>;
}

/** Returns a property of a node. */
export function read<N extends Node, K extends keyof N>(node: N, name: K): N[K] {
  return mayHide(node) ? (get(getPrototypeOf(node) as object, name, node) as N[K]) : node[name];
}

/** Whether the node is a form or a document, also one of a frame. Texts are answered quickly. */
function mayHide(node: Node): boolean {
  const name = (node as Partial<Element>).localName as unknown; // of another type only where it is hidden, and in nodes that are no elements
  return (typeof name !== 'string' || name === 'form') && node.nodeType !== TEXT;
}

export function isText(node: Node): node is Text {
  return read(node, 'nodeType') === TEXT;
}

export function isElement(node: Node): node is Element {
  return read(node, 'nodeType') === ELEMENT;
}

export function isComment(node: Node): node is Comment {
  return read(node, 'nodeType') === COMMENT;
}

export function readName(element: Element): string {
  return read(element, 'localName');
}

export function readAttribute(element: Element, name: string): string | null {
  return call(element, 'getAttribute', name);
}

/** Removes the attribute if the value is null. */
export function writeAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) call(element, 'removeAttribute', name);
  else call(element, 'setAttribute', name, value);
}

export function matches(element: Element, selector: string): boolean {
  return call(element, 'matches', selector);
}

export function findClosest(element: Element, selector: string): Element | null {
  return call(element, 'closest', selector);
}

export function findFirst(root: Element, selector: string): Element | null {
  return call(root, 'querySelector', selector);
}

export function measureBox(element: Element): DOMRect {
  return call(element, 'getBoundingClientRect');
}
