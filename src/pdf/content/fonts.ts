/**
 * Checks and completes the ToUnicode maps of fonts: shown character codes in, missing glyphs and unmapped codes out. Where a
 * glyph has no single character, as in Arabic and Indic scripts, the content has ActualText for it and its neighbours, which is
 * added to the map.
 */
import { type PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream } from '../objects/syntax.ts';
import type { StreamDecoder } from './streams.ts';

export interface GlyphFaults {
  /** Whether `.notdef` is shown, the glyph that replaces characters the font does not have. */
  isMissing: boolean;
  /** Whether a code is shown that maps to no character. */
  isUnmapped: boolean;
}

/** Character codes shown in one font; `font` is its entry in the resources. */
export interface Run {
  font: PdfObject | undefined;
  codes: Buffer;
}

interface Font {
  entry: PdfObject;
  isComposite: boolean;
  texts: Map<number, string>;
  added: Map<number, string>;
}

export class Fonts {
  readonly #editable: EditablePdf;
  readonly #streams: StreamDecoder;
  readonly #fonts = new Map<PdfObject, Font>();

  constructor(editable: EditablePdf, streams: StreamDecoder) {
    this.#editable = editable;
    this.#streams = streams;
  }

  /** `actualText` is the text of all runs together. If it is given, it provides the text of codes that are not mapped. */
  look(runs: Run[], actualText: string | undefined): GlyphFaults {
    const read = runs.flatMap((run) => this.#readCodes(run) ?? []);
    const isMissing = read.some(({ font, codes }) => font.isComposite && codes.includes(0));
    const unmapped = read.flatMap(({ font, codes }) => findUnmapped(font, codes).map((code) => ({ font, code })));
    if (!actualText || !unmapped.length)
      return { isMissing, isUnmapped: unmapped.some(({ font, code }) => !font.added.has(code)) };
    // Without the texts of the mapped glyphs, the rest of the ActualText belongs to the unmapped one.
    let rest = actualText;
    for (const { font, codes } of read) for (const code of codes) rest = rest.replace(font.texts.get(code) ?? '', '');
    for (const { font, code } of unmapped) font.added.set(code, rest || actualText);
    return { isMissing, isUnmapped: false };
  }

  /** The text of a run, whose codes may be in reverse order. Codes that map to no character have none. */
  readText(run: Run, isReversed = false): string {
    const { font, codes } = this.#readCodes(run) ?? {};
    let text = '';
    for (const code of codes ?? []) {
      const one = font?.texts.get(code) ?? font?.added.get(code) ?? '';
      text = isReversed ? one + text : text + one;
    }
    return text;
  }

  /** Adds the texts found in ActualText to the ToUnicode maps. */
  write(): void {
    for (const { entry, added, isComposite } of this.#fonts.values()) {
      const dict = this.#editable.asDict(entry);
      if (!added.size || !dict || !(entry instanceof PdfRef)) continue;
      const completed = Buffer.from(unicodeMap(added, isComposite, this.#readMap(dict)), 'latin1');
      this.#editable.update(entry, { ToUnicode: this.#editable.add(deflatedStream({}, completed)) });
    }
  }

  #readCodes({ font: entry, codes }: Run): { font: Font; codes: Uint8Array | Uint16Array } | undefined {
    const font = entry && this.#read(entry);
    return font && { font, codes: font.isComposite ? readPairs(codes) : codes };
  }

  #read(entry: PdfObject): Font | undefined {
    const known = this.#fonts.get(entry);
    if (known) return known;
    const dict = this.#editable.asDict(entry);
    if (!dict) return undefined;
    const isComposite = dict.getName('Subtype')?.value === 'Type0';
    const font = { entry, isComposite, texts: readUnicodeMap(this.#readMap(dict) ?? ''), added: new Map<number, string>() };
    this.#fonts.set(entry, font);
    return font;
  }

  #readMap(font: PdfDict): string | undefined {
    const map = this.#editable.stream(font, 'ToUnicode');
    return map && this.#streams.decode(map).toString('latin1');
  }
}

function findUnmapped({ texts }: Font, codes: Iterable<number>): number[] {
  const unmapped: number[] = [];
  for (const code of codes) if (code !== 0 && !texts.has(code)) unmapped.push(code);
  return unmapped;
}

/** The codes of two bytes each. */
function readPairs(bytes: Buffer): Uint16Array {
  const pairs = new Uint16Array(bytes.length >> 1);
  for (let at = 0; at < pairs.length; at++) pairs[at] = bytes.readUInt16BE(2 * at);
  return pairs;
}

/** A ToUnicode map with the texts of some codes added, to an empty one if none is given. */
export function unicodeMap(texts: Map<number, string>, isComposite: boolean, given = emptyMap(isComposite)): string {
  return given.replace(/\bendcmap\b/, `${bfchars(texts, isComposite)}endcmap`);
}

/** A bfchar block may have at most 100 entries (Adobe Technical Note 5014). */
const MAX_BFCHARS = 100;

function bfchars(texts: Map<number, string>, isComposite: boolean): string {
  const hex = (code: number) => code.toString(16).padStart(isComposite ? 4 : 2, '0');
  const lines = [...texts].map(([code, text]) => `<${hex(code)}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`);
  const blocks: string[] = [];
  while (lines.length) {
    const some = lines.splice(0, MAX_BFCHARS);
    blocks.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar\n`);
  }
  return blocks.join('');
}

/** A ToUnicode map without entries (ISO 32000-1, 9.10.3). */
function emptyMap(isComposite: boolean): string {
  const range = isComposite ? '<0000> <ffff>' : '<00> <ff>';
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
${range}
endcodespacerange
endcmap
CMapName currentdict /CMap defineresource pop
end
end
`;
}

const BLOCK = /begin(bfchar|bfrange)([\s\S]*)/;
const MAX_CODES = 65_536;
/** Codes of all ranges of a map, which may overlap. */
const MAX_MAPPED = 1_048_576;
const NO_CHARACTER = /^(?:0000|feff|fffe)$/i;

/** The texts of the codes of a ToUnicode map (ISO 32000-1, 9.10.3). */
export function readUnicodeMap(map: string): Map<number, string> {
  const texts = new Map<number, string>();
  let left = MAX_MAPPED;
  const add = (code: number, hex: string | undefined, plus = 0) => {
    if (--left < 0) throw new Error('a font maps too many codes');
    if (hex && !NO_CHARACTER.test(hex)) texts.set(code, decodeHex(hex, plus));
  };
  for (const part of map.split(/endbf/).slice(0, -1)) {
    const [, kind, block = ''] = BLOCK.exec(part) ?? [];
    const strings = [...block.matchAll(/<([0-9a-f\s]*)>|(\[)|(\])/gi)];
    const values = strings.map(([, hex, open, close]) => open ?? close ?? (hex ?? '').replace(/\s/g, ''));
    if (kind === 'bfrange') addRanges(values, add);
    else for (let at = 0; at + 1 < values.length; at += 2) add(Number.parseInt(values[at] ?? '', 16), values[at + 1]);
  }
  return texts;
}

/** Decodes UTF-16 in hexadecimal, with `plus` added to its last unit. */
function decodeHex(hex: string, plus: number): string {
  const units = (hex.match(/.{4}/g) ?? [hex]).map((unit) => Number.parseInt(unit, 16));
  return String.fromCharCode(...units.slice(0, -1), (units.at(-1) ?? 0) + plus);
}

/** The texts of a range are either listed in an array, or the first is given and the others count up from it. */
function addRanges(values: string[], add: (code: number, hex: string | undefined, plus?: number) => void): void {
  for (let at = 0; at + 2 < values.length; ) {
    const from = Number.parseInt(values[at] ?? '', 16);
    const count = Math.min(Number.parseInt(values[at + 1] ?? '', 16) - from + 1, MAX_CODES);
    const end = values[at + 2] === '[' ? values.indexOf(']', at) : at + 2;
    const listed = values.slice(at + 3, end);
    for (let index = 0; index < count; index++)
      if (end > at + 2) add(from + index, listed[index]);
      else add(from + index, values[at + 2], index);
    at = Math.max(end, at + 2) + 1;
  }
}
