/**
 * Who renders next: at most `capacity` renders at a time, at most `limit` waiting, owners in turn.
 *
 * One owner with many waiting renders delays itself, not the others: owners are served round robin, and when the queue is
 * full the newest render of the owner with the longest line makes room for an owner with a shorter one.
 */
import type { Deadline } from '../deadline.ts';
import { ServiceError } from '../errors.ts';

interface Waiter {
  owner: string;
  admit: () => void;
  refuse: (error: ServiceError) => void;
}

/** Weight of the newest render in the running average of service times. */
const AVERAGE_WEIGHT = 0.1;
const FIRST_GUESS_MS = 100;

export class FairQueue {
  readonly #capacity: number;
  readonly #limit: number;
  /** Lines by owner; the owner whose turn it is comes first. */
  readonly #lines = new Map<string, Waiter[]>();
  #waiting = 0;
  #running = 0;
  #averageMs = FIRST_GUESS_MS;
  #onIdle: (() => void) | undefined;

  constructor(options: { capacity: number; limit: number }) {
    this.#capacity = options.capacity;
    this.#limit = options.limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get running(): number {
    return this.#running;
  }

  /** Throws `queue_full` when `acquire` would at this moment: for those who have something to do before they ask for a place. */
  requireRoom(owner: string): void {
    const isFull = this.#running >= this.#capacity && this.#waiting >= this.#limit;
    if (isFull && !this.#displacedBy(owner)) throw this.#full();
  }

  /**
   * Waits for a place and returns the function that gives it back. Throws `queue_full` at once when no more may wait, and
   * what the deadline ends with.
   */
  async acquire(owner: string, deadline: Deadline): Promise<() => void> {
    if (this.#running < this.#capacity && this.#waiting === 0) return this.#start();
    if (this.#waiting >= this.#limit && !this.#makeRoomFor(owner)) throw this.#full();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { owner, admit: resolve, refuse: reject };
    this.#enqueue(waiter);
    try {
      await deadline.race(promise);
    } catch (error) {
      // Admitted and given up in the same moment: the place goes on to the next.
      if (!this.#remove(waiter))
        promise.then(
          () => this.#release(),
          () => {},
        );
      throw error;
    }
    return this.#started();
  }

  /** Seconds until a render sent now would be served, from the length of the queue and the speed so far. */
  get retryAfterSeconds(): number {
    const rounds = (this.#waiting + this.#running) / this.#capacity;
    return Math.max(1, Math.ceil((rounds * this.#averageMs) / 1000));
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.#running + this.#waiting === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #start(): () => void {
    this.#running++;
    return this.#started();
  }

  /** The place is taken; measures how long it is held. */
  #started(): () => void {
    const since = performance.now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#averageMs += AVERAGE_WEIGHT * (performance.now() - since - this.#averageMs);
      this.#release();
    };
  }

  #release(): void {
    this.#running--;
    const next = this.#next();
    if (next) {
      this.#running++;
      next.admit();
    } else if (this.#running === 0) {
      this.#onIdle?.();
    }
  }

  #enqueue(waiter: Waiter): void {
    const line = this.#lines.get(waiter.owner);
    if (line) line.push(waiter);
    else this.#lines.set(waiter.owner, [waiter]);
    this.#waiting++;
  }

  /** Takes the first of the owner whose turn it is; that owner goes to the end. */
  #next(): Waiter | undefined {
    const first = this.#lines.entries().next().value;
    if (!first) return undefined;
    const [owner, line] = first;
    const waiter = line.shift();
    this.#lines.delete(owner);
    if (line.length) this.#lines.set(owner, line);
    this.#waiting--;
    return waiter;
  }

  #remove(waiter: Waiter): boolean {
    const line = this.#lines.get(waiter.owner);
    const at = line?.indexOf(waiter) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    if (!line.length) this.#lines.delete(waiter.owner);
    this.#waiting--;
    return true;
  }

  #makeRoomFor(owner: string): boolean {
    const last = this.#displacedBy(owner);
    if (!last) return false;
    this.#remove(last);
    last.refuse(this.#full());
    return true;
  }

  /** Who would have to go for this owner, whose own line is shorter. */
  #displacedBy(owner: string): Waiter | undefined {
    let longest: Waiter[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    const own = this.#lines.get(owner)?.length ?? 0;
    return longest.length > own + 1 ? longest.at(-1) : undefined;
  }

  #full(): ServiceError {
    const retryAfterSeconds = this.retryAfterSeconds;
    const detail = `too many renders are waiting; try again in ${retryAfterSeconds} s`;
    return new ServiceError('queue_full', detail, { retryAfterSeconds, members: { retry_after: retryAfterSeconds } });
  }
}
