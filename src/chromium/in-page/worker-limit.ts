/**
 * Limits how many workers are started: the main process of the browser sets each up, and all pages wait meanwhile. It tells of them
 * too late for a limit of its own.
 */

/** By the documents of a page that can reach each other. One that starts all of them is ended. */
export const MAX_WORKERS = 128;
/** By each worker, and each frame that cannot reach the window at the top. */
const MAX_WORKERS_OF_OTHERS = 4;
/** Under this symbol the window at the top takes one from the rest. */
const KEY = 'platen.workers';

/** To run in windows and workers before any script of theirs. */
export const LIMIT_WORKERS = `(${limitWorkers})(${MAX_WORKERS}, ${MAX_WORKERS_OF_OTHERS}, ${JSON.stringify(KEY)})`;

// Runs in the page, sent as text.
function limitWorkers(most: number, mostOfOthers: number, key: string): void {
  const self = globalThis as unknown as Record<string | symbol, unknown> & { top?: Record<symbol, unknown> };
  const { construct, defineProperty } = Reflect;
  const symbol = Symbol.for(key);
  const isTop = self.top === (self as unknown);
  let left = isTop ? most : mostOfOthers;
  let take: unknown = () => left-- > 0;
  try {
    if (isTop) defineProperty(self, symbol, { value: take });
    else take = self.top?.[symbol] ?? take;
  } catch {
    // The window at the top is of another origin.
  }
  for (const name of ['Worker', 'SharedWorker']) {
    const native = self[name] as (new () => object) | undefined;
    if (!native) continue;
    const limited = new Proxy(native, {
      construct(_, args, newTarget) {
        if (!(take as () => boolean)()) throw new RangeError('no more workers are started');
        return construct(native, args, newTarget);
      },
    });
    native.prototype.constructor = limited;
    self[name] = limited;
  }
}
