/** What happens to batches, told to those who want to know: the runner, the metrics, and callers who wait for the end. */

export class Progress {
  readonly #waiting = new Map<string, Set<() => void>>();
  #closed = false;
  #onWork: () => void = () => {};
  #onOutcome: (outcome: string, items: number) => void = () => {};

  watchWork(listener: () => void): void {
    this.#onWork = listener;
  }

  watchOutcomes(listener: (outcome: string, items: number) => void): void {
    this.#onOutcome = listener;
  }

  /** There is more to do. */
  added(): void {
    this.#onWork();
  }

  /** `ok`, `cancelled`, or the code of an error. */
  outcome(outcome: string, items: number): void {
    this.#onOutcome(outcome, items);
  }

  /** The end of a batch has been committed. */
  ended(batchId: string): void {
    for (const resolve of this.#waiting.get(batchId) ?? []) resolve();
  }

  /** From now on nobody waits: the service ends. */
  close(): void {
    this.#closed = true;
    for (const batchId of this.#waiting.keys()) this.ended(batchId);
  }

  /** Resolves when the batch has ended, or the time is over, or `signal` aborts. */
  async whenEnded(batchId: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => resolve();
    const timer = setTimeout(done, milliseconds).unref();
    const waiting = this.#waiting.get(batchId) ?? new Set();
    this.#waiting.set(batchId, waiting.add(done));
    signal.addEventListener('abort', done, { once: true });
    await promise;
    signal.removeEventListener('abort', done);
    clearTimeout(timer);
    waiting.delete(done);
    if (!waiting.size) this.#waiting.delete(batchId);
  }
}
