/** Finds in the text of a document whether white space separates two parts of it: texts of the PDF in, the answer out. */

/** How many characters may be searched, in proportion to the text, before the search is given up. It is one pass if all is in order. */
const MAX_PASSES = 50;
/** What each place that is looked at costs, in characters. */
const COST_OF_PLACE = 32;
/** How much text on both sides of a place tells where it is. */
const CONTEXT = 16;
/** Anything but ASCII without hyphens and with single spaces. */
const NOT_PLAIN = /[^ -,.-~]| {2}/;
const MARKS_AND_HYPHENS = /[\p{M}\p{Default_Ignorable_Code_Point}\u2010\u2011-]+/gu;

const AROUND_WORD = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/**
 * A text without what may differ between a document and its PDF: case (`text-transform`), ligatures and other forms of characters,
 * marks, and hyphens at line ends. White space is a single space.
 */
export function foldText(text: string): string {
  if (!NOT_PLAIN.test(text)) return text.toUpperCase(); // most text, which the rest leaves as it is
  return text.normalize('NFKD').toUpperCase().replace(MARKS_AND_HYPHENS, '').replace(/\s+/g, ' ');
}

/** The text of a document, which is mostly asked for in its order. */
export class DocumentText {
  readonly #text: string;
  #words: ReadonlySet<string> | undefined;
  /** The place that was found last. Each place is after the one before it, if texts are asked for in their order. */
  #last = -1;
  #left: number;

  constructor(text: string) {
    this.#text = foldText(text);
    this.#left = MAX_PASSES * this.#text.length;
  }

  /** Takes folded texts without space where they meet. Returns undefined if they are nowhere next to each other. */
  isSpaced(before: string, after: string): boolean | undefined {
    if (!before || !after) return undefined;
    const [end, start] = [before.slice(-CONTEXT), after.slice(0, CONTEXT)];
    const from = Math.max(0, this.#last + 1 - end.length);
    return this.#search(end, start, from, this.#text.length) ?? this.#search(end, start, 0, from);
  }

  /**
   * Whether the last word of one text and the first word of another are words of the document, but not one word together. This answers for
   * text in another order than in the document, if the texts are.
   */
  hasBothWords(before: string, after: string): boolean {
    this.#words ??= new Set(splitWords(this.#text));
    const [last = '', first = ''] = [splitWords(before).at(-1), splitWords(after)[0]];
    return this.#words.has(last) && this.#words.has(first) && !this.#words.has(last + first);
  }

  #search(before: string, after: string, from: number, to: number): boolean | undefined {
    for (let at = from; at < to && this.#left > 0; at++) {
      const found = this.#text.indexOf(before, at);
      this.#left -= (found < 0 ? this.#text.length : found) - at + COST_OF_PLACE;
      if (found < 0 || found >= to) return undefined;
      at = found;
      const end = found + before.length;
      const isSpaced = this.#text[end] === ' ';
      if (!this.#text.startsWith(after, isSpaced ? end + 1 : end)) continue;
      this.#last = end;
      return isSpaced;
    }
    return undefined;
  }
}

/** The words between white space, without the punctuation around them. */
function splitWords(text: string): string[] {
  return text.split(' ').flatMap((word) => word.replace(AROUND_WORD, '') || []);
}
