/**
 * Merges the fonts of PDFs that Chromium printed: subsets of the same face in, one subset with the glyphs of all of them out.
 */
import { createHash } from 'node:crypto';
import { PdfArray, type PdfDict, type PdfObject } from '@libpdf/core';
import { type FontTables, mergeHeaders, mergeMaxima, readTables, requireTable } from '../../fonts/font-tables.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { toText } from '../objects/syntax.ts';
import { reduceFontProgram } from './font-program.ts';
import {
  COMMON_TABLES,
  describe,
  type FontObjects,
  faceName,
  type Glyph,
  readFont,
  readProgram,
  readSubset,
  type SubsetGlyphs,
  writeSubset,
} from './font-subsets.ts';

interface Subset extends SubsetGlyphs {
  /** What all subsets of the face have. */
  face: string;
  objects: FontObjects;
}

/** Its tables are those of a single subset, but `head` and `maxp` are for all. */
interface MergedFont extends SubsetGlyphs {
  id: number;
  first: FontObjects;
}

export class MergedFonts {
  /** The fonts of each face. There are several if a number stands for several glyphs. */
  readonly #faces = new Map<string, MergedFont[]>();
  /** The numbers of the merged fonts, by the digest of a subset that they have. */
  readonly #known = new Map<string, number>();

  /** Adds a font. Returns the object number of the font that has its glyphs; undefined for another kind of font, or a damaged one. */
  join(reader: PdfReader, dict: PdfDict, newId: () => number): number | undefined {
    const objects = readFont(reader, dict);
    if (!objects) return undefined;
    const digest = createHash('sha256')
      .update(objects.file.data)
      .update(objects.map.data)
      .update(toText(objects.descendant.get('W') ?? PdfArray.of()));
    const key = digest.digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const subset = joinable(objects);
    if (!subset) return undefined;
    const id = this.#merge(subset, newId);
    this.#known.set(key, id);
    return id;
  }

  /** The merged fonts, and what they refer to. */
  *end(newId: () => number): Generator<{ id: number; value: PdfObject }> {
    for (const [index, { first, ...merged }] of [...this.#faces.values()].flat().entries())
      yield* writeSubset({ ...merged, index, like: first }, newId);
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

/** Returns undefined for a damaged font, which is copied as it is. */
function joinable(objects: FontObjects): Subset | undefined {
  try {
    const subset = readSubset(objects, readReduced(readProgram(objects), faceName(objects)));
    return subset.glyphs.size ? { face: describeFace(objects, subset.tables), objects, ...subset } : undefined;
  } catch {
    return undefined;
  }
}

/** The tables of a font without instructions, which not every PDF has (docs/decisions/0098-small-files.md). */
function readReduced(program: Buffer, name: string): FontTables {
  const tables = readTables(program);
  return COMMON_TABLES.some((table) => tables.has(table)) ? readTables(reduceFontProgram(program, name)) : tables;
}

function describeFace(objects: FontObjects, tables: FontTables): string {
  const dicts = [objects.font, objects.descendant, objects.descriptor].map(describe);
  const head = requireTable(tables, 'head');
  const version = head.toString('base64', 4, 8) + head.toString('base64', 16, 36); // revision, flags, units and dates
  const common = COMMON_TABLES.map((name) => tables.get(name)?.toString('base64') ?? '');
  return [faceName(objects), ...dicts, version, ...common].join(' ');
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
