/** Merges rules for single glyphs in the tables `GSUB` and `GPOS` of font slices into tables for the merged font (OpenType 1.9). */
import { readUint16s, type Slice, uint16s } from './font-tables.ts';

/** A subtable of a lookup of type 1. */
type Subtable = Buffer;

/** Merges the rules that substitute one glyph for another. */
export function singleSubstitutions(slices: Slice[], feature: string): Subtable {
  return mergeRules(slices, ['GSUB', feature, 7], [], (table, firstGlyph, glyph, n) => {
    const isListed = table.readUInt16BE(0) === 2;
    return [firstGlyph + (isListed ? table.readUInt16BE(6 + 2 * n) : (glyph + table.readUInt16BE(4)) & 0xffff)];
  });
}

/**
 * Merges adjustments of placement and advance, horizontal and vertical: four numbers, of which a font writes those in its format
 * bits.
 */
export function singleAdjustments(slices: Slice[], feature: string): Subtable {
  return mergeRules(slices, ['GPOS', feature, 9], [0xf], (table, _firstGlyph, _glyph, n) => {
    const bits = table.readUInt16BE(4);
    const start = table.readUInt16BE(0) === 2 ? 8 + 2 * setBits(bits) * n : 6;
    return [1, 2, 4, 8].map((bit) => (bits & bit ? table.readInt16BE(start + 2 * setBits(bits & (bit - 1))) : 0));
  });
}

/** Builds a subtable of format 2 with the numbers that `read` returns for each glyph, the nth of its subtable. */
function mergeRules(
  slices: Slice[],
  [tag, feature, extension]: [tag: string, feature: string, extension: number],
  format: number[],
  read: (table: Subtable, firstGlyph: number, glyph: number, n: number) => number[],
): Subtable {
  const rules = new Map<number, number[]>();
  for (const { tables, firstGlyph } of slices)
    for (const table of subtables(tables.get(tag), feature, extension))
      for (const [n, glyph] of readCoverage(table).entries()) rules.set(firstGlyph + glyph, read(table, firstGlyph, glyph, n));
  const sorted = [...rules].sort(([a], [b]) => a - b);
  const rest = [...format, sorted.length, ...sorted.flatMap(([, values]) => values)];
  const coverage = [1, sorted.length, ...sorted.map(([glyph]) => glyph)];
  return uint16s([2, 2 * (2 + rest.length), ...rest, ...coverage]);
}

/** Builds a table with one lookup for each feature, which applies to every script and language. */
export function layoutTable(features: Record<string, Subtable>): Buffer {
  const entries = Object.entries(features);
  const every = entries.map((_, n) => n);
  const scripts = Buffer.concat([uint16s([1]), Buffer.from('DFLT'), uint16s([8, 4, 0, 0, 0xffff, every.length, ...every])]);
  const featureAt = (n: number) => 2 + 6 * entries.length + 6 * n;
  const records = entries.map(([name], n) => Buffer.concat([Buffer.from(name), uint16s([featureAt(n)])]));
  const featureList = Buffer.concat([uint16s([entries.length]), ...records, uint16s(every.flatMap((n) => [0, 1, n]))]);
  const lookups = entries.map(([, subtable]) => Buffer.concat([uint16s([1, 0, 1, 8]), subtable]));
  let offset = 2 + 2 * lookups.length;
  const offsets = lookups.map(({ length }) => {
    offset += length;
    if (offset > 0xffff) throw new Error('a bundled font with too many forms');
    return offset - length;
  });
  const head = uint16s([1, 0, 10, 10 + scripts.length, 10 + scripts.length + featureList.length]);
  return Buffer.concat([head, scripts, featureList, uint16s([lookups.length, ...offsets]), ...lookups]);
}

/** Returns each subtable of type 1, including those that a lookup of the type `extension` points to. */
function* subtables(table: Buffer | undefined, feature: string, extension: number): Generator<Buffer> {
  if (!table) return;
  const features = table.subarray(table.readUInt16BE(6));
  const lookups = table.subarray(table.readUInt16BE(8));
  for (const index of findLookups(features, feature)) {
    const lookup = lookups.subarray(lookups.readUInt16BE(2 + 2 * index));
    const type = lookup.readUInt16BE(0);
    for (const offset of readUint16s(lookup, 6, lookup.readUInt16BE(4))) {
      const subtable = lookup.subarray(offset);
      if (type === 1) yield subtable;
      else if (type === extension && subtable.readUInt16BE(2) === 1) yield subtable.subarray(subtable.readUInt32BE(4));
    }
  }
}

function findLookups(features: Buffer, name: string): Set<number> {
  const found = new Set<number>();
  for (let record = 2; record < 2 + 6 * features.readUInt16BE(0); record += 6) {
    if (features.toString('latin1', record, record + 4) !== name) continue;
    const feature = features.subarray(features.readUInt16BE(record + 4));
    for (const index of readUint16s(feature, 4, feature.readUInt16BE(2))) found.add(index);
  }
  return found;
}

/** Returns the glyphs that a subtable covers, in its order. They are listed one by one (format 1) or as ranges. */
function readCoverage(subtable: Buffer): number[] {
  const table = subtable.subarray(subtable.readUInt16BE(2));
  const count = table.readUInt16BE(2);
  if (table.readUInt16BE(0) === 1) return readUint16s(table, 4, count);
  const firsts = readUint16s(table, 4, count, 6);
  const lasts = readUint16s(table, 6, count, 6);
  return firsts.flatMap((first, n) => Array.from({ length: (lasts[n] ?? first) - first + 1 }, (_, k) => first + k));
}

function setBits(bits: number): number {
  return bits.toString(2).replaceAll('0', '').length;
}
