/** The log of what one page is refused: any number of refusals in, at most one line a second out, with how many it stands for. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface RefusalLine {
  host: string;
  reason: string;
  /** Refusals of the last second that have no line of their own. */
  left_out?: number;
}

/** Resolves when so much time is over. */
export type Wait = (milliseconds: number) => Promise<unknown>;

const PAUSE_MS = 1_000;
/** Holds no process up that is about to end. */
const wait: Wait = (milliseconds) => sleep(milliseconds, undefined, { ref: false });

export class RefusalLog {
  readonly #write: (line: RefusalLine) => void;
  readonly #wait: Wait;
  #isPausing = false;
  /** The latest that has no line yet, and how many there are. */
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
