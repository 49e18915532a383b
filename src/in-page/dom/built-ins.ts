/**
 * Built-in functions, saved when the program is installed. In a window that is prepared for a document with scripts, this happens
 * before the first of them runs, so that they cannot be replaced.
 */

export const { apply, construct, defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } =
  Reflect;

const { exec } = RegExp.prototype;

/** A function of any kind, such as one that a document passes. */
export type Call = (...args: unknown[]) => unknown;

/** Returns the function that reads a property, whatever elements of the document are named like it. */
export function findGetter(prototype: object, name: string): Call | undefined {
  return getOwnPropertyDescriptor(prototype, name)?.get;
}

/** Reads a property of the document. An element with the name of the property would hide it. */
export function documentPart<K extends keyof Document>(page: Document, name: K): Document[K] {
  const getter = findGetter(Document.prototype, name);
  return (getter && apply(getter, page, [])) as Document[K];
}

/** Whether the text matches. `RegExp.prototype.test` would call an `exec` of the document. */
export function isMatch(pattern: RegExp, text: string): boolean {
  return apply(exec, pattern, [text]) !== null;
}

/**
 * Returns a node whose built-in members cannot be hidden. Forms and documents have named elements as members, which hide their own
 * methods and attributes.
 */
export function builtIn<N extends Node>(node: N): N {
  const name = (node as Partial<Element>).localName as unknown; // of another type only where it is hidden, and in nodes that are no elements
  if (typeof name === 'string' && name !== 'form') return node; // much faster than `instanceof`
  if (!(node instanceof HTMLFormElement || node instanceof Document)) return node;
  const prototype = getPrototypeOf(node) as object;
  const read = (_: object, key: string | symbol) => {
    const value: unknown = get(prototype, key, node);
    return typeof value === 'function' ? value.bind(node) : value;
  };
  return new Proxy({}, { get: read }) as N;
}

/** Removes the attribute if the value is null. */
export function writeAttribute(element: Element, name: string, value: string | null): void {
  if (value === null) builtIn(element).removeAttribute(name);
  else builtIn(element).setAttribute(name, value);
}

/** Replaces a function with a proxy, which has the same name and is as enumerable. */
export function replace(owner: object, name: string, call: (native: Call, self: unknown, args: unknown[]) => unknown): void {
  const holder = owner as Record<string, unknown>;
  const native = holder[name];
  if (typeof native !== 'function') return;
  const wrapped = (self: unknown, args: unknown[]) => call((...given) => apply(native, self, given), self, args);
  holder[name] = new Proxy(native, { apply: (_, self, args) => wrapped(self, args) });
}
