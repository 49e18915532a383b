/**
 * The parts of a document that its own `querySelectorAll` does not look into: frames and shadow roots. What is here runs in the page, sent
 * as text with what calls it.
 */
import { type ListShadows, MAX_SHADOWS, SHADOW_ROOTS, SHADOW_SECRET } from './page-shadows.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageElement {
  contentDocument: object | null;
  shadowRoot: object | null;
}
interface Queryable {
  prototype: { querySelectorAll(selector: string): Iterable<PageElement> };
}
declare const Document: Queryable;
declare const DocumentFragment: Queryable;
declare const Node: { prototype: object };
declare const document: object;
declare const window: Record<string, ListShadows | undefined>;
declare function shadowRegister(): { key: string; secret: string; atMost: number };

/** To be sent with what calls any of the functions below. */
export const FRAMES = [
  "'use strict';", // a function of the document that is called could otherwise read those that have called it
  `function shadowRegister() { return ${JSON.stringify({ key: SHADOW_ROOTS, secret: SHADOW_SECRET, atMost: 10 * MAX_SHADOWS })} }`,
  selectIn,
  keptShadows,
  withShadows,
  framed,
];

/** The documents in the frames of `page` that can be looked into. `looks` is as for `withShadows`. */
export function framed<P extends object>(page: P, looks = false): P[] {
  const frames = withShadows(page, looks).flatMap((root) => [...selectIn<PageElement>(root, 'iframe, frame')]);
  return frames.map(({ contentDocument }) => contentDocument as P | null).filter((inner) => inner !== null);
}

/** Of a document or a shadow root, whatever its elements are named. */
export function selectIn<E extends object>(root: object, selector: string): Iterable<E> {
  const isFragment = Reflect.get(Node.prototype, 'nodeType', root) === 11;
  const { querySelectorAll } = (isFragment ? DocumentFragment : Document).prototype;
  return querySelectorAll.call(root as never, selector) as Iterable<never>;
}

/** Those that scripts of the document have made, closed ones too. */
function keptShadows(page: object): ArrayLike<object> {
  const { key, secret } = shadowRegister();
  try {
    // Where the window is ours, nothing that a document can replace is asked for its list.
    if (page === document) return window[key]?.(secret) ?? [];
    const view = Reflect.getOwnPropertyDescriptor(Document.prototype, 'defaultView')?.get?.call(page);
    const list = Reflect.getOwnPropertyDescriptor(view, key);
    return list && !list.configurable ? list.value(secret) : [];
  } catch {
    return []; // an element may bear the name where there is no list
  }
}

/**
 * The document and its shadow roots. Those that only its markup declares, which are open, are among them if it `looks` at every element.
 */
export function withShadows<P extends object>(page: P, looks = true): P[] {
  const all = new Set([page]);
  const kept = keptShadows(page);
  for (let n = 0; n < kept.length; n++) all.add(kept[n] as P);
  if (!looks) return [...all];
  // Those that are added are looked at in their turn.
  for (const root of all) {
    for (const { shadowRoot } of selectIn<PageElement>(root, '*')) if (shadowRoot) all.add(shadowRoot as P);
    if (all.size > shadowRegister().atMost) throw new RangeError(); // a document may make up what has no end
  }
  return [...all];
}
