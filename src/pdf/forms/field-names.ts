/** Makes the names of form fields unique in a PDF (ISO 32000-1, 12.7.3.2). */

const MAX_NAME = 200;

export class FieldNames {
  readonly #taken: Set<string>;
  /** The next number to try for a name that is taken. */
  readonly #numbers = new Map<string, number>();
  #unnamed = 0;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Replaces periods, which separate a field from its parent, and white space. Adds a number to a name that is taken. */
  next(key: string): string {
    return this.keep(shorten(key.replace(/[.\s]+/g, '_')) || `field${++this.#unnamed}`);
  }

  /** Adds a number to a name that is taken. */
  keep(wanted: string): string {
    let name = wanted;
    let number = this.#numbers.get(wanted) ?? 2;
    for (; this.isTaken(name); number++) name = `${wanted}_${number}`;
    this.#numbers.set(wanted, number);
    this.#taken.add(name);
    return name;
  }

  protected isTaken(name: string): boolean {
    return this.#taken.has(name);
  }
}

/** Cuts a name without leaving half of a surrogate pair at its end. */
function shorten(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[\uD800-\uDBFF]$/, '');
}
