/**
 * Reads all that a redaction may have to remove from content streams: a page or a form XObject in; its glyphs with their places, and
 * what it draws, out. Forms that it draws are read where they are drawn.
 */
import { inflateSync } from 'node:zlib';
import { type PdfDict, PdfName, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import { type Operands, readMcid, scanForeign, stringBytes } from '../content/content-scanner.ts';
import { GraphicsState, readNumbers } from '../content/graphics-state.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { IDENTITY, type Matrix, type Point, times, toMatrix, transform } from '../objects/matrix.ts';
import { ForeignFont, UnreadableFontError } from './foreign-font.ts';
import { boundsOf, type Polygon, rectangle } from './shapes.ts';
import { formArea, softMask } from './soft-mask.ts';

/** Content that cannot be read, so that nobody can say what it shows. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

export interface Glyph {
  /** Undefined if it is not known. */
  text: string | undefined;
  /** Its bytes, as digits. */
  code: string;
  /** The adjustment in a `TJ` array that moves as far as the glyph does. */
  advance: number;
  /** On the base line. */
  start: Point;
  end: Point;
  /** From the base line, as far as the font size. */
  up: Point;
  span: Span | undefined;
  /** The marked content in which it is; see `markOf`. */
  marks: readonly string[];
  /** What draws it. Undefined for a glyph of another font than Type 3. */
  procedure: PdfObject | undefined;
  isRemoved: boolean;
}

/** A pattern, a soft mask or a glyph of a Type 3 font, where it is used. */
export interface IndirectUse {
  kind: 'a pattern' | 'a soft mask' | 'a glyph';
  drawn: PdfObject | undefined;
  /** Those of the font, or of the content that uses it. */
  resources: PdfDict | undefined;
  shape: Polygon;
  /** Of a glyph: from its own coordinates to those of the page. */
  matrix?: Matrix;
  glyph?: Glyph;
}

/** Marked content with a text of its own (`ActualText`). */
export interface Span {
  text: string;
  /** The operator and the string of the text in it, unless that is in the resources. */
  from: number;
  to: number;
  string: [from: number, to: number] | undefined;
  mcid: number | undefined;
  use: ContentUse;
  isRemoved: boolean;
}

export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** An operator that shows text. */
export interface Show {
  from: number;
  to: number;
  /** What else the operator does. */
  before: string;
  items: Array<number | Glyph>;
}

/** An image or a form XObject where it is drawn. */
export interface Draw {
  from: number;
  to: number;
  name: string;
  ref: PdfRef;
  stream: PdfStream;
  matrix: Matrix;
  /** Undefined for an image. */
  use: ContentUse | undefined;
}

/** A content stream where it is used. */
export interface ContentUse {
  content: Buffer;
  resources: PdfDict | undefined;
  shows: Show[];
  draws: Draw[];
  inlineImages: Array<{ from: number; to: number; matrix: Matrix }>;
  indirect: IndirectUse[];
  /** Strings that are not shown, such as those of marked content. */
  strings: Array<[from: number, to: number]>;
  /** Comments, and what is after the last operator. */
  comments: Array<[from: number, to: number]>;
  edits: Edit[];
}

export interface ReadContent {
  root: ContentUse;
  /** In their order. */
  glyphs: Glyph[];
  spans: Span[];
}

/** A name for marked content: the number of its page or form, and its MCID. */
export function markOf(holder: number, mcid: number): string {
  return `${holder} ${mcid}`;
}

const SHOWS = new Set(['Tj', 'TJ', "'", '"']);
const CONSTRUCTS = new Set(['m', 'l', 'c', 'v', 'y', 'h', 're']);
const PAINTS = new Set(['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'n']);
const FILLS = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*']);
const STROKES = new Set(['S', 's', 'B', 'B*', 'b', 'b*']);
const MAX_STREAM_BYTES = 268_435_456;
const MAX_GLYPHS = 2_000_000;
const MAX_STREAMS = 50_000;
const MAX_DEPTH = 30;
/** Fonts that are kept for the next page. Each part of a whole has its own, and one takes up to 25 kB. */
const MAX_FONTS = 200;
/** Stands for the pattern of the content around a form. */
const INHERITED = '\0';
/** How far a path may reach beyond an area in which it is, in points. */
const TOLERANCE = 1;

export class ContentReader {
  readonly #pdf: EditablePdf;
  readonly #fonts = new Map<PdfDict, ForeignFont>();
  readonly #needsText: boolean;
  #glyphsLeft = MAX_GLYPHS;
  #streamsLeft = MAX_STREAMS;

  constructor(pdf: EditablePdf, needsText: boolean) {
    this.#pdf = pdf;
    this.#needsText = needsText;
  }

  /** Paths inside of `boxes` are removed. Throws `UnreadableError`. */
  read(
    content: Buffer,
    resources: PdfDict | undefined,
    holder: number,
    boxes: readonly Polygon[] = [],
    matrix: Matrix = IDENTITY,
  ): ReadContent {
    const whole = { glyphs: [], spans: [], boxes };
    if (this.#fonts.size > MAX_FONTS) this.#fonts.clear();
    const root = this.#readStream(
      content,
      resources,
      { holder, matrix, marks: [], depth: 0, patterns: [undefined, undefined] },
      whole,
    );
    return { root, ...whole };
  }

  #readStream(content: Buffer, resources: PdfDict | undefined, from: Start, whole: Whole): ContentUse {
    if (this.#streamsLeft-- <= 0) throw new UnreadableError('draws too many form XObjects');
    const found = { shows: [], draws: [], inlineImages: [], indirect: [], strings: [], comments: [], edits: [] };
    const use: ContentUse = { content, resources, ...found };
    const reading = new StreamReading(this.#pdf, use, from, whole, {
      fontOf: (name) => this.#fontOf(resources, name),
      draws: (name, place) => this.#draw(use, name, place, from, whole),
      needsText: this.#needsText,
    });
    try {
      let last = 0;
      const visit: Parameters<typeof scanForeign>[1] = (operator, operands, end) => {
        reading.visit(operator, operands, end);
        last = end;
      };
      scanForeign(content, visit, (...comment) => use.comments.push(comment));
      use.comments.push([last, content.length]);
    } catch (error) {
      throw error instanceof UnreadableError ? error : new UnreadableError('has content that cannot be parsed');
    }
    if (whole.glyphs.length > this.#glyphsLeft) throw new UnreadableError('has too much text');
    return use;
  }

  #fontOf(resources: PdfDict | undefined, name: string): ForeignFont {
    const dict = this.#pdf.asDict(this.#pdf.nested(resources, 'Font', name));
    if (!dict) throw new UnreadableError(`has text in a font ${name} that is missing`);
    try {
      const font = this.#fonts.get(dict) ?? new ForeignFont(this.#pdf, dict);
      this.#fonts.set(dict, font);
      return font;
    } catch {
      throw unreadableFont(this.#pdf.name(dict, 'BaseFont'));
    }
  }

  #draw(use: ContentUse, name: string, place: Place, from: Start, whole: Whole) {
    const ref = this.#pdf.nested(use.resources, 'XObject', name);
    const stream = this.#pdf.resolve(ref);
    if (!(ref instanceof PdfRef) || !(stream instanceof PdfStream)) return;
    const { marks, patterns, ...at } = place;
    const isForm = this.#pdf.name(stream, 'Subtype') === 'Form';
    if (isForm && from.depth > MAX_DEPTH) throw new UnreadableError('draws form XObjects that draw each other');
    const own = this.#pdf.dict(stream, 'Resources') ?? use.resources;
    const matrix = times(formMatrix(this.#pdf, stream), at.matrix);
    const start = { holder: ref.objectNumber, matrix, marks, depth: from.depth + 1, patterns };
    const drawn = isForm ? this.#readStream(decode(stream), own, start, whole) : undefined;
    use.draws.push({ ...at, name, ref, stream, use: drawn });
  }
}

function formMatrix(pdf: EditablePdf, form: PdfDict): Matrix {
  return toMatrix(pdf.resolve(form.get('Matrix')));
}

/** Unlike libpdf, does not take what is left of damaged data, of which other readers may find more. Throws `UnreadableError`. */
export function decode(stream: PdfStream): Buffer {
  const filter = stream.get('Filter');
  try {
    if (filter instanceof PdfName && filter.value === 'FlateDecode')
      inflateSync(stream.data, { maxOutputLength: MAX_STREAM_BYTES });
    return Buffer.from(stream.getDecodedData());
  } catch {
    throw new UnreadableError('has content that cannot be decompressed');
  }
}

function unreadableFont(name: string): UnreadableError {
  return new UnreadableError(`has text in the font ${name.slice(0, 100)}, which does not say what its characters are`);
}

interface Whole {
  glyphs: Glyph[];
  spans: Span[];
  boxes: readonly Polygon[];
}

interface Start {
  /** The number of the page or the form. */
  holder: number;
  matrix: Matrix;
  marks: readonly string[];
  depth: number;
  /** With which is filled and stroked until its content sets others. */
  patterns: [fill: PdfObject | undefined, stroke: PdfObject | undefined];
}

type Place = Pick<Draw, 'from' | 'to'> & Pick<Start, 'matrix' | 'marks' | 'patterns'>;

interface Handlers {
  needsText: boolean;
  fontOf(name: string): ForeignFont;
  draws(name: string, place: Place): void;
}

interface Mark {
  marks: readonly string[];
  span: Span | undefined;
}

/** A part of a path that begins on its own. */
interface Subpath {
  points: Point[];
  operators: Array<[from: number, to: number]>;
}

class StreamReading {
  readonly #pdf: EditablePdf;
  readonly #use: ContentUse;
  readonly #holder: number;
  readonly #whole: Whole;
  readonly #handlers: Handlers;
  readonly #state: GraphicsState;
  readonly #open: Mark[];
  readonly #inherited: Start['patterns'];
  #lineWidth = 1;
  #path: Subpath[] = [];
  #clips = false;

  constructor(pdf: EditablePdf, use: ContentUse, { holder, matrix, marks, patterns }: Start, whole: Whole, handlers: Handlers) {
    this.#pdf = pdf;
    this.#use = use;
    this.#holder = holder;
    this.#whole = whole;
    this.#handlers = handlers;
    this.#state = new GraphicsState(matrix);
    Object.assign(this.#state.now, { pattern: INHERITED, strokePattern: INHERITED });
    this.#inherited = patterns;
    this.#open = [{ marks, span: undefined }];
  }

  visit(operator: string, operands: Operands, end: number): void {
    this.#state.visit(this.#use.content, operator, operands, end);
    if (SHOWS.has(operator)) this.#show(operator, operands, end);
    else this.#visitOther(operator, operands, end);
  }

  #visitOther(operator: string, operands: Operands, end: number): void {
    const { start: from, names, strings } = operands;
    this.#use.strings.push(...strings);
    if (operator === 'BDC' || operator === 'BMC') this.#begin(operands, end);
    else if (operator === 'EMC' && this.#open.length > 1) this.#open.pop();
    else if (operator === 'Do')
      this.#handlers.draws(names.at(-1) ?? '', {
        ...{ from, to: end, matrix: this.#state.now.matrix, marks: this.#now.marks, patterns: this.#patterns },
      });
    else if (operator === 'BI') this.#use.inlineImages.push({ from, to: end, matrix: this.#state.now.matrix });
    else if (operator === 'gs') this.#setState(names.at(-1) ?? '');
    else if (operator === 'w') this.#lineWidth = Math.max(this.#lineWidth, ...readNumbers(this.#use.content, from, end));
    else this.#trace(operator, from, end);
  }

  get #now(): Mark {
    return this.#open.at(-1) as Mark;
  }

  #setState(name: string): void {
    const state = this.#pdf.asDict(this.#pdf.nested(this.#use.resources, 'ExtGState', name));
    if (state?.has('Font')) throw new UnreadableError('sets a font in a graphics state');
    this.#lineWidth = Math.max(this.#lineWidth, this.#pdf.number(state, 'LW') ?? 0);
    const drawn = softMask(this.#pdf, state);
    if (!drawn) return;
    const shape = formArea(this.#pdf, this.#pdf.asDict(drawn), this.#state.now.matrix);
    this.#use.indirect.push({ kind: 'a soft mask', drawn, resources: this.#use.resources, shape });
  }

  /** Those that are set now. */
  get #patterns(): Start['patterns'] {
    const { pattern, strokePattern } = this.#state.now;
    const find = (name: string, index: 0 | 1) =>
      name === INHERITED ? this.#inherited[index] : this.#pdf.nested(this.#use.resources, 'Pattern', name); // a name may be empty
    return [find(pattern, 0), find(strokePattern, 1)];
  }

  #addPatterns(points: readonly Point[], kinds: ReadonlyArray<0 | 1>, more = 0): void {
    const drawn = kinds.flatMap((kind) => this.#patterns[kind] ?? []);
    if (!points.length || !drawn.length) return;
    const { left, bottom, right, top } = boundsOf(points);
    const shape = rectangle(left - more, bottom - more, right + more, top + more);
    for (const each of drawn) this.#use.indirect.push({ kind: 'a pattern', drawn: each, resources: this.#use.resources, shape });
  }

  #begin({ start, names, strings }: Operands, end: number): void {
    const { content } = this.#use;
    const around = this.#now;
    const properties = this.#pdf.asDict(this.#pdf.nested(this.#use.resources, 'Properties', names[1] ?? ''));
    const mcid = readMcid(content, { start, names, strings: [] }, end) ?? this.#pdf.number(properties, 'MCID');
    const marks = mcid === undefined ? around.marks : [...around.marks, markOf(this.#holder, mcid)];
    const string = strings.find(([from], at) =>
      /\/ActualText\s*$/.test(content.toString('latin1', at ? strings[at - 1]?.[1] : start, from)),
    );
    const given = string ? new PdfString(stringBytes(content, string)).asString() : this.#pdf.text(properties, 'ActualText');
    const span = given ? { text: given, from: start, to: end, string, mcid, use: this.#use, isRemoved: false } : around.span;
    if (span && span !== around.span) this.#whole.spans.push(span);
    this.#open.push({ marks, span });
  }

  #show(operator: string, { start, strings }: Operands, end: number): void {
    const { content } = this.#use;
    const before: Record<string, string> = { "'": 'T* ', '"': `${this.#spacing()}T* ` };
    const show: Show = { from: start, to: end, before: before[operator] ?? '', items: [] };
    const isArray = operator === 'TJ';
    let from = start;
    for (const string of isArray ? strings : strings.slice(-1)) {
      if (isArray) this.#adjust(show, from, string[0]);
      this.#showString(show, stringBytes(content, string));
      [, from] = string;
    }
    if (isArray) this.#adjust(show, from, end);
    this.#use.shows.push(show);
  }

  #spacing(): string {
    const { wordSpacing, characterSpacing } = this.#state.now;
    return `${wordSpacing} Tw ${characterSpacing} Tc `;
  }

  #adjust(show: Show, from: number, to: number): void {
    for (const number of readNumbers(this.#use.content, from, to)) {
      this.#state.advance((-number / 1_000) * this.#state.now.size);
      show.items.push(number);
    }
  }

  #showString(show: Show, bytes: Buffer): void {
    if (!bytes.length) return;
    const { font: name, size, scale, rise, characterSpacing, wordSpacing } = this.#state.now;
    const font = this.#handlers.fontOf(name);
    const { marks, span } = this.#now;
    for (const { code, text, width, isSpace, procedure } of readGlyphs(font, bytes)) {
      if (text === undefined && !span && this.#handlers.needsText) throw unreadableFont(font.name);
      const matrix = this.#state.textMatrix;
      const start = transform(matrix, 0, rise);
      const end = transform(matrix, width * size * scale, rise);
      const [upX, upY] = transform(matrix, 0, rise + size);
      const spacing = characterSpacing + (isSpace ? wordSpacing : 0);
      const advance = size ? -1_000 * (width + spacing / size) : 0;
      const up: Point = [upX - start[0], upY - start[1]];
      const glyph: Glyph = { text, code, advance, start, end, up, span, marks, procedure, isRemoved: false };
      show.items.push(glyph);
      this.#whole.glyphs.push(glyph);
      this.#addIndirect(glyph, font);
      this.#state.advance(width * size + spacing);
    }
  }

  /** What draws a glyph, and the patterns with which it is drawn. */
  #addIndirect(glyph: Glyph, font: ForeignFont): void {
    if (!glyph.procedure && !this.#patterns.some(Boolean)) return;
    const { size, scale, rise } = this.#state.now;
    const [x, y] = glyph.up;
    const ends = [glyph.start, glyph.end];
    const shape = [...ends, ...ends.map(([endX, endY]): Point => [endX + x, endY + y])];
    this.#addPatterns(shape, [0, 1], Math.hypot(x, y) / 4);
    if (!glyph.procedure) return;
    const matrix = times(times(font.matrix, [size * scale, 0, 0, size, 0, rise]), this.#state.textMatrix);
    const resources = font.resources ?? this.#use.resources;
    this.#use.indirect.push({ kind: 'a glyph', drawn: glyph.procedure, resources, shape, matrix, glyph });
  }

  #trace(operator: string, from: number, to: number): void {
    if (CONSTRUCTS.has(operator)) this.#construct(operator, from, to);
    else if (operator === 'W' || operator === 'W*') this.#clips = true;
    else if (PAINTS.has(operator)) {
      this.#paintPath(operator);
      if (!this.#clips) for (const subpath of this.#path) this.#removeInside(subpath);
      this.#path = [];
      this.#clips = false;
    }
  }

  #paintPath(operator: string): void {
    const points = this.#path.flatMap((subpath) => subpath.points);
    const [a, b, c, d] = this.#state.now.matrix;
    const reach = this.#lineWidth * Math.max(Math.hypot(a, b), Math.hypot(c, d));
    if (FILLS.has(operator)) this.#addPatterns(points, [0]);
    if (STROKES.has(operator)) this.#addPatterns(points, [1], reach);
  }

  #construct(operator: string, from: number, to: number): void {
    const values = readNumbers(this.#use.content, from, to);
    const [x = 0, y = 0, width = 0, height = 0] = values;
    const corner = operator === 're' ? [x, y, x + width, y, x + width, y + height, x, y + height] : values;
    if (operator === 'm' || operator === 're' || !this.#path.length) this.#path.push({ points: [], operators: [] });
    const subpath = this.#path.at(-1) as Subpath;
    subpath.operators.push([from, to]);
    for (let at = 0; at + 1 < corner.length; at += 2)
      subpath.points.push(transform(this.#state.now.matrix, corner[at] as number, corner[at + 1] as number));
  }

  #removeInside({ points, operators }: Subpath): void {
    if (!points.length) return;
    const { left, bottom, right, top } = boundsOf(points);
    const isInside = this.#whole.boxes.some((box) => {
      const bounds = boundsOf(box);
      const isAcross = left > bounds.left - TOLERANCE && right < bounds.right + TOLERANCE;
      return isAcross && bottom > bounds.bottom - TOLERANCE && top < bounds.top + TOLERANCE;
    });
    if (isInside) for (const [from, to] of operators) this.#use.edits.push({ from, to, text: '' });
  }
}

function readGlyphs(font: ForeignFont, bytes: Buffer) {
  try {
    return font.glyphs(bytes);
  } catch (error) {
    throw error instanceof UnreadableFontError ? unreadableFont(font.name) : error;
  }
}
