/** Walks across frames and shadow roots, which `querySelectorAll` of a document does not search. */
import { call, read } from './nodes.ts';
import { preparedWindow } from './prepared-window.ts';

/** A document, or a shadow root in one. */
export type Root = Document | ShadowRoot;

/** Limits the shadow roots that the markup declares, because a document may fake roots without end. */
const MAX_ROOTS = 100_000;

/** Returns the documents in the frames of `page` that can be accessed. `looks` is as for `withShadows`. */
export function framedDocuments(page: Document, looks = false): Document[] {
  return documentsFramedBy(withShadows(page, looks));
}

/** Returns the document, its shadow roots, and the same of the documents in its frames that can be accessed. */
export function findRoots(page: Document): Root[] {
  const roots = withShadows(page);
  return [...roots, ...documentsFramedBy(roots).flatMap((inner) => findRoots(inner))];
}

function documentsFramedBy(roots: Root[]): Document[] {
  const frames = roots.flatMap((root) => [...selectIn<HTMLIFrameElement>(root, 'iframe, frame')]);
  return frames.map(documentIn).filter((inner) => inner !== null);
}

/** An element that may show a document: a frame has its address in `src`, and an object in `data`. */
export type Frame = Pick<HTMLIFrameElement, 'contentDocument'> & { src?: string; data?: string };

/**
 * Returns the document in a frame; null if it cannot be accessed. Chromium 156 crashes where a document without an origin, which a written one
 * is, accesses one from a `blob:` URL.
 */
export function documentIn(frame: Frame): Document | null {
  const { src, data = '' } = frame;
  return (src ?? data).startsWith('blob:null') ? null : frame.contentDocument;
}

/** Selects the elements in a document, a shadow root or an element. Elements named like a method do not matter. */
export function selectIn<E extends Element = HTMLElement>(root: Root | Element, selector: string): Iterable<E> {
  return call(root, 'querySelectorAll', selector) as Iterable<never>;
}

/** Returns the shadow roots that the window of the document has registered, including closed ones. */
function registeredShadows(page: Document): ArrayLike<ShadowRoot> {
  try {
    const view = page === document ? window : read(page, 'defaultView');
    return (view && preparedWindow(view)?.listShadows(SETTINGS.secret)) ?? [];
  } catch {
    return []; // the window belongs to a document that broke it
  }
}

/** Returns the document and its shadow roots. Open roots that only the markup declares are included if it `looks` at every element. */
export function withShadows(page: Document, looks = true): Root[] {
  const all = new Set<Root>([page]);
  const registered = registeredShadows(page);
  for (let n = 0; n < registered.length; n++) all.add(registered[n] as ShadowRoot);
  if (!looks) return [...all];
  // The loop also reaches roots that are added meanwhile.
  for (const root of all) {
    for (const { shadowRoot } of selectIn(root, '*')) if (shadowRoot) all.add(shadowRoot);
    if (all.size > MAX_ROOTS) throw new RangeError();
  }
  return [...all];
}

/** Returns the document and its open shadow roots, each before those in it. Unlike `withShadows`, no closed roots. */
export function openRoots(root: Root = document): Root[] {
  const shadows = [...selectIn<Element>(root, '*')].flatMap((element) => read(element, 'shadowRoot') ?? []);
  return [root, ...shadows.flatMap((shadow) => openRoots(shadow))];
}
