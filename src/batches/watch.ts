/** A client that follows a batch. Several changes between two reads count as one notification. */

export class Watch {
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  #changed = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal, forget: () => void) {
    this.#signal = signal;
    this.#forget = forget;
  }

  /** Whether the client has left or the service is shutting down. */
  get closed(): boolean {
    return this.#signal.aborted;
  }

  readonly notify = (): void => {
    this.#changed = true;
    this.#wake();
  };

  /**
   * Resolves when the batch has changed since the last call, when the time is over, or when the watch is closed. Returns whether
   * the batch has changed.
   */
  async next(milliseconds: number): Promise<boolean> {
    if (!this.#changed && !this.closed) await this.#wait(milliseconds);
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  async #wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.max(0, milliseconds)).unref();
    this.#wake = resolve;
    this.#signal.addEventListener('abort', this.#wake);
    await promise;
    this.#signal.removeEventListener('abort', this.#wake);
    this.#wake = () => {};
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    this.#forget();
  }
}
