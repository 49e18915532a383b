/** The text and the width of the glyphs of a font: a font dictionary and shown bytes in, glyphs out. */
import { PdfDict, PdfNumber } from '@libpdf/core';
import { readUnicodeMap } from '../content/fonts.ts';
import { readGlyphWidths } from '../content/glyph-widths.ts';
import { toMatrix } from '../objects/matrix.ts';
import type { ReadablePdf } from './readable-pdf.ts';

export interface Glyph {
  /** Undefined if it is not known. */
  text: string | undefined;
  /** In proportion to the font size; undefined if it is not known. */
  width: number | undefined;
  /** Whether word spacing applies. */
  isSpace: boolean;
}

const MAX_MAP_BYTES = 4_194_304;
const SPACE = 32;

export class GlyphMetrics {
  readonly #isComposite: boolean;
  /** Whether the codes have two bytes, and the text is horizontal. */
  readonly #isReadable: boolean;
  readonly #texts: ReadonlyMap<number, string> | undefined;
  readonly #isLatin: boolean;
  readonly #widths = new Map<number, number>();
  readonly #defaultWidth: number | undefined;

  constructor(pdf: ReadablePdf, font: PdfDict) {
    const type = pdf.name(font, 'Subtype');
    this.#isComposite = type === 'Type0';
    const encoding = pdf.name(font, 'Encoding');
    this.#isReadable = !this.#isComposite || encoding === 'Identity-H';
    const map = pdf.stream(font, 'ToUnicode');
    this.#texts = map && readUnicodeMap(Buffer.from(map.getDecodedData().subarray(0, MAX_MAP_BYTES)).toString('latin1'));
    this.#isLatin = /^(?:WinAnsi|MacRoman|Standard)Encoding$/.test(encoding);
    if (!this.#isComposite) this.#readSimple(pdf, font, type === 'Type3' ? toMatrix(font.get('FontMatrix'))[0] : 0.001);
    const descendant = pdf.first(font, 'DescendantFonts');
    if (!(this.#isComposite && descendant instanceof PdfDict)) return;
    this.#defaultWidth = (pdf.number(descendant, 'DW') ?? 1_000) / 1_000;
    const widths = readGlyphWidths(pdf.list(descendant, 'W').map((entry) => pdf.resolve(entry)));
    for (const [code, width] of widths) this.#widths.set(code, width / 1_000);
  }

  glyphs(bytes: Buffer): Glyph[] {
    if (!this.#isComposite) return Array.from(bytes, (code) => this.#glyph(code, code === SPACE));
    if (!this.#isReadable) return [{ text: undefined, width: undefined, isSpace: false }];
    return Array.from({ length: bytes.length >> 1 }, (_, at) => this.#glyph(bytes.readUInt16BE(2 * at), false));
  }

  #glyph(code: number, isSpace: boolean): Glyph {
    const latin = this.#isLatin ? String.fromCharCode(code) : undefined;
    return { text: this.#texts?.get(code) ?? latin, width: this.#widths.get(code) ?? this.#defaultWidth, isSpace };
  }

  #readSimple(pdf: ReadablePdf, font: PdfDict, unit: number): void {
    const first = pdf.number(font, 'FirstChar') ?? 0;
    for (const [index, entry] of pdf.list(font, 'Widths').entries()) {
      const width = pdf.resolve(entry);
      if (width instanceof PdfNumber) this.#widths.set(first + index, width.value * unit);
    }
  }
}
