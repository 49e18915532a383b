/**
 * Reads and writes subsets of fonts as Chromium embeds them: the objects of a font in, its glyphs out, and the other way round. Chromium
 * keeps the numbers of glyphs, so the content of pages need not change (`SkPDFSubsetFont`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFSubsetFont.cpp).
 */
import { inflateSync } from 'node:zlib';
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, type PdfStream } from '@libpdf/core';
import {
  changeCopy,
  type FontTables,
  OUTLINE_HEADER,
  padTable,
  readComponents,
  readMetrics,
  readOutlineStarts,
  readTables,
  requireTable,
  withGlyphCount,
  writeTables,
} from '../../fonts/font-tables.ts';
import { readUnicodeMap, unicodeMap } from '../content/fonts.ts';
import { readGlyphWidths } from '../content/glyph-widths.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { deflatedStream, entriesOf, toText } from '../objects/syntax.ts';

export interface Glyph {
  outline: Buffer;
  /** Its width and bearing in the table `hmtx`. */
  metrics: Buffer;
  /** Its width in the PDF. Undefined if the subset has it only as a part of other glyphs, for which Chromium states any width. */
  width: number | undefined;
  /** What the map to Unicode says of it. */
  text: string | undefined;
}

/** The objects of an embedded font (ISO 32000-1, 9.7). */
export interface FontObjects {
  font: PdfDict;
  descendant: PdfDict;
  descriptor: PdfDict;
  file: PdfStream;
  map: PdfStream;
}

/** The glyphs of a subset by number, and its other tables. */
export interface SubsetGlyphs {
  tables: FontTables;
  glyphs: Map<number, Glyph>;
}

/** Entries in which subsets of a face differ. */
const OWN_ENTRIES = new Set(['BaseFont', 'DescendantFonts', 'ToUnicode', 'FontDescriptor', 'W', 'DW', 'FontName', 'FontFile2']);
/** Tables that belong to all glyphs, and that a reader of PDFs may need beside those of the glyphs (ISO 32000-1, 9.9). */
export const COMMON_TABLES = ['cvt ', 'fpgm', 'prep'];
const MAX_FONT_BYTES = 33_554_432;
/** Of glyphs for which a font states none. */
const DEFAULT_WIDTH = 1_000;
const LETTERS = 26;
/** Offsets in the table `head`. */
const [CHECKSUM_ADJUSTMENT, LOCATION_FORMAT] = [8, 50];

/** Returns undefined for a font in another form than that of Chromium. */
export function readFont(reader: PdfReader, font: PdfDict): FontObjects | undefined {
  if (reader.name(font, 'Subtype') !== 'Type0' || reader.name(font, 'Encoding') !== 'Identity-H') return undefined;
  const descendant = reader.asDict(reader.list(font, 'DescendantFonts')[0]);
  if (!descendant || reader.name(descendant, 'CIDToGIDMap') !== 'Identity') return undefined;
  const descriptor = reader.dict(descendant, 'FontDescriptor');
  const [file, map] = [reader.stream(descriptor, 'FontFile2'), reader.stream(font, 'ToUnicode')];
  if (!descriptor || !file || !map || !isDeflated(file) || !isDeflated(map)) return undefined;
  const hasOthers = [font, descendant, descriptor].some((dict) => /\d R\b/.test(describe(dict)));
  return hasOthers ? undefined : { font, descendant, descriptor, file, map };
}

function isDeflated(stream: PdfStream): boolean {
  return stream.getName('Filter')?.value === 'FlateDecode' && !stream.has('DecodeParms');
}

/** The entries that all subsets of a face have. */
export function describe(dict: PdfDict): string {
  return toText(PdfDict.of(Object.fromEntries(Object.entries(entriesOf(dict)).filter(([entry]) => !OWN_ENTRIES.has(entry)))));
}

export function readProgram({ file }: FontObjects): Buffer {
  return inflateSync(file.data, { maxOutputLength: MAX_FONT_BYTES });
}

/** Reads the glyphs of a subset. Others of its numbers are empty, and have no width. Throws if the font is damaged. */
export function readSubset(objects: FontObjects, tables = readTables(readProgram(objects))): SubsetGlyphs {
  const { descendant, map } = objects;
  const [glyf, head] = [requireTable(tables, 'glyf'), requireTable(tables, 'head')];
  const starts = readOutlineStarts(tables);
  const allMetrics = readMetrics(tables, 'hhea', 'hmtx');
  const texts = readUnicodeMap(inflateSync(map.data, { maxOutputLength: MAX_FONT_BYTES }).toString('latin1'));
  const widths = readGlyphWidths(descendant.getArray('W')?.toArray() ?? []);
  const otherWidth = descendant.getNumber('DW')?.value ?? DEFAULT_WIDTH;
  const glyphs = new Map<number, Glyph>();
  for (const [number, start] of starts.slice(0, -1).entries()) {
    const outline = glyf.subarray(start, starts[number + 1]);
    const metrics = allMetrics.subarray(4 * number, 4 * number + 4);
    const advance = metrics.readUInt16BE(0);
    if (!outline.length && !advance) continue;
    const stated = widths.get(number) ?? otherWidth;
    const isUsed = Math.abs(stated - toWidth(advance, head)) < 0.01;
    glyphs.set(number, { outline, metrics, width: isUsed ? stated : undefined, text: texts.get(number) });
  }
  return { tables, glyphs };
}

/** Converts units of the font to thousandths of its size. */
function toWidth(advance: number, head: Buffer): number {
  return (advance * 1_000) / head.readUInt16BE(18);
}

/** Yields the objects of a font with these glyphs. `like` is a subset of the same face. Its name is that of subset number `index`. */
export function* writeSubset(
  { id, index, like, ...subset }: SubsetGlyphs & { id: number; index: number; like: FontObjects },
  newId: () => number,
): Generator<{ id: number; value: PdfObject }> {
  const name = PdfName.of(`${subsetTag(index)}+${faceName(like)}`);
  const [file, map, descriptor, descendant] = [newId(), newId(), newId(), newId()];
  const program = writeFont(subset);
  yield { id: file, value: deflatedStream({ Length1: PdfNumber.of(program.length) }, program) };
  yield { id: map, value: deflatedStream({}, Buffer.from(unicodeMap(textsOf(subset.glyphs), true), 'latin1')) };
  const change = (dict: PdfDict, entries: Record<string, PdfObject>) => PdfDict.of({ ...entriesOf(dict), ...entries });
  yield { id: descriptor, value: change(like.descriptor, { FontName: name, FontFile2: PdfRef.of(file) }) };
  const [FontDescriptor, W] = [PdfRef.of(descriptor), writeWidths(subset)];
  const DW = PdfNumber.of(DEFAULT_WIDTH); // Chromium states that of most glyphs of the subset
  yield { id: descendant, value: change(like.descendant, { BaseFont: name, FontDescriptor, W, DW }) };
  const [DescendantFonts, ToUnicode] = [PdfArray.of(PdfRef.of(descendant)), PdfRef.of(map)];
  yield { id, value: change(like.font, { BaseFont: name, DescendantFonts, ToUnicode }) };
}

/** The name without the tag of the subset (9.6.4). */
export function faceName({ font }: FontObjects): string {
  return (font.getName('BaseFont')?.value ?? '').replace(/^[A-Z]{6}\+/, '');
}

function writeWidths({ tables, glyphs }: SubsetGlyphs): PdfArray {
  const runs: Array<[first: number, widths: PdfNumber[]]> = [];
  const head = requireTable(tables, 'head');
  for (const [number, { metrics, ...glyph }] of [...glyphs].sort(([a], [b]) => a - b)) {
    const width = glyph.width ?? toWidth(metrics.readUInt16BE(0), head);
    const run = runs.at(-1);
    if (run && run[0] + run[1].length === number) run[1].push(PdfNumber.of(width));
    else runs.push([number, [PdfNumber.of(width)]]);
  }
  return PdfArray.of(...runs.flatMap(([first, widths]) => [PdfNumber.of(first), PdfArray.of(...widths)]));
}

function textsOf(glyphs: Map<number, Glyph>): Map<number, string> {
  const texts = new Map<number, string>();
  for (const [number, { text }] of glyphs) if (text !== undefined) texts.set(number, text);
  return texts;
}

/** Writes a TrueType font of the tables that a PDF needs. */
function writeFont({ tables, glyphs }: SubsetGlyphs): Buffer {
  const sorted = [...glyphs].sort(([a], [b]) => a - b);
  const count = (sorted.at(-1)?.[0] ?? 0) + 1;
  const [starts, metrics] = [Buffer.alloc(4 * count + 4), Buffer.alloc(4 * count)];
  const outlines: Buffer[] = [];
  let [end, next] = [0, 0];
  for (const [number, glyph] of sorted) {
    for (; next <= number; next++) starts.writeUInt32BE(end, 4 * next);
    glyph.metrics.copy(metrics, 4 * number);
    const outline = padTable(glyph.outline);
    outlines.push(outline);
    end += outline.length;
  }
  starts.writeUInt32BE(end, 4 * count);
  const whole: FontTables = new Map([...tables].filter(([name]) => COMMON_TABLES.includes(name)));
  const copyOf = (name: string, change: (table: Buffer) => void) => changeCopy(requireTable(tables, name), change);
  whole.set('glyf', Buffer.concat(outlines)).set('loca', starts).set('hmtx', metrics);
  whole.set(
    'hhea',
    copyOf('hhea', (table) => table.writeUInt16BE(count, 34)),
  );
  const head = copyOf('head', (table) => {
    table.writeUInt32BE(0, CHECKSUM_ADJUSTMENT);
    table.writeUInt16BE(1, LOCATION_FORMAT); // offsets of 32 bits
  });
  whole.set('head', head);
  whole.set('maxp', withGlyphCount(requireTable(tables, 'maxp'), count));
  return writeTables(whole);
}

/** A name of six letters for the subset. */
function subsetTag(index: number): string {
  const letter = (n: number) => String.fromCharCode(65 + (Math.floor(index / LETTERS ** n) % LETTERS));
  return [0, 1, 2, 3, 4, 5].map(letter).join('');
}

/** The numbers of the glyphs that a glyph consists of. */
export function listComponents(outline: Buffer): number[] {
  const isComposite = outline.length > OUTLINE_HEADER && outline.readInt16BE(0) < 0;
  return isComposite ? Array.from(readComponents(outline), ({ glyph }) => glyph) : [];
}
