/**
 * The pool: an owner and a piece of work in, the work done on a page that no other owner has touched. Queueing, fairness,
 * warm pages, recycling and recovery happen here; what a page is, is the caller's affair.
 */
import type { Deadline } from '../deadline.ts';
import { hasCode, ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { BrowserSlot, type PooledBrowser, type SlotLimits } from './browser-slot.ts';
import type { Entry, PageCache, PageCounts, PooledPage, Suits } from './page-cache.ts';
import { ReturningOwners } from './returning-owners.ts';

export interface PoolOptions extends Omit<SlotLimits, 'quietLoad'> {
  browsers: number;
  /** Renders at one time, over all browsers. */
  concurrency: number;
  /** Renders that may wait. */
  queueLimit: number;
  /** Use every page once. */
  freshContexts: boolean;
  /** Whether work that lost its page is done once more. Default: true. */
  retry?: boolean;
}

export interface PoolStats {
  running: number;
  waiting: number;
  capacity: number;
  browsers: number;
  pages: PageCounts;
  crashes: number;
  replaced: number;
  retries: number;
}

/** What work is done with. */
export type Workplace<P extends PooledPage> = Pick<Pool<P>, 'use' | 'requireRoom' | 'draining'>;

interface UseOptions<P> {
  /** The page is used for this alone. */
  once?: boolean;
  /** Gives way to all that is not. */
  background?: boolean;
  /** Whose share of the places it takes. Default: the owner's. */
  shareOf?: string;
  /** Takes no place: for work of the service itself, which must not depend on what callers do. */
  exempt?: boolean;
  /** Whether a page the owner has used may be used for this, too. Default: any. */
  suits?: Suits<P>;
}

/** Work under way. */
interface Use<P> {
  /** Undefined: on a page used once. */
  owner: string | undefined;
  deadline: Deadline;
  suits: Suits<P>;
  page: P | undefined;
  /** Its place was needed for others: its page gives way to theirs. */
  isOverdue: boolean;
}

/** Any page that may serve the owner, or one opened for this. */
type PageKind = 'any' | 'new';

/** The line of renders that have no owner. */
const NO_OWNER = '';
const SWEEP_MS = 5_000;
/** Places for owners who have none while others have more than their share. */
const RESERVED = 1;
/** Renders that may go on although their places were given to others, by places. Each holds a page. */
const OVERTIME = 2;
/** Spare pages are opened while at most one in so many of a browser's places is taken. */
const QUIET_SHARE = 4;

export class Pool<P extends PooledPage> {
  readonly #options: PoolOptions;
  readonly #queue: OwnerQueue;
  readonly #slots: BrowserSlot<P>[];
  readonly #sweeper: NodeJS.Timeout;
  readonly #returning = new ReturningOwners();
  #draining = false;
  #retries = 0;

  constructor(launch: () => Promise<PooledBrowser<P>>, options: PoolOptions) {
    this.#options = options;
    this.#queue = new OwnerQueue({
      capacity: options.concurrency,
      limit: options.queueLimit,
      reserved: RESERVED,
      overtime: OVERTIME * options.concurrency,
    });
    const quietLoad = Math.floor(options.concurrency / options.browsers / QUIET_SHARE);
    this.#slots = Array.from({ length: options.browsers }, () => new BrowserSlot(launch, { ...options, quietLoad }));
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Launches the browsers. Throws `browser_unavailable` when not even one starts. */
  async start(): Promise<void> {
    const starts = await Promise.allSettled(this.#slots.map((slot) => slot.ready()));
    const [first] = starts;
    if (first?.status === 'rejected' && starts.every(({ status }) => status === 'rejected')) throw first.reason;
  }

  /** Throws what `use` would throw at once: `queue_full`, `shutting_down`. */
  requireRoom(shareOf: string): void {
    if (this.#draining) throw shuttingDown();
    this.#queue.requireRoom(shareOf);
  }

  /**
   * Does `work` on a page of this owner (without an owner, or where `once` asks for it: on a page used once). Work that lost its page or its browser is
   * done once more on another: nothing of the first try has been seen by anybody.
   */
  async use<T>(
    owner: string | undefined,
    deadline: Deadline,
    work: (page: P) => Promise<T>,
    { once = false, background = false, exempt = false, shareOf = owner, suits = () => true }: UseOptions<P> = {},
  ): Promise<T> {
    if (this.#draining) throw shuttingDown();
    const boundary = once || this.#options.freshContexts ? undefined : owner;
    const use: Use<P> = { owner: boundary, deadline, suits, page: undefined, isOverdue: false };
    const onOverdue = () => {
      use.isOverdue = true;
      use.page?.giveWay();
    };
    const release = exempt ? () => {} : await this.#queue.acquire(shareOf ?? NO_OWNER, deadline, { background, onOverdue });
    try {
      return await this.#onPage('any', use, work).catch((error: unknown) => {
        const isLost = hasCode(error, 'page_crashed', 'browser_unavailable');
        if (!isLost || deadline.error || this.#options.retry === false) throw error;
        this.#retries++;
        return this.#onPage('new', use, work);
      });
    } finally {
      release();
    }
  }

  /** The same pool for work that can wait: it gives way to all other, and no queue is too full for it. */
  get background(): Workplace<P> {
    return this.#workplace({ background: true });
  }

  /** The same pool for the service's own work, which waits for nobody. */
  get exempt(): Workplace<P> {
    return this.#workplace({ exempt: true });
  }

  #workplace(always: UseOptions<P>): Workplace<P> {
    const pool = this;
    return {
      get draining() {
        return pool.#draining;
      },
      requireRoom() {
        if (pool.#draining) throw shuttingDown();
      },
      use: (owner, deadline, work, options) => pool.use(owner, deadline, work, { ...options, ...always }),
    };
  }

  /** Whether background work of this owner may begin soon, and no call has to wait for it. */
  hasRoomInBackground(owner: string): boolean {
    return !this.#draining && this.#queue.hasRoomInBackground(owner);
  }

  /** For how many milliseconds no work has been under way. */
  get idleMs(): number {
    return this.#queue.idleMs;
  }

  /** Whether work that comes now need not wait. */
  get hasFreePlace(): boolean {
    return this.#queue.hasFreePlace;
  }

  /** Calls `listener` whenever a place was given back that no call waits for, until the function it returns is called. */
  watchRoom(listener: () => void): () => void {
    return this.#queue.watchRoom(listener);
  }

  get capacity(): number {
    return this.#options.concurrency;
  }

  /** Seconds so many renders take, at the speed so far. */
  secondsFor(renders: number): number {
    return this.#queue.secondsFor(renders);
  }

  /** Takes no new work; resolves when what was accepted is done. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.#queue.idle();
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Ends all browsers; work under way fails. */
  async close(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  /** Closes what has grown old. Runs by itself every few seconds. */
  sweep(now = Date.now()): void {
    for (const slot of this.#slots) slot.sweep(now);
  }

  stats(): PoolStats {
    const pages: PageCounts = { spare: 0, primed: 0, warm: 0, busy: 0 };
    for (const { cache } of this.#slots) {
      if (!cache) continue;
      pages.spare += cache.counts.spare;
      pages.primed += cache.counts.primed;
      pages.warm += cache.counts.warm;
      pages.busy += cache.counts.busy;
    }
    return {
      running: this.#queue.running,
      waiting: this.#queue.waiting,
      capacity: this.#options.concurrency,
      browsers: this.#slots.filter((slot) => slot.occupied).length,
      pages,
      crashes: sum(this.#slots, (slot) => slot.crashes),
      replaced: sum(this.#slots, (slot) => slot.replaced),
      retries: this.#retries,
    };
  }

  async #onPage<T>(kind: PageKind, use: Use<P>, work: (page: P) => Promise<T>): Promise<T> {
    const { owner, deadline, suits } = use;
    const cache = await deadline.race(this.#choose(owner, suits).ready());
    const entry = await this.#take(kind === 'new' ? cache.takeNew(owner) : cache.take(owner, suits), cache, deadline);
    use.page = entry.page;
    if (use.isOverdue) entry.page.giveWay();
    try {
      const result = await work(entry.page);
      cache.giveBack(entry, !use.isOverdue && this.#isWorthKeeping(owner)); // a page that gave way stays slow
      return result;
    } catch (error) {
      void cache.discard(entry);
      throw error;
    } finally {
      use.page = undefined;
    }
  }

  #isWorthKeeping(owner: string | undefined): boolean {
    const returned = owner !== undefined && this.#returning.isReturning(owner);
    return returned || this.#queue.waiting === 0;
  }

  async #take(taking: Promise<Entry<P>>, cache: PageCache<P>, deadline: Deadline): Promise<Entry<P>> {
    try {
      return await deadline.race(taking);
    } catch (error) {
      taking.then((entry) => cache.restore(entry)).catch(() => {}); // it came too late, or not at all
      throw error;
    }
  }

  /** The browser that has a page of this owner that suits, else the one with the least to do. */
  #choose(owner: string | undefined, suits: Suits<P>): BrowserSlot<P> {
    const score = ({ cache }: BrowserSlot<P>) => {
      if (!cache) return Number.POSITIVE_INFINITY;
      const own = owner && cache.pagesOf(owner, suits) ? 1_000 : 0;
      return cache.counts.busy - own;
    };
    const [first, ...others] = this.#slots;
    if (!first) throw new Error('a pool has at least one slot');
    return others.reduce((best, slot) => (score(slot) < score(best) ? slot : best), first);
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', 'the service is shutting down; send the request to another instance, or again later', {
    retryAfterSeconds: 5,
  });
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
