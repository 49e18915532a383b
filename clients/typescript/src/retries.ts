/** Decides whether a failed request is repeated, and after how long. */
import { PlatenConnectionError, type PlatenError } from './errors.ts';

export interface RetryLimits {
  /** How many times a request is repeated after a lost connection, 429 or 503. Default: 3. */
  maxRetries: number;
  /** The longest pause before a request is repeated, in seconds. A longer `Retry-After` ends the retries. Default: 30. */
  maxRetryDelay: number;
  /**
   * How long to wait for the reply to an earlier request with the same idempotency key that is still running, in seconds. This does
   * not count as a retry. Default: 150, which is more than the longest render of a service with default settings.
   */
  idempotencyTimeout: number;
}

/** Errors after which the same request may succeed. Nothing has been charged when they are returned. */
const TEMPORARY: ReadonlySet<string> = new Set([
  ...['queue_full', 'rate_limited', 'concurrency_limited', 'memory_limited'],
  ...['browser_unavailable', 'storage_failed', 'overloaded', 'shutting_down'],
]);
/** The longest pause while an earlier request is running, in seconds. It may end long before `Retry-After`, the end of its lease. */
const MAX_RUNNING_PAUSE = 5;

/** The retries of one call. */
export class Retries {
  readonly #limits: RetryLimits;
  #retried = 0;
  #waited = 0;
  /** When to stop waiting for an earlier request. */
  #deadline: number | undefined;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
  }

  /** Returns the seconds to wait before the request is repeated, or undefined if it is not. */
  pauseAfter(failure: PlatenError | PlatenConnectionError): number | undefined {
    if (!(failure instanceof PlatenConnectionError)) {
      if (failure.code === 'idempotency_running') return this.#pauseForEarlier(failure);
      const fromProxy = [502, 503, 504].includes(failure.status) && failure.problem.type === 'about:blank';
      if (!fromProxy && !TEMPORARY.has(failure.code)) return undefined;
    }
    if (this.#retried >= this.#limits.maxRetries) return undefined;
    const pause = Math.max('retryAfter' in failure ? (failure.retryAfter ?? 0) : 0, backoff(this.#retried++));
    return pause > this.#limits.maxRetryDelay ? undefined : pause;
  }

  #pauseForEarlier({ retryAfter = MAX_RUNNING_PAUSE }: PlatenError): number | undefined {
    const pause = Math.min(retryAfter, backoff(this.#waited++), MAX_RUNNING_PAUSE);
    const resumesAt = performance.now() + pause * 1_000;
    this.#deadline ??= performance.now() + this.#limits.idempotencyTimeout * 1_000;
    return resumesAt > this.#deadline ? undefined : pause;
  }
}

function backoff(count: number): number {
  return 0.25 * 2 ** Math.min(count, 8) * (1 + Math.random());
}
