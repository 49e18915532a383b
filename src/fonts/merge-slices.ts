/**
 * Merges the slices of a static TrueType font into one font. A page of Chinese would need dozens of slices, each embedded in the PDF as
 * a separate font, and a family named in a style sheet would match only one of them. Of the layout features, only some for single
 * glyphs are kept: forms for vertical lines (`vert`), and the widths that `text-spacing-trim` uses (`halt`, `vhal`).
 *
 * The tables are those of OpenType 1.9. The slices have no composite glyphs.
 */
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
  type Slice,
  uint16s,
  uint32s,
  withGlyphCount,
  writeTables,
} from './font-tables.ts';
import { layoutTable, singleAdjustments, singleSubstitutions } from './single-layout.ts';

/** Tables that are the same in every slice, or for which the first slice suffices. */
const TABLES_OF_FIRST = ['name', 'post', 'gasp', 'prep', 'BASE'];

export function mergeSlices(fonts: Buffer[]): Buffer {
  const slices = numberGlyphs(fonts.map(readTables));
  const [first] = slices;
  if (!first) throw new Error('no slices');
  const whole: FontTables = new Map();
  for (const [name, table] of first.tables) if (TABLES_OF_FIRST.includes(name)) whole.set(name, table);
  const { glyf, loca } = outlines(slices);
  whole.set('glyf', glyf).set('loca', loca).set('cmap', characterMap(slices));
  for (const [name, metrics] of Object.entries({ hhea: 'hmtx', vhea: 'vmtx' })) {
    const head = changeCopy(requireTable(first.tables, name), (table) => table.writeUInt16BE(countGlyphs(slices), 34));
    whole.set(name, head).set(metrics, Buffer.concat(slices.map(({ tables }) => readMetrics(tables, name, metrics))));
  }
  whole
    .set('head', mergeHeaders(tablesNamed(slices, 'head')))
    .set('maxp', withGlyphCount(mergeMaxima(tablesNamed(slices, 'maxp')), countGlyphs(slices)))
    .set('OS/2', ranges(slices));
  whole.set('GSUB', layoutTable({ vert: singleSubstitutions(slices, 'vert') }));
  whole.set('GPOS', layoutTable({ halt: singleAdjustments(slices, 'halt'), vhal: singleAdjustments(slices, 'vhal') }));
  return writeTables(whole);
}

function numberGlyphs(fonts: FontTables[]): Slice[] {
  let firstGlyph = 0;
  return fonts.map((tables) => {
    const glyphs = requireTable(tables, 'maxp').readUInt16BE(4);
    firstGlyph += glyphs;
    return { tables, glyphs, firstGlyph: firstGlyph - glyphs };
  });
}

function tablesNamed(slices: Slice[], name: string): Buffer[] {
  return slices.map(({ tables }) => requireTable(tables, name));
}

function countGlyphs(slices: Slice[]): number {
  return slices.reduce((sum, { glyphs }) => sum + glyphs, 0);
}

function outlines(slices: Slice[]): { glyf: Buffer; loca: Buffer } {
  const starts: number[] = [];
  const pieces: Buffer[] = [];
  let end = 0;
  for (const { tables } of slices) {
    for (const start of readOutlineStarts(tables).slice(0, -1)) starts.push(end + start);
    const glyf = padTable(requireTable(tables, 'glyf'));
    pieces.push(glyf);
    end += glyf.length;
  }
  return { glyf: Buffer.concat(pieces), loca: uint32s([...starts, end]) };
}

/** Builds a `cmap` of format 12. A character that is in several slices gets the glyph of the first. */
function characterMap(slices: Slice[]): Buffer {
  const glyphs = new Map<number, number>();
  for (const slice of slices)
    for (const [character, glyph] of readCharacters(slice)) if (!glyphs.has(character)) glyphs.set(character, glyph);
  const groups: [first: number, last: number, glyph: number][] = [];
  for (const [character, glyph] of [...glyphs].sort(([a], [b]) => a - b)) {
    const group = groups.at(-1);
    if (group && character === group[1] + 1 && glyph === group[2] + character - group[0]) group[1] = character;
    else groups.push([character, character, glyph]);
  }
  // One subtable, for Windows (3) and all of Unicode (10), at offset 12.
  const head = Buffer.concat([uint16s([0, 1, 3, 10]), uint32s([12]), uint16s([12, 0])]);
  return Buffer.concat([head, uint32s([16 + 12 * groups.length, 0, groups.length, ...groups.flat()])]);
}

function* readCharacters({ tables, firstGlyph }: Slice): Generator<[number, number]> {
  const table = requireTable(tables, 'cmap');
  const offsets = Array.from({ length: table.readUInt16BE(2) }, (_, n) => table.readUInt32BE(8 + 8 * n));
  for (const map of offsets.map((offset) => table.subarray(offset))) {
    const format = map.readUInt16BE(0);
    const found = format === 12 ? readSegments32(map) : format === 4 ? readSegments16(map) : [];
    for (const [character, glyph] of found) if (glyph) yield [character, firstGlyph + glyph];
  }
}

function* readSegments32(map: Buffer): Generator<[number, number]> {
  for (let n = 0; n < map.readUInt32BE(12); n++) {
    const [first, last, glyph] = [0, 4, 8].map((field) => map.readUInt32BE(16 + 12 * n + field)) as [number, number, number];
    for (let character = first; character <= last; character++) yield [character, glyph + character - first];
  }
}

function* readSegments16(map: Buffer): Generator<[number, number]> {
  const size = map.readUInt16BE(6);
  for (let n = 0; n < size; n += 2) {
    const last = map.readUInt16BE(14 + n);
    const first = map.readUInt16BE(16 + size + n);
    const delta = map.readUInt16BE(16 + 2 * size + n);
    const place = 16 + 3 * size + n;
    const offset = map.readUInt16BE(place);
    for (let character = first; character <= last && character < 0xffff; character++) {
      const glyph = offset ? map.readUInt16BE(place + offset + 2 * (character - first)) : character;
      yield [character, offset && !glyph ? 0 : (glyph + delta) & 0xffff];
    }
  }
}

/** Merges the bits for Unicode ranges and code pages, from which fontconfig derives languages. */
function ranges(slices: Slice[]): Buffer {
  const tables = tablesNamed(slices, 'OS/2');
  return changeCopy(tables[0] as Buffer, (table) => {
    for (const field of [42, 46, 50, 54, 78, 82])
      table.writeUInt32BE(tables.reduce((bits, one) => bits | one.readUInt32BE(field), 0) >>> 0, field);
  });
}
