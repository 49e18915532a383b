/** Notifies listeners of changes to batches: the metrics, and clients that follow a batch. */
import { Watch } from './watch.ts';

export class Progress {
  readonly #watches = new Map<string, Set<Watch>>();
  #closed = false;
  #onOutcome: (outcome: string, items: number) => void = () => {};
  #tellOthers: (notice: string) => void = () => {};

  watchOutcomes(listener: (outcome: string, items: number) => void): void {
    this.#onOutcome = listener;
  }

  /** `listener` passes notices on to other nodes, which hand them to `hear`. */
  watchNotices(listener: (notice: string) => void): void {
    this.#tellOthers = listener;
  }

  /** A notice of another node. What is not one is ignored: it may be of another version. */
  hear(notice: string): void {
    const [what, id] = notice.split(' ');
    if (what === 'changed') this.#changed(id ?? '');
    if (what === 'ended') this.#ended(id ?? '');
  }

  /** Items of a batch have got their outcome: `ok`, `cancelled`, or the code of an error. It has been committed. */
  outcome(batchId: string, outcome: string, items: number): void {
    this.#onOutcome(outcome, items);
    this.changed(batchId);
  }

  /** Items of a batch may have got their outcome. */
  changed(batchId: string): void {
    this.#changed(batchId);
    this.#tellOthers(`changed ${batchId}`);
  }

  /** The end of a batch has been committed. */
  ended(batchId: string): void {
    this.#ended(batchId);
    this.#tellOthers(`ended ${batchId}`);
  }

  /** From now on nobody waits: the service ends. */
  close(): void {
    this.#closed = true;
    for (const watches of this.#watches.values()) for (const watch of watches) watch.close();
  }

  /**
   * Is told of every outcome, or of the end alone. To be made before the first look, so that nothing is missed, and to be
   * disposed of. Closes when `signal` aborts.
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
