/** Finds what a redaction removes: texts and expressions in; their places in a text, and a text without them, out. */
import { RE2JS } from 're2js';

export interface Wanted {
  texts: readonly string[];
  /** In the syntax of RE2. */
  expressions: readonly string[];
  ignoresCase: boolean;
}

export type Range = readonly [from: number, to: number];

/** What is removed can join the rest to another match. */
const MAX_ROUNDS = 10;
/** Marks that are not seen, such as soft hyphens. */
const IGNORED = /[\p{Default_Ignorable_Code_Point}\u00ad]/gu;

export class Search {
  readonly #texts: readonly string[];
  readonly #expressions: readonly RE2JS[];
  readonly #ignoresCase: boolean;
  readonly #folded = new Map<string, string>();

  /** Throws for an expression that is not valid. */
  constructor({ texts, expressions, ignoresCase }: Wanted) {
    this.#ignoresCase = ignoresCase;
    this.#texts = texts.map((text) => this.#fold(text).text).filter(Boolean);
    this.#expressions = expressions.map((each) => RE2JS.compile(each, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0));
  }

  get isEmpty(): boolean {
    return !this.#texts.length && !this.#expressions.length;
  }

  find(text: string): Range[] {
    return [...this.#findTexts(text), ...this.#findExpressions(text)];
  }

  matches(text: string): boolean {
    return this.find(text).length > 0;
  }

  /** The text without what is found in it. */
  remove(text: string): string {
    let left = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const found = this.find(left);
      if (!found.length) return left;
      const isFound = new Uint8Array(left.length);
      for (const [from, to] of found) isFound.fill(1, from, to);
      left = left.replace(/./gs, (unit, at: number) => (isFound[at] ? '' : unit));
    }
    return '';
  }

  #findTexts(text: string): Range[] {
    if (!this.#texts.length) return [];
    const { text: folded, places } = this.#fold(text);
    return this.#texts.flatMap((wanted) => {
      const found: Range[] = [];
      for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
        const last = places[at + wanted.length - 1] as number;
        found.push([places[at] as number, last + lengthAt(text, last)]);
      }
      return found;
    });
  }

  #findExpressions(text: string): Range[] {
    return this.#expressions.flatMap((expression) => {
      const found: Range[] = [];
      const matcher = expression.matcher(text);
      while (matcher.find()) if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
      return found;
    });
  }

  /** Ligatures as letters, letters apart from their accents, and all white space as one space. `places` are those in the text. */
  #fold(text: string): { text: string; places: number[] } {
    let folded = '';
    const places: number[] = [];
    let at = 0;
    for (const character of text) {
      const one = this.#foldOne(character);
      if (one !== ' ' || (folded && !folded.endsWith(' '))) {
        folded += one;
        for (let unit = 0; unit < one.length; unit++) places.push(at);
      }
      at += character.length;
    }
    return { text: folded.trimEnd(), places };
  }

  #foldOne(character: string): string {
    const known = this.#folded.get(character);
    if (known !== undefined) return known;
    const plain = character.normalize('NFKD').replace(IGNORED, '').replace(/\s+/g, ' ');
    const folded = this.#ignoresCase ? plain.toUpperCase().toLowerCase() : plain;
    this.#folded.set(character, folded);
    return folded;
  }
}

function lengthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
