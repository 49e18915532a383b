/** Ends a task when its caller has left, and the thread that is at it. */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

export class TaskAbort {
  /** Until then the thread takes its share of the processor: it cannot be ended in the middle of a built-in function. */
  threadGone: Promise<unknown> = Promise.resolve();
  readonly #controller = new AbortController();
  readonly #threads: Piscina;
  readonly #caller: AbortSignal;

  constructor(threads: Piscina, caller: AbortSignal) {
    this.#threads = threads;
    this.#caller = caller;
    if (caller.aborted) this.#leave();
    caller.addEventListener('abort', this.#leave, { once: true });
  }

  /** For the one task. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What the task was ended with; undefined when it was not. */
  get reason(): unknown {
    return this.signal.reason;
  }

  clear(): void {
    this.#caller.removeEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => this.end(this.#caller.reason);

  end(reason: unknown): void {
    const before: Worker[] = this.#threads.threads;
    this.#controller.abort(reason);
    const ended = before.filter((thread) => !this.#threads.threads.includes(thread));
    this.threadGone = Promise.all(ended.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
  }
}
