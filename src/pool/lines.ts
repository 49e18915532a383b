/** Those who wait: a line for each owner, and owners in turn. */

export class Lines<W extends { owner: string }> {
  /** By owner; the owner whose turn it is comes first. */
  readonly #lines = new Map<string, W[]>();
  #length = 0;

  /** All lines together. */
  get length(): number {
    return this.#length;
  }

  lengthOf(owner: string): number {
    return this.#lines.get(owner)?.length ?? 0;
  }

  add(waiter: W): void {
    const line = this.#lines.get(waiter.owner);
    if (line) line.push(waiter);
    else this.#lines.set(waiter.owner, [waiter]);
    this.#length++;
  }

  /** Takes the first of the owner whose turn it is; that owner goes to the end. */
  next(): W | undefined {
    const first = this.#lines.entries().next().value;
    if (!first) return undefined;
    const [owner, line] = first;
    const waiter = line.shift();
    this.#lines.delete(owner);
    if (line.length) this.#lines.set(owner, line);
    this.#length--;
    return waiter;
  }

  /** Whether it still waited. */
  remove(waiter: W): boolean {
    const line = this.#lines.get(waiter.owner);
    const at = line?.indexOf(waiter) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    if (!line.length) this.#lines.delete(waiter.owner);
    this.#length--;
    return true;
  }

  longest(): readonly W[] {
    let longest: W[] = [];
    for (const line of this.#lines.values()) if (line.length > longest.length) longest = line;
    return longest;
  }
}
