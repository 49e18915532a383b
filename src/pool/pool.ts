/**
 * The pool: an owner and a piece of work in, the work done on a page that no other owner has touched. Queueing, fairness,
 * warm pages, recycling and recovery happen here; what a page is, is the caller's affair.
 */
import type { Deadline } from '../deadline.ts';
import { hasCode, ServiceError } from '../errors.ts';
import { BrowserSeat, type PooledBrowser, type SeatLimits } from './browser-seat.ts';
import { FairQueue } from './fair-queue.ts';
import type { Entry, PageCounts, PageShelf, PooledPage } from './page-shelf.ts';
import { Regulars } from './regulars.ts';

export interface PoolOptions extends Omit<SeatLimits, 'quietLoad'> {
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

interface UseOptions {
  /** The page is used for this alone. */
  once?: boolean;
  /** Gives way to all that is not. */
  background?: boolean;
}

/** Any page that may serve the owner, or one opened for this. */
type PageKind = 'any' | 'new';

/** The line of renders that have no owner. */
const NO_OWNER = '';
const SWEEP_MS = 5_000;
/** Spare pages are opened while at most one in so many of a browser's places is taken. */
const QUIET_SHARE = 4;

export class Pool<P extends PooledPage> {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue;
  readonly #seats: BrowserSeat<P>[];
  readonly #sweeper: NodeJS.Timeout;
  readonly #regulars = new Regulars();
  #draining = false;
  #retries = 0;

  constructor(launch: () => Promise<PooledBrowser<P>>, options: PoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ capacity: options.concurrency, limit: options.queueLimit });
    const quietLoad = Math.floor(options.concurrency / options.browsers / QUIET_SHARE);
    this.#seats = Array.from({ length: options.browsers }, () => new BrowserSeat(launch, { ...options, quietLoad }));
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /** Launches the browsers. Throws `browser_unavailable` when not even one starts. */
  async start(): Promise<void> {
    const starts = await Promise.allSettled(this.#seats.map((seat) => seat.ready()));
    const [first] = starts;
    if (first?.status === 'rejected' && starts.every(({ status }) => status === 'rejected')) throw first.reason;
  }

  /** Throws what `use` would throw at once: `queue_full`, `shutting_down`. */
  requireRoom(owner: string | undefined): void {
    if (this.#draining) throw shuttingDown();
    this.#queue.requireRoom(owner ?? NO_OWNER);
  }

  /**
   * Does `work` on a page of this owner (without an owner, or where `once` asks for it: on a page used once). Work that lost its page or its browser is
   * done once more on another: nothing of the first try has been seen by anybody.
   */
  async use<T>(
    owner: string | undefined,
    deadline: Deadline,
    work: (page: P) => Promise<T>,
    { once = false, background = false }: UseOptions = {},
  ): Promise<T> {
    if (this.#draining) throw shuttingDown();
    const release = await this.#queue.acquire(owner ?? NO_OWNER, deadline, { background });
    try {
      const boundary = once || this.#options.freshContexts ? undefined : owner;
      return await this.#onPage('any', boundary, deadline, work).catch((error: unknown) => {
        const isLost = hasCode(error, 'page_crashed', 'browser_unavailable');
        if (!isLost || deadline.error || this.#options.retry === false) throw error;
        this.#retries++;
        return this.#onPage('new', boundary, deadline, work);
      });
    } finally {
      release();
    }
  }

  /** The same pool for work that can wait: it gives way to all other, and no queue is too full for it. */
  get background(): Workplace<P> {
    const pool = this;
    return {
      get draining() {
        return pool.#draining;
      },
      requireRoom() {
        if (pool.#draining) throw shuttingDown();
      },
      use: (owner, deadline, work, options) => pool.use(owner, deadline, work, { ...options, background: true }),
    };
  }

  /** Whether nobody has to wait for what comes in the background now. */
  get hasRoomInBackground(): boolean {
    return this.#queue.hasRoomInBackground && !this.#draining;
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
    await Promise.all(this.#seats.map((seat) => seat.close()));
  }

  /** Closes what has grown old. Runs by itself every few seconds. */
  sweep(now = Date.now()): void {
    for (const seat of this.#seats) seat.sweep(now);
  }

  stats(): PoolStats {
    const pages: PageCounts = { spare: 0, primed: 0, warm: 0, busy: 0 };
    for (const { shelf } of this.#seats) {
      if (!shelf) continue;
      pages.spare += shelf.counts.spare;
      pages.primed += shelf.counts.primed;
      pages.warm += shelf.counts.warm;
      pages.busy += shelf.counts.busy;
    }
    return {
      running: this.#queue.running,
      waiting: this.#queue.waiting,
      capacity: this.#options.concurrency,
      browsers: this.#seats.filter((seat) => seat.occupied).length,
      pages,
      crashes: sum(this.#seats, (seat) => seat.crashes),
      replaced: sum(this.#seats, (seat) => seat.replaced),
      retries: this.#retries,
    };
  }

  async #onPage<T>(kind: PageKind, owner: string | undefined, deadline: Deadline, work: (page: P) => Promise<T>): Promise<T> {
    const shelf = await deadline.race(this.#choose(owner).ready());
    const entry = await this.#take(kind === 'new' ? shelf.takeNew(owner) : shelf.take(owner), shelf, deadline);
    try {
      const result = await work(entry.page);
      shelf.giveBack(entry, this.#isWorthKeeping(owner));
      return result;
    } catch (error) {
      void shelf.discard(entry);
      throw error;
    }
  }

  #isWorthKeeping(owner: string | undefined): boolean {
    const returned = owner !== undefined && this.#regulars.visit(owner);
    return returned || this.#queue.waiting === 0;
  }

  async #take(taking: Promise<Entry<P>>, shelf: PageShelf<P>, deadline: Deadline): Promise<Entry<P>> {
    try {
      return await deadline.race(taking);
    } catch (error) {
      taking.then((entry) => shelf.restore(entry)).catch(() => {}); // it came too late, or not at all
      throw error;
    }
  }

  /** The browser that has a page of this owner, else the one with the least to do. */
  #choose(owner: string | undefined): BrowserSeat<P> {
    const score = ({ shelf }: BrowserSeat<P>) => {
      if (!shelf) return Number.POSITIVE_INFINITY;
      const own = owner && shelf.pagesOf(owner) ? 1_000 : 0;
      return shelf.counts.busy - own;
    };
    const [first, ...others] = this.#seats;
    if (!first) throw new Error('a pool has at least one seat');
    return others.reduce((best, seat) => (score(seat) < score(best) ? seat : best), first);
  }
}

function shuttingDown(): ServiceError {
  return new ServiceError(
    'shutting_down',
    'the service is shutting down; send the request again to another instance or in a while',
    {
      retryAfterSeconds: 5,
    },
  );
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
