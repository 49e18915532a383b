/** Writes a content stream with `TJ` arrays (ISO 32000-1, 9.4.3): glyphs, adjustments and copied bytes in, the stream out. */

/** Adjustments are written with this many steps for a thousandth of the font size. */
export const STEPS_PER_ADJUSTMENT = 1_000;
const [LINE_FEED, RETURN, OPEN, CLOSE, MINUS, POINT, ZERO, LESS, GREATER, OPEN_ARRAY, BACKSLASH] = [
  10, 13, 40, 41, 45, 46, 48, 60, 62, 91, 92,
];
/** Bytes that a literal string contains in another form. */
const ESCAPES: ReadonlyMap<number, number> = new Map([
  [OPEN, OPEN],
  [CLOSE, CLOSE],
  [BACKSLASH, BACKSLASH],
  [LINE_FEED, 'n'.charCodeAt(0)],
  [RETURN, 'r'.charCodeAt(0)],
]);

export class ContentWriter {
  /** Whether an array is open. */
  inArray = false;
  readonly #source: Buffer;
  readonly #out: Buffer;
  #written = 0;
  /** The kind of the string that is open. */
  #string: 'literal' | 'hex' | undefined;

  /** The stream has at most `maxBytes`. Bytes are copied from `source`. */
  constructor(source: Buffer, maxBytes: number) {
    this.#source = source;
    this.#out = Buffer.allocUnsafe(maxBytes);
  }

  get length(): number {
    return this.#written;
  }

  get written(): Buffer {
    return this.#out.subarray(0, this.#written);
  }

  openArray(): void {
    if (!this.inArray) this.#put(OPEN_ARRAY);
    this.inArray = true;
  }

  closeArray(): void {
    if (!this.inArray) return;
    this.#closeString();
    this.write(']TJ\n');
    this.inArray = false;
  }

  /**
   * Adds a glyph to the array. The source has its number in four digits at `at`. Glyphs of Latin text take two bytes in a literal
   * string; others compress better as digits.
   */
  addGlyph(glyph: number, at: number): void {
    if (glyph < 256) this.#addLiteral(glyph);
    else {
      this.#openString('hex', LESS);
      this.copy(at, at + 4);
    }
  }

  /** Adds an adjustment, such as -1250 as `-1.25`, without a text of it, which would take most of the time. */
  addAdjustment(steps: number): void {
    this.#closeString();
    if (steps < 0) this.#put(MINUS);
    const whole = Math.floor(Math.abs(steps) / STEPS_PER_ADJUSTMENT);
    let left = Math.abs(steps) % STEPS_PER_ADJUSTMENT;
    if (whole) this.#writeDigits(whole);
    if (left) this.#put(POINT);
    for (let unit = STEPS_PER_ADJUSTMENT / 10; left; unit /= 10) {
      this.#put(ZERO + Math.floor(left / unit));
      left %= unit;
    }
  }

  /** Takes back everything after the first `length` bytes, at which no array was open. */
  rewind(length: number): void {
    this.#written = length;
    this.#string = undefined;
    this.inArray = false;
  }

  /** Writes Latin-1 text. */
  write(text: string): void {
    this.#written += this.#out.write(text, this.#written, 'latin1');
  }

  copy(from: number, to: number): void {
    this.#source.copy(this.#out, this.#written, from, to);
    this.#written += to - from;
  }

  #addLiteral(glyph: number): void {
    this.#openString('literal', OPEN);
    this.#put(0);
    const escaped = ESCAPES.get(glyph);
    if (escaped !== undefined) this.#put(BACKSLASH);
    this.#put(escaped ?? glyph);
  }

  #openString(kind: 'literal' | 'hex', delimiter: number): void {
    if (this.#string === kind) return;
    this.#closeString();
    this.#string = kind;
    this.#put(delimiter);
  }

  #closeString(): void {
    if (this.#string) this.#put(this.#string === 'hex' ? GREATER : CLOSE);
    this.#string = undefined;
  }

  #writeDigits(whole: number): void {
    if (whole >= 10) this.#writeDigits(Math.floor(whole / 10));
    this.#put(ZERO + (whole % 10));
  }

  #put(byte: number): void {
    this.#out[this.#written++] = byte;
  }
}
