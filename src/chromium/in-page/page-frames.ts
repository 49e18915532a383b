/** The frames of a document. What is here runs in the page, sent as text with what calls it. */

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const Document: { prototype: { querySelectorAll(selector: string): Iterable<{ contentDocument: object | null }> } };

/** The documents in the frames of `page` that can be looked into. */
export function framed<P extends object>(page: P): P[] {
  const frames = [...Document.prototype.querySelectorAll.call(page, 'iframe, frame')];
  return frames.map(({ contentDocument }) => contentDocument as P | null).filter((inner) => inner !== null);
}
