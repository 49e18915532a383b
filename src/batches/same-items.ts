/** Items in, for each the position of the first that asks for the same out. */
import { createHash } from 'node:crypto';
import { isMembers, type Members } from './batch-request.ts';

/** Within one batch, whose defaults are often large and the same for every item: each member of those is digested once. */
export class SameItems {
  readonly #defaults: Members;
  readonly #digests = new Map<string, string>();
  readonly #canonical = new Map<string, number>();

  constructor(defaults: Members) {
    this.#defaults = { ...defaults, ...prefixed(defaults.options) };
  }

  /** `merged` is what the item asks for, with its defaults. */
  canonicalOf(merged: Members, position: number): number {
    const { options, ...rest } = merged;
    const members = { ...rest, ...prefixed(options) };
    const hash = createHash('sha256');
    for (const name of Object.keys(members).sort())
      if (members[name] !== undefined) hash.update(`${JSON.stringify(name)} ${this.#digestOf(name, members[name])}\n`);
    const digest = hash.digest('hex');
    const leader = this.#canonical.get(digest) ?? position;
    this.#canonical.set(digest, leader);
    return leader;
  }

  #digestOf(name: string, value: unknown): string {
    if (value !== this.#defaults[name]) return digestOf(value);
    const digest = this.#digests.get(name) ?? digestOf(value);
    this.#digests.set(name, digest);
    return digest;
  }
}

/** The order of members counts: a template may go through its data in that order. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Members of options beside those of the item. */
function prefixed(options: unknown): Members {
  if (!isMembers(options)) return {};
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [`options.${name}`, value]));
}
