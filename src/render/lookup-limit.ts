/** Limits DNS lookups per account in dry runs, so that the service cannot be used as a resolver. */

const WINDOW_MS = 60_000;
/** Maximum number of lookups of one account in one window. */
const MAX_LOOKUPS = 300;

export class LookupLimit {
  /** Lookups in the current window, by account. */
  readonly #counts = new Map<string, number>();
  readonly #clock: () => number;
  #until = 0;

  /** `clock` returns milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Counts one more lookup of the account. Returns false if its limit is reached. */
  take(accountId: string): boolean {
    const now = this.#clock();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + WINDOW_MS;
    }
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= MAX_LOOKUPS) return false;
    this.#counts.set(accountId, count + 1);
    return true;
  }
}
