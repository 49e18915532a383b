/**
 * Completes the dictionaries of embedded fonts as PDF/A requires (ISO 19005-1, 6.3.3.2 and 6.3.5; ISO 19005-2, 6.2.11.3.2 and 6.2.11.4.2):
 * the map of glyphs that is the default, and lists of the glyphs of subsets, which some programs leave incomplete.
 */
import { PdfName, PdfRef } from '@libpdf/core';
import { readTables } from '../../fonts/font-tables.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { deflatedStream } from '../objects/syntax.ts';

/** The offset of the number of glyphs in the table `maxp`. */
const GLYPHS = 4;
/** Lists of glyphs, which only PDF/A-1 requires. */
const LISTS = ['CIDSet', 'CharSet'];

export function completeFonts(pdf: ForeignPdf, part: number): void {
  for (const { ref, dict } of pdf.dictionaries()) {
    const descriptor = dict.get('FontDescriptor');
    if (!(descriptor instanceof PdfRef)) continue;
    const isTrueType = pdf.name(dict, 'Subtype') === 'CIDFontType2';
    if (isTrueType && !dict.has('CIDToGIDMap')) pdf.update(ref, { CIDToGIDMap: PdfName.of('Identity') });
    if (part > 1) dropLists(pdf, descriptor);
    else if (isTrueType) listGlyphs(pdf, descriptor);
  }
}

function dropLists(pdf: ForeignPdf, ref: PdfRef): void {
  const copy = pdf.asDict(ref)?.clone();
  if (!copy || !LISTS.some((entry) => copy.has(entry))) return;
  for (const entry of LISTS) copy.delete(entry);
  pdf.change(ref, copy);
}

/** A program that cannot be read keeps the list that it has. */
function listGlyphs(pdf: ForeignPdf, ref: PdfRef): void {
  const program = pdf.stream(pdf.asDict(ref), 'FontFile2');
  if (!program) return;
  try {
    const count = readTables(Buffer.from(program.getDecodedData())).get('maxp')?.readUInt16BE(GLYPHS) ?? 0;
    pdf.update(ref, { CIDSet: pdf.add(deflatedStream({}, firstBits(count))) });
  } catch {}
}

function firstBits(count: number): Buffer {
  const bits = Buffer.alloc(Math.ceil(count / 8), 0xff);
  if (count % 8) bits[bits.length - 1] = 0xff << (8 - (count % 8));
  return bits;
}
