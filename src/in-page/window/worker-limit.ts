/**
 * Limits how many workers a page starts, because all pages wait while the main process of the browser sets up a worker. It reports
 * workers too late for a limit outside the page.
 */
import { construct } from '../dom/built-ins.ts';

/** Replaces the constructors of workers. `mayStart` counts a worker. It runs in workers as well as in windows. */
export function limitWorkers(mayStart: () => boolean): void {
  const self = globalThis as unknown as Record<string, unknown>;
  for (const name of ['Worker', 'SharedWorker']) {
    const native = self[name] as (new () => object) | undefined;
    if (!native) continue;
    const limited = new Proxy(native, {
      construct(_, args, newTarget) {
        if (!mayStart()) throw new RangeError('no more workers are started');
        return construct(native, args, newTarget);
      },
    });
    native.prototype.constructor = limited;
    self[name] = limited;
  }
}

/** Returns a function that returns true this many times. */
export function countDown(left: number): () => boolean {
  let rest = left;
  return () => rest-- > 0;
}
