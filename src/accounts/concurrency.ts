/** How many renders of an account may be under way at one time: one in, or `concurrency_limited` at once. */
import { ServiceError } from '../errors.ts';
import type { Principal } from './accounts.ts';

export class Concurrency {
  readonly #underWay = new Map<string, number>();

  /** Returns what to call when the render has ended. Throws `concurrency_limited`. */
  enter({ accountId, plan }: Principal): () => void {
    const count = this.#underWay.get(accountId) ?? 0;
    if (plan.concurrency !== null && count >= plan.concurrency) throw limited(plan.concurrency);
    this.#underWay.set(accountId, count + 1);
    return () => this.#leave(accountId);
  }

  #leave(accountId: string): void {
    const count = (this.#underWay.get(accountId) ?? 0) - 1;
    if (count > 0) this.#underWay.set(accountId, count);
    else this.#underWay.delete(accountId);
  }
}

function limited(limit: number): ServiceError {
  return new ServiceError(
    'concurrency_limited',
    `your plan allows ${limit} ${limit === 1 ? 'render' : 'renders'} at one time; send the next when one has been answered`,
    { retryAfterSeconds: 1, members: { limit, retry_after: 1 } },
  );
}
