/**
 * Remembers which characters the fonts of one browser cover and which families are installed, so that each is checked only once.
 */

/** Names of families that every browser knows, which are no fonts. */
const GENERIC = [
  ...['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'math', 'emoji', 'fangsong', 'generic', '-apple-system'],
  ...['system-ui', 'ui-serif', 'ui-sans-serif', 'ui-monospace', 'ui-rounded', 'blinkmacsystemfont', '-webkit-body'],
];
const MAX_CHARACTERS = 100_000;
const MAX_FAMILIES = 2_000;

export class FontKnowledge {
  readonly #covered = new Set<string>();
  readonly #installed: Set<string>;

  constructor(installed: string[] = []) {
    this.#installed = new Set([...GENERIC, ...installed.map((family) => family.toLowerCase())]);
  }

  /** Returns the characters that the system's fonts are not known to cover. */
  findUncovered(characters: Iterable<string>): string[] {
    return [...characters].filter((character) => !this.#covered.has(character));
  }

  /** Returns the families that are not known to be installed. */
  findNotInstalled(families: Iterable<string>): string[] {
    return [...families].filter((family) => !this.#installed.has(family.toLowerCase()));
  }

  /** Whether it is not known that the system's fonts have all of them. */
  lacks({ characters, families }: { characters: Iterable<string>; families: Iterable<string> }): boolean {
    return this.findUncovered(characters).length + this.findNotInstalled(families).length > 0;
  }

  learn({ covered, installed }: { covered: string[]; installed: string[] }): void {
    for (const character of covered) if (this.#covered.size < MAX_CHARACTERS) this.#covered.add(character);
    for (const family of installed) if (this.#installed.size < MAX_FAMILIES) this.#installed.add(family.toLowerCase());
  }
}
