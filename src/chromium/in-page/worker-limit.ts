/**
 * Limits how many workers a page starts, because all pages wait while the main process of the browser sets up a worker. It reports
 * workers too late for a limit outside the page.
 */

/** The limit for all documents of a page that can access each other. The render fails when a page starts this many. */
export const MAX_WORKERS = 128;
/** The limit for each worker, and for each frame that cannot access the top window. */
const MAX_WORKERS_OF_OTHERS = 4;
/** The symbol under which the top window keeps the function that counts a worker and returns whether it may start. */
const KEY = 'platen.workers';

/** Must be evaluated in windows and workers before any of their scripts. */
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
    // The top window has another origin.
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
