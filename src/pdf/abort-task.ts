/** Aborts a task, and the thread that runs it, when its caller has left. */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

export class TaskAbort {
  /** Resolves when the thread has ended. It still uses the CPU until then, because a built-in function cannot be interrupted. */
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

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

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
