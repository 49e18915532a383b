/**
 * Finds where the marked content of a PDF is painted: pages in, the position and the text of each marked-content sequence out.
 */
import { type PdfDict, PdfRef, PdfStream } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { IDENTITY, type Matrix, type Point, times, toMatrix, transform } from '../objects/matrix.ts';
import { findResources } from '../objects/page-view.ts';
import { type Operands, readMcid, scanContent, stringBytes } from './content-scanner.ts';
import { GraphicsState, readNumbers } from './graphics-state.ts';
import { StreamDecoder } from './streams.ts';

/** Coordinates are in points from the lower left corner of the page. */
export interface Painted {
  /** The object number of the page. */
  page: number;
  left: number;
  top: number;
  /** Of text, the lowest top of its lines. */
  bottom: number;
  /** The first character codes; empty if the content shows no text. */
  codes: string;
  /** Whether it paints curves or images. Text with effects can be drawn as either. */
  hasShapes: boolean;
}

export interface PaintedContent {
  /** Painted content by the object number of its page or form XObject, and its MCID; see `paintedKey`. */
  marked: ReadonlyMap<string, Painted>;
  /** The upper left corner of the area inside the margins, by the object number of the page. */
  corners: ReadonlyMap<number, Point>;
}

export function paintedKey(stream: number, mcid: number): string {
  return `${stream} ${mcid}`;
}

const MAX_CODES = 64;
/** The approximate height of text above its baseline, in proportion to the font size. */
const ASCENT = 0.8;
const CURVES = new Set(['c', 'v', 'y']);
const TRACES_PATH = new Set(['m', 'l', 're', ...CURVES]);
const PAINTS_PATH = new Set(['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*']);
const SHOWS_TEXT = new Set(['Tj', 'TJ', "'", '"']);
/** The corners of the unit square, which an image and a rectangle are scaled from. */
const CORNERS = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
] as const;

export function paintedContent(editable: EditablePdf): PaintedContent {
  const scan = new PageScan(editable);
  for (const { ref, page } of editable.pages()) scan.readPage(ref, page);
  return { marked: scan.found, corners: scan.corners };
}

class PageScan {
  readonly found = new Map<string, Painted>();
  readonly corners = new Map<number, Point>();
  readonly #editable: EditablePdf;
  readonly #streams = new StreamDecoder();
  readonly #drawn = new Set<number>();
  #page = 0;

  constructor(editable: EditablePdf) {
    this.#editable = editable;
  }

  readPage({ objectNumber: stream }: PdfRef, page: PdfDict): void {
    this.#page = stream;
    const content = this.#streams.pageContent(this.#editable, page);
    this.#scan(content, findResources(this.#editable, page), { stream, matrix: IDENTITY, tag: undefined });
  }

  #scan(content: Buffer, resources: PdfDict | undefined, from: Start): void {
    const handlers: Handlers = {
      paints: (tag, x, y, codes, isShape) => this.#paint(tag, x, y, codes, isShape),
      draws: (name, matrix, tag) => this.#draw(name, resources, { ...from, matrix, tag }),
      clips: (corner) => this.#clip(corner),
    };
    new StreamScan(content, from, handlers).run();
  }

  /** The first clipping path of a page is the area inside the margins. */
  #clip(corner: Point): void {
    if (!this.corners.has(this.#page)) this.corners.set(this.#page, corner);
  }

  /** Only the first drawing of a form XObject counts. */
  #draw(name: string, resources: PdfDict | undefined, from: Start): void {
    const ref = this.#editable.nested(resources, 'XObject', name);
    const object = this.#editable.resolve(ref);
    if (!(ref instanceof PdfRef) || !(object instanceof PdfStream)) return;
    if (object.getName('Subtype')?.value !== 'Form') {
      for (const [x, y] of CORNERS) this.#paint(from.tag, ...transform(from.matrix, x, y), '', true);
      return;
    }
    if (this.#drawn.has(ref.objectNumber)) return;
    this.#drawn.add(ref.objectNumber);
    const matrix = times(toMatrix(object.get('Matrix')), from.matrix);
    const own = this.#editable.dict(object, 'Resources') ?? resources;
    this.#scan(this.#streams.decode(object), own, { stream: ref.objectNumber, matrix, tag: from.tag });
  }

  #paint(tag: string | undefined, x: number, y: number, codes: string, isShape: boolean): void {
    if (tag === undefined) return;
    const known = this.found.get(tag);
    if (!known) {
      this.found.set(tag, { page: this.#page, left: x, top: y, bottom: y, codes: codes.slice(0, MAX_CODES), hasShapes: isShape });
      return;
    }
    known.hasShapes ||= isShape;
    known.left = Math.min(known.left, x);
    known.top = Math.max(known.top, y);
    known.bottom = Math.min(known.bottom, y);
    if (known.codes.length < MAX_CODES) known.codes = (known.codes + codes).slice(0, MAX_CODES);
  }
}

/** The state at the start of a content stream: its object number, its matrix, and the tag of the operator that draws it. */
interface Start {
  stream: number;
  matrix: Matrix;
  tag: string | undefined;
}

interface Handlers {
  paints(tag: string | undefined, x: number, y: number, codes: string, isShape: boolean): void;
  draws(name: string, matrix: Matrix, tag: string | undefined): void;
  clips(corner: Point): void;
}

class StreamScan {
  readonly #content: Buffer;
  readonly #stream: number;
  readonly #handlers: Handlers;
  readonly #state: GraphicsState;
  /** The points of the open path, which may only be used for clipping. */
  #path: Point[] = [];
  #isCurved = false;
  #clips = false;
  /** The tags of the open marked-content sequences. */
  readonly #tags: Array<string | undefined>;

  constructor(content: Buffer, { stream, matrix, tag }: Start, handlers: Handlers) {
    this.#content = content;
    this.#stream = stream;
    this.#state = new GraphicsState(matrix);
    this.#tags = [tag];
    this.#handlers = handlers;
  }

  run(): void {
    scanContent(this.#content, (operator, operands, end) => this.#visit(operator, operands, end));
  }

  get #tag(): string | undefined {
    return this.#tags.at(-1);
  }

  #visit(operator: string, operands: Operands, end: number): void {
    this.#state.visit(this.#content, operator, operands, end);
    if (SHOWS_TEXT.has(operator)) this.#show(operands);
    else if (operator === 'BDC' || operator === 'BMC') this.#tags.push(this.#readTag(operands, end));
    else if (operator === 'EMC') this.#tags.pop();
    else if (operator === 'n' || PAINTS_PATH.has(operator)) this.#endPath(operator);
    else if (operator === 'Do') this.#handlers.draws(operands.names.at(-1) ?? '', this.#state.now.matrix, this.#tag);
    else if (operator === 'W' || operator === 'W*') this.#clips = true;
    else if (TRACES_PATH.has(operator)) this.#trace(operator, readNumbers(this.#content, operands.start, end));
  }

  /** A sequence without an MCID, such as one for ActualText, keeps the tag of the sequence around it. */
  #readTag(operands: Operands, end: number): string | undefined {
    if (operands.names[0] === 'Artifact') return undefined;
    const mcid = readMcid(this.#content, operands, end);
    return mcid === undefined ? this.#tag : paintedKey(this.#stream, mcid);
  }

  /** A curve is represented by its first point, which is accurate enough. */
  #trace(operator: string, [x = 0, y = 0, width = 0, height = 0]: number[]): void {
    this.#isCurved ||= CURVES.has(operator);
    const corners = operator === 're' ? CORNERS : [[0, 0] as const];
    for (const [right, up] of corners) this.#path.push(transform(this.#state.now.matrix, x + right * width, y + up * height));
  }

  #endPath(operator: string): void {
    const corner = this.#clips ? topLeftCorner(this.#path) : undefined;
    if (corner) this.#handlers.clips(corner);
    this.#clips = false;
    if (operator !== 'n') for (const [x, y] of this.#path) this.#handlers.paints(this.#tag, x, y, '', this.#isCurved);
    this.#path = [];
    this.#isCurved = false;
  }

  #show({ strings }: Operands): void {
    if (this.#tag === undefined) return;
    const codes = strings.map((each) => stringBytes(this.#content, each).toString('latin1')).join('');
    this.#handlers.paints(this.#tag, ...transform(this.#state.textMatrix, 0, this.#state.now.size * ASCENT), codes, false);
  }
}

/** The upper left corner of the bounding box of the points. */
function topLeftCorner(points: readonly Point[]): Point | undefined {
  return points.reduce<Point | undefined>(
    (corner, [x, y]) => (corner ? [Math.min(corner[0], x), Math.max(corner[1], y)] : [x, y]),
    undefined,
  );
}
