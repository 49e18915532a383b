/** Collects the text of marked content page by page: glyphs in, a text for each mark of the tags out. */
import { hasLetters, hasRightToLeft } from '../content/visual-order.ts';
import type { Glyph } from '../redact/read-content.ts';
import { isOnNewLine, readInOrder } from '../redact/readings.ts';

export interface MarkedText {
  /** With a line feed where a line ends. */
  text: string;
  first: Glyph;
  last: Glyph;
}

export class MarkedTexts {
  readonly #wanted: ReadonlySet<string>;
  readonly #texts = new Map<string, MarkedText>();

  /** Marks that are not wanted belong to those around them. */
  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  addPage(glyphs: readonly Glyph[]): void {
    const marked = [...Map.groupBy(glyphs, ({ marks }) => marks.findLast((mark) => this.#wanted.has(mark)))];
    const read = marked.map(([mark, own]) => {
      return { mark, own, text: readInOrder(own, false), first: own[0] as Glyph, last: own.at(-1) as Glyph };
    });
    for (const [index, { mark, own, ...found }] of read.entries()) {
      if (mark === undefined || this.#texts.has(mark)) continue;
      const isTurned = !hasLetters(found.text) && isBetweenTurned(read[index - 1], found, read[index + 1]);
      this.#texts.set(mark, isTurned ? { ...found, text: readInOrder(own, true) } : found);
    }
  }

  get(mark: string): MarkedText | undefined {
    return this.#texts.get(mark);
  }
}

/** Whether what is in the same line on both sides, or on one, runs to the left. */
function isBetweenTurned(before: MarkedText | undefined, { first, last }: MarkedText, after: MarkedText | undefined): boolean {
  const texts = [];
  if (before && !isOnNewLine(before.last, first)) texts.push(before.text);
  if (after && !isOnNewLine(last, after.first)) texts.push(after.text);
  const others = texts.filter(hasLetters);
  return others.length > 0 && others.every(hasRightToLeft);
}
