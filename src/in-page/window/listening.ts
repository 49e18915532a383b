/** Keeps the listeners of the window: they are removed when a document is written into it, but a mutation observer stays. */
import { apply } from '../dom/built-ins.ts';

const { observe } = MutationObserver.prototype;

/** Calls `listen` now, and again before the first script of each document that is written into the window. */
export function keepListening(listen: () => void): void {
  listen();
  apply(observe, new MutationObserver(listen), [document, { childList: true }]);
}
