/**
 * Registers the shadow roots of a window when they are created, because closed ones cannot be found later, and checking every element
 * is slow. `keepShadows` runs in the page before any script of a document, sent as text.
 */
import { randomUUID } from 'node:crypto';

/** The property of a window that holds its `ListShadows`. */
export const SHADOW_ROOTS = 'platen.shadows';
/** The argument that `ListShadows` requires. Without it, any script that a document loads could list closed roots. */
export const SHADOW_SECRET: string = randomUUID();
export const MAX_SHADOWS = 10_000;

/**
 * Registers the roots in `found`, and returns all that are in the document, as a list without methods. Empty without the secret.
 */
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

/** Registered shadow roots. They can still be garbage-collected. */
export interface KeptRoots {
  /** Returns false if the object is not a shadow root or is already registered, or if there are too many. */
  add(root: object): boolean;
  /** Calls `use` with each root that is in the document. */
  forEach(use: (root: object) => void): void;
}

/** Keeps the built-in functions that it uses, because a script of the document may replace them. */
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
  let sweepsLeft = 100; // each checks all roots
  /** Calls `use` with each root, or undefined if it was garbage-collected, and its weak reference. */
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
        apply(hostOf, root, []); // throws if it is not a shadow root
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

/** Registers each shadow root that scripts attach or that `ListShadows` is given, and calls `onRoot` with it. */
export function keepShadows({ key, secret, atMost }: Keeping, onRoot: (root: object) => void): void {
  if (key in globalThis) return; // the script runs again when a document is written into the window
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
    setPrototypeOf(all, null); // a document may define setters for indices
    if (told !== secret) return all;
    for (let n = 0; n < found.length; n++) keep(found[n] as object);
    roots.forEach((root) => {
      all[all.length] = root;
    });
    return all;
  };
  Object.defineProperty(globalThis, key, { value: list });
}
