/**
 * The pool of pages: an owner and work in, the work done on a page that no other owner has used. It does the queueing, warm pages,
 * recycling and recovery. It does not depend on what a page is.
 */
import { setImmediate } from 'node:timers/promises';
import type { Deadline } from '../deadline.ts';
import { type ErrorCode, hasCode, ServiceError } from '../errors.ts';
import { OwnerQueue } from '../queue/owner-queue.ts';
import { BrowserSlot, type PooledBrowser, type SlotLimits } from './browser-slot.ts';
import type { Entry, PageCache, PageCounts, PageTest, PooledPage } from './page-cache.ts';

/** What may use one page: a single document, or all work of a key (`owner`), of an account (`shareOf`) or of the service. */
type Isolation = 'document' | 'key' | 'account' | 'service';

export interface PoolOptions extends Omit<SlotLimits, 'quietLoad'> {
  browsers: number;
  /** Number of renders at the same time, over all browsers. */
  concurrency: number;
  /** Number of renders that may wait. */
  queueLimit: number;
  isolation: Isolation;
  /** Time without work after which browsers end until there is work again. 0: never. */
  idleStopMs: number;
  /** Whether work that lost its page is repeated once. Default: true. */
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

/** The part of a pool that renders need. */
export type PagePool<P extends PooledPage> = Pick<Pool<P>, 'use' | 'requireRoom' | 'draining' | 'resting'>;

interface UseOptions<P> {
  /** Whether the page is used for this work only. */
  once?: boolean;
  /** Whether calls have priority over this work. */
  background?: boolean;
  /** The owner whose share of the places the work uses. Default: `owner`. */
  shareOf?: string;
  /** Whether the work bypasses the queue, for work of the service itself, which must not depend on callers. */
  exempt?: boolean;
  /** Whether a page that the owner has used suits this work. Default: every page does. */
  suits?: PageTest<P>;
}

interface Use<P> {
  /** Undefined for work on a page that is used once. */
  owner: string | undefined;
  deadline: Deadline;
  suits: PageTest<P>;
  page: P | undefined;
  /** Whether its place went to others, so that its page has a lower CPU priority. */
  isOverdue: boolean;
}

/** Whether any suitable page may be used, or a new one must be opened. */
type PageKind = 'any' | 'new';

/** The queue owner of renders without an owner. */
const NO_OWNER = '';
const SWEEP_MS = 5_000;
/** Places reserved for owners who have none while others have more than their share. */
const RESERVED = 1;
/** Renders that may continue in overtime, as a multiple of the places. Each keeps a page. */
const OVERTIME = 2;
/** Number of owners who are remembered. */
const REMEMBERED = 4_096;
/** Spare pages are opened while at most one in this number of a browser's places is in use. */
const QUIET_SHARE = 4;

export class Pool<P extends PooledPage> {
  readonly #options: PoolOptions;
  readonly #queue: OwnerQueue;
  readonly #slots: BrowserSlot<P>[];
  readonly #sweeper: NodeJS.Timeout;
  readonly #returning = new ReturningOwners();
  readonly #since = performance.now();
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

  /** Launches the browsers. Throws `browser_unavailable` if none starts. */
  async start(): Promise<void> {
    const starts = await Promise.allSettled(this.#slots.map((slot) => slot.ready()));
    const [first] = starts;
    if (first?.status === 'rejected' && starts.every(({ status }) => status === 'rejected')) throw first.reason;
  }

  /** Throws `queue_full` or `shutting_down` if `use` would throw it at once. */
  requireRoom(shareOf: string): void {
    if (this.#draining) throw shuttingDown();
    this.#queue.requireRoom(shareOf);
  }

  /**
   * Does `work` on a page of this owner, or on a page that is used once if there is no owner or `once` is set. Work that lost its
   * page or its browser is repeated once on another page, since no result of the first attempt has left the service. If the
   * browser ended while that page was opened, a third one is tried.
   */
  async use<T>(
    owner: string | undefined,
    deadline: Deadline,
    work: (page: P) => Promise<T>,
    { once = false, background = false, exempt = false, shareOf = owner, suits = () => true }: UseOptions<P> = {},
  ): Promise<T> {
    if (this.#draining) throw shuttingDown();
    const boundary = once ? undefined : this.#findBoundary(owner, shareOf);
    const use: Use<P> = { owner: boundary, deadline, suits, page: undefined, isOverdue: false };
    const onOverdue = () => {
      use.isOverdue = true;
      use.page?.lowerPriority();
    };
    const again =
      (...losses: ErrorCode[]) =>
      async (error: unknown) => {
        if (!hasCode(error, ...losses) || deadline.error || this.#options.retry === false) throw error;
        this.#retries++;
        await setImmediate(); // the slot notices first if its browser has ended
        return this.#onPage('new', use, work);
      };
    const release = exempt ? () => {} : await this.#queue.acquire(shareOf ?? NO_OWNER, deadline, { background, onOverdue });
    try {
      return await this.#onPage('any', use, work)
        .catch(again('page_crashed', 'browser_unavailable'))
        .catch(again('browser_unavailable')); // no page was opened, so that the work is not to blame
    } finally {
      release();
    }
  }

  /** The same pool for background work: calls have priority, and the length of the queue is not limited. */
  get background(): PagePool<P> {
    return this.#withOptions({ background: true });
  }

  /** The same pool for work of the service itself, which bypasses the queue. */
  get exempt(): PagePool<P> {
    return this.#withOptions({ exempt: true });
  }

  #withOptions(always: UseOptions<P>): PagePool<P> {
    const pool = this;
    return {
      get draining() {
        return pool.#draining;
      },
      get resting() {
        return pool.resting;
      },
      requireRoom() {
        if (pool.#draining) throw shuttingDown();
      },
      use: (owner, deadline, work, options) => pool.use(owner, deadline, work, { ...options, ...always }),
    };
  }

  /** Whether background work of this owner may start soon without making a call wait. */
  hasRoomInBackground(owner: string): boolean {
    return !this.#draining && this.#queue.hasRoomInBackground(owner);
  }

  /** Milliseconds since work last ran. */
  get idleMs(): number {
    return this.#queue.idleMs;
  }

  /** Whether new work would start at once. */
  get hasFreePlace(): boolean {
    return this.#queue.hasFreePlace;
  }

  /** Calls `listener` when a place becomes free and no call waits for it. The returned function stops this. */
  watchRoom(listener: () => void): () => void {
    return this.#queue.watchRoom(listener);
  }

  get capacity(): number {
    return this.#options.concurrency;
  }

  /** Estimated seconds that this number of renders takes. */
  estimateSeconds(renders: number): number {
    return this.#queue.estimateSeconds(renders);
  }

  /** Accepts no new work. Resolves when the accepted work is done. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.#queue.idle();
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether all browsers have ended until there is work. */
  get resting(): boolean {
    return this.#slots.every((slot) => slot.resting);
  }

  /** Closes all browsers. Running work fails. */
  async close(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  /** Closes old pages and replaces old browsers. A timer also calls it every few seconds. */
  sweep(now = Date.now()): void {
    const { idleStopMs } = this.#options;
    const idleMs = Math.min(this.#queue.idleMs, performance.now() - this.#since);
    const rests = idleStopMs > 0 && idleMs >= idleStopMs;
    for (const slot of this.#slots)
      if (rests) void slot.rest();
      else slot.sweep(now);
  }

  stats(): PoolStats {
    const count = (kind: keyof PageCounts) => sum(this.#slots, ({ cache }) => cache?.counts[kind] ?? 0);
    return {
      running: this.#queue.running,
      waiting: this.#queue.waiting,
      capacity: this.#options.concurrency,
      browsers: this.#slots.filter((slot) => slot.occupied).length,
      pages: { spare: count('spare'), primed: count('primed'), warm: count('warm'), busy: count('busy') },
      crashes: sum(this.#slots, (slot) => slot.crashes),
      replaced: sum(this.#slots, (slot) => slot.replaced),
      retries: this.#retries,
    };
  }

  #findBoundary(owner: string | undefined, account: string | undefined): string | undefined {
    const boundaries = { document: undefined, key: owner, account, service: 'service' };
    return owner === undefined ? undefined : boundaries[this.#options.isolation];
  }

  async #onPage<T>(kind: PageKind, use: Use<P>, work: (page: P) => Promise<T>): Promise<T> {
    const { owner, deadline, suits } = use;
    const cache = await deadline.race(this.#choose(owner, suits).ready());
    const entry = await this.#take(kind === 'new' ? cache.takeNew(owner) : cache.take(owner, suits), cache, deadline);
    use.page = entry.page;
    if (use.isOverdue) entry.page.lowerPriority();
    try {
      const result = await work(entry.page);
      cache.release(entry, !use.isOverdue && this.#isWorthKeeping(owner)); // its lower CPU priority cannot be undone
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
      taking.then((entry) => cache.discard(entry)).catch(() => {}); // the page came too late or could not be opened
      throw error;
    }
  }

  /** The browser with a suitable page of this owner, otherwise the least busy one. */
  #choose(owner: string | undefined, suits: PageTest<P>): BrowserSlot<P> {
    const score = ({ cache }: BrowserSlot<P>) => {
      if (!cache) return Number.POSITIVE_INFINITY;
      const own = owner && cache.countPages(owner, suits) ? 1_000 : 0;
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

/**
 * Owners who rendered recently. Under load a warm page is worth keeping only for an owner who returns: pages kept for others
 * push out those of returning owners, and an idle renderer still takes processor time from its neighbours.
 */
class ReturningOwners {
  /** Owners in the order of their last render. */
  readonly #owners = new Set<string>();

  /** Records a render of the owner. Returns whether the owner rendered before. */
  isReturning(owner: string): boolean {
    const known = this.#owners.delete(owner);
    this.#owners.add(owner);
    const [oldest] = this.#owners;
    if (this.#owners.size > REMEMBERED && oldest !== undefined) this.#owners.delete(oldest);
    return known;
  }
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
