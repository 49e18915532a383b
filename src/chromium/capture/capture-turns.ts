import { setTimeout as wait } from 'node:timers/promises';

/**
 * Lets a browser take one screenshot at a time: its main process encodes them, and every page waits for it. After a screenshot
 * that made a PDF wait, the process is free for as long as the screenshot took.
 */
export class CaptureTurns {
  #free: Promise<unknown> = Promise.resolve();
  #prints = 0;
  readonly #rest: (ms: number) => Promise<void>;

  constructor(rest: (ms: number) => Promise<void> = wait) {
    this.#rest = rest;
  }

  /** Takes a screenshot after all that came before it, whether they succeeded or failed. */
  capture<T>(work: () => Promise<T>): Promise<T> {
    let startedAt = 0;
    const turn = this.#free.then(() => {
      startedAt = performance.now();
      return work();
    });
    const rest = () => (this.#prints ? this.#rest(performance.now() - startedAt) : undefined);
    this.#free = turn.then(rest, rest);
    return turn;
  }

  /** Makes a PDF, which waits for no screenshot but the one under way. */
  async print<T>(work: () => Promise<T>): Promise<T> {
    this.#prints++;
    try {
      return await work();
    } finally {
      this.#prints--;
    }
  }
}
