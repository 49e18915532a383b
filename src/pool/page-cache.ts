/**
 * The pages of one browser: warm pages, which belong to the owner they have served, and spare pages, which are unused.
 *
 * A page that has served an owner never serves another. It is emptied after a render, so that it is ready for the next render of
 * its owner. It is closed because of age, number of renders, memory or idleness, or as the least recently used of too many.
 */

/** The part of a page that the pool uses. */
export interface PooledPage {
  /** False once the page can never be used again. */
  readonly alive: boolean;
  /** Bytes that the page used at the last measurement, if known. */
  readonly memoryBytes: number | undefined;
  /** Renders a warm-up document, which makes the first real render as fast as later ones. Rejects if the page cannot be used. */
  prime(): Promise<void>;
  /** Empties the page for the next render of the same owner. Rejects if the page cannot be reused. */
  reset(): Promise<void>;
  /** Frees memory that no document needs. */
  trim(): void;
  /** Lowers the CPU priority of the page until it is closed. */
  lowerPriority(): void;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Whether a page that has served its owner suits this render. */
export type PageTest<P> = (page: P) => boolean;

export interface PageCacheLimits {
  sparePages: number;
  warmPages: number;
  pageMaxRenders: number;
  pageMaxAgeMs: number;
  pageIdleMs: number;
  pageMaxMemoryBytes: number;
  /** Number of busy pages up to which there is CPU time to open and prime spare pages. */
  quietLoad: number;
}

export interface PageCounts {
  spare: number;
  /** Spare pages that have rendered a warm-up document. */
  primed: number;
  warm: number;
  busy: number;
}

const TRIM_AFTER_MS = 10_000;

/** A page in use, or in the cache. */
export interface Entry<P extends PooledPage> {
  readonly page: P;
  readonly openedAt: number;
  /** The only owner that this page ever has, or undefined for a page that is used once. */
  owner: string | undefined;
  renders: number;
  usedAt: number;
  primed: boolean;
  /** Whether its memory was freed since it was used. */
  trimmed: boolean;
}

interface Resetting<P extends PooledPage> {
  owner: string;
  page: P;
  /** Resolves with the entry when it is ready, or with undefined if it cannot be reused. */
  ready: Promise<Entry<P> | undefined>;
  claimed: boolean;
}

export class PageCache<P extends PooledPage> {
  readonly #open: () => Promise<P>;
  readonly #limits: PageCacheLimits;
  #spares: Entry<P>[] = [];
  /** Warm pages, the least recently used first. */
  #warm: Entry<P>[] = [];
  readonly #resetting = new Set<Resetting<P>>();
  readonly #inUse = new Set<Entry<P>>();
  readonly #closing = new Set<Promise<void>>();
  /** Number of pages that are being opened or emptied for a render. */
  #taking = 0;
  #replenishing: Promise<void> | undefined;
  #retired = false;
  #onReturned: (() => void) | undefined;

  constructor(open: () => Promise<P>, limits: PageCacheLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  get counts(): PageCounts {
    const primed = this.#spares.filter((entry) => entry.primed).length;
    return { spare: this.#spares.length, primed, warm: this.#warm.length + this.#resetting.size, busy: this.#inUse.size };
  }

  /** Number of suitable pages of this owner that are in the cache or being emptied. */
  countPages(owner: string, suits: PageTest<P>): number {
    const coming = this.#findResetting(owner, suits).length;
    return coming + this.#warm.filter((entry) => entry.owner === owner && suits(entry.page)).length;
  }

  /** Takes a page for this owner: a suitable warm page, otherwise an unused one. Without an owner the page is used once. */
  async take(owner: string | undefined, suits: PageTest<P> = () => true): Promise<Entry<P>> {
    return this.#use(async () => {
      const own = owner && ((await this.#claimResetting(owner, suits)) ?? this.#takeWarm(owner, suits));
      return own || this.#takeUnused();
    }, owner);
  }

  /** Opens a new page, for work whose first page was lost, because the other pages may be lost too. */
  async takeNew(owner: string | undefined): Promise<Entry<P>> {
    return this.#use(() => this.#openEntry(), owner);
  }

  /** Takes a page back after a successful render. Empties and keeps it if it is `worthKeeping` and not due to be closed. */
  release(entry: Entry<P>, worthKeeping: boolean): void {
    this.#inUse.delete(entry);
    entry.renders++;
    if (!entry.owner || !worthKeeping || this.#isWornOut(entry)) this.#close(entry);
    else this.#reset(entry, entry.owner);
    this.#noticeReturn();
  }

  /** Closes a page after a failed render. Resolves when it is closed. */
  discard(entry: Entry<P>): Promise<void> {
    this.#inUse.delete(entry);
    this.#noticeReturn();
    return this.#close(entry);
  }

  /** Opens spare pages, one after the other, until there are enough, but not while renders need the CPU. */
  replenish(): Promise<void> {
    this.#replenishing ??= this.#openSpares().finally(() => {
      this.#replenishing = undefined;
    });
    return this.#replenishing;
  }

  /** Closes pages that are too old or were idle for too long. */
  sweep(now = Date.now()): void {
    const stale = (entry: Entry<P>) =>
      !entry.page.alive || this.#isOld(entry, now) || (entry.owner !== undefined && now - entry.usedAt > this.#limits.pageIdleMs);
    for (const entry of [...this.#warm, ...this.#spares].filter(stale)) this.#close(entry);
    this.#warm = this.#warm.filter((entry) => !stale(entry));
    this.#spares = this.#spares.filter((entry) => !stale(entry));
    if (this.#isQuiet) this.#trimIdle(now);
    void this.replenish();
  }

  /** Keeps no more pages. Resolves when no page is in use and all are closed. */
  async retire(): Promise<void> {
    this.#retired = true;
    for (const entry of [...this.#spares.splice(0), ...this.#warm.splice(0)]) this.#close(entry);
    if (this.#inUse.size + this.#taking)
      await new Promise<void>((resolve) => {
        this.#onReturned = resolve;
      });
    await this.#replenishing;
    await Promise.all([...this.#resetting].map(({ ready }) => ready));
    await Promise.all(this.#closing);
  }

  async #use(find: () => Promise<Entry<P>>, owner: string | undefined): Promise<Entry<P>> {
    this.#taking++;
    try {
      const entry = await find();
      entry.owner = owner;
      entry.usedAt = Date.now();
      entry.trimmed = false;
      this.#inUse.add(entry);
      return entry;
    } finally {
      this.#taking--;
      this.#noticeUnused();
    }
  }

  async #claimResetting(owner: string, suits: PageTest<P>): Promise<Entry<P> | undefined> {
    if (this.#warm.some((entry) => entry.owner === owner && suits(entry.page))) return undefined;
    const [resetting] = this.#findResetting(owner, suits);
    if (resetting) resetting.claimed = true;
    return resetting?.ready;
  }

  #findResetting(owner: string, suits: PageTest<P>): Resetting<P>[] {
    return [...this.#resetting].filter((each) => each.owner === owner && !each.claimed && suits(each.page));
  }

  #takeWarm(owner: string, suits: PageTest<P>): Entry<P> | undefined {
    for (;;) {
      const at = this.#warm.findLastIndex((entry) => entry.owner === owner && suits(entry.page));
      const [entry] = at < 0 ? [] : this.#warm.splice(at, 1);
      if (!entry || entry.page.alive) return entry;
      this.#close(entry);
    }
  }

  async #takeUnused(): Promise<Entry<P>> {
    for (let spare = this.#spares.shift(); spare; spare = this.#spares.shift()) {
      if (spare.page.alive) return spare;
      this.#close(spare);
    }
    return this.#openEntry();
  }

  async #openEntry(): Promise<Entry<P>> {
    const page = await this.#open();
    return { page, owner: undefined, renders: 0, openedAt: Date.now(), usedAt: Date.now(), primed: false, trimmed: false };
  }

  async #openSpares(): Promise<void> {
    while (!this.#retired && this.#spares.length < this.#limits.sparePages) {
      const entry = await this.#openEntry().catch(() => undefined); // the slot notices when the browser has ended
      if (!entry) return;
      if (this.#retired) this.#close(entry);
      else this.#spares.push(entry);
    }
    await this.#primeSpares();
  }

  /** Primes spare pages only while nothing is rendered, to leave the CPU to renders. */
  async #primeSpares(): Promise<void> {
    while (!this.#retired && this.#isQuiet) {
      const at = this.#spares.findIndex(({ primed }) => !primed);
      const [entry] = at < 0 ? [] : this.#spares.splice(at, 1);
      if (!entry) return;
      entry.primed = true;
      const usable = await entry.page.prime().then(
        () => !this.#retired,
        () => false,
      );
      if (usable) this.#spares.push(entry);
      else this.#close(entry);
    }
  }

  #reset(entry: Entry<P>, owner: string): void {
    const ready = entry.page.reset().then(
      () => entry,
      () => {
        this.#close(entry);
        return undefined;
      },
    );
    const resetting: Resetting<P> = { owner, page: entry.page, ready, claimed: false };
    this.#resetting.add(resetting);
    void ready.then((kept) => {
      this.#resetting.delete(resetting);
      if (kept && !resetting.claimed) this.#keepWarm(kept);
    });
  }

  #keepWarm(entry: Entry<P>): void {
    if (this.#retired) {
      this.#close(entry);
      return;
    }
    this.#warm.push(entry);
    if (this.#warm.length <= this.#limits.warmPages) return;
    const leastRecent = this.#warm.shift();
    if (leastRecent) this.#close(leastRecent);
  }

  #isWornOut(entry: Entry<P>): boolean {
    const { page, renders } = entry;
    const heavy = (page.memoryBytes ?? 0) > this.#limits.pageMaxMemoryBytes;
    return this.#retired || !page.alive || heavy || renders >= this.#limits.pageMaxRenders || this.#isOld(entry, Date.now());
  }

  /** A third of the memory of a warm page is garbage of its last documents, which the browser collects only when there is more. */
  #trimIdle(now: number): void {
    for (const entry of this.#warm) {
      if (entry.trimmed || now - entry.usedAt < TRIM_AFTER_MS) continue;
      entry.trimmed = true;
      entry.page.trim();
    }
  }

  #isOld(entry: Entry<P>, now: number): boolean {
    return now - entry.openedAt > this.#limits.pageMaxAgeMs;
  }

  #close(entry: Entry<P>): Promise<void> {
    const closing = entry.page.close();
    this.#closing.add(closing);
    return closing.finally(() => this.#closing.delete(closing));
  }

  get #isQuiet(): boolean {
    return this.#inUse.size <= this.#limits.quietLoad;
  }

  #noticeUnused(): void {
    if (this.#inUse.size + this.#taking === 0) this.#onReturned?.();
  }

  #noticeReturn(): void {
    this.#noticeUnused();
    if (this.#isQuiet) void this.replenish();
  }
}
