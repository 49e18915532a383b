/**
 * Reads whether a document signals that it is not ready. The functions below run in the page, sent as text, so they may use only
 * each other.
 */

/** A script that calls `readiness` must contain these. */
export const READINESS = [hasSettled, readiness];

/** The signals that a document is not ready. */
export const NAMES_OF_READINESS = ['document.fonts', 'PagedPolyfill', 'MathJax.startup.promise', 'window.platenReady'] as const;

// Typed loosely: this project's code runs in Node and has no DOM types.
interface PageWindow {
  PagedPolyfill?: { chunker?: { rendered?: unknown; pagesArea?: unknown } };
  PagedConfig?: { auto?: unknown };
  MathJax?: { startup?: { promise?: unknown } };
  platenReady?: unknown;
}
declare const Document: { prototype: object };
declare const document: object;

/** Whether the value is a promise that has settled, or no promise. */
function hasSettled(settled: WeakMap<object, boolean>, value: unknown): boolean {
  const then = Object(value).then;
  if (typeof then !== 'function') return true;
  const promise = value as object;
  if (!settled.has(promise)) {
    const note = () => settled.set(promise, true);
    settled.set(promise, false);
    then.call(promise, note, note);
  }
  return settled.get(promise) ?? true;
}

/** Returns a function to poll, which returns what the document is waiting for, or undefined. */
export function readiness(): () => (typeof NAMES_OF_READINESS)[number] | undefined {
  const settled = new WeakMap<object, boolean>();
  const self = globalThis as unknown as PageWindow;
  const isPaged = () => {
    const chunker = self.PagedPolyfill?.chunker;
    const isAsked = self.PagedConfig?.auto !== false || chunker?.pagesArea !== undefined;
    return chunker?.rendered !== false || !isAsked;
  };
  return () => {
    try {
      const fonts = Object.getOwnPropertyDescriptor(Document.prototype, 'fonts')?.get?.call(document);
      if (fonts?.status === 'loading') return 'document.fonts';
      if (!isPaged()) return 'PagedPolyfill';
      if (!hasSettled(settled, self.MathJax?.startup?.promise)) return 'MathJax.startup.promise';
      if (self.platenReady === false || !hasSettled(settled, self.platenReady)) return 'window.platenReady';
    } catch {
      // a signal that cannot be read is not waited for
    }
    return undefined;
  };
}
