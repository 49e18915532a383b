/**
 * Limits how many workers a page starts, because all pages wait while the main process of the browser sets up a worker. It reports
 * workers too late for a limit outside the page.
 */
import { apply, construct } from '../dom/built-ins.ts';

/**
 * Replaces the constructors of workers. `mayStart` counts a worker. It runs in workers as well as in windows. Returns a function that
 * tells how many the browser is going to report: without those that cannot be loaded, and without shared ones, of which several may be
 * the same.
 */
export function limitWorkers(mayStart: () => boolean): () => number {
  let started = 0;
  const { addEventListener } = EventTarget.prototype;
  const onError = (event: Event) => {
    if (!(event instanceof ErrorEvent)) started--; // others are errors of its script
  };
  const self = globalThis as unknown as Record<string, unknown>;
  for (const name of ['Worker', 'SharedWorker']) {
    const native = self[name] as (new () => object) | undefined;
    if (!native) continue;
    const limited = new Proxy(native, {
      construct(_, args, newTarget) {
        if (!mayStart()) throw new RangeError('no more workers are started');
        const worker: object = construct(native, args, newTarget);
        if (name === 'Worker') {
          started++;
          apply(addEventListener, worker, ['error', onError, { once: true }]);
        }
        return worker;
      },
    });
    native.prototype.constructor = limited;
    self[name] = limited;
  }
  return () => started;
}

/** Returns a function that returns true this many times. */
export function countDown(left: number): () => boolean {
  let rest = left;
  return () => rest-- > 0;
}
