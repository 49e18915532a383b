/** Keeps the listeners of the window: they are removed when a document is written into it, but a mutation observer stays. */
import { apply } from '../dom/built-ins.ts';

const { observe } = MutationObserver.prototype;
const all: Array<() => void> = [];
const observer = new MutationObserver(listenAgain);

/** Calls `listen` now, and again before the first script of each document that is written into the window. */
export function keepListening(listen: () => void): void {
  all.push(listen);
  listenAgain();
}

/** Call it when the window may have another document, as that of a frame has after its empty one. A listener is never added twice. */
export function listenAgain(): void {
  for (const listen of all) listen();
  apply(observe, observer, [document, { childList: true }]);
}
