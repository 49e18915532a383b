/** Reads the glyphs of fonts of any producer: a font dictionary and shown bytes in; the text and the width of each glyph out. */
import { PDFPage, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { readUnicodeMap } from '../content/fonts.ts';
import { readGlyphWidths } from '../content/glyph-widths.ts';
import { type Matrix, toMatrix } from '../objects/matrix.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { numbers } from '../objects/syntax.ts';

export interface ShownGlyph {
  /** Its bytes, as digits. */
  code: string;
  /** Undefined if it is not known. */
  text: string | undefined;
  /** In proportion to the font size. */
  width: number;
  /** Whether word spacing applies. */
  isSpace: boolean;
  /** What draws it, in a Type 3 font. */
  procedure: PdfObject | undefined;
}

/** A font whose codes cannot be told apart. */
export class UnreadableFontError extends Error {
  override name = 'UnreadableFontError';
}

/** What stands for a glyph that is no character, such as those of ZapfDingbats. */
const NO_CHARACTER = '\ufffc';
const SPACE = 32;
const NON_SYMBOLIC = 32;
/** Of a page that shows codes, one on each line. */
const [FONT_SIZE, LINE] = [1_000, 10_000];
/** Names of ligatures that the list of libpdf lacks. */
const LIGATURES: Readonly<Record<string, string>> = { ff: 'ff', ffi: 'ffi', ffl: 'ffl', ft: 'ft', st: 'st' };

export class ForeignFont {
  readonly name: string;
  /** Of a Type 3 font. */
  readonly matrix: Matrix;
  readonly resources: PdfDict | undefined;
  readonly #procedures: ReadonlyMap<number, PdfObject>;
  readonly #pdf: PdfReader;
  readonly #dict: PdfDict;
  readonly #bytesPerCode: number;
  /** Whether codes are characters in UTF-16. */
  readonly #isUnicode: boolean;
  readonly #texts: ReadonlyMap<number, string>;
  readonly #widths: ReadonlyMap<number, number>;
  readonly #otherWidth: number;
  readonly #known = new Map<number, ShownGlyph>();

  /** Throws `UnreadableFontError`. */
  constructor(pdf: PdfReader, dict: PdfDict) {
    this.#pdf = pdf;
    this.#dict = dict;
    this.name = pdf.name(dict, 'BaseFont') || pdf.name(dict, 'Name') || 'without a name';
    this.matrix = toMatrix(pdf.resolve(dict.get('FontMatrix')));
    this.resources = pdf.dict(dict, 'Resources');
    this.#procedures = readProcedures(pdf, dict);
    const isComposite = pdf.name(dict, 'Subtype') === 'Type0';
    const encoding = pdf.name(dict, 'Encoding');
    this.#isUnicode = isComposite && /^Uni.*(?:UCS2|UTF16)-H$/.test(encoding);
    this.#bytesPerCode = isComposite ? this.#readCodeLength(encoding) : 1;
    const map = pdf.stream(dict, 'ToUnicode');
    const mapped = map ? readUnicodeMap(Buffer.from(map.getDecodedData()).toString('latin1')) : new Map<number, string>();
    const asked = isComposite ? [] : new SimpleEncoding(pdf, dict).texts();
    this.#texts = new Map([...asked, ...mapped]);
    [this.#widths, this.#otherWidth] = isComposite ? this.#readCidWidths() : this.#readWidths();
  }

  /** Throws `UnreadableFontError` if the last code is cut off. */
  glyphs(bytes: Buffer): ShownGlyph[] {
    if (bytes.length % this.#bytesPerCode) throw new UnreadableFontError(`the font ${this.name}`);
    return Array.from({ length: bytes.length / this.#bytesPerCode }, (_, at) =>
      this.#glyph(bytes.readUIntBE(at * this.#bytesPerCode, this.#bytesPerCode)),
    );
  }

  #glyph(code: number): ShownGlyph {
    const known = this.#known.get(code);
    if (known) return known;
    const isMissing = code === 0 && this.#bytesPerCode > 1; // .notdef, which shows no character
    const text = this.#texts.get(code) ?? (this.#isUnicode ? String.fromCharCode(code) : isMissing ? NO_CHARACTER : undefined);
    const glyph = {
      code: code.toString(16).padStart(2 * this.#bytesPerCode, '0'),
      text: text?.normalize('NFKC'),
      width: this.#widths.get(code) ?? this.#otherWidth,
      isSpace: this.#bytesPerCode === 1 && code === SPACE,
      procedure: this.#procedures.get(code),
    };
    this.#known.set(code, glyph);
    return glyph;
  }

  #readCodeLength(encoding: string): number {
    if (encoding === 'Identity-H' || this.#isUnicode) return 2;
    const map = this.#pdf.stream(this.#dict, 'Encoding');
    const text = map ? Buffer.from(map.getDecodedData()).toString('latin1') : '';
    const ranges = text.split('endcodespacerange').slice(0, -1);
    const codes = ranges.flatMap(
      (range) =>
        range
          .split('begincodespacerange')
          .at(-1)
          ?.match(/<[0-9a-f]*>/gi) ?? [],
    );
    const lengths = codes.map((code) => (code.length - 2) / 2);
    const [length] = lengths;
    if (length !== 1 && length !== 2) throw new UnreadableFontError(`the font ${this.name}`);
    if (lengths.some((each) => each !== length) || /\/WMode\s+1/.test(text))
      throw new UnreadableFontError(`the font ${this.name}`);
    return length;
  }

  #readCidWidths(): [Map<number, number>, number] {
    const [first] = this.#pdf.list(this.#dict, 'DescendantFonts');
    const descendant = this.#pdf.asDict(first);
    const entries = this.#pdf.list(descendant, 'W').map((entry) => this.#pdf.resolve(entry));
    const widths = [...readGlyphWidths(entries)].map(([code, width]): [number, number] => [code, width / 1_000]);
    return [new Map(widths), (this.#pdf.number(descendant, 'DW') ?? 1_000) / 1_000];
  }

  #readWidths(): [Map<number, number>, number] {
    const isType3 = this.#pdf.name(this.#dict, 'Subtype') === 'Type3';
    const unit = isType3 ? Math.abs(toMatrix(this.#pdf.resolve(this.#dict.get('FontMatrix')))[0]) : 0.001;
    const list = this.#pdf.list(this.#dict, 'Widths').map((each) => this.#pdf.resolve(each));
    const first = this.#pdf.number(this.#dict, 'FirstChar') ?? 0;
    const given = list.flatMap((width, at) => (width instanceof PdfNumber ? [[first + at, width.value * unit] as const] : []));
    const missing = this.#pdf.number(this.#pdf.dict(this.#dict, 'FontDescriptor'), 'MissingWidth') ?? 0;
    if (given.length) return [new Map(given), missing * unit];
    const asked = askLibrary(this.#pdf, this.#dict, ALL_CODES);
    return [new Map([...asked].map(([code, { width }]) => [code, width])), missing * unit];
  }
}

/** What draws the glyphs of a Type 3 font, by their codes (ISO 32000-1, 9.6.5). */
function readProcedures(pdf: PdfReader, font: PdfDict): Map<number, PdfObject> {
  if (pdf.name(font, 'Subtype') !== 'Type3') return new Map();
  const procedures = pdf.dict(font, 'CharProcs');
  const names = readDifferences(pdf, pdf.dict(font, 'Encoding'));
  return new Map(
    [...names].flatMap(([code, name]) => {
      const procedure = procedures?.get(name);
      return procedure ? [[code, procedure] as const] : [];
    }),
  );
}

/** Names of glyphs by their codes. */
function readDifferences(pdf: PdfReader, encoding: PdfDict | undefined): Map<number, string> {
  const names = new Map<number, string>();
  let code = 0;
  for (const item of pdf.list(encoding, 'Differences').map((each) => pdf.resolve(each))) {
    if (item instanceof PdfNumber) code = item.value;
    else if (item instanceof PdfName) names.set(code++, item.value);
  }
  return names;
}

const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);

/** What the codes of a simple font mean without a ToUnicode map (ISO 32000-1, 9.6.6). */
class SimpleEncoding {
  readonly #pdf: PdfReader;
  readonly #dict: PdfDict;

  constructor(pdf: PdfReader, dict: PdfDict) {
    this.#pdf = pdf;
    this.#dict = dict;
  }

  texts(): Map<number, string> {
    const encoding = this.#pdf.resolve(this.#dict.get('Encoding'));
    const own = encoding instanceof PdfDict ? readDifferences(this.#pdf, encoding) : new Map<number, string>();
    const base = encoding instanceof PdfName ? encoding : encoding instanceof PdfDict && encoding.get('BaseEncoding');
    const texts = this.#readBase(base || undefined);
    for (const code of own.keys()) texts.delete(code);
    for (const [code, text] of nameTexts(this.#pdf, own, this.#isDingbats)) texts.set(code, text);
    return texts;
  }

  get #isDingbats(): boolean {
    return this.#pdf.name(this.#dict, 'BaseFont').endsWith('Dingbats');
  }

  #readBase(base: PdfObject | undefined): Map<number, string> {
    const descriptor = this.#pdf.dict(this.#dict, 'FontDescriptor');
    const program = this.#pdf.stream(descriptor, 'FontFile');
    const isEmbedded = ['FontFile', 'FontFile2', 'FontFile3'].some((entry) => this.#pdf.stream(descriptor, entry));
    if (this.#isDingbats) return new Map(ALL_CODES.map((code) => [code, NO_CHARACTER]));
    if (base) return this.#ask(base);
    if (this.#pdf.name(this.#dict, 'Subtype') === 'Type3') return new Map();
    if (program) return this.#readProgram(program);
    const isPlain = !isEmbedded || ((this.#pdf.number(descriptor, 'Flags') ?? 0) & NON_SYMBOLIC) !== 0;
    return isPlain ? this.#ask(undefined) : new Map();
  }

  #ask(encoding: PdfObject | undefined): Map<number, string> {
    const font = this.#dict.clone();
    font.delete('ToUnicode');
    if (encoding) font.set('Encoding', encoding);
    else font.delete('Encoding');
    return new Map([...askLibrary(this.#pdf, font, ALL_CODES)].map(([code, { text }]) => [code, text]));
  }

  /** A Type 1 program says what its codes mean (Adobe Type 1 Font Format, 2.3). */
  #readProgram(program: PdfStream): Map<number, string> {
    const text = Buffer.from(program.getDecodedData()).toString('latin1', 0, MAX_HEAD);
    if (/\/Encoding\s+StandardEncoding/.test(text)) return this.#ask(undefined);
    const names = [...text.matchAll(/\bdup\s+(\d+)\s*\/(\S+)\s+put\b/g)];
    return nameTexts(this.#pdf, new Map(names.map(([, code, name = '']) => [Number(code), name])));
  }
}

/** The clear text of a Type 1 program. */
const MAX_HEAD = 65_536;
/** Codes that no standard encoding uses. */
const UNUSED_CODES = 32;

/** The texts of names of glyphs. Names without a known meaning are left out. `isDingbats` tells whether names are those of ZapfDingbats. */
function nameTexts(pdf: PdfReader, names: ReadonlyMap<number, string>, isDingbats = false): Map<number, string> {
  const stems = new Map([...names].map(([code, name]) => [code, name.replace(/(?!^)\..*$/, '')]));
  const asked = askNames(pdf, [...new Set(stems.values())]);
  const textOf = (name: string, code: number) => {
    if (!isDingbats && NUMBERED.test(name)) return name === `a${code}` ? readTexCode(code) : undefined;
    return LIGATURES[name] ?? readUnicodeName(name) ?? asked.get(name);
  };
  return new Map(
    [...stems].flatMap(([code, name]) => {
      const text = name === '' || name === '.notdef' ? NO_CHARACTER : textOf(name, code);
      return text === undefined ? [] : [[code, text] as const];
    }),
  );
}

/** Names of ZapfDingbats, but pdfTeX gives its bitmap fonts such names as well, for the codes of the glyphs. */
const NUMBERED = /^a\d+$/;
/** The first code of ligatures in the T1 encoding of TeX, which has ASCII where it has letters. */
const FIRST_LIGATURE = 27;
const TEX_LIGATURES = ['ff', 'fi', 'fl', 'ffi', 'ffl'];
const [FIRST_LETTER, LAST_LETTER] = [33, 126];

function readTexCode(code: number): string | undefined {
  return code >= FIRST_LETTER && code <= LAST_LETTER ? String.fromCharCode(code) : TEX_LIGATURES[code - FIRST_LIGATURE];
}

/** Reads names such as `uni00E4` and `u1F600` (https://github.com/adobe-type-tools/agl-specification). */
function readUnicodeName(name: string): string | undefined {
  const [, units, point] = /^(?:uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6}))$/.exec(name) ?? [];
  if (units) return String.fromCharCode(...(units.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)));
  const value = Number.parseInt(point ?? '', 16);
  return value <= 0x10ffff ? String.fromCodePoint(value) : undefined;
}

function askNames(pdf: PdfReader, names: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (let from = 0; from < names.length; from += UNUSED_CODES) {
    const some = names.slice(from, from + UNUSED_CODES);
    const font = PdfDict.of({
      ...{ Type: PdfName.of('Font'), Subtype: PdfName.of('Type1'), BaseFont: PdfName.of('Helvetica') },
      Encoding: PdfDict.of({
        BaseEncoding: PdfName.of('StandardEncoding'),
        Differences: PdfArray.of(PdfNumber.of(0), ...some.map((name) => PdfName.of(name))),
      }),
    });
    const found = askLibrary(
      pdf,
      font,
      some.map((_, code) => code),
    );
    for (const [code, { text }] of found) texts.set(some[code] as string, text);
  }
  return texts;
}

/** The text and the width of codes, from a page that shows each on a line of its own. Codes without a text are left out. */
function askLibrary(pdf: PdfReader, font: PdfDict, codes: readonly number[]): Map<number, { text: string; width: number }> {
  const show = (code: number) => `1 0 0 1 0 ${code * LINE} Tm <${code.toString(16).padStart(2, '0')}> Tj`;
  const content = `BT /F ${FONT_SIZE} Tf ${codes.map(show).join('\n')} ET`;
  const dict = PdfDict.of({
    MediaBox: numbers(0, 0, FONT_SIZE, FONT_SIZE),
    Resources: PdfDict.of({ Font: PdfDict.of({ F: font }) }),
    Contents: PdfStream.fromDict({}, Buffer.from(content)),
  });
  const { lines } = new PDFPage(PdfRef.of(0), dict, 0, pdf.pdf.context).extractText();
  const shown = lines.flatMap(({ spans }) => spans.flatMap(({ chars }) => chars));
  return new Map(
    shown.map(({ char, baseline, bbox }) => [Math.round(baseline / LINE), { text: char, width: bbox.width / FONT_SIZE }]),
  );
}
