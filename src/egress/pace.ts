/** Limits how fast bytes go to each owner: an owner and a number of bytes in, the time to wait before sending them out. */

/** Forgets owners who owe nothing when there are more than this. */
const MAX_OWNERS = 1_000;

export class Pace {
  readonly #bytesPerSecond: number;
  readonly #burstMs: number;
  readonly #clock: () => number;
  /** When everything that was sent to an owner so far would have been sent at exactly the rate. */
  readonly #paidAt = new Map<string, number>();

  /** An owner who was sent nothing may get `burstBytes` at once. `clock` is in milliseconds. */
  constructor(bytesPerSecond: number, burstBytes: number, clock: () => number = () => performance.now()) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#burstMs = (burstBytes / bytesPerSecond) * 1_000;
    this.#clock = clock;
  }

  /** Counts the bytes, and returns how many milliseconds to wait before they are sent. */
  delay(owner: string, bytes: number): number {
    const now = this.#clock();
    const paidAt = Math.max(now, this.#paidAt.get(owner) ?? 0) + (bytes / this.#bytesPerSecond) * 1_000;
    this.#paidAt.set(owner, paidAt);
    if (this.#paidAt.size > MAX_OWNERS) this.#forget(now);
    return Math.max(0, paidAt - now - this.#burstMs);
  }

  #forget(now: number): void {
    for (const [owner, paidAt] of this.#paidAt) if (paidAt <= now) this.#paidAt.delete(owner);
  }
}
