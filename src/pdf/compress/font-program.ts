/**
 * Removes what a PDF reader does not use from an embedded TrueType program: the program in, one with the same outlines and widths out.
 * Readers need six tables of a font whose glyphs are selected by number (ISO 32000-1, 9.9), and the instructions only fit the outlines
 * to a grid of pixels.
 */
import {
  changeCopy,
  type FontTables,
  OUTLINE_HEADER,
  readComponents,
  readOutlineStarts,
  readTables,
  requireTable,
  uint16s,
  uint32s,
  withChecksums,
  writeTables,
} from '../../fonts/font-tables.ts';

const NEEDED_TABLES = ['glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp'];
const INSTRUCTION_TABLES = ['cvt ', 'fpgm', 'prep'];
/**
 * Fonts whose instructions put the parts of glyphs together (`tt_check_trickyness_family`:
 * https://gitlab.freedesktop.org/freetype/freetype/-/blob/master/src/truetype/ttobjs.c).
 */
const NEEDS_INSTRUCTIONS = /^(?:cpop|DF|DLC|HuaTian|P?Ming|NEC)/i;
/** A flag of a component of a glyph. */
const HAS_INSTRUCTIONS = 0x100;

/** `name` is the PostScript name of the font. Throws if the program is damaged, or has outlines of another kind. */
export function reduceFontProgram(program: Buffer, name: string): Buffer {
  const given = readTables(program);
  const needsInstructions = NEEDS_INSTRUCTIONS.test(name);
  const kept = needsInstructions ? [...NEEDED_TABLES, ...INSTRUCTION_TABLES] : NEEDED_TABLES;
  const tables: FontTables = new Map([...given].filter(([table]) => kept.includes(table)));
  for (const table of NEEDED_TABLES) requireTable(tables, table);
  if (!needsInstructions) removeInstructions(tables);
  return withChecksums(writeTables(tables));
}

function removeInstructions(tables: FontTables): void {
  const [glyf, starts] = [requireTable(tables, 'glyf'), readOutlineStarts(tables)];
  const isLong = requireTable(tables, 'head').readUInt16BE(50) === 1;
  const parts: Buffer[] = [];
  const kept = [0];
  let length = 0;
  for (let n = 0; n + 1 < starts.length; n++) {
    for (const part of withoutInstructions(glyf.subarray(starts[n], starts[n + 1]))) {
      parts.push(part);
      length += part.length;
    }
    if (length % 2) parts.push(Buffer.alloc(1));
    length += length % 2;
    kept.push(length);
  }
  tables.set('glyf', Buffer.concat(parts));
  tables.set('loca', isLong ? uint32s(kept) : uint16s(kept.map((start) => start / 2)));
  tables.set(
    'maxp',
    changeCopy(requireTable(tables, 'maxp'), (maxima) => maxima.writeUInt16BE(0, 26)),
  );
}

/** The parts of a glyph that remain. */
function withoutInstructions(glyph: Buffer): Buffer[] {
  if (glyph.length < OUTLINE_HEADER) return [];
  const contours = glyph.readInt16BE(0);
  if (contours < 0) return [withoutComponentInstructions(glyph)];
  const end = OUTLINE_HEADER + 2 * contours;
  const instructions = glyph.readUInt16BE(end);
  return instructions ? [glyph.subarray(0, end), Buffer.alloc(2), glyph.subarray(end + 2 + instructions)] : [glyph];
}

function withoutComponentInstructions(glyph: Buffer): Buffer {
  const copy = Buffer.from(glyph);
  let length = OUTLINE_HEADER;
  for (const { start, end, flags } of readComponents(glyph)) {
    copy.writeUInt16BE(flags & ~HAS_INSTRUCTIONS, start);
    length = end;
  }
  return copy.subarray(0, length);
}
