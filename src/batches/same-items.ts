/** Finds duplicates among the items of a batch: for each item, the position of the first item with the same request. */
import { createHash } from 'node:crypto';
import { isMembers, type Members } from '../validate.ts';

/** Compares the items of one batch. Each value of the defaults is hashed only once, because defaults are often large. */
export class SameItems {
  readonly #digests = new Map<unknown, string>();
  readonly #canonical = new Map<string, number>();

  /** `merged` is the item merged with its defaults. */
  findCanonical(merged: Members, position: number): number {
    const { options, ...rest } = merged;
    const members = { ...rest, ...prefixNames(options) };
    const hash = createHash('sha256');
    for (const name of Object.keys(members).sort())
      if (members[name] !== undefined) hash.update(`${JSON.stringify(name)} ${this.#digest(members[name])}\n`);
    const digest = hash.digest('hex');
    const canonical = this.#canonical.get(digest) ?? position;
    this.#canonical.set(digest, canonical);
    return canonical;
  }

  #digest(value: unknown): string {
    const digest = this.#digests.get(value) ?? digestValue(value);
    this.#digests.set(value, digest);
    return digest;
  }
}

/** The order of members matters, because a template may iterate over its data. */
function digestValue(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** The options as members named `options.NAME`, next to the other members of the item. */
function prefixNames(options: unknown): Members {
  if (!isMembers(options)) return {};
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [`options.${name}`, value]));
}
