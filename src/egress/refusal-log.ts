/** Logs the refusals of one page, at most one a second. Each line counts the refusals that were left out. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface RefusalLine {
  host: string;
  reason: string;
  /** Number of refusals since the last line that were left out. */
  left_out?: number;
}

export type Wait = (milliseconds: number) => Promise<unknown>;

const PAUSE_MS = 1_000;
/** The timer does not keep the process running. */
const wait: Wait = (milliseconds) => sleep(milliseconds, undefined, { ref: false });

export class RefusalLog {
  readonly #write: (line: RefusalLine) => void;
  readonly #wait: Wait;
  #isPausing = false;
  /** The latest refusal without a line, and the number of such refusals. */
  #latest: RefusalLine | undefined;
  #count = 0;

  constructor(write: (line: RefusalLine) => void, injected: Wait = wait) {
    this.#write = write;
    this.#wait = injected;
  }

  add(line: RefusalLine): void {
    this.#latest = line;
    this.#count++;
    if (!this.#isPausing) void this.#writeAndPause();
  }

  async #writeAndPause(): Promise<void> {
    this.#isPausing = true;
    while (this.#latest) {
      this.#write({ ...this.#latest, ...(this.#count > 1 && { left_out: this.#count - 1 }) });
      this.#latest = undefined;
      this.#count = 0;
      await this.#wait(PAUSE_MS);
    }
    this.#isPausing = false;
  }
}
