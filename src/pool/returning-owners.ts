/**
 * Owners who rendered recently. Under load a warm page is worth keeping only for an owner who returns: pages kept for others
 * push out those of returning owners, and an idle renderer still takes processor time from its neighbours.
 */

const REMEMBERED = 4_096;

export class ReturningOwners {
  /** Owners in the order of their last render. */
  readonly #owners = new Set<string>();

  /** Records a render of the owner. Returns whether the owner rendered before. */
  isReturning(owner: string): boolean {
    const known = this.#owners.delete(owner);
    this.#owners.add(owner);
    const [oldest] = this.#owners;
    if (this.#owners.size > REMEMBERED && oldest !== undefined) this.#owners.delete(oldest);
    return known;
  }
}
