/**
 * Keeps the browser process within its limit: what it holds in, the end of the page whose document fills it out.
 *
 * Blobs, caches and files of documents are in the browser process, where nothing tells whose they are. So the page whose render
 * has lasted longest is ended, and what the browser holds afterwards proves whether that page was the cause. If it was not, its
 * render is done again, and the next page is tried. Where no page is at work any more, the browser is ended.
 */

export interface PageAtWork {
  /** Ends the page at once, with all it holds. `wasCause` tells afterwards whether that has freed memory. */
  endToFreeMemory(wasCause: Promise<boolean>): void;
}

interface Suspect {
  /** What the browser held before. */
  bytes: number;
  since: number;
  decide(wasCause: boolean): void;
}

/** The share of the limit that a page's end has to free for it to have been the cause. */
const CAUSE_SHARE = 0.1;
/** By then the browser has given back what a page held. */
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
    if (this.#suspect && now - this.#suspect.since < PROOF_MS) return;
    const [page] = this.#atWork;
    if (bytes > this.#limitBytes && !page) {
      void this.#giveUp();
      return;
    }
    this.#decide(false);
    if (bytes > this.#limitBytes && page) this.#end(page, bytes, now);
  }

  #end(page: PageAtWork, bytes: number, since: number): void {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#suspect = { bytes, since, decide: resolve };
    this.#atWork.delete(page);
    page.endToFreeMemory(promise);
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
