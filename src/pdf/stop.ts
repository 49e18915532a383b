/** Ends the thread of a task when its caller has left. */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

export class Stop {
  /** Until then the thread takes its share of the processor: it cannot be ended in the middle of a built-in function. */
  threadGone: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #threads: Piscina;
  readonly #caller: AbortSignal;

  constructor(threads: Piscina, caller: AbortSignal) {
    this.#threads = threads;
    this.#caller = caller;
    if (caller.aborted) this.#end();
    caller.addEventListener('abort', this.#end, { once: true });
  }

  /** For the one task. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    this.#caller.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => {
    const before: Worker[] = this.#threads.threads;
    this.#controller.abort();
    const ended = before.filter((thread) => !this.#threads.threads.includes(thread));
    this.threadGone = Promise.all(ended.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
  };
}
