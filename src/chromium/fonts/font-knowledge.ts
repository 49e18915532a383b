/** What is known of the fonts one browser has, so that it is asked but once: characters they cover, families that are there. */

const MAX_CHARACTERS = 100_000;
const MAX_FAMILIES = 2_000;

export class FontKnowledge {
  readonly #covered = new Set<string>();
  readonly #installed: Set<string>;

  constructor(installed: string[] = []) {
    this.#installed = new Set(installed.map((family) => family.toLowerCase()));
  }

  /** Those of which it is not known that the fonts of the system cover them. */
  uncovered(characters: Iterable<string>): string[] {
    return [...characters].filter((character) => !this.#covered.has(character));
  }

  /** Those of which it is not known that they are installed. */
  notInstalled(families: Iterable<string>): string[] {
    return [...families].filter((family) => !this.#installed.has(family.toLowerCase()));
  }

  learn({ covered, installed }: { covered: string[]; installed: string[] }): void {
    for (const character of covered) if (this.#covered.size < MAX_CHARACTERS) this.#covered.add(character);
    for (const family of installed) if (this.#installed.size < MAX_FAMILIES) this.#installed.add(family.toLowerCase());
  }
}
