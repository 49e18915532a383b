/** Runs jobs after their requests have been answered. Each account may have a limited number, and all end with the service. */
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, queueFull, ServiceError } from '../errors.ts';

const MAX_JOBS = 256;
const MAX_OF_ACCOUNT = 64;
/** How long work is retried while a queue is full or its account is at a limit. */
const MAX_RETRY_MS = 600_000;
/** Retries after `memory_limited` are few, because each one prints the document before it fails. */
const MAX_MEMORY_RETRIES = 3;
const RETRY_AFTER_SECONDS = 5;

export class BackgroundJobs {
  readonly #jobs = new Map<Promise<void>, string>();
  readonly #end = new AbortController();
  #draining = false;

  /** Begins `work`, which must not throw, and returns its end. Throws `queue_full` and `shutting_down`. */
  begin(account: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#draining) throw new ServiceError('shutting_down', 'the service is shutting down');
    const own = [...this.#jobs.values()].filter((other) => other === account).length;
    // An account must leave at least as many places free as it uses.
    if (own >= Math.min(MAX_OF_ACCOUNT, MAX_JOBS - this.#jobs.size))
      throw queueFull('too many results wait to be sent', RETRY_AFTER_SECONDS);
    const job = work(this.#end.signal).finally(() => this.#jobs.delete(job));
    this.#jobs.set(job, account);
    return job;
  }

  /** Accepts no more jobs, and resolves when all running jobs have ended. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#jobs.size) await Promise.allSettled(this.#jobs.keys());
  }

  abort(): void {
    this.#end.abort();
  }
}

/** Retries `work` after `concurrency_limited`, `queue_full` and `memory_limited`, up to the limits above. Throws its last error. */
export async function retryWhileBusy<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const end = performance.now() + MAX_RETRY_MS;
  let memoryRetries = 0;
  const isTransient = (error: unknown): error is ServiceError =>
    hasCode(error, 'memory_limited') ? memoryRetries++ < MAX_MEMORY_RETRIES : hasCode(error, 'concurrency_limited', 'queue_full');
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() > end || signal.aborted) throw error;
      await wait(1_000 * (error.retryAfterSeconds ?? 1), undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
