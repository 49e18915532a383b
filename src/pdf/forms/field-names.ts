/** The names of form fields, which are unique in a PDF (ISO 32000-1, 12.7.3.2). */

const MAX_NAME = 200;

export class FieldNames {
  readonly #taken: Set<string>;
  /** The next number to try for a name that is taken. */
  readonly #numbers = new Map<string, number>();
  #unnamed = 0;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** A period would stand between a field and its parent. A name that is taken gets a number. */
  next(key: string): string {
    const wanted = shortened(key.replace(/[.\s]+/g, '_')) || `field${++this.#unnamed}`;
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

/** Without half of a character at its end. */
function shortened(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[\uD800-\uDBFF]$/, '');
}
