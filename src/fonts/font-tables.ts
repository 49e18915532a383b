/** Splits a TrueType file into its tables, and joins tables to a file (OpenType 1.9, "Organization of an OpenType font"). */

export type FontTables = Map<string, Buffer>;

/** A part of a font. */
export interface Slice {
  tables: FontTables;
  glyphs: number;
  /** The number of its glyph 0 in the merged font. */
  firstGlyph: number;
}

const HEAD = 12;
const RECORD = 16;

/** The tables are parts of `font`, not copies. */
export function readTables(font: Buffer): FontTables {
  return new Map(
    Array.from({ length: font.readUInt16BE(4) }, (_, n) => {
      const record = HEAD + RECORD * n;
      const start = font.readUInt32BE(record + 8);
      return [font.toString('latin1', record, record + 4), font.subarray(start, start + font.readUInt32BE(record + 12))];
    }),
  );
}

/** Writes no checksums, because nothing that reads system fonts checks them; `withChecksums` adds them. */
export function writeTables(tables: FontTables): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const padded = sorted.map(([, table]) => padTable(table));
  let end = HEAD + RECORD * sorted.length;
  const records = sorted.map(([name, table], n) => {
    const start = end;
    end += padded[n]?.length ?? 0;
    return Buffer.concat([Buffer.from(name, 'latin1'), uint32s([0, start, table.length])]);
  });
  return Buffer.concat([uint32s([0x10000]), uint16s([sorted.length, 0, 0, 0]), ...records, ...padded]);
}

/** Completes the header and the checksums of a font that `writeTables` wrote. Modifies the font. */
export function withChecksums(font: Buffer): Buffer {
  const count = font.readUInt16BE(4);
  const selector = Math.floor(Math.log2(count));
  const range = RECORD * 2 ** selector;
  for (const [n, value] of [range, selector, RECORD * count - range].entries()) font.writeUInt16BE(value, 6 + 2 * n);
  let header = 0;
  for (let record = HEAD; record < HEAD + RECORD * count; record += RECORD) {
    const [start, length] = [font.readUInt32BE(record + 8), font.readUInt32BE(record + 12)];
    if (font.toString('latin1', record, record + 4) === 'head') {
      header = start;
      font.writeUInt32BE(0, start + 8);
    }
    font.writeUInt32BE(addUint32s(font, start, start + length), record + 4);
  }
  if (header) font.writeUInt32BE((WHOLE_SUM - addUint32s(font, 0, font.length)) >>> 0, header + 8);
  return font;
}

/** The sum of all numbers of a complete font. */
const WHOLE_SUM = 0xb1b0afba;

function addUint32s(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
}

export function requireTable(tables: FontTables, name: string): Buffer {
  const table = tables.get(name);
  if (!table) throw new Error(`a bundled font without the table ${name}`);
  return table;
}

/** Pads the bytes to a multiple of four. */
export function padTable(bytes: Buffer): Buffer {
  return bytes.length % 4 ? Buffer.concat([bytes, Buffer.alloc(4 - (bytes.length % 4))]) : bytes;
}

export function uint16s(values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [n, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * n);
  return bytes;
}

export function uint32s(values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value, 4 * n);
  return bytes;
}

/** Reads `count` numbers of a table, `step` bytes apart. */
export function readUint16s(table: Buffer, start: number, count: number, step = 2): number[] {
  return Array.from({ length: count }, (_, n) => table.readUInt16BE(start + step * n));
}

/** Where the outline of each glyph starts in the table `glyf`, and where the last one ends. */
export function readOutlineStarts(tables: FontTables): number[] {
  const loca = requireTable(tables, 'loca');
  const isLong = requireTable(tables, 'head').readUInt16BE(50) === 1;
  const count = requireTable(tables, 'maxp').readUInt16BE(4) + 1;
  return Array.from({ length: count }, (_, n) => (isLong ? loca.readUInt32BE(4 * n) : 2 * loca.readUInt16BE(2 * n)));
}

/** The bytes of an outline before its contours or components. */
export const OUTLINE_HEADER = 10;
/** Flags of a component of a glyph (OpenType 1.9, "glyf"), and the bytes that follow because of them. */
const COMPONENT_BYTES: Array<[flag: number, bytes: number]> = [
  [0x1, 2], // offsets of two bytes each
  [0x8, 2], // a scale
  [0x40, 4], // two scales
  [0x80, 8], // a matrix
];
const MORE_COMPONENTS = 0x20;
const LEAST_COMPONENT_BYTES = 6;

/** Reads the components of a glyph that consists of others. `start` and `end` are offsets in the outline. */
export function* readComponents(outline: Buffer): Generator<{ start: number; end: number; flags: number; glyph: number }> {
  for (let [start, hasMore] = [OUTLINE_HEADER, true]; hasMore; ) {
    const flags = outline.readUInt16BE(start);
    const glyph = outline.readUInt16BE(start + 2);
    let end = start + LEAST_COMPONENT_BYTES;
    for (const [flag, bytes] of COMPONENT_BYTES) if (flags & flag) end += bytes;
    yield { start, end, flags, glyph };
    start = end;
    hasMore = (flags & MORE_COMPONENTS) > 0;
  }
}

/**
 * Returns width and bearing of every glyph, in four bytes each. The last glyphs of a table may omit the width, which is then the last
 * one given.
 */
export function readMetrics(tables: FontTables, headName: string, name: string): Buffer {
  const table = requireTable(tables, name);
  const full = requireTable(tables, headName).readUInt16BE(34);
  const last = table.readUInt16BE(4 * full - 4);
  const rest = readUint16s(table, 4 * full, requireTable(tables, 'maxp').readUInt16BE(4) - full);
  return Buffer.concat([table.subarray(0, 4 * full), uint16s(rest.flatMap((bearing) => [last, bearing]))]);
}

/** Merges tables `head` to one with the bounds of all glyphs, for a `loca` of 32 bits. */
export function mergeHeaders(heads: Buffer[]): Buffer {
  return changeCopy(heads[0] as Buffer, (table) => {
    for (const field of [36, 38]) table.writeInt16BE(Math.min(...heads.map((head) => head.readInt16BE(field))), field);
    for (const field of [40, 42]) table.writeInt16BE(Math.max(...heads.map((head) => head.readInt16BE(field))), field);
    table.writeUInt16BE(1, 50);
  });
}

/** Merges tables `maxp` to one that is large enough for each of their glyphs, but not for the number of all. */
export function mergeMaxima(tables: Buffer[]): Buffer {
  return changeCopy(tables[0] as Buffer, (table) => {
    for (let field = 6; field < table.length; field += 2)
      table.writeUInt16BE(Math.max(...tables.map((one) => one.readUInt16BE(field))), field);
  });
}

/** A copy of the table `maxp` for this number of glyphs. */
export function withGlyphCount(maxima: Buffer, glyphs: number): Buffer {
  return changeCopy(maxima, (table) => table.writeUInt16BE(glyphs, 4));
}

export function changeCopy(table: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(table);
  change(copy);
  return copy;
}
