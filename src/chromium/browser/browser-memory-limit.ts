/**
 * Keeps the memory of the browser process within its limit by ending the page whose document uses too much of it.
 *
 * The browser process holds the blobs, caches and files of documents, and does not tell to which page they belong. Therefore the
 * page whose render has lasted longest is ended, and the memory of the browser afterwards shows whether that page was the cause. If
 * it was not, its render is repeated, and the next page is tried. If no page renders any more, the browser is ended.
 */

export interface RunningPage {
  /**
   * Ends the page at once. Resolves when the browser has closed it. `wasCause` resolves later, to whether that has freed memory.
   */
  endToFreeMemory(wasCause: Promise<boolean>): Promise<void>;
}

interface Suspect {
  /** Memory of the browser before the page was ended. */
  bytes: number;
  /** When the browser was first measured after it had closed the page. Undefined until then. */
  since: number | undefined;
  isClosed: boolean;
  decide(wasCause: boolean): void;
}

/** The share of the limit that the end of a page must free to show that it was the cause. */
const CAUSE_SHARE = 0.1;
/** After this time, the browser has freed the memory of a closed page. */
const PROOF_MS = 500;

export class BrowserMemoryLimit {
  readonly #limitBytes: number;
  readonly #endBrowser: () => Promise<void>;
  /** The page whose render has lasted longest comes first. */
  readonly #atWork = new Set<RunningPage>();
  #suspect: Suspect | undefined;

  constructor(limitBytes: number, endBrowser: () => Promise<void>) {
    this.#limitBytes = limitBytes;
    this.#endBrowser = endBrowser;
  }

  /** Whether the memory of the browser may change soon. */
  get isBusy(): boolean {
    return this.#atWork.size > 0 || this.#suspect !== undefined;
  }

  begin(page: RunningPage): void {
    this.#atWork.add(page);
  }

  end(page: RunningPage): void {
    this.#atWork.delete(page);
  }

  /** Call it when the browser has ended, because its memory is not measured any more. */
  stop(): void {
    this.#decide(false);
  }

  /** Call it with the present memory of the browser. */
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

  /** The time begins when the page is closed, which a busy machine may delay. */
  #hasHadTime(suspect: Suspect, now: number): boolean {
    if (!suspect.isClosed) return false;
    suspect.since ??= now;
    return now - suspect.since >= PROOF_MS;
  }

  #end(page: RunningPage, bytes: number): void {
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

  /** Ends the browser before it decides about the last suspect, whose render must not be repeated on this browser. */
  async #giveUp(): Promise<void> {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    await this.#endBrowser();
    suspect?.decide(false);
  }
}
