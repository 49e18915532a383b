/** The order in which keys are served: keys in, the same keys out, with the one that was served longest ago first. */

export class RoundRobin {
  readonly #servedAt = new Map<string, number>();
  #count = 0;

  inOrder(keys: ReadonlySet<string>): string[] {
    for (const key of this.#servedAt.keys()) if (!keys.has(key)) this.#servedAt.delete(key);
    return [...keys].sort((a, b) => this.#lastServed(a) - this.#lastServed(b));
  }

  /** Moves the key to the end. */
  served(key: string): void {
    this.#servedAt.set(key, ++this.#count);
  }

  #lastServed(key: string): number {
    return this.#servedAt.get(key) ?? 0;
  }
}
