/**
 * Keeps the browser process within its limit: what it holds in, the end of the page whose document fills it out.
 *
 * Blobs, caches and files of documents are in the browser process, where nothing tells whose they are. So the page whose render
 * has lasted longest is ended, and what the browser holds afterwards proves whether that page was the cause. If it was not, its
 * render is done again, and the next page is tried. Where no page is at work any more, the browser is ended.
 */

export interface PageAtWork {
  /**
   * Ends the page at once, with all it holds. Resolves when the browser has closed it. `wasCause` tells afterwards whether that
   * has freed memory.
   */
  endToFreeMemory(wasCause: Promise<boolean>): Promise<void>;
}

interface Suspect {
  /** What the browser held before. */
  bytes: number;
  /** When the browser was first seen after it had closed the page. Undefined until then. */
  since: number | undefined;
  isClosed: boolean;
  decide(wasCause: boolean): void;
}

/** The share of the limit that a page's end has to free for it to have been the cause. */
const CAUSE_SHARE = 0.1;
/** By then the browser has given back what a page held that it has closed. */
const PROOF_MS = 500;

export class BrowserRelief {
  readonly #limitBytes: number;
  readonly #endBrowser: () => Promise<void>;
  /** Longest at work first. */
  readonly #atWork = new Set<PageAtWork>();
  #suspect: Suspect | undefined;

  constructor(limitBytes: number, endBrowser: () => Promise<void>) {
    this.#limitBytes = limitBytes;
    this.#endBrowser = endBrowser;
  }

  /** Whether what the browser holds may change soon. */
  get isBusy(): boolean {
    return this.#atWork.size > 0 || this.#suspect !== undefined;
  }

  begin(page: PageAtWork): void {
    this.#atWork.add(page);
  }

  end(page: PageAtWork): void {
    this.#atWork.delete(page);
  }

  /** The browser is gone, for whatever reason: what it held is not told any more. */
  stop(): void {
    this.#decide(false);
  }

  /** What the browser holds now. */
  look(bytes: number, now = performance.now()): void {
    if (this.#suspect && bytes < this.#suspect.bytes - this.#limitBytes * CAUSE_SHARE) this.#decide(true);
    if (this.#suspect && !this.#hasHadTime(this.#suspect, now)) return;
    const [page] = this.#atWork;
    if (bytes > this.#limitBytes && !page) {
      void this.#giveUp();
      return;
    }
    this.#decide(false);
    if (bytes > this.#limitBytes && page) this.#end(page, bytes);
  }

  /** Time counts from the close of the page, which a busy machine puts off. */
  #hasHadTime(suspect: Suspect, now: number): boolean {
    if (!suspect.isClosed) return false;
    suspect.since ??= now;
    return now - suspect.since >= PROOF_MS;
  }

  #end(page: PageAtWork, bytes: number): void {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const suspect: Suspect = { bytes, since: undefined, isClosed: false, decide: resolve };
    this.#suspect = suspect;
    this.#atWork.delete(page);
    void page.endToFreeMemory(promise).then(() => {
      suspect.isClosed = true;
    });
  }

  #decide(wasCause: boolean): void {
    this.#suspect?.decide(wasCause);
    this.#suspect = undefined;
  }

  /** The last suspect is told when the browser is gone: its render must not be done again on this one. */
  async #giveUp(): Promise<void> {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    await this.#endBrowser();
    suspect?.decide(false);
  }
}
