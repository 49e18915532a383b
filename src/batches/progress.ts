/** Notifies listeners of changes to batches: the metrics, other nodes, and clients that follow a batch. */
import { EventEmitter } from 'node:events';
import type { Completed } from './queue.ts';
import { Watch } from './watch.ts';

export class Progress {
  /** Its events are the notices that nodes send to each other. */
  readonly #notices = new EventEmitter().setMaxListeners(0);
  readonly #end = new AbortController();
  #onOutcome: (outcome: string, items: number) => void = () => {};
  #tellOthers: (notice: string) => void = () => {};

  watchOutcomes(listener: (outcome: string, items: number) => void): void {
    this.#onOutcome = listener;
  }

  /** `listener` sends notices to the other nodes, which pass them to `receiveNotice`. */
  watchNotices(listener: (notice: string) => void): void {
    this.#tellOthers = listener;
  }

  /** Handles a notice of another node. Nobody listens to unknown notices, which a node of another version may send. */
  receiveNotice(notice: string): void {
    this.#notices.emit(notice);
  }

  /** Call this after the outcome of items has been committed: `ok`, `cancelled`, or an error code. */
  outcome(batchId: string, outcome: string, { items, batchEnded }: Completed): void {
    this.#onOutcome(outcome, items);
    this.#tell(`changed ${batchId}`);
    if (batchEnded) this.ended(batchId);
  }

  /** Call this after the end of a batch has been committed. */
  ended(batchId: string): void {
    this.#tell(`ended ${batchId}`);
  }

  /** Closes all watches, present and future, because the service is shutting down. */
  close(): void {
    this.#end.abort();
  }

  /**
   * Watches a batch for every outcome, or only for its end. Create the watch before you first read the batch, so that no change
   * is missed, and dispose of it afterwards. It closes when `signal` aborts.
   */
  watch(batchId: string, signal: AbortSignal, what: 'outcomes' | 'end'): Watch {
    const notices = what === 'outcomes' ? [`changed ${batchId}`, `ended ${batchId}`] : [`ended ${batchId}`];
    const watch = new Watch(AbortSignal.any([signal, this.#end.signal]), () => {
      for (const notice of notices) this.#notices.off(notice, watch.notify);
    });
    for (const notice of notices) this.#notices.on(notice, watch.notify);
    return watch;
  }

  #tell(notice: string): void {
    this.#notices.emit(notice);
    this.#tellOthers(notice);
  }
}
