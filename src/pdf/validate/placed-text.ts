/** Reads where the tagged text of a PDF is: pages in; pieces of text without a gap, by marked-content sequence, out. */
import type { PdfDict, PdfObject, PdfStream } from '@libpdf/core';
import { decodeText, type Operands, readMcid, scanReadable, stringBytes } from '../content/content-scanner.ts';
import { GraphicsState, readNumbers } from '../content/graphics-state.ts';
import { IDENTITY, type Matrix, type Point, times, toMatrix, transform } from '../objects/matrix.ts';
import { type Glyph, GlyphMetrics } from './glyph-metrics.ts';
import type { ReadablePdf } from './readable-pdf.ts';

/** Glyphs beside each other without a gap. Coordinates are those of the page. */
export interface TextPiece {
  /** Undefined if the text of some glyphs is not known. */
  text: string | undefined;
  start: Point;
  end: Point;
  /** Along its base line, of length 1. */
  direction: Point;
  size: number;
}

/** The gap from which on two glyphs are apart, and the distance of base lines of different lines, in proportion to the font size. */
const GAP = 0.25;
const LINE_DISTANCE = 0.5;
/** The cosine of the largest angle between the directions of one line. */
const SAME_DIRECTION = 0.999;
const MAX_GLYPHS = 5_000_000;
const SHOWS = new Set(['Tj', 'TJ', "'", '"']);

/** How a piece follows another one. Glyphs in different directions, as on a curve, count as adjacent. */
export function findRelation(one: TextPiece, other: TextPiece): 'adjacent' | 'apart' | 'on another line' {
  const [x, y] = [other.start[0] - one.end[0], other.start[1] - one.end[1]];
  const turn = one.direction[0] * other.direction[0] + one.direction[1] * other.direction[1];
  if (turn < SAME_DIRECTION) return 'adjacent';
  const size = Math.max(one.size, other.size);
  const [along, across] = [x * one.direction[0] + y * one.direction[1], x * one.direction[1] - y * one.direction[0]];
  if (Math.abs(across) > LINE_DISTANCE * size) return 'on another line';
  return along > GAP * size ? 'apart' : 'adjacent';
}

export class PlacedText {
  readonly #pdf: ReadablePdf;
  readonly #found = new Map<PdfObject, Map<number, TextPiece[]>>();
  readonly #fonts = new Map<PdfDict, GlyphMetrics>();
  readonly #drawn = new Set<PdfObject>();
  #glyphsLeft = MAX_GLYPHS;

  constructor(pdf: ReadablePdf) {
    this.#pdf = pdf;
  }

  /** The text of marked content of a page or a form XObject. */
  of(holder: PdfObject, mcid: number): readonly TextPiece[] {
    return this.#found.get(holder)?.get(mcid) ?? [];
  }

  /** Reads the content of a page or a form XObject. What cannot be parsed ends the reading. */
  read(holder: PdfDict, content: Buffer, resources: PdfDict | undefined, matrix: Matrix = IDENTITY): void {
    const reading = new TextReading(content, matrix, {
      fontOf: (name) => this.#readFont(this.#pdf.dict(this.#pdf.dict(resources, 'Font'), name)),
      draws: (name, at) => this.#draw(this.#pdf.stream(this.#pdf.dict(resources, 'XObject'), name), resources, at),
      shows: (mcid, piece) => this.#add(holder, mcid, piece),
    });
    scanReadable(content, (operator, operands, end) => reading.visit(operator, operands, end));
  }

  #readFont(font: PdfDict | undefined): GlyphMetrics | undefined {
    if (!font) return undefined;
    const metrics = this.#fonts.get(font) ?? new GlyphMetrics(this.#pdf, font);
    this.#fonts.set(font, metrics);
    return metrics;
  }

  #draw(form: PdfStream | undefined, resources: PdfDict | undefined, matrix: Matrix): void {
    if (!form || this.#drawn.has(form) || this.#pdf.name(form, 'Subtype') !== 'Form') return;
    this.#drawn.add(form);
    const content = Buffer.from(form.getDecodedData());
    this.read(form, content, this.#pdf.dict(form, 'Resources') ?? resources, times(toMatrix(form.get('Matrix')), matrix));
  }

  #add(holder: PdfObject, mcid: number, piece: TextPiece): void {
    if (--this.#glyphsLeft < 0) return;
    const inHolder = this.#found.get(holder) ?? new Map<number, TextPiece[]>();
    this.#found.set(holder, inHolder);
    const pieces = inHolder.get(mcid) ?? [];
    inHolder.set(mcid, pieces);
    const last = pieces.at(-1);
    if (!last || findRelation(last, piece) !== 'adjacent') pieces.push(piece);
    else {
      last.text = last.text === undefined || piece.text === undefined ? undefined : last.text + piece.text;
      last.end = piece.end;
    }
  }
}

interface Handlers {
  fontOf(name: string): GlyphMetrics | undefined;
  draws(name: string, matrix: Matrix): void;
  shows(mcid: number, piece: TextPiece): void;
}

/** The state of one content stream while it is read (ISO 32000-1, 9.3 and 9.4). */
class TextReading {
  readonly #content: Buffer;
  readonly #handlers: Handlers;
  readonly #state: GraphicsState;
  /** The open marked-content sequences; `actualText` is what is left of it for the next glyph. */
  readonly #open: Array<{ mcid: number | undefined; actualText: string | undefined }> = [];

  constructor(content: Buffer, matrix: Matrix, handlers: Handlers) {
    this.#content = content;
    this.#handlers = handlers;
    this.#state = new GraphicsState(matrix);
  }

  visit(operator: string, operands: Operands, end: number): void {
    this.#state.visit(this.#content, operator, operands, end);
    if (SHOWS.has(operator)) this.#show(operator, operands);
    else if (operator === 'BDC' || operator === 'BMC') this.#begin(operands, end);
    else if (operator === 'EMC') this.#open.pop();
    else if (operator === 'Do') this.#handlers.draws(operands.names.at(-1) ?? '', this.#state.now.matrix);
  }

  #begin({ start, names, strings: [text] }: Operands, end: number): void {
    const around = this.#open.at(-1);
    const own = readMcid(this.#content, { start, names, strings: [] }, end);
    const mcid = names[0] === 'Artifact' ? undefined : (own ?? around?.mcid);
    const actualText = names.includes('ActualText') && text ? decodeText(stringBytes(this.#content, text)) : around?.actualText;
    this.#open.push({ mcid, actualText });
  }

  #show(operator: string, { start, strings }: Operands): void {
    let from = start;
    for (const string of strings) {
      for (const number of operator === 'TJ' ? readNumbers(this.#content, from, string[0]) : [])
        this.#state.advance((-number / 1_000) * this.#state.now.size);
      this.#showString(stringBytes(this.#content, string));
      [, from] = string;
    }
  }

  #showString(bytes: Buffer): void {
    const { font, characterSpacing, wordSpacing } = this.#state.now;
    for (const glyph of this.#handlers.fontOf(font)?.glyphs(bytes) ?? []) {
      this.#showGlyph(glyph);
      this.#state.advance(characterSpacing + (glyph.isSpace ? wordSpacing : 0));
    }
  }

  #showGlyph({ text, width }: Glyph): void {
    const { size } = this.#state.now;
    const before = this.#state.textMatrix;
    this.#state.advance((width ?? 0) * size);
    const sequence = this.#open.at(-1);
    const shown = sequence?.actualText ?? text;
    if (sequence?.actualText !== undefined) sequence.actualText = '';
    const piece = toPiece(before, this.#state.textMatrix, size, width === undefined ? undefined : shown);
    if (piece && sequence?.mcid !== undefined) this.#handlers.shows(sequence.mcid, piece);
  }
}

/** Returns undefined for text without a size. */
function toPiece(before: Matrix, after: Matrix, fontSize: number, text: string | undefined): TextPiece | undefined {
  const [right, origin] = [transform(before, 1, 0), transform(before, 0, 0)];
  const length = Math.hypot(right[0] - origin[0], right[1] - origin[1]);
  const size = Math.abs(length * fontSize);
  if (!size) return undefined;
  const direction = [(right[0] - origin[0]) / length, (right[1] - origin[1]) / length] as const;
  return { text, start: origin, end: transform(after, 0, 0), direction, size };
}
