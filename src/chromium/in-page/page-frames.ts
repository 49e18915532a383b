/**
 * Finds frames and shadow roots, which `querySelectorAll` of a document does not search. The functions below run in the page, sent as
 * text with their callers.
 */
import { SETTINGS } from '../devtools/in-page-program.ts';

type ListShadows = (secret: string) => ArrayLike<object>;

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
declare const window: Record<string, { listShadows?: ListShadows } | undefined>;
declare function shadowRegister(): { key: string; secret: string; atMost: number };

/** A script that calls any of the functions below must contain these. */
export const FRAMES = [
  "'use strict';", // otherwise a function of the document could read its callers
  `function shadowRegister() { return ${JSON.stringify({ ...SETTINGS, atMost: 100_000 })} }`,
  selectIn,
  keptShadows,
  withShadows,
  documentsFramedBy,
  framed,
  rootsIn,
];

/** Returns the documents in the frames of `page` that can be accessed. `looks` is as for `withShadows`. */
export function framed<P extends object>(page: P, looks = false): P[] {
  return documentsFramedBy(withShadows(page, looks));
}

/** Returns the document, its shadow roots, and the same of the documents in its frames that can be accessed. */
export function rootsIn<P extends object>(page: P): P[] {
  const roots = withShadows(page);
  return [...roots, ...documentsFramedBy(roots).flatMap((inner) => rootsIn(inner))];
}

function documentsFramedBy<P extends object>(roots: P[]): P[] {
  const frames = roots.flatMap((root) => [...selectIn<PageElement>(root, 'iframe, frame')]);
  return frames.map(({ contentDocument }) => contentDocument as P | null).filter((inner) => inner !== null);
}

/** Selects elements of a document or a shadow root. Elements named like a method do not matter. */
export function selectIn<E extends object>(root: object, selector: string): Iterable<E> {
  const isFragment = Reflect.get(Node.prototype, 'nodeType', root) === 11;
  const { querySelectorAll } = (isFragment ? DocumentFragment : Document).prototype;
  return querySelectorAll.call(root as never, selector) as Iterable<never>;
}

/** Returns the shadow roots that the window of the document has registered, including closed ones. */
function keptShadows(page: object): ArrayLike<object> {
  const { key, secret } = shadowRegister();
  try {
    // In our own window, the list is read without anything that the document can replace.
    if (page === document) return window[key]?.listShadows?.(secret) ?? [];
    const view = Reflect.getOwnPropertyDescriptor(Document.prototype, 'defaultView')?.get?.call(page);
    const list = Reflect.getOwnPropertyDescriptor(view, key);
    return list && !list.configurable ? list.value.listShadows(secret) : [];
  } catch {
    return []; // there is no list, but an element with its name
  }
}

/**
 * Returns the document and its shadow roots. Open roots that only the markup declares are included if it `looks` at every element.
 */
export function withShadows<P extends object>(page: P, looks = true): P[] {
  const all = new Set([page]);
  const kept = keptShadows(page);
  for (let n = 0; n < kept.length; n++) all.add(kept[n] as P);
  if (!looks) return [...all];
  // The loop also reaches roots that are added meanwhile.
  for (const root of all) {
    for (const { shadowRoot } of selectIn<PageElement>(root, '*')) if (shadowRoot) all.add(shadowRoot as P);
    if (all.size > shadowRegister().atMost) throw new RangeError(); // a document may fake roots without end
  }
  return [...all];
}
