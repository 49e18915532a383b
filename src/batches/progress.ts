/** Notifies listeners of changes to batches: the metrics, other nodes, and clients that follow a batch. */
import { Watch } from './watch.ts';

export class Progress {
  readonly #watches = new Map<string, Set<Watch>>();
  #closed = false;
  #onOutcome: (outcome: string, items: number) => void = () => {};
  #tellOthers: (notice: string) => void = () => {};

  watchOutcomes(listener: (outcome: string, items: number) => void): void {
    this.#onOutcome = listener;
  }

  /** `listener` sends notices to the other nodes, which pass them to `receiveNotice`. */
  watchNotices(listener: (notice: string) => void): void {
    this.#tellOthers = listener;
  }

  /** Handles a notice of another node. Ignores unknown notices, which a node of another version may send. */
  receiveNotice(notice: string): void {
    const [what, id] = notice.split(' ');
    if (what === 'changed') this.#changed(id ?? '');
    if (what === 'ended') this.#ended(id ?? '');
  }

  /** Call this after the outcome of items has been committed: `ok`, `cancelled`, or an error code. */
  outcome(batchId: string, outcome: string, items: number): void {
    this.#onOutcome(outcome, items);
    this.changed(batchId);
  }

  /** Call this when items of a batch may have finished. */
  changed(batchId: string): void {
    this.#changed(batchId);
    this.#tellOthers(`changed ${batchId}`);
  }

  /** Call this after the end of a batch has been committed. */
  ended(batchId: string): void {
    this.#ended(batchId);
    this.#tellOthers(`ended ${batchId}`);
  }

  /** Closes all watches, present and future, because the service is shutting down. */
  close(): void {
    this.#closed = true;
    for (const watches of this.#watches.values()) for (const watch of watches) watch.close();
  }

  /**
   * Watches a batch for every outcome, or only for its end. Create the watch before you first read the batch, so that no change
   * is missed, and dispose of it afterwards. It closes when `signal` aborts.
   */
  watch(batchId: string, signal: AbortSignal, what: 'outcomes' | 'end'): Watch {
    const watches = this.#watches.get(batchId) ?? new Set();
    this.#watches.set(batchId, watches);
    const watch: Watch = new Watch(signal, what === 'outcomes', () => {
      watches.delete(watch);
      if (!watches.size && this.#watches.get(batchId) === watches) this.#watches.delete(batchId);
    });
    watches.add(watch);
    if (this.#closed) watch.close();
    return watch;
  }

  #changed(batchId: string): void {
    for (const watch of this.#watches.get(batchId) ?? []) if (watch.isForOutcomes) watch.notify();
  }

  #ended(batchId: string): void {
    for (const watch of this.#watches.get(batchId) ?? []) watch.notify();
  }
}
