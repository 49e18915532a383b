/** Draws a watermark: a PDF with one page in, drawn on each chosen page and embedded only once out. */
import {
  PDF,
  type PDFEmbeddedPage,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  type PdfRef,
  PdfStream,
} from '@libpdf/core';
import type { GraphicsBalance } from '../content/graphics-balance.ts';
import type { PageStamp } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources, type PageView, pageView } from '../objects/page-view.ts';
import { decimal, deflatedStream, entriesOf } from '../objects/syntax.ts';

/** Throws if the stamp cannot be parsed. */
export async function stampPages(editable: EditablePdf, watermark: PageStamp | undefined): Promise<void> {
  if (!watermark) return;
  const stamp = await editable.pdf.embedPage(await PDF.load(Buffer.concat(watermark.stamp)), 0);
  const drawing = new PageDrawing(editable, watermark);
  drawing.makeGroup(stamp.ref);
  for (const { ref, page } of editable.pages().filter((_, index) => isChosen(watermark, index + 1)))
    drawing.drawOn(ref, stamp, placement(pageView(editable, page), stamp, watermark.rotate));
}

function isChosen({ pages }: PageStamp, number: number): boolean {
  return pages.length === 0 || pages.some(({ from, to }) => from <= number && number <= to);
}

/**
 * Names in the resources of a page. They cannot clash with those of Chromium, which are a letter and a number
 * (`get_resource_name`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFResourceDict.cpp).
 */
const STAMP = 'PlatenStamp';
const OPACITY = 'PlatenOpacity';

const SAVES = /^(?:q\n)+$/;
/** Begins what is drawn. */
export const BEGIN = '/Artifact <</Type /Pagination /Subtype /Watermark>> BDC';

/** Content of Chromium saves what it restores. */
const BALANCED: GraphicsBalance = { missing: 0, open: 0 };

/** Draws pages of PDFs over or under others, as artifacts. */
export class PageDrawing {
  readonly #editable: EditablePdf;
  readonly #over: boolean;
  readonly #opacity: PdfRef;
  /** Content streams by their text, which pages of the same size share. */
  readonly #streams = new Map<string, PdfRef>();

  constructor(editable: EditablePdf, { opacity, layer }: Pick<PageStamp, 'opacity' | 'layer'>) {
    this.#editable = editable;
    this.#over = layer === 'over';
    const alpha = PdfNumber.of(opacity);
    this.#opacity = editable.add(PdfDict.of({ Type: PdfName.of('ExtGState'), ca: alpha, CA: alpha }));
  }

  /** A transparency group applies the opacity to the drawn page as a whole, even if its parts overlap (ISO 32000-1, 11.6.6). */
  makeGroup(ref: PdfRef): void {
    const form = this.#editable.resolve(ref);
    if (!(form instanceof PdfStream)) throw new Error('the stamp has no content');
    const Group = PdfDict.of({ Type: PdfName.of('Group'), S: PdfName.of('Transparency') });
    this.#editable.change(ref, deflatedStream({ ...entriesOf(form), Group }, form.getDecodedData()));
  }

  drawOn(ref: PdfRef, drawn: Pick<PDFEmbeddedPage, 'ref'>, matrix: readonly number[], { missing, open } = BALANCED): void {
    const dict = (this.#editable.asDict(ref) as PdfDict).clone();
    const resources = findResources(this.#editable, dict)?.clone() ?? new PdfDict();
    const name = this.#addResource(resources, 'XObject', STAMP, drawn.ref);
    const opacity = this.#addResource(resources, 'ExtGState', OPACITY, this.#opacity);
    // An artifact, which screen readers skip (14.8.2.2).
    const draw = `${BEGIN} q /${opacity} gs ${matrix.map(decimal).join(' ')} cm /${name} Do Q EMC`;
    const content = this.#editable.listOrOne(dict, 'Contents');
    const stamped = this.#over
      ? [this.#stream(`${'q\n'.repeat(missing)}q`), ...content, this.#stream(`${'Q '.repeat(open + 1)}${draw}`)] // Chromium does not restore the graphics state
      : content.toSpliced(this.#countUnderlays(content), 0, this.#stream(draw));
    dict.set('Contents', PdfArray.of(...stamped));
    dict.set('Resources', resources);
    this.#editable.change(ref, dict);
  }

  /** What is drawn under a page is above what was drawn under it before. */
  #countUnderlays(content: readonly PdfObject[]): number {
    const isOther = (ref: PdfObject) => {
      const stream = this.#editable.resolve(ref);
      if (!(stream instanceof PdfStream)) return true;
      const start = Buffer.from(stream.data.subarray(0, BEGIN.length)).toString('latin1');
      return start !== BEGIN && !(SAVES.test(start) && start.length === stream.data.length);
    };
    const index = content.findIndex(isOther);
    return index < 0 ? content.length : index;
  }

  #stream(text: string): PdfRef {
    const known = this.#streams.get(text) ?? this.#editable.add(PdfStream.fromDict({}, Buffer.from(`${text}\n`)));
    this.#streams.set(text, known);
    return known;
  }

  /** Returns the name of the resource. Other pages may share the dictionary of names, so that it is copied. */
  #addResource(resources: PdfDict, kind: string, wanted: string, ref: PdfRef): string {
    const entries = this.#editable.copyDictionary(resources, kind);
    let name = wanted;
    for (let number = 2; entries.has(name) && entries.get(name) !== ref; number++) name = `${wanted}${number}`;
    entries.set(name, ref);
    resources.set(kind, entries);
    return name;
  }
}

/** A matrix that centers the rotated stamp on the displayed page, as large as fits. */
function placement({ left, bottom, width, height, turn }: PageView, { box }: PDFEmbeddedPage, rotate: number): number[] {
  const [cos, sin] = toDirection(turn + rotate);
  const across = box.width * Math.abs(cos) + box.height * Math.abs(sin);
  const down = box.width * Math.abs(sin) + box.height * Math.abs(cos);
  const scale = Math.min(width / across, height / down);
  const [a, b] = [cos * scale, sin * scale];
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return [a, b, -b, a, left + width / 2 - a * x + b * y, bottom + height / 2 - b * x - a * y];
}

/** The cosine and sine of an angle, exact for multiples of 90 degrees. */
export function toDirection(degrees: number): [cos: number, sin: number] {
  const radians = (degrees * Math.PI) / 180;
  if (degrees % 90 === 0) return [Math.round(Math.cos(radians)), Math.round(Math.sin(radians))];
  return [Math.cos(radians), Math.sin(radians)];
}
