/** Memory or disk that requests hold: how many bytes somebody wants to hold in, room for them or a refusal out. It moves no bytes itself. */
import { ServiceError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** What the bytes are of: requests in memory, or replies on the disk that nobody has read yet. */
type Holds = 'requests' | 'replies';

/** The owner holds its share, or the others hold too much. */
type Shortage = 'share' | 'whole';

/**
 * A limit for all owners together, and a share for each: half of what the others leave. One owner alone gets half of the whole, and
 * owners who hold as much as they can always leave something to one more.
 */
export class ByteBudget {
  readonly limit: number;
  readonly holds: Holds;
  readonly #owners = new Map<string, number>();
  #held = 0;
  /** Refusals so far, by what there was too little of. */
  readonly refused: Record<Shortage, number> = { share: 0, whole: 0 };

  constructor(limit: number, holds: Holds = 'requests') {
    this.limit = limit;
    this.holds = holds;
  }

  /** Bytes held at the moment. */
  get held(): number {
    return this.#held;
  }

  /** Holds nothing yet, and is to be released. */
  open(owner: string): HeldBytes {
    return new HeldBytes(this, owner);
  }

  /** For `HeldBytes`: `bytes` in place of those it has `already`. Says what there is too little of, and changes nothing then. */
  replace(owner: string, already: number, bytes: number): Shortage | undefined {
    const own = this.#owners.get(owner) ?? 0;
    const shortage = bytes > already ? this.#shortage(own, already, bytes) : undefined;
    if (shortage) return shortage;
    this.#held += bytes - already;
    if (own + bytes - already > 0) this.#owners.set(owner, own + bytes - already);
    else this.#owners.delete(owner);
    return undefined;
  }

  /** What is alone may be larger than its share: nothing that is allowed elsewhere is refused for ever. */
  #shortage(own: number, already: number, bytes: number): Shortage | undefined {
    if (this.#held === already) return undefined;
    const share = (this.limit - (this.#held - own)) / 2;
    if (own - already + bytes <= share) return undefined;
    return bytes <= share ? 'share' : 'whole';
  }
}

/** What one request holds. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  readonly #owner: string;
  #bytes = 0;
  #released = false;

  constructor(budget: ByteBudget, owner: string) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Held at the moment. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `memory_limited` or `overloaded` where there is no room to hold more, and holds what it did before. */
  resize(bytes: number): void {
    const shortage = this.#replace(bytes);
    if (!shortage) return;
    this.#budget.refused[shortage]++;
    throw REFUSALS[this.#budget.holds][shortage]();
  }

  /** The same for what can do without: false where there is no room. */
  tryResize(bytes: number): boolean {
    return !this.#replace(bytes);
  }

  /** Throws as `resize` does. */
  grow(bytes: number): void {
    this.resize(this.#bytes + bytes);
  }

  /** Holds at least so much. Throws as `resize` does. */
  atLeast(bytes: number): void {
    if (bytes > this.#bytes) this.resize(bytes);
  }

  /** The same for what cannot be refused any more: where there is no room, as much is held as before. */
  tryAtLeast(bytes: number): void {
    if (bytes > this.#bytes) this.#replace(bytes);
  }

  /** From now on nothing is counted any more. */
  release(): void {
    this.resize(0);
    this.#released = true;
  }

  #replace(bytes: number): Shortage | undefined {
    if (this.#released) return undefined; // the request is over; its work ends by itself
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
