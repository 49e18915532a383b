/** A client that follows a batch. Several changes between two reads count as one notification. */

export class Watch {
  /** Whether it is notified of every outcome, or only of the end of the batch. */
  readonly isForOutcomes: boolean;
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  #changed = false;
  #closed = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal, isForOutcomes: boolean, forget: () => void) {
    this.#signal = signal;
    this.isForOutcomes = isForOutcomes;
    this.#forget = forget;
    this.#closed = signal.aborted;
    signal.addEventListener('abort', this.close, { once: true });
  }

  /** Whether the client has left or the service is shutting down. */
  get closed(): boolean {
    return this.#closed;
  }

  notify(): void {
    this.#changed = true;
    this.#wake();
  }

  readonly close = (): void => {
    this.#closed = true;
    this.#wake();
  };

  /**
   * Resolves when the batch has changed since the last call, when the time is over, or when the watch is closed. Returns whether
   * the batch has changed.
   */
  async next(milliseconds: number): Promise<boolean> {
    if (!this.#changed && !this.#closed) await this.#wait(milliseconds);
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  async #wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, milliseconds)).unref();
    this.#wake = resolve;
    await promise;
    this.#wake = () => {};
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.close);
    this.#forget();
  }
}
