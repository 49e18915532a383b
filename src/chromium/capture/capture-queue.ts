/** Schedules the screenshots and prints of one browser: work in, its result out once it had its turn. */
import { setTimeout as wait } from 'node:timers/promises';

/** Maximum number of pixels of all concurrent screenshots, about four A4 pages. A larger screenshot is taken alone. */
const MAX_PIXELS = 4_000_000;

interface Waiting {
  pixels: number;
  begin(): void;
}

/**
 * The queue of screenshots of one browser. The main process of the browser encodes them, which blocks all its pages. Small
 * screenshots run concurrently, because each spends most of its time waiting for frames. While a PDF is printed, only one
 * screenshot runs at a time, and the next one waits for as long as the last one took.
 */
export class CaptureQueue {
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #pixels = 0;
  #isResting = false;
  #prints = 0;
  readonly #rest: (ms: number) => Promise<void>;

  constructor(rest: (ms: number) => Promise<void> = wait) {
    this.#rest = rest;
  }

  /** Runs `work` once all earlier screenshots have started and `pixels` more are within the limit. */
  async capture<T>(work: () => Promise<T>, pixels = MAX_PIXELS): Promise<T> {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    this.#waiting.push({ pixels, begin });
    this.#beginNext();
    await begun;
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#end(pixels, performance.now() - startedAt);
    }
  }

  /** Prints a PDF at once. Meanwhile, screenshots start one at a time. */
  async print<T>(work: () => Promise<T>): Promise<T> {
    this.#prints++;
    try {
      return await work();
    } finally {
      this.#prints--;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (let next = this.#waiting[0]; next && this.#isRoomFor(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#underWay++;
      this.#pixels += next.pixels;
      next.begin();
    }
  }

  #isRoomFor({ pixels }: Waiting): boolean {
    if (this.#isResting) return false;
    return this.#underWay === 0 || (this.#prints === 0 && this.#pixels + pixels <= MAX_PIXELS);
  }

  #end(pixels: number, tookMs: number): void {
    this.#underWay--;
    this.#pixels -= pixels;
    if (this.#prints && !this.#isResting) void this.#restFor(tookMs);
    this.#beginNext();
  }

  async #restFor(ms: number): Promise<void> {
    this.#isResting = true;
    await this.#rest(ms);
    this.#isResting = false;
    this.#beginNext();
  }
}
