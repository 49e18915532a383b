/** A text object of tagged content (ISO 32000-1, 9.4): what a content stream shows between BT and ET, with its text and place. */
import type { Operands } from './content-scanner.ts';
import type { Fonts, Run } from './fonts.ts';
import { readNumbers } from './graphics-state.ts';

type Range = readonly [from: number, to: number];

/** The distance between two base lines, in proportion to the font size, from which on they are not those of one line. */
const LINE_DISTANCE = 0.5;

export class TextObject {
  endsWithSpace = false;
  /** The offset of its end (ET) in the content. */
  end = 0;
  /** The byte range of the last Tf with its operands. */
  font: Range | undefined;
  /** Whether the glyphs are in the reverse order of the text (ReversedChars, 14.8.2.3.3). */
  isReversed = false;
  readonly #content: Buffer;
  readonly #fonts: Fonts;
  readonly #shown: Array<Run | string> = [];
  #matrix: Range | undefined;
  #text: string | undefined;

  constructor(content: Buffer, fonts: Fonts) {
    this.#content = content;
    this.#fonts = fonts;
  }

  /** Adds codes, or the ActualText of some. */
  show(...shown: Array<Run | string>): void {
    this.#shown.push(...shown);
  }

  place({ start }: Operands, end: number): void {
    this.#matrix = [start, end];
  }

  /** Read it only after all content was inspected. Glyphs without a character have no text. */
  get text(): string {
    if (this.#text !== undefined) return this.#text;
    const texts = this.#shown.map((shown) => (typeof shown === 'string' ? shown : this.#fonts.readText(shown, this.isReversed)));
    this.#text = (this.isReversed ? texts.reverse() : texts).join('');
    return this.#text;
  }

  /** The operands of the last Tf, such as `/F4 16`. */
  get fontOperands(): string {
    const written = this.font ? this.#content.toString('latin1', this.font[0], this.font[1]) : '';
    return written.endsWith('Tf') ? written.slice(0, -'Tf'.length).trimEnd() : written;
  }

  /** Whether another text object is on another line than this one, according to their matrices. */
  isOnOtherLine(other: TextObject): boolean {
    if (this.#content !== other.#content) return true;
    const [a = 0, b = 0, , , x = 0, y = 0] = this.#numbers();
    const [, , , , otherX = 0, otherY = 0] = other.#numbers();
    const size = Number(this.fontOperands.split(/\s+/)[1]) || 1;
    const distance = Math.abs((otherX - x) * b - (otherY - y) * a); // across the direction of the text
    return distance > LINE_DISTANCE * size * (a * a + b * b);
  }

  #numbers(): number[] {
    return this.#matrix ? readNumbers(this.#content, ...this.#matrix) : [];
  }
}
