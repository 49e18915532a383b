/**
 * What patterns, soft masks and glyphs of Type 3 fonts draw: their streams in, whether they have images or text, and where, out. They are
 * drawn in many places, so that nothing of them can be removed where an area is.
 */
import { type PdfDict, type PdfObject, PdfStream } from '@libpdf/core';
import { scanForeign } from '../content/content-scanner.ts';
import { GraphicsState } from '../content/graphics-state.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { IDENTITY, transform } from '../objects/matrix.ts';
import { decode, UnreadableError } from './read-content.ts';
import { EVERYWHERE, type Polygon, UNIT_SQUARE } from './shapes.ts';
import { softMask } from './soft-mask.ts';

export interface Pictures {
  /** Of inline images, which are the letters of bitmap fonts. */
  inline: Polygon[];
  /** Of other images, and of whatever may have images or text. */
  others: Polygon[];
  hasText: boolean;
}

const SHOWS = new Set(['Tj', 'TJ', "'", '"']);
const MAX_DEPTH = 30;

export class IndirectContent {
  readonly #pdf: EditablePdf;
  readonly #known = new Map<PdfDict, Pictures>();

  constructor(pdf: EditablePdf) {
    this.#pdf = pdf;
  }

  /** Whether there is an image or text. Throws `UnreadableError`. */
  hasPictures(drawn: PdfObject | undefined, resources: PdfDict | undefined): boolean {
    const { inline, others } = this.find(drawn, resources);
    return inline.length + others.length > 0;
  }

  /** The places are those in the coordinates of the stream. `otherResources` are used if it has none. Throws `UnreadableError`. */
  find(drawn: PdfObject | undefined, otherResources: PdfDict | undefined, depth = 0): Pictures {
    const stream = this.#pdf.resolve(drawn);
    const found: Pictures = { inline: [], others: [], hasText: false };
    if (!(stream instanceof PdfStream)) return found;
    const known = this.#known.get(stream);
    if (known) return known;
    if (depth > MAX_DEPTH) throw new UnreadableError('has patterns, soft masks or glyphs that draw each other');
    this.#known.set(stream, found);
    this.#read(stream, this.#pdf.dict(stream, 'Resources') ?? otherResources, found, depth);
    return found;
  }

  #read(stream: PdfStream, resources: PdfDict | undefined, found: Pictures, depth: number): void {
    const content = decode(stream);
    const state = new GraphicsState(IDENTITY);
    try {
      scanForeign(content, (operator, operands, end) => {
        state.visit(content, operator, operands, end);
        const place = UNIT_SQUARE.map(([x, y]) => transform(state.now.matrix, x, y));
        if (operator === 'BI') found.inline.push(place);
        else if (SHOWS.has(operator)) addText(found);
        else this.#visit(operator, operands.names.at(-1) ?? '', { resources, found, depth, place });
      });
    } catch (error) {
      throw error instanceof UnreadableError ? error : new UnreadableError('has content that cannot be parsed');
    }
  }

  #visit(operator: string, name: string, { resources, found, depth, place }: Visited): void {
    const kind = KINDS[operator];
    if (!kind) return;
    const named = this.#pdf.nested(resources, kind, name);
    const isImage = kind === 'XObject' && this.#pdf.name(this.#pdf.asDict(named), 'Subtype') === 'Image';
    if (isImage) return void found.others.push(place);
    const drawn = this.find(kind === 'ExtGState' ? softMask(this.#pdf, named) : named, resources, depth + 1);
    if (drawn.inline.length + drawn.others.length > 0) found.others.push(EVERYWHERE);
    found.hasText ||= drawn.hasText;
  }
}

interface Visited {
  resources: PdfDict | undefined;
  found: Pictures;
  depth: number;
  place: Polygon;
}

/** Operators that draw with something of the resources, and its kind. */
const KINDS: Readonly<Record<string, string>> = { Do: 'XObject', scn: 'Pattern', SCN: 'Pattern', gs: 'ExtGState' };

function addText(found: Pictures): void {
  found.others.push(EVERYWHERE);
  found.hasText = true;
}
