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

/** Whether the text matches. `RegExp.prototype.test` would call an `exec` of the document. */
export function isMatch(pattern: RegExp, text: string): boolean {
  return apply(exec, pattern, [text]) !== null;
}

/** Replaces a function with a proxy, which has the same name and is as enumerable. */
export function replace(owner: object, name: string, call: (native: Call, self: unknown, args: unknown[]) => unknown): void {
  const holder = owner as Record<string, unknown>;
  const native = holder[name];
  if (typeof native !== 'function') return;
  const wrapped = (self: unknown, args: unknown[]) => call((...given) => apply(native, self, given), self, args);
  holder[name] = new Proxy(native, { apply: (_, self, args) => wrapped(self, args) });
}
