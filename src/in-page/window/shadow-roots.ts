/**
 * Registers the shadow roots of a window when they are created, because closed ones cannot be found later, and checking every
 * element is slow.
 */

import { MAX_SHADOWS } from '../contract/limits.ts';
import { apply, type Call, findGetter, setPrototypeOf } from '../dom/built-ins.ts';
import type { ListShadows } from '../dom/prepared-window.ts';

/** Registers each shadow root that scripts attach or that `ListShadows` is given, and calls `onRoot` with it. */
export function registerShadows(onRoot: (root: ShadowRoot) => void): ListShadows {
  const roots = weakRoots(MAX_SHADOWS);
  const register = (root: object) => {
    if (roots.add(root)) onRoot(root as ShadowRoot);
  };
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = new Proxy(attachShadow, {
    apply(native, element, given) {
      const root = apply(native, element, given) as object;
      register(root);
      return root;
    },
  });
  return (secret, found = []) => {
    const all: ShadowRoot[] = [];
    setPrototypeOf(all, null); // a document may define setters for indices
    if (secret !== SETTINGS.secret) return all;
    for (let n = 0; n < found.length; n++) register(found[n] as object);
    roots.forEach((root) => {
      all[all.length] = root;
    });
    return all;
  };
}

/** Registered shadow roots. They can still be garbage-collected. */
export interface WeakRoots {
  /** Returns false if the object is not a shadow root or is already registered, or if there are too many. */
  add(root: object): boolean;
  /** Calls `use` with each root that is in the document. */
  forEach(use: (root: ShadowRoot) => void): void;
}

export function weakRoots(atMost: number): WeakRoots {
  const Reference = WeakRef;
  const { deref } = WeakRef.prototype;
  const { add: addKnown, delete: removeKnown, has: isKnown } = WeakSet.prototype;
  const { add, delete: remove, values } = Set.prototype;
  const { next } = Object.getPrototypeOf(new Set().values()) as SetIterator<WeakRef<object>>;
  const isConnected = findGetter(Node.prototype, 'isConnected') as Call;
  const hostOf = findGetter(ShadowRoot.prototype, 'host') as Call;
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
        if (root && apply(isConnected, root, [])) use(root as ShadowRoot);
      }),
  };
}
