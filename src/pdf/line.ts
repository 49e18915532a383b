/** A first-come queue for a fixed number of places. A limited number may wait, and further requests are refused at once. */
import { queueFull } from '../errors.ts';

export class Line {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting: Array<() => void> = [];

  constructor(places: number, maxWaiting: number) {
    this.#free = places;
    this.#maxWaiting = maxWaiting;
  }

  /** Waits for a place and returns the function that gives it back. Throws `queue_full` or the reason of the signal. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) throw queueFull('too many PDFs are being finished', 1);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) return; // it got a place already
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    this.#waiting.push(resolve);
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
  }
}
