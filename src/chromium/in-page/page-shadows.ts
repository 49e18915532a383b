/**
 * The shadow roots of a window, which are not found by looking for them: closed ones are hidden, and a look at every element takes long.
 * `keepShadows` runs in the page before any script of a document, sent as text.
 */
import { randomUUID } from 'node:crypto';

/** The property of a window that lists them, as `ListShadows`. */
export const SHADOW_ROOTS = 'platen.shadows';
/** What is to be told to list them: a document would otherwise hand its closed roots to any script that it loads. */
export const SHADOW_SECRET: string = randomUUID();
export const MAX_SHADOWS = 10_000;

/** Keeps those that are given, and returns all that are in the document, in a list without methods; none without the secret. */
export type ListShadows = (secret: string, found?: readonly object[]) => ArrayLike<object>;

// Typed loosely: this project's code runs in Node and has no DOM types.
type Call = (...args: unknown[]) => unknown;
declare const Node: { prototype: object };
declare const ShadowRoot: { prototype: object };
declare const Element: { prototype: Record<'attachShadow', Call> };

interface Keeping {
  key: string;
  secret: string;
  atMost: number;
}

/** The roots that are kept, without keeping them alive. */
export interface KeptRoots {
  /** False if it is not kept: it is no shadow root, is known, or there are too many. */
  add(root: object): boolean;
  /** Calls `use` with each that is in the document. */
  forEach(use: (root: object) => void): void;
}

/** What this uses is taken before a script of the document can replace it. */
export function weakRoots(atMost: number): KeptRoots {
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const Reference = WeakRef;
  const { deref } = WeakRef.prototype;
  const { add: addKnown, delete: removeKnown, has: isKnown } = WeakSet.prototype;
  const { add, delete: remove, values } = Set.prototype;
  const { next } = Object.getPrototypeOf(new Set().values()) as SetIterator<WeakRef<object>>;
  const isConnected = getOwnPropertyDescriptor(Node.prototype, 'isConnected')?.get as Call;
  const hostOf = getOwnPropertyDescriptor(ShadowRoot.prototype, 'host')?.get as Call;
  const references = new Set<WeakRef<object>>();
  const known = new WeakSet();
  let count = 0;
  let sweepsLeft = 100; // each looks at all
  /** Calls `use` with each that is left, or undefined in place of one that is gone, and how it is referred to. */
  const forEachReference = (use: (root: object | undefined, reference: WeakRef<object>) => void) => {
    const each = apply(values, references, []);
    for (let step = apply(next, each, []); !step.done; step = apply(next, each, []))
      use(apply(deref, step.value, []), step.value);
  };
  const forgetOutside = () => {
    if (sweepsLeft-- > 0)
      forEachReference((root, reference) => {
        if (root && apply(isConnected, root, [])) return;
        apply(remove, references, [reference]);
        if (root) apply(removeKnown, known, [root]);
        count--;
      });
  };
  return {
    add(root) {
      try {
        apply(hostOf, root, []); // throws for all that is no shadow root
      } catch {
        return false;
      }
      if (apply(isKnown, known, [root])) return false;
      if (count >= atMost) forgetOutside();
      if (count >= atMost) return false;
      apply(addKnown, known, [root]);
      apply(add, references, [new Reference(root)]);
      count++;
      return true;
    },
    forEach: (use) =>
      forEachReference((root) => {
        if (root && apply(isConnected, root, [])) use(root);
      }),
  };
}

/** `onRoot` is called with each. */
export function keepShadows({ key, secret, atMost }: Keeping, onRoot: (root: object) => void): void {
  if (key in globalThis) return; // a document that is written into a window begins it anew
  const { apply, setPrototypeOf } = Reflect;
  const roots = weakRoots(atMost);
  const keep = (root: object) => {
    if (roots.add(root)) onRoot(root);
  };
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = new Proxy(attachShadow, {
    apply(native, element, given) {
      const root = apply(native, element, given) as object;
      keep(root);
      return root;
    },
  });
  const list: ListShadows = (told, found = []) => {
    const all: object[] = [];
    setPrototypeOf(all, null); // a document may define what is called when an index is set
    if (told !== secret) return all;
    for (let n = 0; n < found.length; n++) keep(found[n] as object);
    roots.forEach((root) => {
      all[all.length] = root;
    });
    return all;
  };
  Object.defineProperty(globalThis, key, { value: list });
}
