/** Waiting requests: one queue for each owner, and an order of turns between owners. */

export class WaitingList<W extends { owner: string }> {
  /** The requests by owner. The owner whose turn it is comes first. */
  readonly #owners = new Map<string, W[]>();
  #length = 0;

  /** Number of waiting requests of all owners. */
  get length(): number {
    return this.#length;
  }

  lengthOf(owner: string): number {
    return this.#owners.get(owner)?.length ?? 0;
  }

  add(waiter: W): void {
    const queue = this.#owners.get(waiter.owner);
    if (queue) queue.push(waiter);
    else this.#owners.set(waiter.owner, [waiter]);
    this.#length++;
  }

  /** The first request of each owner, in the order of turns. */
  *firsts(): Generator<W> {
    for (const [first] of this.#owners.values()) if (first) yield first;
  }

  /** Removes a request whose turn has come, and moves its owner to the end. */
  takeTurn(waiter: W): void {
    const queue = this.#owners.get(waiter.owner);
    if (!this.remove(waiter) || !queue?.length) return;
    this.#owners.delete(waiter.owner);
    this.#owners.set(waiter.owner, queue);
  }

  /** Removes a request. Returns false if it did not wait any more. */
  remove(waiter: W): boolean {
    const queue = this.#owners.get(waiter.owner);
    const at = queue?.indexOf(waiter) ?? -1;
    if (!queue || at < 0) return false;
    queue.splice(at, 1);
    if (!queue.length) this.#owners.delete(waiter.owner);
    this.#length--;
    return true;
  }

  longest(): readonly W[] {
    let longest: W[] = [];
    for (const queue of this.#owners.values()) if (queue.length > longest.length) longest = queue;
    return longest;
  }
}
