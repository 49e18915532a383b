/**
 * A slot that keeps one browser running: it launches the browser, launches another when it ends, and replaces it in the
 * background when it is due.
 */
import { ServiceError } from '../errors.ts';
import { PageCache, type PageCacheLimits, type PooledPage } from './page-cache.ts';

/** The part of a browser that the pool uses. */
export interface PooledBrowser<P extends PooledPage> {
  /** Resolves when the browser cannot be used any more. */
  readonly ended: Promise<void>;
  /** Bytes that the browser used besides its pages at the last measurement. */
  readonly memoryBytes: number;
  openPage(): Promise<P>;
  close(): Promise<void>;
}

export interface SlotLimits extends PageCacheLimits {
  browserMaxRenders: number;
  browserMaxAgeMs: number;
  /** Bytes that the browser may use while its pages are rendering. When idle it may use three quarters of this. */
  browserMemoryBytes: number;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
const REST_SHARE = 0.75;

interface BrowserInstance<P extends PooledPage> {
  browser: PooledBrowser<P>;
  cache: PageCache<P>;
  startedAt: number;
  renders: number;
}

export class BrowserSlot<P extends PooledPage> {
  readonly #launch: () => Promise<PooledBrowser<P>>;
  readonly #limits: SlotLimits;
  #instance: BrowserInstance<P> | undefined;
  #launching: Promise<BrowserInstance<P>> | undefined;
  readonly #leaving = new Set<Promise<void>>();
  #notBefore = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #closed = false;
  /** Whether the browser has ended until work needs one. */
  resting = false;
  crashes = 0;
  /** Number of browsers replaced because of age, number of renders or memory. */
  replaced = 0;

  constructor(launch: () => Promise<PooledBrowser<P>>, limits: SlotLimits) {
    this.#launch = launch;
    this.#limits = limits;
  }

  get occupied(): boolean {
    return this.#instance !== undefined;
  }

  /** The pages of the current browser, if there is one. */
  get cache(): PageCache<P> | undefined {
    return this.#instance?.cache;
  }

  /** Returns the pages of a running browser. Starts a browser if there is none. Throws `browser_unavailable`. */
  async ready(): Promise<PageCache<P>> {
    const instance = this.#instance ?? (await this.#start());
    instance.renders++;
    return instance.cache;
  }

  /** Closes old pages, and replaces the browser when it is due. */
  sweep(now = Date.now()): void {
    const instance = this.#instance;
    if (!instance) {
      if (!this.#closed && !this.#launching && !this.resting) this.#start().catch(() => {}); // `ready` reports the failure
      return;
    }
    instance.cache.sweep(now);
    if (this.#isDue(instance, now) && !this.#launching && !this.#closed) void this.#replace(instance);
  }

  #isDue({ renders, startedAt, browser, cache }: BrowserInstance<P>, now: number): boolean {
    const { browserMaxRenders, browserMaxAgeMs, browserMemoryBytes } = this.#limits;
    const keepsMemory = cache.counts.busy === 0 && browser.memoryBytes > REST_SHARE * browserMemoryBytes;
    return renders >= browserMaxRenders || now - startedAt > browserMaxAgeMs || keepsMemory;
  }

  /** Ends the browser until work needs one. Resolves when it has ended. */
  async rest(): Promise<void> {
    if (!this.#instance || this.#launching) return;
    const instance = this.#instance;
    this.#instance = undefined;
    this.resting = true;
    await this.#retire(instance);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#launching?.catch(() => {});
    const instance = this.#instance;
    this.#instance = undefined;
    if (instance) await instance.browser.close();
    await Promise.all(this.#leaving);
  }

  #start(): Promise<BrowserInstance<P>> {
    if (this.#closed) return Promise.reject(new ServiceError('shutting_down', 'the service is shutting down'));
    this.resting = false;
    this.#launching ??= this.#launchInstance().finally(() => {
      this.#launching = undefined;
    });
    return this.#launching;
  }

  async #launchInstance(): Promise<BrowserInstance<P>> {
    const waitMs = this.#notBefore - Date.now();
    if (waitMs > 0) throw unavailable(waitMs);
    try {
      const browser = await this.#launch();
      const instance: BrowserInstance<P> = {
        browser,
        cache: new PageCache(() => browser.openPage(), this.#limits),
        startedAt: Date.now(),
        renders: 0,
      };
      const ended = browser.ended.then(() => true);
      setImmediate(() => void instance.cache.replenish()); // after the page of a render that waits for the browser
      if (await Promise.race([ended, Promise.resolve(false)])) throw new Error('the browser ended immediately after it started');
      void ended.then(() => this.#noticeEnd(instance));
      this.#backoffMs = FIRST_BACKOFF_MS;
      this.#instance = instance;
      return instance;
    } catch (error) {
      const waitMs = this.#backoffMs;
      this.#notBefore = Date.now() + waitMs;
      this.#backoffMs = Math.min(2 * waitMs, LONGEST_BACKOFF_MS);
      throw unavailable(waitMs, error);
    }
  }

  /** Launches and warms up the new browser before the old one is retired. Running renders complete on the old one. */
  async #replace(old: BrowserInstance<P>): Promise<void> {
    await this.#start().catch(() => old);
    if (this.#instance === old) return; // the launch failed, so the old browser stays
    if (this.#instance) this.replaced++;
    await this.#retire(old);
  }

  /** Closes a browser when its running renders have ended. */
  async #retire({ cache, browser }: BrowserInstance<P>): Promise<void> {
    const leaving = cache.retire().then(() => browser.close());
    this.#leaving.add(leaving);
    await leaving.finally(() => this.#leaving.delete(leaving));
  }

  #noticeEnd(instance: BrowserInstance<P>): void {
    if (this.#instance !== instance) return;
    this.#instance = undefined;
    this.crashes++;
    void instance.cache.retire(); // frees what its pages used in this process
    if (!this.#closed) this.#start().catch(() => {}); // `ready` reports the failure
  }
}

function unavailable(waitMs: number, cause?: unknown): ServiceError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const detail = 'the browser could not be started; `platen doctor` shows the reason';
  return new ServiceError('browser_unavailable', detail, { retryAfterSeconds, cause });
}
