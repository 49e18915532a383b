import { setTimeout as wait } from 'node:timers/promises';

/** Pixels of all screenshots that are taken at the same time: four pages of A4. A screenshot with more is taken alone. */
const MAX_PIXELS = 4_000_000;

interface Waiting {
  pixels: number;
  begin(): void;
}

/**
 * Gives screenshots of one browser their turns. Its main process encodes them, and every page waits for it meanwhile. Small ones are
 * taken at the same time, because each waits for frames most of its time. While a PDF is made there is one at a time, and after it
 * the main process is free for as long as the screenshot took.
 */
export class CaptureTurns {
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #pixels = 0;
  #isResting = false;
  #prints = 0;
  readonly #rest: (ms: number) => Promise<void>;

  constructor(rest: (ms: number) => Promise<void> = wait) {
    this.#rest = rest;
  }

  /** Takes a screenshot of so many pixels when those that came before it have begun and there is room for it. */
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

  /** Makes a PDF, which waits for no screenshots but those under way. */
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
