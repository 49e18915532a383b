/** A client that follows a batch. Several changes between two reads count as one notification. */
import { setTimeout as sleep } from 'node:timers/promises';

export class Watch {
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  /** Resolves when the batch has changed since the last call of `next`. */
  #change = Promise.withResolvers<true>();

  constructor(signal: AbortSignal, forget: () => void) {
    this.#signal = signal;
    this.#forget = forget;
  }

  /** Whether the client has left or the service is shutting down. */
  get closed(): boolean {
    return this.#signal.aborted;
  }

  readonly notify = (): void => this.#change.resolve(true);

  /**
   * Resolves when the batch has changed since the last call, when the time is over, or when the watch is closed. Returns whether
   * the batch has changed.
   */
  async next(milliseconds: number): Promise<boolean> {
    const timer = new AbortController();
    const signal = AbortSignal.any([this.#signal, timer.signal]);
    const timeout = sleep(Math.max(0, milliseconds), false, { signal, ref: false }).catch(() => false);
    const hasChanged = await Promise.race([this.#change.promise, timeout]);
    timer.abort();
    if (hasChanged) this.#change = Promise.withResolvers();
    return hasChanged;
  }

  [Symbol.dispose](): void {
    this.#forget();
  }
}
