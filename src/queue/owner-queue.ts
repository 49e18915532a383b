/**
 * A queue that is fair between owners: a request for a place in, the right to run out. At most `capacity` requests run at the same
 * time, and at most `limit` wait.
 *
 * No owner can block the others:
 * - A free place goes to the waiting owner who has the fewest places. Owners with equally many take turns. When the queue is full,
 *   an owner with fewer waiting requests displaces the newest request of the owner with the most.
 * - Reserved places are for owners who have no place while others have more than their share. Calls and background work have
 *   separate reserved places.
 * - Work that has run for `OVERDUE_MS` while an owner with fewer places waits continues in overtime: `onOverdue` is called, and its
 *   place is free for others. When overtime is full, the work that has run longest is stopped if it has run for `longestMs`. Both
 *   happen only if a waiting request is admitted as a result.
 *
 * Background work has its own queue, whose length its sender limits. It starts only while no call waits, with two exceptions, so that
 * calls cannot block it for ever. Work of an owner without a place gets a reserved place while others keep theirs for too long, and
 * after waiting for `OVERDUE_MS`, it precedes calls of owners with a place. Calls do not wait for background work: they may take
 * some places beyond the capacity, and no more background work starts until these are released. For a short time after each call,
 * background work leaves some places free.
 */
import type { Deadline } from '../deadline.ts';
import { queueFull, type ServiceError } from '../errors.ts';
import { WaitingList } from './waiting-list.ts';

export interface OwnerQueueOptions {
  /** Number of places. */
  capacity: number;
  /** Number of calls that may wait. */
  limit: number;
  /** Number of places that one owner may have. Default: no limit. */
  perOwner?: number;
  /** Number of additional places for owners who have none, and again for their background work. Default: 0. */
  reserved?: number;
  /** Number of places for work in overtime. Default: 0. */
  overtime?: number;
  /** Milliseconds after which work may be stopped for others when overtime is full. Default: 10,000. */
  longestMs?: number;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
}

interface RequestOptions {
  /** Whether calls have priority over this work. */
  background?: boolean;
  /** Called at most once, when the work continues in overtime. */
  onOverdue?: () => void;
}

interface Request {
  owner: string;
  background: boolean;
  deadline: Deadline;
  onOverdue: () => void;
}

interface Waiter extends Request {
  waitingSince: number;
  admit: (place: Place) => void;
  refuse: (error: ServiceError) => void;
}

type PlaceKind = 'regular' | 'reserved' | 'overtime';

interface Place extends Request {
  kind: PlaceKind;
  since: number;
  isOverdue: boolean;
}

/** Weight of the newest work in the running average of service times. */
const AVERAGE_WEIGHT = 0.1;
const FIRST_GUESS_MS = 100;
/** Background work that may wait for the next free places, as a share of the capacity. */
const SHARE_AHEAD = 1;
/** Places that calls may take beyond the capacity while background work uses it, as a share of the capacity. */
const SHARE_BESIDE = 0.5;
/** Places that background work leaves free for `FREE_FOR_MS` after a call, as a share of the capacity. It may always use one. */
const SHARE_FREE = 0.25;
const FREE_FOR_MS = 500;
/** How long work may keep its place while others wait. Most renders take a tenth of this. */
const OVERDUE_MS = 1_000;
const LONGEST_MS = 10_000;
/** How often the queue looks for overdue work while a request waits. */
const REVIEW_MS = 100;

export class OwnerQueue {
  readonly #options: Required<OwnerQueueOptions>;
  readonly #calls = new WaitingList<Waiter>();
  readonly #background = new WaitingList<Waiter>();
  readonly #places = new Set<Place>();
  #averageMs = FIRST_GUESS_MS;
  #onIdle: (() => void) | undefined;
  readonly #onRoom = new Set<() => void>();
  /** When a call last had a place. */
  #lastCall = Number.NEGATIVE_INFINITY;
  /** When a place was last released. */
  #lastEnd = Number.NEGATIVE_INFINITY;
  #reviewer: NodeJS.Timeout | undefined;

  constructor(options: OwnerQueueOptions) {
    this.#options = {
      perOwner: Number.POSITIVE_INFINITY,
      reserved: 0,
      overtime: 0,
      longestMs: LONGEST_MS,
      now: () => performance.now(),
      ...options,
    };
  }

  get waiting(): number {
    return this.#calls.length;
  }

  /** Number of requests that run, including overtime. */
  get running(): number {
    return this.#places.size;
  }

  /** Number of calls of this owner that wait or run. */
  countCalls(owner: string): number {
    return this.#calls.lengthOf(owner) + this.#countPlacesOfKind(owner, false);
  }

  /** Whether background work of this owner may start soon: the owner has none, or no call waits and a place is free. */
  hasRoomInBackground(owner: string): boolean {
    const hasNone = this.#hasNone(owner) && this.#background.lengthOf(owner) === 0;
    const ahead = Math.ceil(this.#options.capacity * SHARE_AHEAD);
    const isFree = this.#inUse() + this.#background.length < this.#options.capacity + ahead;
    return hasNone || (isFree && !this.waiting);
  }

  /** Milliseconds since a place was last in use. */
  get idleMs(): number {
    return this.running ? 0 : this.#options.now() - this.#lastEnd;
  }

  /** Whether a new call would get a place at once. */
  get hasFreePlace(): boolean {
    return this.#inUse() < this.#options.capacity;
  }

  /** Calls `listener` when a place becomes free and no call waits for it. The returned function stops this. */
  watchRoom(listener: () => void): () => void {
    this.#onRoom.add(listener);
    return () => this.#onRoom.delete(listener);
  }

  /** Throws `queue_full` if `acquire` would throw it now, for callers that prepare something before they ask for a place. */
  requireRoom(owner: string): void {
    const isFull = !this.#choosePlace(owner, false) && this.waiting >= this.#options.limit;
    if (isFull && !this.#findDisplaced(owner)) throw this.#full();
  }

  /**
   * Waits for a place and returns the function that releases it. Throws `queue_full` at once if the queue is full, and otherwise
   * the error of the deadline. The queue ends the deadline with `queue_full` to stop work that ran too long while others waited.
   */
  async acquire(
    owner: string,
    deadline: Deadline,
    { background = false, onOverdue = () => {} }: RequestOptions = {},
  ): Promise<() => void> {
    const request = { owner, background, deadline, onOverdue };
    const kind = this.#choosePlace(owner, background);
    if (!kind && !background && this.waiting >= this.#options.limit && !this.#makeRoomFor(owner)) throw this.#full();
    const place = kind === 'regular' ? this.#take(request, kind) : await this.#wait(request);
    return () => this.#release(place);
  }

  /** Estimated seconds until a new call would get a place, from the length of the queue and the average time of work. */
  get retryAfterSeconds(): number {
    return this.estimateSeconds(this.waiting + this.#inUse());
  }

  /** Estimated seconds that this number of calls takes, from the average time of work. */
  estimateSeconds(calls: number): number {
    const rounds = calls / this.#options.capacity;
    return Math.max(1, Math.ceil((rounds * this.#averageMs) / 1000));
  }

  /** Resolves when no request runs or waits. */
  async idle(): Promise<void> {
    if (this.running + this.#calls.length + this.#background.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #wait(request: Request): Promise<Place> {
    const list = request.background ? this.#background : this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const waiter: Waiter = { ...request, waitingSince: this.#options.now(), admit: resolve, refuse: reject };
    list.add(waiter);
    this.#reclaimOverdue();
    try {
      return await request.deadline.race(promise);
    } catch (error) {
      // The request was admitted at the moment it was aborted: its place goes to the next one.
      if (!list.remove(waiter))
        promise.then(
          (place) => this.#release(place),
          () => {},
        );
      throw error;
    }
  }

  /** The kind of place that this owner could take now, if any. */
  #choosePlace(owner: string, background: boolean): PlaceKind | undefined {
    const { perOwner, reserved } = this.#options;
    if (this.#countPlaces(owner) >= perOwner) return undefined;
    const hasRegular = background ? this.#hasPlaceForBackground(owner) : this.#hasRegular;
    if (hasRegular) return 'regular';
    const inReserve = this.#count((place) => place.kind === 'reserved' && place.background === background);
    const deservesReservedPlace = background
      ? this.#hasNone(owner) && this.#holdsTooLong()
      : !this.#countPlacesOfKind(owner, false) && this.#isSharedUnevenly;
    return inReserve < reserved && deservesReservedPlace ? 'reserved' : undefined;
  }

  get #hasRegular(): boolean {
    const { capacity } = this.#options;
    const byCalls = this.#count((place) => place.kind === 'regular' && !place.background);
    return byCalls < capacity && this.#inUse() < capacity + Math.ceil(capacity * SHARE_BESIDE);
  }

  #hasPlaceForBackground(owner: string): boolean {
    const { capacity, now } = this.#options;
    const isLeftFree = now() - this.#lastCall < FREE_FOR_MS && !this.#hasNone(owner);
    const free = isLeftFree ? Math.ceil(capacity * SHARE_FREE) : 0;
    return this.#inUse() < Math.max(1, capacity - free);
  }

  /** Whether some owner has more than one place, or holds one for too long. */
  get #isSharedUnevenly(): boolean {
    const owners = new Set<string>();
    for (const place of this.#places) {
      if (place.kind === 'regular') owners.add(place.owner);
      if (place.kind === 'regular' && this.#hasBeenHeldFor(place, OVERDUE_MS)) return true;
    }
    return owners.size < Math.max(2, this.#options.capacity);
  }

  #take(request: Request, kind: PlaceKind): Place {
    const place = { ...request, kind, since: this.#options.now(), isOverdue: false };
    this.#places.add(place);
    if (!request.background) this.#lastCall = place.since;
    return place;
  }

  #release(place: Place): void {
    if (!this.#places.delete(place)) return; // it was released before
    this.#lastEnd = this.#options.now();
    if (!place.background) this.#lastCall = this.#lastEnd;
    if (place.kind !== 'overtime') {
      this.#note(place);
      this.#vacate(place);
    }
    this.#admit();
    if (this.running === 0) this.#onIdle?.();
    if (!this.waiting) for (const listener of this.#onRoom) listener();
  }

  #note(place: Place): void {
    this.#averageMs += AVERAGE_WEIGHT * (this.#options.now() - place.since - this.#averageMs);
  }

  /** Frees a place. Work in a reserved place moves into it, which frees the reserved place for the next owner. */
  #vacate(place: Place): void {
    const wasRegular = place.kind === 'regular';
    place.kind = 'overtime';
    const reserved = wasRegular && [...this.#places].find(({ kind }) => kind === 'reserved');
    if (reserved) reserved.kind = 'regular';
  }

  #admit(): void {
    for (let waiter = this.#next(); waiter; waiter = this.#next()) {
      const kind = this.#choosePlace(waiter.owner, waiter.background);
      if (!kind) return;
      const list = waiter.background ? this.#background : this.#calls;
      list.takeTurn(waiter);
      waiter.admit(this.#take(waiter, kind));
    }
  }

  /** The waiting request that gets the next place. */
  #next(): Waiter | undefined {
    const [call, behind] = [this.#first(this.#calls), this.#first(this.#background)];
    if (!call || !behind) return call ?? behind;
    return this.#precedes(behind, call) ? behind : call;
  }

  /** Whether background work precedes a call. */
  #precedes(behind: Waiter, call: Waiter): boolean {
    if (!this.#hasNone(behind.owner) || this.#hasNone(call.owner)) return false;
    return this.#holdsTooLong(call.owner) || this.#options.now() - behind.waitingSince >= OVERDUE_MS;
  }

  #hasNone(owner: string): boolean {
    return this.#countPlaces(owner) === 0;
  }

  /** Whether the owner, or anyone without `owner`, has a place for too long. */
  #holdsTooLong(owner?: string): boolean {
    return [...this.#places].some((place) => (owner ?? place.owner) === place.owner && this.#hasBeenHeldFor(place, OVERDUE_MS));
  }

  /** Sorts by the number of places of the owner, then by turn. The calls of an owner do not suffer from its background work. */
  #first(list: WaitingList<Waiter>): Waiter | undefined {
    let next: Waiter | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiter of list.firsts()) {
      const places = waiter.background ? this.#countPlaces(waiter.owner) : this.#countPlacesOfKind(waiter.owner, false);
      if (places >= fewest) continue;
      [next, fewest] = [waiter, places];
      if (!fewest) break;
    }
    return next;
  }

  /** Frees the places of overdue work, now and every `REVIEW_MS` while a request waits. */
  #reclaimOverdue(): void {
    this.#giveOverduePlaces();
    if (this.waiting + this.#background.length === 0) return;
    this.#reviewer ??= setTimeout(() => {
      this.#reviewer = undefined;
      this.#reclaimOverdue();
    }, REVIEW_MS).unref();
  }

  #giveOverduePlaces(): void {
    for (let waiter = this.#next(); waiter; waiter = this.#next()) {
      const overdue = this.#findOverdue(waiter);
      const place = overdue.find(({ owner }) => this.#hasOvertimeFor(owner));
      if (place) this.#moveToOvertime(place);
      else this.#endLongest(waiter, overdue);
      const before = this.#places.size;
      this.#admit();
      if (this.#places.size === before) return;
    }
  }

  /**
   * Finds the overdue places whose release would admit this request, the oldest first: those that suffice alone, otherwise all of
   * them if they suffice together. Calls `onOverdue` of their work.
   */
  #findOverdue(waiter: Waiter): Place[] {
    const isOverdue = (place: Place) => this.#hasBeenHeldFor(place, OVERDUE_MS) && this.#goesBefore(waiter, place);
    const overdue = [...this.#places].filter((place) => place.kind !== 'overtime' && isOverdue(place));
    const enough = overdue.filter((place) => this.#wouldAdmit(waiter, [place]));
    const needed = enough.length || !this.#wouldAdmit(waiter, overdue) ? enough : overdue;
    for (const place of needed) {
      if (!place.isOverdue) place.onOverdue();
      place.isOverdue = true;
    }
    return needed;
  }

  /** Whether the request would get a place if these places were free. */
  #wouldAdmit({ owner, background }: Waiter, places: Place[]): boolean {
    const before = [...this.#places].map((place) => ({ place, kind: place.kind }));
    for (const place of places) this.#vacate(place);
    const kind = this.#choosePlace(owner, background);
    for (const { place, kind: was } of before) place.kind = was;
    return kind !== undefined;
  }

  #moveToOvertime(place: Place): void {
    this.#note(place);
    this.#vacate(place);
  }

  /** Whether the owner may have one more place in overtime, not counting `without`. */
  #hasOvertimeFor(owner: string, without?: Place): boolean {
    const { overtime } = this.#options;
    const inOvertime = [...this.#places].filter((place) => place.kind === 'overtime' && place !== without);
    const own = inOvertime.filter((place) => place.owner === owner).length;
    return own < Math.ceil(overtime / 2) && inOvertime.length < overtime;
  }

  /** Stops the oldest work whose end makes room: work in an overdue place, or in overtime so that overdue work can move there. */
  #endLongest(waiter: Waiter, overdue: Place[]): void {
    const { longestMs } = this.#options;
    const makesRoom = (place: Place) =>
      place.kind === 'overtime' ? overdue.some(({ owner }) => this.#hasOvertimeFor(owner, place)) : overdue.includes(place);
    const isTooLong = (place: Place) => this.#hasBeenHeldFor(place, longestMs) && this.#goesBefore(waiter, place);
    const longest = [...this.#places].find((place) => isTooLong(place) && makesRoom(place));
    const detail = `the work was stopped after ${longestMs / 1_000} seconds because others were waiting`;
    longest?.deadline.end(queueFull(detail, this.retryAfterSeconds));
  }

  /**
   * Calls have priority over background work, unless the owner of that work has no place. Otherwise the owner with fewer places
   * has priority.
   */
  #goesBefore(waiter: Waiter, place: Place): boolean {
    if (waiter.background !== place.background) return place.background || (waiter.background && this.#hasNone(waiter.owner));
    return this.#countPlacesOfKind(waiter.owner, waiter.background) < this.#countPlacesOfKind(place.owner, place.background);
  }

  #hasBeenHeldFor({ since }: Place, milliseconds: number): boolean {
    return this.#options.now() - since >= milliseconds;
  }

  /** Number of places in use, without overtime and reserved ones. */
  #inUse(): number {
    return this.#count(({ kind }) => kind === 'regular');
  }

  #countPlaces(owner: string): number {
    return this.#count((place) => place.owner === owner);
  }

  #countPlacesOfKind(owner: string, background: boolean): number {
    return this.#count((place) => place.owner === owner && place.background === background);
  }

  #count(accepts: (place: Place) => boolean): number {
    let count = 0;
    for (const place of this.#places) if (accepts(place)) count++;
    return count;
  }

  #makeRoomFor(owner: string): boolean {
    const last = this.#findDisplaced(owner);
    if (!last) return false;
    this.#calls.remove(last);
    last.refuse(this.#full());
    return true;
  }

  /** The waiting request that this owner would displace, because its owner has more requests waiting. */
  #findDisplaced(owner: string): Waiter | undefined {
    const longest = this.#calls.longest();
    return longest.length > this.#calls.lengthOf(owner) + 1 ? longest.at(-1) : undefined;
  }

  #full(): ServiceError {
    return queueFull('too many renders are waiting', this.retryAfterSeconds);
  }
}
