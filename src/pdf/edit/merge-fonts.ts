/**
 * Merges the fonts of PDFs that Chromium printed: subsets of the same face in, one subset with the glyphs of all of them out. Chromium
 * keeps the numbers of glyphs, so the content of pages need not change (`SkPDFSubsetFont`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFSubsetFont.cpp).
 */
import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, type PdfStream } from '@libpdf/core';
import {
  changeCopy,
  type FontTables,
  mergeHeaders,
  mergeMaxima,
  padTable,
  readMetrics,
  readOutlineStarts,
  readTables,
  requireTable,
  uint32s,
  withGlyphCount,
  writeTables,
} from '../../fonts/font-tables.ts';
import { reduceFontProgram } from '../compress/font-program.ts';
import { readUnicodeMap, unicodeMap } from '../content/fonts.ts';
import { readGlyphWidths } from '../content/glyph-widths.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { deflatedStream, entriesOf, toText } from '../objects/syntax.ts';

interface Glyph {
  outline: Buffer;
  /** Its width and bearing in the table `hmtx`. */
  metrics: Buffer;
  /** Its width in the PDF. Undefined if the subset has it only as a part of other glyphs, for which Chromium states any width. */
  width: number | undefined;
  /** What the map to Unicode says of it. */
  text: string | undefined;
}

/** The objects of an embedded font (ISO 32000-1, 9.7). */
interface FontObjects {
  font: PdfDict;
  descendant: PdfDict;
  descriptor: PdfDict;
  file: PdfStream;
  map: PdfStream;
}

interface Subset extends MergedGlyphs {
  /** What all subsets of the face have. */
  face: string;
  objects: FontObjects;
}

interface MergedGlyphs {
  /** Those of a single subset, but `head` and `maxp` are for all. */
  tables: FontTables;
  glyphs: Map<number, Glyph>;
}

interface MergedFont extends MergedGlyphs {
  id: number;
  first: FontObjects;
}

/** Entries in which subsets of a face differ. */
const OWN_ENTRIES = new Set(['BaseFont', 'DescendantFonts', 'ToUnicode', 'FontDescriptor', 'W', 'DW', 'FontName', 'FontFile2']);
/** Tables that belong to all glyphs, and that a reader of PDFs may need beside those that are merged (ISO 32000-1, 9.9). */
const COMMON_TABLES = ['cvt ', 'fpgm', 'prep'];
const MAX_FONT_BYTES = 33_554_432;
/** Of glyphs for which a font states none. */
const DEFAULT_WIDTH = 1_000;
const LETTERS = 26;

export class MergedFonts {
  /** The fonts of each face. There are several if a number stands for several glyphs. */
  readonly #faces = new Map<string, MergedFont[]>();
  /** The numbers of the merged fonts, by the digest of a subset that they have. */
  readonly #known = new Map<string, number>();

  /** Adds a font. Returns the object number of the font that has its glyphs; undefined for another kind of font, or a damaged one. */
  join(reader: PdfReader, dict: PdfDict, newId: () => number): number | undefined {
    const objects = readObjects(reader, dict);
    if (!objects) return undefined;
    const digest = createHash('sha256')
      .update(objects.file.data)
      .update(objects.map.data)
      .update(toText(objects.descendant.get('W') ?? PdfArray.of()));
    const key = digest.digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const subset = readSubset(objects);
    if (!subset) return undefined;
    const id = this.#merge(subset, newId);
    this.#known.set(key, id);
    return id;
  }

  /** The merged fonts, and what they refer to. */
  *end(newId: () => number): Generator<{ id: number; value: PdfObject }> {
    for (const [index, { id, first, ...merged }] of [...this.#faces.values()].flat().entries()) {
      const name = PdfName.of(`${subsetTag(index)}+${faceName(first)}`);
      const [file, map, descriptor, descendant] = [newId(), newId(), newId(), newId()];
      const program = writeFont(merged);
      yield { id: file, value: deflatedStream({ Length1: PdfNumber.of(program.length) }, program) };
      yield { id: map, value: deflatedStream({}, Buffer.from(unicodeMap(textsOf(merged.glyphs), true), 'latin1')) };
      const change = (dict: PdfDict, entries: Record<string, PdfObject>) => PdfDict.of({ ...entriesOf(dict), ...entries });
      yield { id: descriptor, value: change(first.descriptor, { FontName: name, FontFile2: PdfRef.of(file) }) };
      const [FontDescriptor, W] = [PdfRef.of(descriptor), writeWidths(merged)];
      yield { id: descendant, value: change(first.descendant, { BaseFont: name, FontDescriptor, W }) };
      const [DescendantFonts, ToUnicode] = [PdfArray.of(PdfRef.of(descendant)), PdfRef.of(map)];
      yield { id, value: change(first.font, { BaseFont: name, DescendantFonts, ToUnicode }) };
    }
  }

  #merge({ face, objects, tables, glyphs }: Subset, newId: () => number): number {
    const ofFace = this.#faces.get(face) ?? [];
    this.#faces.set(face, ofFace);
    let merged = ofFace.find((each) => areCompatible(each.glyphs, glyphs));
    if (!merged) {
      merged = { id: newId(), first: objects, tables, glyphs: new Map() };
      ofFace.push(merged);
    }
    const both = [merged.tables, tables];
    merged.tables.set('head', mergeHeaders(both.map((each) => requireTable(each, 'head'))));
    merged.tables.set('maxp', mergeMaxima(both.map((each) => requireTable(each, 'maxp'))));
    for (const [number, { outline, metrics, width, text }] of glyphs) {
      const known = merged.glyphs.get(number) ?? { outline: Buffer.from(outline), metrics: Buffer.from(metrics), width, text };
      merged.glyphs.set(number, { ...known, width: known.width ?? width, text: known.text ?? text });
    }
    return merged.id;
  }
}

/** Returns undefined for a font in another form than that of Chromium. */
function readObjects(reader: PdfReader, font: PdfDict): FontObjects | undefined {
  if (reader.name(font, 'Subtype') !== 'Type0' || reader.name(font, 'Encoding') !== 'Identity-H') return undefined;
  const descendant = reader.asDict(reader.list(font, 'DescendantFonts')[0]);
  if (!descendant || reader.name(descendant, 'CIDToGIDMap') !== 'Identity') return undefined;
  const descriptor = reader.dict(descendant, 'FontDescriptor');
  const [file, map] = [reader.stream(descriptor, 'FontFile2'), reader.stream(font, 'ToUnicode')];
  if (!descriptor || !file || !map || !isDeflated(file) || !isDeflated(map)) return undefined;
  const hasOthers = [font, descendant, descriptor].some((dict) => /\d R\b/.test(describe(dict)));
  return hasOthers ? undefined : { font, descendant, descriptor, file, map };
}

/** Returns undefined for a damaged font, which is copied as it is. */
function readSubset(objects: FontObjects): Subset | undefined {
  try {
    const tables = readReduced(inflateSync(objects.file.data, { maxOutputLength: MAX_FONT_BYTES }), faceName(objects));
    const glyphs = readGlyphs(objects, tables);
    return glyphs.size ? { face: describeFace(objects, tables), objects, tables, glyphs } : undefined;
  } catch {
    return undefined;
  }
}

/** The tables of a font without instructions, which not every PDF has (docs/decisions/0098-small-files.md). */
function readReduced(program: Buffer, name: string): FontTables {
  const tables = readTables(program);
  return COMMON_TABLES.some((table) => tables.has(table)) ? readTables(reduceFontProgram(program, name)) : tables;
}

function isDeflated(stream: PdfStream): boolean {
  return stream.getName('Filter')?.value === 'FlateDecode' && !stream.has('DecodeParms');
}

/** The entries that all subsets of a face have. */
function describe(dict: PdfDict): string {
  return toText(PdfDict.of(Object.fromEntries(Object.entries(entriesOf(dict)).filter(([entry]) => !OWN_ENTRIES.has(entry)))));
}

function describeFace(objects: FontObjects, tables: FontTables): string {
  const dicts = [objects.font, objects.descendant, objects.descriptor].map(describe);
  const head = requireTable(tables, 'head');
  const version = head.toString('base64', 4, 8) + head.toString('base64', 16, 36); // revision, flags, units and dates
  const common = COMMON_TABLES.map((name) => tables.get(name)?.toString('base64') ?? '');
  return [faceName(objects), ...dicts, version, ...common].join(' ');
}

/** The name without the tag of the subset (9.6.4). */
function faceName({ font }: FontObjects): string {
  return (font.getName('BaseFont')?.value ?? '').replace(/^[A-Z]{6}\+/, '');
}

/** The glyphs that a subset has. Others of its numbers are empty, and have no width. */
function readGlyphs({ descendant, map }: FontObjects, tables: FontTables): Map<number, Glyph> {
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
  return glyphs;
}

/** Converts units of the font to thousandths of its size. */
function toWidth(advance: number, head: Buffer): number {
  return (advance * 1_000) / head.readUInt16BE(18);
}

/** Whether no number stands for different glyphs. */
function areCompatible(some: Map<number, Glyph>, others: Map<number, Glyph>): boolean {
  const differ = (a: unknown, b: unknown) => a !== undefined && b !== undefined && a !== b;
  return [...others].every(([number, glyph]) => {
    const known = some.get(number);
    if (!known) return true;
    if (differ(known.width, glyph.width) || differ(known.text, glyph.text)) return false;
    return known.outline.equals(glyph.outline) && known.metrics.equals(glyph.metrics);
  });
}

function writeWidths({ tables, glyphs }: MergedGlyphs): PdfArray {
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
function writeFont({ tables, glyphs }: MergedGlyphs): Buffer {
  const count = Math.max(...glyphs.keys()) + 1;
  const all = Array.from({ length: count }, (_, number) => glyphs.get(number));
  const outlines = all.map((glyph) => padTable(glyph?.outline ?? Buffer.alloc(0)));
  const starts = [0];
  for (const [number, { length }] of outlines.entries()) starts.push((starts[number] ?? 0) + length);
  const whole: FontTables = new Map([...tables].filter(([name]) => COMMON_TABLES.includes(name)));
  whole.set('glyf', Buffer.concat(outlines)).set('loca', uint32s(starts));
  whole.set('hmtx', Buffer.concat(all.map((glyph) => glyph?.metrics ?? Buffer.alloc(4))));
  whole.set(
    'hhea',
    changeCopy(requireTable(tables, 'hhea'), (table) => table.writeUInt16BE(count, 34)),
  );
  whole.set('head', requireTable(tables, 'head'));
  whole.set('maxp', withGlyphCount(requireTable(tables, 'maxp'), count));
  return writeTables(whole);
}

/** A name of six letters for the subset. */
function subsetTag(index: number): string {
  const letter = (n: number) => String.fromCharCode(65 + (Math.floor(index / LETTERS ** n) % LETTERS));
  return [0, 1, 2, 3, 4, 5].map(letter).join('');
}
