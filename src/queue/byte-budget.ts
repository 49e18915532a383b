/** Counts memory or disk space that requests use: a number of bytes in, permission or an error out. It does not allocate anything. */
import { ServiceError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** What the budget counts: requests in memory, or unread replies on the disk. */
type Holds = 'requests' | 'replies';

/** Why there is no room: the owner has used its share, or all owners together use too much. */
type Shortage = 'share' | 'whole';

/**
 * A limit for all owners together, and a share for each owner: half of what the others leave. A single owner gets half of the limit,
 * and owners who use their whole share always leave something for one more.
 */
export class ByteBudget {
  readonly limit: number;
  readonly holds: Holds;
  readonly #owners = new Map<string, number>();
  #held = 0;
  /** Number of refusals so far, by reason. */
  readonly refused: Record<Shortage, number> = { share: 0, whole: 0 };

  constructor(limit: number, holds: Holds = 'requests') {
    this.limit = limit;
    this.holds = holds;
  }

  get held(): number {
    return this.#held;
  }

  /** Returns an account of zero bytes. The caller must release it. */
  open(owner: string): HeldBytes {
    return new HeldBytes(this, owner);
  }

  /** For `HeldBytes`: counts `bytes` in place of `already`. If there is no room, returns the reason and changes nothing. */
  replace(owner: string, already: number, bytes: number): Shortage | undefined {
    const own = this.#owners.get(owner) ?? 0;
    const shortage = bytes > already ? this.#shortage(own, already, bytes) : undefined;
    if (shortage) return shortage;
    this.#held += bytes - already;
    if (own + bytes - already > 0) this.#owners.set(owner, own + bytes - already);
    else this.#owners.delete(owner);
    return undefined;
  }

  /** A single request may exceed its share. Otherwise a request that other limits allow could never succeed. */
  #shortage(own: number, already: number, bytes: number): Shortage | undefined {
    if (this.#held === already) return undefined;
    const share = (this.limit - (this.#held - own)) / 2;
    if (own - already + bytes <= share) return undefined;
    return bytes <= share ? 'share' : 'whole';
  }
}

/** The bytes that one request uses. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  readonly #owner: string;
  #bytes = 0;
  #released = false;

  constructor(budget: ByteBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `memory_limited` or `overloaded` if there is no room, and then keeps the previous size. */
  resize(bytes: number): void {
    const shortage = this.#replace(bytes);
    if (!shortage) return;
    this.#budget.refused[shortage]++;
    throw REFUSALS[this.#budget.holds][shortage]();
  }

  /** Like `resize`, for optional memory: returns false if there is no room. */
  tryResize(bytes: number): boolean {
    return !this.#replace(bytes);
  }

  /** Throws as `resize` does. */
  grow(bytes: number): void {
    this.resize(this.#bytes + bytes);
  }

  /** Raises the size to at least `bytes`. Throws as `resize` does. */
  atLeast(bytes: number): void {
    if (bytes > this.#bytes) this.resize(bytes);
  }

  /** Like `atLeast`, for work that can no longer be refused: keeps the previous size if there is no room. */
  tryAtLeast(bytes: number): void {
    if (bytes > this.#bytes) this.#replace(bytes);
  }

  /** Sets the size to zero. Later changes are ignored. */
  release(): void {
    this.resize(0);
    this.#released = true;
  }

  #replace(bytes: number): Shortage | undefined {
    if (this.#released) return undefined; // the request has ended, and its work ends soon
    const shortage = this.#budget.replace(this.#owner, this.#bytes, bytes);
    if (!shortage) this.#bytes = bytes;
    return shortage;
  }
}

const REFUSALS: Record<Holds, Record<Shortage, () => ServiceError>> = {
  requests: {
    share: () =>
      refusal(
        'memory_limited',
        'your running requests use as much memory as one account or visitor may use; wait until one of them is answered',
      ),
    whole: () =>
      refusal('overloaded', `all requests together use the memory reserved for them; try again in ${RETRY_AFTER_SECONDS} s`),
  },
  replies: {
    share: () =>
      refusal('memory_limited', 'your unread replies use as much memory as one account or visitor may use; read them first'),
    whole: () =>
      refusal('overloaded', `unread replies use all the memory reserved for them; try again in ${RETRY_AFTER_SECONDS} s`),
  },
};

function refusal(code: 'memory_limited' | 'overloaded', detail: string): ServiceError {
  return new ServiceError(code, detail, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    members: { retry_after: RETRY_AFTER_SECONDS },
  });
}
