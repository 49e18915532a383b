/** Keys in, the same keys in the order of their turns out: who was served longest ago comes first. */

export class Turns {
  readonly #takenAt = new Map<string, number>();
  #count = 0;

  inOrder(keys: readonly string[]): string[] {
    for (const key of this.#takenAt.keys()) if (!keys.includes(key)) this.#takenAt.delete(key);
    return keys.toSorted((a, b) => this.#turnOf(a) - this.#turnOf(b));
  }

  /** Goes to the end. */
  taken(key: string): void {
    this.#takenAt.set(key, ++this.#count);
  }

  #turnOf(key: string): number {
    return this.#takenAt.get(key) ?? 0;
  }
}
