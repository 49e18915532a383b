/** Limits how many renders of an account run at the same time. A call beyond the limit gets `concurrency_limited` at once. */
import { ServiceError } from '../errors.ts';
import { OwnerCounter } from '../queue/owner-counter.ts';
import type { Principal } from './accounts.ts';

export class Concurrency {
  readonly #calls = new OwnerCounter();
  readonly #inBackground = new OwnerCounter();
  #onLeave: (accountId: string) => void = () => {};

  /**
   * Returns the function to call when the render has ended. Throws `concurrency_limited`. Background renders do not count against
   * calls.
   */
  enter({ accountId, plan }: Principal): () => void {
    if (plan.concurrency !== null && this.#calls.of(accountId) >= plan.concurrency) throw concurrencyLimited(plan.concurrency);
    return this.#count(this.#calls, accountId);
  }

  /** Like `enter`, for background renders, which use the slots that calls leave free. */
  readonly background = {
    enter: (principal: Principal): (() => void) => {
      if (!this.hasRoom(principal)) throw concurrencyLimited(principal.plan.concurrency ?? 0);
      return this.#count(this.#inBackground, principal.accountId);
    },
  };

  /** Whether one more background render may start. */
  hasRoom({ accountId, plan }: Principal): boolean {
    return plan.concurrency === null || this.#calls.of(accountId) + this.#inBackground.of(accountId) < plan.concurrency;
  }

  /** Calls `listener` whenever a render of an account has ended. */
  watchLeave(listener: (accountId: string) => void): void {
    this.#onLeave = listener;
  }

  #count(counter: OwnerCounter, accountId: string): () => void {
    const subtract = counter.add(accountId);
    return () => {
      subtract();
      this.#onLeave(accountId);
    };
  }
}

export function concurrencyLimited(limit: number): ServiceError {
  return new ServiceError(
    'concurrency_limited',
    `your plan allows ${limit} ${limit === 1 ? 'render' : 'renders'} at the same time; send the next request when one has been answered`,
    { retryAfterSeconds: 1, members: { limit, retry_after: 1 } },
  );
}
