/**
 * Finds out how large the pages of a PDF draw each image: its content streams in, sizes in points by object number out. Masks and
 * images in fonts are not found.
 */
import { type PdfDict, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { scanContent } from '../content/content-scanner.ts';
import { GraphicsState } from '../content/graphics-state.ts';
import { StreamDecoder } from '../content/streams.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { IDENTITY, type Matrix, times, toMatrix } from '../objects/matrix.ts';
import { findResources } from '../objects/page-view.ts';
import type { Size } from './scale-pixels.ts';

/** Content streams that draw each other are read again for each drawing. */
const MAX_STREAMS = 10_000;

/** The largest width and height of each image. Throws `resource_limit`, or if the content cannot be read. */
export function drawnSizes(editable: EditablePdf): ReadonlyMap<number, Size> {
  const sizes = new DrawnSizes(editable);
  for (const { page } of editable.pages()) sizes.addPage(page);
  return sizes.found;
}

class DrawnSizes {
  readonly found = new Map<number, Size>();
  readonly #editable: EditablePdf;
  readonly #streams = new StreamDecoder();
  #streamsLeft = MAX_STREAMS;

  constructor(editable: EditablePdf) {
    this.#editable = editable;
  }

  addPage(page: PdfDict): void {
    this.#scan(this.#streams.pageContent(this.#editable, page), findResources(this.#editable, page), IDENTITY);
  }

  #scan(content: Buffer, resources: PdfDict | undefined, start: Matrix): void {
    if (this.#streamsLeft-- <= 0) throw new Error('the content draws too many streams');
    const state = new GraphicsState(start);
    const drawNamed = (kind: string, name: string | undefined, from: Matrix) =>
      name !== undefined && this.#draw(this.#editable.nested(resources, kind, name), resources, from);
    scanContent(content, (operator, operands, end) => {
      state.visit(content, operator, operands, end);
      const name = operands.names.at(-1);
      if (operator === 'Do') drawNamed('XObject', name, state.now.matrix);
      // The matrix of a pattern leads to the coordinates of the stream that uses it (8.7.3.1).
      else if (operator === 'scn' || operator === 'SCN') drawNamed('Pattern', name, start);
    });
  }

  #draw(ref: PdfObject | undefined, resources: PdfDict | undefined, matrix: Matrix): void {
    const stream = this.#editable.resolve(ref);
    if (!(ref instanceof PdfRef) || !(stream instanceof PdfStream)) return;
    if (isImage(stream)) this.#add(ref.objectNumber, matrix);
    else {
      const own = this.#editable.dict(stream, 'Resources') ?? resources;
      this.#scan(this.#streams.decode(stream), own, times(toMatrix(stream.get('Matrix')), matrix));
    }
  }

  #add(id: number, [a, b, c, d]: Matrix): void {
    const known = this.found.get(id) ?? { width: 0, height: 0 };
    const [width, height] = [Math.max(known.width, Math.hypot(a, b)), Math.max(known.height, Math.hypot(c, d))];
    this.found.set(id, { width, height });
  }
}

export function isImage(stream: PdfStream): boolean {
  return stream.getName('Subtype')?.value === 'Image';
}
