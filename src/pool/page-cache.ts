/**
 * The pages of one browser: warm ones, each belonging to the owner it has served, and spare ones nobody has used.
 *
 * A page given to an owner is never given to another. It is emptied when it comes back, so that the owner's next render
 * finds it ready; it leaves by age, number of renders, memory, idleness, or as the least recently used of too many.
 */

/** What the pool asks of a page. */
export interface PooledPage {
  /** False once the page can never be used again. */
  readonly alive: boolean;
  /** Bytes the page holds when last measured, if known. */
  readonly memoryBytes: number | undefined;
  /** Does what makes the first real use as fast as later ones; rejects when the page is of no use. */
  prime(): Promise<void>;
  /** Makes the page ready for the same owner's next use; rejects when it is of no more use. */
  reset(): Promise<void>;
  /** Takes less of the processor than other pages from now on, for as long as it lives. */
  giveWay(): void;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Whether a page that has served its owner may serve this, too. */
export type Suits<P> = (page: P) => boolean;

export interface PageCacheLimits {
  sparePages: number;
  warmPages: number;
  pageMaxRenders: number;
  pageMaxAgeMs: number;
  pageIdleMs: number;
  pageMaxMemoryBytes: number;
  /** Pages at work up to which there is processor time for opening and priming spare ones. */
  quietLoad: number;
}

export interface PageCounts {
  spare: number;
  /** Those of the spare ones whose first use will be as fast as later ones. */
  primed: number;
  warm: number;
  busy: number;
}

/** A page in use, or in the cache. */
export interface Entry<P extends PooledPage> {
  readonly page: P;
  readonly openedAt: number;
  /** The only owner this page will ever have; undefined for a page that is used once. */
  owner: string | undefined;
  renders: number;
  usedAt: number;
  primed: boolean;
}

interface Resetting<P extends PooledPage> {
  owner: string;
  page: P;
  /** The entry once it is ready, or nothing when it was of no more use. */
  ready: Promise<Entry<P> | undefined>;
  claimed: boolean;
}

export class PageCache<P extends PooledPage> {
  readonly #open: () => Promise<P>;
  readonly #limits: PageCacheLimits;
  #spares: Entry<P>[] = [];
  /** Least recently used first. */
  #warm: Entry<P>[] = [];
  readonly #resetting = new Set<Resetting<P>>();
  readonly #inUse = new Set<Entry<P>>();
  readonly #closing = new Set<Promise<void>>();
  /** Pages that are being taken: opened, or emptied first. */
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

  /** How many pages of this owner that suit are here or on their way back. */
  pagesOf(owner: string, suits: Suits<P>): number {
    const coming = [...this.#resetting].filter((reset) => reset.owner === owner && !reset.claimed && suits(reset.page)).length;
    return coming + this.#warm.filter((entry) => entry.owner === owner && suits(entry.page)).length;
  }

  /** A page for this owner: a warm one that suits, else an unused one. Without an owner the page is used once. */
  async take(owner: string | undefined, suits: Suits<P> = () => true): Promise<Entry<P>> {
    return this.#lend(async () => {
      const own = owner && ((await this.#claimResetting(owner, suits)) ?? this.#takeWarm(owner, suits));
      return own || this.#takeUnused();
    }, owner);
  }

  /** A page opened just now: for work whose first page was lost, perhaps with all others. */
  async takeNew(owner: string | undefined): Promise<Entry<P>> {
    return this.#lend(() => this.#openEntry(), owner);
  }

  /** The render went well: the page is emptied and kept, if that is worth while and it may serve once more. */
  giveBack(entry: Entry<P>, worthKeeping: boolean): void {
    this.#inUse.delete(entry);
    entry.renders++;
    if (!entry.owner || !worthKeeping || this.#isWornOut(entry)) this.#close(entry);
    else this.#reset(entry, entry.owner);
    this.#noticeReturn();
  }

  /** Nothing was rendered after all: the page goes back as it was. */
  restore(entry: Entry<P>): void {
    this.#inUse.delete(entry);
    if (this.#retired || !entry.page.alive) this.#close(entry);
    else if (entry.owner && entry.renders) this.#keepWarm(entry);
    else {
      entry.owner = undefined;
      this.#spares.push(entry);
    }
    this.#noticeReturn();
  }

  /** The render failed: the page is closed. Resolves when it is gone. */
  discard(entry: Entry<P>): Promise<void> {
    this.#inUse.delete(entry);
    this.#noticeReturn();
    return this.#close(entry);
  }

  /** Opens spare pages, one after the other, until there are enough. Not while a first render waits for the processor. */
  replenish(): Promise<void> {
    this.#replenishing ??= this.#openSpares().finally(() => {
      this.#replenishing = undefined;
    });
    return this.#replenishing;
  }

  /** Closes what has grown old or was not used for long. */
  sweep(now = Date.now()): void {
    const stale = (entry: Entry<P>) =>
      !entry.page.alive || this.#isOld(entry, now) || (entry.owner !== undefined && now - entry.usedAt > this.#limits.pageIdleMs);
    for (const entry of [...this.#warm, ...this.#spares].filter(stale)) this.#close(entry);
    this.#warm = this.#warm.filter((entry) => !stale(entry));
    this.#spares = this.#spares.filter((entry) => !stale(entry));
    void this.replenish();
  }

  /** Takes no page back any more; resolves when none is in use and all are closed. */
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

  async #lend(find: () => Promise<Entry<P>>, owner: string | undefined): Promise<Entry<P>> {
    this.#taking++;
    try {
      const entry = await find();
      entry.owner = owner;
      entry.usedAt = Date.now();
      this.#inUse.add(entry);
      return entry;
    } finally {
      this.#taking--;
      this.#noticeUnused();
    }
  }

  async #claimResetting(owner: string, suits: Suits<P>): Promise<Entry<P> | undefined> {
    if (this.#warm.some((entry) => entry.owner === owner && suits(entry.page))) return undefined;
    for (const resetting of this.#resetting) {
      if (resetting.owner !== owner || resetting.claimed || !suits(resetting.page)) continue;
      resetting.claimed = true;
      return resetting.ready;
    }
    return undefined;
  }

  #takeWarm(owner: string, suits: Suits<P>): Entry<P> | undefined {
    for (;;) {
      const at = this.#warm.findLastIndex((entry) => entry.owner === owner && suits(entry.page));
      const [entry] = at < 0 ? [] : this.#warm.splice(at, 1);
      if (!entry || entry.page.alive) return entry;
      this.#close(entry);
    }
  }

  async #takeUnused(): Promise<Entry<P>> {
    let spare = this.#spares.shift();
    while (spare && !spare.page.alive) {
      this.#close(spare);
      spare = this.#spares.shift();
    }
    return spare ?? this.#openEntry();
  }

  async #openEntry(): Promise<Entry<P>> {
    const page = await this.#open();
    return { page, owner: undefined, renders: 0, openedAt: Date.now(), usedAt: Date.now(), primed: false };
  }

  async #openSpares(): Promise<void> {
    while (!this.#retired && this.#spares.length < this.#limits.sparePages) {
      const entry = await this.#openEntry().catch(() => undefined); // a browser that is gone is noticed elsewhere
      if (!entry) return;
      if (this.#retired) this.#close(entry);
      else this.#spares.push(entry);
    }
    await this.#primeSpares();
  }

  /** Only while nothing is rendered: under load the processor has better things to do. */
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
