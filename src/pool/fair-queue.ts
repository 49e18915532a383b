/**
 * Who renders next: at most `capacity` renders at a time, at most `limit` waiting, owners in turn.
 *
 * One owner with many waiting renders delays itself, not the others: owners are served round robin, and when the queue is
 * full the newest render of the owner with the longest line makes room for an owner with a shorter one.
 *
 * What runs in the background has lines of its own, which move only while nobody waits in the others. How many wait there is
 * the affair of who sends them. Nobody waits for it to end, either: beside it, a few places more than there are may be taken,
 * and it does not go on until they are given back. While others come now and then, it leaves places free for the next of them.
 */
import type { Deadline } from '../deadline.ts';
import { queueFull, type ServiceError } from '../errors.ts';
import { Lines } from './lines.ts';

interface Waiter {
  owner: string;
  background: boolean;
  admit: () => void;
  refuse: (error: ServiceError) => void;
}

/** Weight of the newest render in the running average of service times. */
const AVERAGE_WEIGHT = 0.1;
const FIRST_GUESS_MS = 100;
/** Work of the background that may be ready for the places that become free next, by places. */
const SHARE_AHEAD = 1;
/** Places that may be taken beside the background while it holds those there are, by places. */
const SHARE_BESIDE = 0.5;
/** Places that the background leaves free for so long after others rendered, by places; it has one in any case. */
const SHARE_FREE = 0.25;
const FREE_FOR_MS = 500;

export class FairQueue {
  readonly #capacity: number;
  readonly #limit: number;
  readonly #lines = new Lines<Waiter>();
  readonly #background = new Lines<Waiter>();
  /** Places taken, by what runs in the background and by the rest. */
  #runningBehind = 0;
  #runningInFront = 0;
  #averageMs = FIRST_GUESS_MS;
  #onIdle: (() => void) | undefined;
  readonly #onRoom = new Set<() => void>();
  /** When somebody last had a place who was not in the background. */
  #lastInFront = Number.NEGATIVE_INFINITY;
  /** When a place was last given back. */
  #lastEnd = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  /** `now`: milliseconds on a clock of its own. */
  constructor(options: { capacity: number; limit: number; now?: () => number }) {
    this.#capacity = options.capacity;
    this.#limit = options.limit;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Without what waits in the background. */
  get waiting(): number {
    return this.#lines.length;
  }

  get running(): number {
    return this.#runningInFront + this.#runningBehind;
  }

  /** Whether nobody has to wait for what comes in the background now, and it will hardly have to itself. */
  get hasRoomInBackground(): boolean {
    const ahead = Math.ceil(this.#capacity * SHARE_AHEAD);
    return this.waiting === 0 && this.running + this.#background.length < this.#capacity + ahead;
  }

  /** For how many milliseconds nobody has had a place. */
  get idleMs(): number {
    return this.running ? 0 : this.#now() - this.#lastEnd;
  }

  /** Whether somebody who comes now need not wait. */
  get hasFreePlace(): boolean {
    return this.running < this.#capacity;
  }

  /** Calls `listener` whenever a place was given back that no call waits for, until the function it returns is called. */
  watchRoom(listener: () => void): () => void {
    this.#onRoom.add(listener);
    return () => this.#onRoom.delete(listener);
  }

  /** Throws `queue_full` when `acquire` would at this moment: for those who have something to do before they ask for a place. */
  requireRoom(owner: string): void {
    const isFull = !this.#hasPlace(false) && this.waiting >= this.#limit;
    if (isFull && !this.#displacedBy(owner)) throw this.#full();
  }

  /**
   * Waits for a place and returns the function that gives it back. Throws `queue_full` at once when no more may wait, and
   * what the deadline ends with.
   */
  async acquire(owner: string, deadline: Deadline, { background = false } = {}): Promise<() => void> {
    if (this.#hasPlace(background)) return this.#start(background);
    if (!background && this.waiting >= this.#limit && !this.#makeRoomFor(owner)) throw this.#full();
    const lines = background ? this.#background : this.#lines;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { owner, background, admit: resolve, refuse: reject };
    lines.add(waiter);
    try {
      await deadline.race(promise);
    } catch (error) {
      // Admitted and given up in the same moment: the place goes on to the next.
      if (!lines.remove(waiter))
        promise.then(
          () => this.#release(background),
          () => {},
        );
      throw error;
    }
    return this.#started(background);
  }

  /** Seconds until a render sent now would be served, from the length of the queue and the speed so far. */
  get retryAfterSeconds(): number {
    return this.secondsFor(this.waiting + this.running);
  }

  /** Seconds so many renders take, at the speed so far. */
  secondsFor(renders: number): number {
    const rounds = renders / this.#capacity;
    return Math.max(1, Math.ceil((rounds * this.#averageMs) / 1000));
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.running + this.#lines.length + this.#background.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #hasPlace(background: boolean): boolean {
    if (background) return this.running < this.#capacityBehind;
    const beside = Math.ceil(this.#capacity * SHARE_BESIDE);
    return this.#runningInFront < this.#capacity && this.running < this.#capacity + beside;
  }

  get #capacityBehind(): number {
    const free = this.#now() - this.#lastInFront < FREE_FOR_MS ? Math.ceil(this.#capacity * SHARE_FREE) : 0;
    return Math.max(1, this.#capacity - free);
  }

  #start(background: boolean): () => void {
    this.#take(background, 1);
    return this.#started(background);
  }

  #take(background: boolean, places: 1 | -1): void {
    if (background) {
      this.#runningBehind += places;
    } else {
      this.#runningInFront += places;
      this.#lastInFront = this.#now();
    }
  }

  /** The place is taken; measures how long it is held. */
  #started(background: boolean): () => void {
    const since = performance.now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#averageMs += AVERAGE_WEIGHT * (performance.now() - since - this.#averageMs);
      this.#release(background);
    };
  }

  #release(background: boolean): void {
    this.#take(background, -1);
    this.#lastEnd = this.#now();
    for (let next = this.#next(); next; next = this.#next()) {
      this.#take(next.background, 1);
      next.admit();
    }
    if (this.running === 0) this.#onIdle?.();
    if (!this.waiting) for (const listener of this.#onRoom) listener();
  }

  #next(): Waiter | undefined {
    if (this.waiting) return this.#hasPlace(false) ? this.#lines.next() : undefined;
    return this.#hasPlace(true) ? this.#background.next() : undefined;
  }

  #makeRoomFor(owner: string): boolean {
    const last = this.#displacedBy(owner);
    if (!last) return false;
    this.#lines.remove(last);
    last.refuse(this.#full());
    return true;
  }

  /** Who would have to go for this owner, whose own line is shorter. */
  #displacedBy(owner: string): Waiter | undefined {
    const longest = this.#lines.longest();
    return longest.length > this.#lines.lengthOf(owner) + 1 ? longest.at(-1) : undefined;
  }

  #full(): ServiceError {
    return queueFull('too many renders are waiting', this.retryAfterSeconds);
  }
}
