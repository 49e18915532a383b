/** One who follows a batch: told that something has changed, however often it has since the last look. */

export class Watch {
  /** Whether it is told of outcomes, too, or of the end alone. */
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

  /** Nobody waits here any more: the client has left, or the service ends. */
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

  /** Resolves when something has changed since it was asked last, or the time is over, or this is closed. Returns whether the first. */
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
