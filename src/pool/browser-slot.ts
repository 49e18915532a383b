/**
 * A seat that always has a browser: launches it, notices when it ends, launches the next, and replaces it in the background
 * before it grows old.
 */
import { ServiceError } from '../errors.ts';
import { PageCache, type PooledPage, type PageCacheLimits } from './page-cache.ts';

/** What the pool asks of a browser. */
export interface PooledBrowser<P extends PooledPage> {
  /** Resolves when the browser cannot be used any more, for whatever reason. */
  readonly ended: Promise<void>;
  /** Bytes it holds besides its pages when last measured. */
  readonly memoryBytes: number;
  openPage(): Promise<P>;
  close(): Promise<void>;
}

export interface SlotLimits extends PageCacheLimits {
  browserMaxRenders: number;
  browserMaxAgeMs: number;
  /** What it may hold while its pages are at work; at rest, three quarters of it. */
  browserMemoryBytes: number;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const REST_SHARE = 0.75;

interface BrowserInstance<P extends PooledPage> {
  browser: PooledBrowser<P>;
  shelf: PageCache<P>;
  startedAt: number;
  renders: number;
}

export class BrowserSlot<P extends PooledPage> {
  readonly #launch: () => Promise<PooledBrowser<P>>;
  readonly #limits: SlotLimits;
  #tenant: BrowserInstance<P> | undefined;
  #launching: Promise<BrowserInstance<P>> | undefined;
  readonly #leaving = new Set<Promise<void>>();
  #notBefore = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #closed = false;
  /** Browsers that ended although nobody asked them to. */
  crashes = 0;
  /** Browsers replaced because of their age, number of renders or memory. */
  replaced = 0;

  constructor(launch: () => Promise<PooledBrowser<P>>, limits: SlotLimits) {
    this.#launch = launch;
    this.#limits = limits;
  }

  get occupied(): boolean {
    return this.#tenant !== undefined;
  }

  /** The pages of the present browser, if there is one. */
  get shelf(): PageCache<P> | undefined {
    return this.#tenant?.shelf;
  }

  /** The pages of a living browser; starts one when there is none. Throws `browser_unavailable`. */
  async ready(): Promise<PageCache<P>> {
    const tenant = this.#tenant ?? (await this.#start());
    tenant.renders++;
    return tenant.shelf;
  }

  /** Closes old pages; replaces the browser when it is due. */
  sweep(now = Date.now()): void {
    const tenant = this.#tenant;
    if (!tenant) {
      if (!this.#closed && !this.#launching) this.#start().catch(() => {}); // told to whoever asks
      return;
    }
    tenant.shelf.sweep(now);
    if (this.#isDue(tenant, now) && !this.#launching && !this.#closed) void this.#replace(tenant);
  }

  #isDue({ renders, startedAt, browser, shelf }: BrowserInstance<P>, now: number): boolean {
    const { browserMaxRenders, browserMaxAgeMs, browserMemoryBytes } = this.#limits;
    const keepsMemory = shelf.counts.busy === 0 && browser.memoryBytes > REST_SHARE * browserMemoryBytes;
    return renders >= browserMaxRenders || now - startedAt > browserMaxAgeMs || keepsMemory;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#launching?.catch(() => {});
    const tenant = this.#tenant;
    this.#tenant = undefined;
    if (tenant) await tenant.browser.close();
    await Promise.all(this.#leaving);
  }

  #start(): Promise<BrowserInstance<P>> {
    if (this.#closed) return Promise.reject(new ServiceError('shutting_down', 'the service is shutting down'));
    this.#launching ??= this.#launchTenant().finally(() => {
      this.#launching = undefined;
    });
    return this.#launching;
  }

  async #launchTenant(): Promise<BrowserInstance<P>> {
    const waitMs = this.#notBefore - Date.now();
    if (waitMs > 0) throw unavailable(waitMs);
    try {
      const browser = await this.#launch();
      const tenant: BrowserInstance<P> = {
        browser,
        shelf: new PageCache(() => browser.openPage(), this.#limits),
        startedAt: Date.now(),
        renders: 0,
      };
      const ended = browser.ended.then(() => true);
      await tenant.shelf.replenish();
      if (await Promise.race([ended, Promise.resolve(false)])) throw new Error('the browser ended right after it had started');
      void ended.then(() => this.#noticeEnd(tenant));
      this.#backoffMs = FIRST_BACKOFF_MS;
      this.#tenant = tenant;
      return tenant;
    } catch (error) {
      const waitMs = this.#backoffMs;
      this.#notBefore = Date.now() + waitMs;
      this.#backoffMs = Math.min(2 * waitMs, LONGEST_BACKOFF_MS);
      throw unavailable(waitMs, error);
    }
  }

  /** The new browser is warm before the old one goes; renders under way finish on the old one. */
  async #replace(old: BrowserInstance<P>): Promise<void> {
    await this.#start().catch(() => old);
    if (this.#tenant === old) return; // the launch failed: the old one stays
    if (this.#tenant) this.replaced++;
    const leaving = old.shelf.retire().then(() => old.browser.close());
    this.#leaving.add(leaving);
    await leaving.finally(() => this.#leaving.delete(leaving));
  }

  #noticeEnd(tenant: BrowserInstance<P>): void {
    if (this.#tenant !== tenant) return;
    this.#tenant = undefined;
    this.crashes++;
    void tenant.shelf.retire(); // what its pages had of this process
    if (!this.#closed) this.#start().catch(() => {}); // told to whoever asks
  }
}

function unavailable(waitMs: number, cause?: unknown): ServiceError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const detail = 'the browser could not be started; `platen doctor` tells why';
  return new ServiceError('browser_unavailable', detail, { retryAfterSeconds, cause });
}
