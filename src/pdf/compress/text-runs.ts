/**
 * Shortens the text of a content stream of Chromium: the stream in, one with the same glyphs at the same places out. Chromium often
 * writes a `Td` and a `Tj` for each glyph, which become one `TJ` array for each run (`GlyphPositioner`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDevice.cpp).
 */
import { ContentWriter, STEPS_PER_ADJUSTMENT } from './content-writer.ts';

/** Widths by glyph in thousandths of the font size, and the width of all others. */
export interface TextFont {
  widths: Float64Array;
  otherWidth: number;
}

/** PDF 1.7 guarantees no larger numbers (ISO 32000-1, Annex C). */
const MAX_ADJUSTMENT = 32_767;
const DECIMALS = 7;
/**
 * Gaps at which readers decide whether a letter belongs to a word, in thousandths of the font size: 30 and multiples of 50. Spaced
 * letters often are apart by exactly such a gap, and then what Chromium rounded decides (`minWordBreakSpace`:
 * https://gitlab.freedesktop.org/poppler/poppler/-/blob/master/poppler/TextOutputDev.cc; `NOT_A_SPACE_FACTOR`:
 * https://github.com/mozilla/pdf.js/blob/master/src/core/evaluator.js).
 */
const [SMALL_GAP, GAP_STEP, NEAR] = [30, 50, 0.05];
const [LINE_FEED, SPACE, MINUS, POINT, SLASH, ZERO, NINE, LESS, GREATER] = [10, 32, 45, 46, 47, 48, 57, 60, 62];
const [UPPER_A, UPPER_Q, UPPER_T, LOWER_Q] = [65, 81, 84, 113];
const SHOW = Buffer.from('> Tj\n');
const MOVE = Buffer.from(' Td ');
const MOVE_RIGHT = Buffer.from(' 0 Td <');
const BEGIN = Buffer.from('BT\n');
const END = Buffer.from('ET\n');
const SET_FONT = Buffer.from(' Tf\n');
const SET_MATRIX = Buffer.from(' Tm\n');
/** Text operators in another place of a line than Chromium writes them. */
const OTHER_TEXT = /(?:^|[\s>)\]])(?:T[*DJLcdfjswz]|BT|ET|['"])(?:\s|$)/;

/** Returns undefined if the stream has text that is not written as Chromium does. Fonts are by their names in the resources. */
export function shortenText(content: Buffer, fonts: ReadonlyMap<string, TextFont>): Buffer | undefined {
  return new TextRuns(content, fonts).shorten();
}

class TextRuns {
  readonly #in: Buffer;
  readonly #out: ContentWriter;
  readonly #fonts: ReadonlyMap<string, TextFont>;
  #inText = false;
  /** Whether the rest of the text object stays as it is. */
  #isCopied = false;
  /** Where the array that is open began: what was read, written, and meant as the start of the line before it. */
  #begin = { read: 0, written: 0, start: 0 };
  #font: TextFont | undefined;
  #size = 0;
  /** The line that selected the font, from its start to its end; empty if the font is not known. */
  #fontLine: [start: number, end: number] = [0, 0];
  /** Distances from the start of the line as it was written: of the start that Chromium means, and of the next glyph. */
  #start = 0;
  #pen = 0;
  /** The width of all glyphs since the last `Td`. */
  #advance = 0;
  /** The number that was read last, and the offset of what follows it. */
  #number = 0;
  #at = 0;

  constructor(content: Buffer, fonts: ReadonlyMap<string, TextFont>) {
    this.#in = content;
    this.#fonts = fonts;
    this.#out = new ContentWriter(content, 3 * content.length);
  }

  shorten(): Buffer | undefined {
    for (let at = 0; at < this.#in.length; ) {
      const end = this.#showGlyphs(at) || this.#readLine(at);
      if (!end) return undefined;
      at = end;
    }
    this.#out.closeArray();
    return this.#out.written;
  }

  /** Adds a line such as `7.25 0 Td <00240025> Tj` to the array. Returns the offset after it, or 0 if it is another line. */
  #showGlyphs(at: number): number {
    const font = this.#font;
    if (!font || !this.#inText || this.#isCopied) return 0;
    const moves = this.#in[at] !== LESS;
    if (moves && !(this.#readNumber(at) && this.#has(MOVE_RIGHT, this.#at))) return 0;
    const start = moves ? this.#at + MOVE_RIGHT.length : at + 1;
    const end = this.#in.indexOf(GREATER, start);
    if ((end - start) % 4 || end <= start || !this.#has(SHOW, end)) return 0;
    if (!this.#out.inArray) this.#begin = { read: at, written: this.#out.length, start: this.#start };
    if (moves && !this.#moveTo(this.#number)) return this.#copyRest();
    this.#out.openArray();
    this.#addGlyphs(font, start, end);
    return end + SHOW.length;
  }

  /** Returns false if an array is open that must not be written. */
  #moveTo(distance: number): boolean {
    const own = ((this.#advance - distance) * 1_000) / this.#size;
    this.#start += distance;
    this.#advance = 0;
    const exact = ((this.#pen - this.#start) * 1_000) / this.#size;
    if (this.#out.inArray) return !isCritical(own) && this.#adjust(own, exact);
    this.#out.write(`${shorten(this.#start)} 0 Td\n`);
    this.#beginLine();
    return true;
  }

  /** Takes the array back, and copies the text object from there. Returns the offset to continue at. */
  #copyRest(): number {
    this.#out.rewind(this.#begin.written);
    this.#start = this.#begin.start;
    this.#isCopied = true;
    return this.#begin.read;
  }

  /**
   * Adjusts the place of the next glyph to a step. Equal glyphs get equal adjustments, which compress well, as long as rounding does
   * not add up. Returns false if the distance is too large.
   */
  #adjust(own: number, exact: number): boolean {
    if (!(Math.abs(exact) < MAX_ADJUSTMENT)) return false;
    if (Math.abs(exact) * STEPS_PER_ADJUSTMENT <= 1) return true;
    let steps = Math.round(own * STEPS_PER_ADJUSTMENT);
    if (Math.abs(exact * STEPS_PER_ADJUSTMENT - steps) > 1) steps = Math.round(exact * STEPS_PER_ADJUSTMENT);
    if (steps) this.#out.addAdjustment(steps);
    this.#pen -= (steps * this.#size) / (1_000 * STEPS_PER_ADJUSTMENT);
    return true;
  }

  #addGlyphs({ widths, otherWidth }: TextFont, start: number, end: number): void {
    let width = 0;
    for (let at = start; at < end; at += 4) {
      const glyph = 256 * this.#readByte(at) + this.#readByte(at + 2);
      width += widths[glyph] ?? otherWidth;
      this.#out.addGlyph(glyph, at);
    }
    const advance = (width * this.#size) / 1_000;
    this.#advance += advance;
    this.#pen += advance;
  }

  /** Copies any other line. Returns the offset after it, or 0 if it has text that is written in another way. */
  #readLine(at: number): number {
    this.#out.closeArray();
    const found = this.#in.indexOf(LINE_FEED, at);
    const end = found < 0 ? this.#in.length : found + 1;
    if (this.#in[at] === SLASH && this.#has(SET_FONT, end - SET_FONT.length)) return this.#setFont(at, end);
    if (!this.#inText) this.#copyGraphics(at, end);
    else if (!this.#copyText(at, end)) return 0;
    return end;
  }

  #setFont(at: number, end: number): number {
    const [line, known] = [this.#in.subarray(at, end), this.#in.subarray(...this.#fontLine)];
    if (line.equals(known)) return end;
    const [name = '', size, ...more] = line.toString('latin1', 1, line.length - SET_FONT.length).split(' ');
    if (more.length || !(Number(size) > 0)) return 0;
    this.#font = this.#fonts.get(name);
    this.#size = Number(size);
    this.#fontLine = [at, end];
    this.#out.copy(at, end);
    return end;
  }

  #copyGraphics(at: number, end: number): void {
    this.#inText = end - at === BEGIN.length && this.#has(BEGIN, at);
    if (this.#inText) this.#beginText();
    else if (this.#mayChangeFont(at, end)) this.#forgetFont();
    this.#out.copy(at, end);
  }

  #beginText(): void {
    this.#isCopied = false;
    this.#beginLine();
  }

  #forgetFont(): void {
    this.#font = undefined;
    this.#fontLine = [0, 0];
  }

  /** Whether a line may save or restore the graphics state, or has a text operator. */
  #mayChangeFont(at: number, end: number): boolean {
    for (let each = at; each < end; each++) {
      const byte = this.#in[each];
      if (byte === LOWER_Q || byte === UPPER_Q || byte === UPPER_T) return true;
    }
    return false;
  }

  #copyText(at: number, end: number): boolean {
    if (end - at === END.length && this.#has(END, at)) this.#inText = false;
    else if (this.#isMove(at)) return this.#copyMove(at, end);
    else if (this.#shows(at, end)) this.#pen = Number.NaN;
    else if (OTHER_TEXT.test(this.#in.toString('latin1', at, end))) return false;
    else if (this.#has(SET_MATRIX, end - SET_MATRIX.length)) this.#beginLine();
    this.#out.copy(at, end);
    return true;
  }

  /** Whether a line ends with a single string that is shown. */
  #shows(at: number, end: number): boolean {
    const last = end - SHOW.length;
    return this.#in[at] === LESS && this.#in.indexOf(GREATER, at) === last && this.#has(SHOW, last);
  }

  #isMove(at: number): boolean {
    if (!this.#readNumber(at) || this.#in[this.#at] !== SPACE) return false;
    const distance = this.#number;
    const isMove = this.#readNumber(this.#at + 1) && this.#has(MOVE, this.#at);
    this.#number = distance;
    return isMove;
  }

  /** Copies a move, from the start of the line as it was written, and the glyphs after it. */
  #copyMove(at: number, end: number): boolean {
    const rest = this.#in.indexOf(SPACE, at);
    if (!this.#shows(this.#at + MOVE.length, end)) return false;
    if (this.#start) this.#out.write(shorten(this.#start + this.#number));
    this.#out.copy(this.#start ? rest : at, end);
    this.#beginLine();
    this.#pen = Number.NaN;
    return true;
  }

  #beginLine(): void {
    this.#start = 0;
    this.#pen = 0;
    this.#advance = 0;
  }

  /** Reads a number as Chromium writes it: without a sign if positive, and without an exponent. */
  #readNumber(from: number): boolean {
    const bytes = this.#in;
    const isNegative = bytes[from] === MINUS;
    const start = isNegative ? from + 1 : from;
    let [at, value, scale] = [start, 0, 0];
    for (let byte = bytes[at] ?? 0; byte === POINT || (byte >= ZERO && byte <= NINE); byte = bytes[++at] ?? 0) {
      if (byte === POINT) scale = 1;
      else {
        value = value * 10 + byte - ZERO;
        scale *= 10;
      }
    }
    this.#number = (isNegative ? -value : value) / (scale || 1);
    this.#at = at;
    return at > start;
  }

  #readByte(at: number): number {
    return 16 * digit(this.#in[at] ?? 0) + digit(this.#in[at + 1] ?? 0);
  }

  #has(bytes: Buffer, at: number): boolean {
    for (let n = 0; n < bytes.length; n++) if (this.#in[at + n] !== bytes[n]) return false;
    return true;
  }
}

function isCritical(gap: number): boolean {
  const size = Math.abs(gap);
  if (size < SMALL_GAP - NEAR) return false;
  return Math.abs(size - SMALL_GAP) < NEAR || Math.abs(size - GAP_STEP * Math.round(size / GAP_STEP)) < NEAR;
}

function digit(byte: number): number {
  return byte < UPPER_A ? byte - ZERO : (byte | 32) - 87;
}

/** Writes a number with as few characters as possible. */
function shorten(value: number): string {
  const text = String(Math.round(value * 10 ** DECIMALS) / 10 ** DECIMALS);
  if (text.includes('e')) return value.toFixed(DECIMALS);
  return text.startsWith('0.') ? text.slice(1) : text.replace('-0.', '-.');
}
