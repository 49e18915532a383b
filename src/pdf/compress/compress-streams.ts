/**
 * Makes the content and the fonts of pages smaller, without a change to what they show or say: the pages of a PDF in, streams that
 * replace others out. See docs/decisions/0098-small-files.md.
 */
import { hash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { type PdfDict, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { readGlyphWidths } from '../content/glyph-widths.ts';
import { LETTERHEAD } from '../finish-settings.ts';
import type { DictionaryReader } from '../objects/pdf-reader.ts';
import { deflatedStream, entriesOf } from '../objects/syntax.ts';
import { reduceFontProgram } from './font-program.ts';
import { shortenText, type TextFont } from './text-runs.ts';

/** Of a stream. A larger one stays as it is. */
const MAX_BYTES = 67_108_864;
const MAX_FONTS = 64;
/** Takes as long as level 6, and a book of 34 pages is as small as with level 9. */
const LEVEL = 7;
/** Content that is hardly shortened, such as a drawing with labels, is not deflated again, which would take most of the time. */
const WORTHWHILE_SHARE = 0.95;
const DEFAULT_WIDTH = 1_000;
const TEXT = Buffer.from('BT\n');

/** Compressed programs that this thread has made, by a digest of the compressed original. */
const programs = new Map<string, PdfStream>();

type Change = (ref: PdfRef, stream: PdfStream) => void;

export function compressStreams(reader: DictionaryReader, pages: PdfDict[], change: Change): void {
  new StreamCompressor(reader, pages, change).compress();
}

class StreamCompressor {
  readonly #reader: DictionaryReader;
  readonly #pages: PdfDict[];
  readonly #change: Change;
  readonly #fonts = new Map<number, TextFont | undefined>();
  /** The numbers of streams that were read, or that several pages share. */
  readonly #seen = new Set<number>();

  constructor(reader: DictionaryReader, pages: PdfDict[], change: Change) {
    this.#reader = reader;
    this.#pages = pages;
    this.#change = change;
  }

  compress(): void {
    const contents = this.#pages.map((page) => ({ page, refs: this.#contents(page) }));
    const counts = Map.groupBy(
      contents.flatMap(({ refs }) => refs),
      ({ objectNumber }) => objectNumber,
    );
    for (const [id, { length }] of counts) if (length > 1) this.#seen.add(id);
    for (const { page, refs } of contents) this.#compressAll(refs, this.#reader.dict(page, 'Resources'));
  }

  #contents(page: PdfDict): PdfRef[] {
    return this.#reader.listOrOne(page, 'Contents').filter((ref) => ref instanceof PdfRef);
  }

  /** Compresses content, and the forms and fonts that it uses. */
  #compressAll(refs: PdfRef[], resources: PdfDict | undefined): void {
    const fonts = this.#readFonts(resources);
    for (const ref of refs) if (this.#isNew(ref)) this.#compressContent(ref, fonts);
    for (const [{ value: name }, form] of this.#reader.dict(resources, 'XObject') ?? [])
      if (name !== LETTERHEAD) this.#compressForm(form);
  }

  #compressForm(ref: PdfObject): void {
    if (!(ref instanceof PdfRef) || this.#seen.has(ref.objectNumber)) return;
    const form = this.#reader.resolve(ref);
    if (form instanceof PdfStream && this.#reader.name(form, 'Subtype') === 'Form')
      this.#compressAll([ref], this.#reader.dict(form, 'Resources'));
  }

  #compressContent(ref: PdfRef, fonts: ReadonlyMap<string, TextFont>): void {
    const stream = this.#reader.resolve(ref);
    if (!(stream instanceof PdfStream)) return;
    const content = fonts.size ? unpack(stream) : undefined;
    if (!content?.includes(TEXT)) return;
    const shortened = shortenText(content, fonts);
    if (!shortened || shortened.length > WORTHWHILE_SHARE * content.length) return;
    this.#replace(ref, stream, deflatedStream(entriesOf(stream), shortened, LEVEL));
  }

  #replace(ref: PdfRef, stream: PdfStream, smaller: PdfStream): void {
    if (smaller.data.length < stream.data.length) this.#change(ref, smaller);
  }

  /** Composite fonts by their names in the resources. Those of other kinds are left out. */
  #readFonts(resources: PdfDict | undefined): Map<string, TextFont> {
    const fonts = new Map<string, TextFont>();
    for (const [name, ref] of this.#reader.dict(resources, 'Font') ?? []) {
      if (!(ref instanceof PdfRef)) continue;
      const known = this.#fonts.has(ref.objectNumber);
      const font = known ? this.#fonts.get(ref.objectNumber) : this.#readFont(ref);
      this.#fonts.set(ref.objectNumber, font);
      if (font) fonts.set(name.value, font);
    }
    return fonts;
  }

  #readFont(ref: PdfRef): TextFont | undefined {
    const font = this.#reader.asDict(ref);
    if (this.#reader.name(font, 'Subtype') !== 'Type0' || this.#reader.name(font, 'Encoding') !== 'Identity-H') return undefined;
    const descendant = this.#reader.asDict(this.#reader.list(font, 'DescendantFonts')[0]);
    if (!descendant) return undefined;
    if (this.#reader.name(descendant, 'CIDToGIDMap') === 'Identity') this.#compressProgram(descendant);
    const otherWidth = this.#reader.number(descendant, 'DW') ?? DEFAULT_WIDTH;
    const given = readGlyphWidths(this.#reader.list(descendant, 'W'));
    const widths = new Float64Array(Math.max(-1, ...given.keys()) + 1).fill(otherWidth);
    for (const [glyph, width] of given) widths[glyph] = width;
    return { widths, otherWidth };
  }

  #compressProgram(descendant: PdfDict): void {
    const descriptor = this.#reader.dict(descendant, 'FontDescriptor');
    const ref = descriptor?.get('FontFile2');
    const stream = this.#reader.stream(descriptor, 'FontFile2');
    if (!(ref instanceof PdfRef) || !stream || !this.#isNew(ref)) return;
    const smaller = smallerProgram(stream, this.#reader.name(descendant, 'BaseFont').replace(/^[A-Z]{6}\+/, ''));
    if (smaller) this.#replace(ref, stream, smaller);
  }

  #isNew({ objectNumber }: PdfRef): boolean {
    const isNew = !this.#seen.has(objectNumber);
    this.#seen.add(objectNumber);
    return isNew;
  }
}

/** Returns undefined for a font in a form that Chromium does not write. */
function smallerProgram(stream: PdfStream, name: string): PdfStream | undefined {
  const digest = hash('sha256', stream.data);
  const known = programs.get(digest);
  if (known) return known;
  const program = unpack(stream);
  if (!program) return undefined;
  const smaller = reduceAsPossible(program, name);
  if (!smaller) return undefined;
  if (programs.size >= MAX_FONTS) programs.delete(programs.keys().next().value ?? '');
  programs.set(digest, smaller);
  return smaller;
}

function reduceAsPossible(program: Buffer, name: string): PdfStream | undefined {
  try {
    const reduced = reduceFontProgram(program, name);
    return deflatedStream({ Length1: PdfNumber.of(reduced.length) }, reduced, LEVEL);
  } catch {
    return undefined; // a damaged font stays as it is
  }
}

/** Returns undefined for data that is not compressed as Chromium does. */
function unpack(stream: PdfStream): Buffer | undefined {
  if (stream.getName('Filter')?.value !== 'FlateDecode' || stream.has('DecodeParms')) return undefined;
  try {
    return inflateSync(stream.data, { maxOutputLength: MAX_BYTES });
  } catch {
    return undefined;
  }
}
