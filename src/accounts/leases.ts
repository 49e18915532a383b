/**
 * Manages leases on rows of the database. A process renews its leases as long as it runs; the leases of a process that died expire,
 * so that others can take over.
 */

import type { Clock } from '../clock.ts';

/** Writes a later expiry time into the leases with these ids. */
type Renew = (ids: string[], until: number) => Promise<void>;

/** How long a lease lasts without renewal. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

export class Leases {
  readonly #clock: Clock;
  readonly #held = new Map<Renew, Set<string>>();
  readonly #timer: NodeJS.Timeout;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = setInterval(() => void this.#renewAll(), RENEW_MS).unref();
  }

  until(): number {
    return this.#clock() + LEASE_MS;
  }

  /** Starts to call `renew` with this id every few seconds. */
  hold(renew: Renew, id: string): void {
    const held = this.#held.get(renew);
    if (held) held.add(id);
    else this.#held.set(renew, new Set([id]));
  }

  drop(renew: Renew, id: string): void {
    this.#held.get(renew)?.delete(id);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renewAll(): Promise<void> {
    const until = this.until();
    // A failed renewal is not an error: several more follow before the lease expires.
    for (const [renew, ids] of this.#held) if (ids.size) await renew([...ids], until).catch(() => {});
  }
}
