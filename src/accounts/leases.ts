/**
 * Leases: what a process holds is only lent to it, and comes back by itself when the process has died. A process that lives
 * renews its leases.
 */

/** The time: milliseconds since 1970 in UTC. */
export type Clock = () => number;

/** Writes a later end into the leases with these ids. */
type Renew = (ids: string[], until: number) => Promise<void>;

/** How long a lease lasts; the process that holds it may be silent for no longer. */
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

  /** The end of a lease that begins now. */
  until(): number {
    return this.#clock() + LEASE_MS;
  }

  /** From now on `renew` is called with this id every few seconds. */
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
    // A renewal that fails leaves the lease to the next one; several fit into its time.
    for (const [renew, ids] of this.#held) if (ids.size) await renew([...ids], until).catch(() => {});
  }
}
