/**
 * Owners who rendered recently. Under load a warm page is worth keeping only for an owner who returns: pages kept for others
 * push out those of returning owners, and an idle renderer still takes processor time from its neighbours.
 */

const REMEMBERED = 4_096;

export class ReturningOwners {
  /** Oldest first. */
  readonly #owners = new Set<string>();

  /** Notes that the owner renders; tells whether it did before. */
  isReturning(owner: string): boolean {
    const known = this.#owners.delete(owner);
    this.#owners.add(owner);
    const [oldest] = this.#owners;
    if (this.#owners.size > REMEMBERED && oldest !== undefined) this.#owners.delete(oldest);
    return known;
  }
}
