/**
 * Owners who were here lately. Under load a warm page is only worth keeping for one who comes back: pages kept for passers-by
 * push out those of regulars, and an idle renderer still takes processor time from its neighbours.
 */

const REMEMBERED = 4_096;

export class ReturningOwners {
  /** Oldest first. */
  readonly #owners = new Set<string>();

  /** Notes a visit; tells whether it is not the first. */
  isReturning(owner: string): boolean {
    const known = this.#owners.delete(owner);
    this.#owners.add(owner);
    const [oldest] = this.#owners;
    if (this.#owners.size > REMEMBERED && oldest !== undefined) this.#owners.delete(oldest);
    return known;
  }
}
