/** Work that goes on after its client was answered: a limited number of each account, and all of it ends with the service. */
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, queueFull, ServiceError } from '../../errors.ts';

const MAX_JOBS = 256;
const MAX_OF_ACCOUNT = 64;
/** How long work tries again where the service, or the plan of its account, has no room for it. */
const PATIENCE_MS = 600_000;
/** A document that is too large for its account stays so, and is printed each time before that is known. */
const MAX_MEMORY_RETRIES = 3;
const RETRY_AFTER_SECONDS = 5;

export class BackgroundJobs {
  /** With the account of each. */
  readonly #jobs = new Map<Promise<void>, string>();
  readonly #end = new AbortController();
  #draining = false;

  /** Begins `work`, which must not throw. Throws `queue_full` and `shutting_down`. */
  begin(account: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#draining) throw new ServiceError('shutting_down', 'the service is shutting down');
    const own = [...this.#jobs.values()].filter((other) => other === account).length;
    // No account has more places than it leaves free.
    if (own >= Math.min(MAX_OF_ACCOUNT, MAX_JOBS - this.#jobs.size))
      throw queueFull('too many results wait to be sent', RETRY_AFTER_SECONDS);
    const job = work(this.#end.signal).finally(() => this.#jobs.delete(job));
    this.#jobs.set(job, account);
  }

  /** Begins nothing more, and resolves when everything that was begun has ended. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#jobs.size) await Promise.allSettled(this.#jobs.keys());
  }

  /** Ends what is under way. */
  abort(): void {
    this.#end.abort();
  }
}

/** Does `work`, and again where there was no room for it. Throws what it throws in the end. */
export async function patiently<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  let memoryRetries = 0;
  const mayPass = (error: unknown): error is ServiceError =>
    hasCode(error, 'memory_limited') ? memoryRetries++ < MAX_MEMORY_RETRIES : hasCode(error, 'concurrency_limited', 'queue_full');
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || performance.now() > end || signal.aborted) throw error;
      await wait(1_000 * (error.retryAfterSeconds ?? 1), undefined, { signal, ref: false }).catch(() => {});
    }
  }
}
