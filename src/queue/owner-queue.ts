/**
 * One queue over owners: a request for a place in, the right to run out. At most `capacity` run at a time and at most `limit` wait.
 *
 * No owner holds up the others:
 * - A place that becomes free goes to the owner who has the fewest; owners with as many take turns. When the queue is full, the
 *   newest request of the owner with the longest line makes room for an owner with a shorter one.
 * - Reserved places are for owners who have none while others have more than their share.
 * - A place held for longer than `OVERDUE_MS` while an owner with fewer waits goes into overtime: its work goes on, told to give
 *   way, but the place is free for others. When there is no more room for overtime, the longest is ended that has held its place
 *   for `longestMs`. Neither is done where it would help nobody.
 *
 * Background work has lines of its own, which move only while no call waits. How many wait there is up to whoever sends
 * them. Calls do not wait for background work to end, either: a few places more than there are may be taken beside it, and it
 * does not go on until they are given back. While calls come now and then, it leaves places free for the next of them.
 */
import type { Deadline } from '../deadline.ts';
import { queueFull, type ServiceError } from '../errors.ts';
import { WaitingList } from './waiting-list.ts';

export interface OwnerQueueOptions {
  /** Places. */
  capacity: number;
  /** Calls that may wait. */
  limit: number;
  /** Places beside the capacity for owners who have none. Default: 0. */
  reserved?: number;
  /** Work that may go on in overtime. Default: 0. */
  overtime?: number;
  /** Milliseconds after which work may be ended for others, where there is no more room for overtime. Default: 10,000. */
  longestMs?: number;
  /** Milliseconds on a clock of its own. */
  now?: () => number;
}

interface RequestOptions {
  /** Gives way to all that is not. */
  background?: boolean;
  /** Called at most once, when the work is to give way to others. */
  onOverdue?: () => void;
}

interface Request {
  owner: string;
  background: boolean;
  deadline: Deadline;
  onOverdue: () => void;
}

interface Waiter extends Request {
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
/** Background work that may be ready for the places that become free next, by places. */
const SHARE_AHEAD = 1;
/** Places that may be taken beside background work while it holds those there are, by places. */
const SHARE_BESIDE = 0.5;
/** Places that background work leaves free for so long after calls ran, by places; it has one in any case. */
const SHARE_FREE = 0.25;
const FREE_FOR_MS = 500;
/** While others wait, a place is held for no longer. Most renders take a tenth of it. */
const OVERDUE_MS = 1_000;
/** While others wait and there is no more room for overtime, work may go on for no longer, unless told otherwise. */
const LONGEST_MS = 10_000;
/** How often places are looked at while somebody waits. */
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
  /** When a place was last given back. */
  #lastEnd = Number.NEGATIVE_INFINITY;
  #reviewer: NodeJS.Timeout | undefined;

  constructor(options: OwnerQueueOptions) {
    this.#options = { reserved: 0, overtime: 0, longestMs: LONGEST_MS, now: () => performance.now(), ...options };
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#calls.length;
  }

  /** Work under way, in overtime too. */
  get running(): number {
    return this.#places.size;
  }

  /** Whether background work of this owner may begin soon: no call waits that goes before it, and a place is free or the owner has none. */
  hasRoomInBackground(owner: string): boolean {
    const hasNone = this.#hasNone(owner) && this.#background.lengthOf(owner) === 0;
    if (this.waiting) return hasNone && [...this.#calls.firsts()].every((call) => this.#holdsTooLong(call.owner));
    const ahead = Math.ceil(this.#options.capacity * SHARE_AHEAD);
    const isFree = this.#inUse() + this.#background.length < this.#options.capacity + ahead;
    return isFree || hasNone;
  }

  /** For how many milliseconds nobody has had a place. */
  get idleMs(): number {
    return this.running ? 0 : this.#options.now() - this.#lastEnd;
  }

  /** Whether somebody who comes now need not wait. */
  get hasFreePlace(): boolean {
    return this.#inUse() < this.#options.capacity;
  }

  /** Calls `listener` whenever a place was given back that no call waits for, until the function it returns is called. */
  watchRoom(listener: () => void): () => void {
    this.#onRoom.add(listener);
    return () => this.#onRoom.delete(listener);
  }

  /** Throws `queue_full` when `acquire` would at this moment: for those who have something to do before they ask for a place. */
  requireRoom(owner: string): void {
    const isFull = !this.#placeFor(owner, false) && this.waiting >= this.#options.limit;
    if (isFull && !this.#displacedBy(owner)) throw this.#full();
  }

  /**
   * Waits for a place and returns the function that gives it back. Throws `queue_full` at once when no more may wait, and
   * what the deadline ends with. The deadline ends with `queue_full` where the place was held for too long while others waited.
   */
  async acquire(
    owner: string,
    deadline: Deadline,
    { background = false, onOverdue = () => {} }: RequestOptions = {},
  ): Promise<() => void> {
    const request = { owner, background, deadline, onOverdue };
    const kind = this.#placeFor(owner, background);
    if (kind === 'regular') return this.#releaseOf(this.#take(request, kind));
    if (!kind && !background && this.waiting >= this.#options.limit && !this.#makeRoomFor(owner)) throw this.#full();
    return this.#releaseOf(await this.#wait(request));
  }

  /** Seconds until a call sent now would be served, from the length of the queue and the speed so far. */
  get retryAfterSeconds(): number {
    return this.secondsFor(this.waiting + this.#inUse());
  }

  /** Seconds so many calls take, at the speed so far. */
  secondsFor(calls: number): number {
    const rounds = calls / this.#options.capacity;
    return Math.max(1, Math.ceil((rounds * this.#averageMs) / 1000));
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    if (this.running + this.#calls.length + this.#background.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #wait(request: Request): Promise<Place> {
    const lines = request.background ? this.#background : this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const waiter: Waiter = { ...request, admit: resolve, refuse: reject };
    lines.add(waiter);
    this.#relieve();
    try {
      return await request.deadline.race(promise);
    } catch (error) {
      // Admitted and given up in the same moment: the place goes on to the next.
      if (!lines.remove(waiter))
        promise.then(
          (place) => this.#release(place),
          () => {},
        );
      throw error;
    }
  }

  /** What kind of place could be taken now, if any. */
  #placeFor(owner: string, background: boolean): PlaceKind | undefined {
    const { capacity, reserved } = this.#options;
    const inUse = this.#inUse();
    if (background) return inUse < this.#capacityBehind ? 'regular' : undefined;
    const byCalls = this.#count((place) => place.kind === 'regular' && !place.background);
    if (byCalls < capacity && inUse < capacity + Math.ceil(capacity * SHARE_BESIDE)) return 'regular';
    const isReserveFree = this.#count(({ kind }) => kind === 'reserved') < reserved;
    return isReserveFree && !this.#countOf(owner, false) && this.#isSharedUnevenly ? 'reserved' : undefined;
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

  get #capacityBehind(): number {
    const { capacity, now } = this.#options;
    const free = now() - this.#lastCall < FREE_FOR_MS ? Math.ceil(capacity * SHARE_FREE) : 0;
    return Math.max(1, capacity - free);
  }

  #take(request: Request, kind: PlaceKind): Place {
    const place = { ...request, kind, since: this.#options.now(), isOverdue: false };
    this.#places.add(place);
    if (!request.background) this.#lastCall = place.since;
    return place;
  }

  #releaseOf(place: Place): () => void {
    return () => this.#release(place);
  }

  #release(place: Place): void {
    if (!this.#places.delete(place)) return; // it was given back already
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

  /** Its place is free again: whoever has a reserved one takes it, and the reserve is free for the next. */
  #vacate(place: Place): void {
    const wasRegular = place.kind === 'regular';
    place.kind = 'overtime';
    const reserved = wasRegular && [...this.#places].find(({ kind }) => kind === 'reserved');
    if (reserved) reserved.kind = 'regular';
  }

  #admit(): void {
    const admissible = () => this.#candidates().find(({ owner, background }) => this.#placeFor(owner, background));
    for (let waiter = admissible(); waiter; waiter = admissible()) {
      const kind = this.#placeFor(waiter.owner, waiter.background) ?? 'regular';
      const lines = waiter.background ? this.#background : this.#calls;
      lines.takeTurn(waiter);
      waiter.admit(this.#take(waiter, kind));
    }
  }

  /**
   * Who is to have the next place: calls first; but background work of an owner who has no place goes before calls of those who hold
   * theirs for too long.
   */
  #candidates(): Waiter[] {
    const [call, behind] = [this.#first(this.#calls, false), this.#first(this.#background, true)];
    if (!call || !behind) return [call ?? behind].filter((waiter) => waiter !== undefined);
    const passes = this.#hasNone(behind.owner) && this.#holdsTooLong(call.owner);
    return passes ? [behind, call] : [call];
  }

  #hasNone(owner: string): boolean {
    return ![...this.#places].some((place) => place.owner === owner);
  }

  #holdsTooLong(owner: string): boolean {
    return [...this.#places].some((place) => place.owner === owner && this.#hasBeenHeldFor(place, OVERDUE_MS));
  }

  /** Owners with the fewest places first, then those whose turn it is. */
  #first(lines: WaitingList<Waiter>, background: boolean): Waiter | undefined {
    let next: Waiter | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiter of lines.firsts()) {
      const places = this.#countOf(waiter.owner, background);
      if (places >= fewest) continue;
      [next, fewest] = [waiter, places];
      if (!fewest) break;
    }
    return next;
  }

  /** Takes places away from those who hold them for too long, now and for as long as somebody waits. */
  #relieve(): void {
    this.#giveOverduePlaces();
    if (this.waiting + this.#background.length === 0) return;
    this.#reviewer ??= setTimeout(() => {
      this.#reviewer = undefined;
      this.#relieve();
    }, REVIEW_MS).unref();
  }

  #giveOverduePlaces(): void {
    for (let [waiter] = this.#candidates(); waiter; [waiter] = this.#candidates()) {
      const overdue = this.#overdueFor(waiter);
      const place = overdue.find(({ owner }) => this.#hasOvertimeFor(owner));
      if (place) this.#moveToOvertime(place);
      else this.#endLongest(waiter, overdue);
      const before = this.#places.size;
      this.#admit();
      if (this.#places.size === before) return;
    }
  }

  /**
   * Places that are held for too long while this one waits, longest first: those of which each would admit it, else those which
   * would together. They are told to give way.
   */
  #overdueFor(waiter: Waiter): Place[] {
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

  /** Whether it had a place if these were free. */
  #wouldAdmit({ owner, background }: Waiter, places: Place[]): boolean {
    const before = [...this.#places].map((place) => ({ place, kind: place.kind }));
    for (const place of places) this.#vacate(place);
    const kind = this.#placeFor(owner, background);
    for (const { place, kind: was } of before) place.kind = was;
    return kind !== undefined;
  }

  #moveToOvertime(place: Place): void {
    this.#note(place);
    this.#vacate(place);
  }

  /** Whether its owner may have one more in overtime, `without` one that has ended. */
  #hasOvertimeFor(owner: string, without?: Place): boolean {
    const { overtime } = this.#options;
    const inOvertime = [...this.#places].filter((place) => place.kind === 'overtime' && place !== without);
    const own = inOvertime.filter((place) => place.owner === owner).length;
    return own < Math.ceil(overtime / 2) && inOvertime.length < overtime;
  }

  /** What has gone on for longest of the work whose end makes room: in one of the overdue places, or in overtime for one of them. */
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
   * Calls go before background work, unless that is of an owner who has no place; among their like owners with fewer places before
   * those with more.
   */
  #goesBefore(waiter: Waiter, place: Place): boolean {
    if (waiter.background !== place.background) return place.background || (waiter.background && this.#hasNone(waiter.owner));
    return this.#countOf(waiter.owner, waiter.background) < this.#countOf(place.owner, place.background);
  }

  #hasBeenHeldFor({ since }: Place, milliseconds: number): boolean {
    return this.#options.now() - since >= milliseconds;
  }

  /** Places that are not free. */
  #inUse(): number {
    return this.#count(({ kind }) => kind === 'regular');
  }

  #countOf(owner: string, background: boolean): number {
    return this.#count((place) => place.owner === owner && place.background === background);
  }

  #count(accepts: (place: Place) => boolean): number {
    let count = 0;
    for (const place of this.#places) if (accepts(place)) count++;
    return count;
  }

  #makeRoomFor(owner: string): boolean {
    const last = this.#displacedBy(owner);
    if (!last) return false;
    this.#calls.remove(last);
    last.refuse(this.#full());
    return true;
  }

  /** Who would have to go for this owner, whose own line is shorter. */
  #displacedBy(owner: string): Waiter | undefined {
    const longest = this.#calls.longest();
    return longest.length > this.#calls.lengthOf(owner) + 1 ? longest.at(-1) : undefined;
  }

  #full(): ServiceError {
    return queueFull('too many renders are waiting', this.retryAfterSeconds);
  }
}
