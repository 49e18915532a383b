/** Counts the names that are resolved for accounts without a render, so that the service is nobody's resolver. */

const WINDOW_MS = 60_000;
/** Of one account in one window. */
export const MAX_LOOK_UPS = 300;

export class LookUps {
  /** Of the present window. */
  readonly #counts = new Map<string, number>();
  readonly #clock: () => number;
  #until = 0;

  /** `clock`: milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether the account may have one more name resolved now. */
  take(accountId: string): boolean {
    const now = this.#clock();
    if (now >= this.#until) {
      this.#counts.clear();
      this.#until = now + WINDOW_MS;
    }
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= MAX_LOOK_UPS) return false;
    this.#counts.set(accountId, count + 1);
    return true;
  }
}
