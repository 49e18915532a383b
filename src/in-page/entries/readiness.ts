/** Reads whether a document signals that it is not ready. */

import type { ReadinessSignal } from '../contract/questions.ts';
import { read } from '../dom/nodes.ts';

interface SignallingWindow {
  PagedPolyfill?: { chunker?: { rendered?: unknown; pagesArea?: unknown } };
  PagedConfig?: { auto?: unknown };
  MathJax?: { startup?: { promise?: unknown } };
  platenReady?: unknown;
}

/** Returns a function to poll, which returns what the document is waiting for, or undefined. */
export function watchReadiness(): () => ReadinessSignal | undefined {
  const settled = new WeakMap<object, boolean>();
  const self = window as unknown as SignallingWindow;
  return () => {
    try {
      if (read(document, 'fonts')?.status === 'loading') return 'document.fonts';
      if (!isPaged(self)) return 'PagedPolyfill';
      if (!hasSettled(settled, self.MathJax?.startup?.promise)) return 'MathJax.startup.promise';
      if (self.platenReady === false || !hasSettled(settled, self.platenReady)) return 'window.platenReady';
    } catch {
      // a signal that cannot be read is not waited for
    }
    return undefined;
  };
}

function isPaged({ PagedPolyfill, PagedConfig }: SignallingWindow): boolean {
  const chunker = PagedPolyfill?.chunker;
  const isAsked = PagedConfig?.auto !== false || chunker?.pagesArea !== undefined;
  return chunker?.rendered !== false || !isAsked;
}

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
