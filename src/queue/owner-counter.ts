/** Counts what each owner has: renders that run, open streams, bytes in memory. Nothing waits here. */

export class OwnerCounter {
  readonly #counts = new Map<string, number>();

  of(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }

  /** The owners who have at least so many. */
  withAtLeast(count: number): string[] {
    return [...this.#counts].filter(([, own]) => own >= count).map(([owner]) => owner);
  }

  /** The sum over all owners. */
  get total(): number {
    let total = 0;
    for (const count of this.#counts.values()) total += count;
    return total;
  }

  /** Adds to the count of the owner. The returned function subtracts the same, once. */
  add(owner: string, amount = 1): () => void {
    let added = amount;
    this.#change(owner, amount);
    return () => {
      this.#change(owner, -added);
      added = 0;
    };
  }

  #change(owner: string, difference: number): void {
    const count = this.of(owner) + difference;
    if (count > 0) this.#counts.set(owner, count);
    else this.#counts.delete(owner);
  }
}
