/** The parts of a document that its own `querySelectorAll` does not look into. What is here runs in the page, sent as text with what calls it. */

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

/** To be sent with what calls `selectIn` or `withShadows`. */
export const SHADOWS = [selectIn, shadowsIn, withShadows];

/** The documents in the frames of `page` that can be looked into. */
export function framed<P extends object>(page: P): P[] {
  const frames = [...Document.prototype.querySelectorAll.call(page, 'iframe, frame')];
  return frames.map(({ contentDocument }) => contentDocument as P | null).filter((inner) => inner !== null);
}

/** Of a document or a shadow root, whatever its elements are named. */
export function selectIn<E extends object>(root: object, selector: string): Iterable<E> {
  const isFragment = Reflect.get(Node.prototype, 'nodeType', root) === 11;
  const { querySelectorAll } = (isFragment ? DocumentFragment : Document).prototype;
  return querySelectorAll.call(root as never, selector) as Iterable<never>;
}

/** Open ones, at any depth. */
function shadowsIn(root: object): object[] {
  const found: object[] = [];
  for (const { shadowRoot } of selectIn<PageElement>(root, '*')) if (shadowRoot) found.push(shadowRoot, ...shadowsIn(shadowRoot));
  return found;
}

/** The document, and its open shadow roots. */
export function withShadows<P extends object>(page: P): P[] {
  return [page, ...(shadowsIn(page) as P[])];
}
