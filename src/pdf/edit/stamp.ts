/** Draws a watermark: a PDF with one page in, drawn on each chosen page and embedded only once out. */
import {
  PDF,
  type PDFEmbeddedPage,
  type PDFPage,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfRef,
  PdfStream,
} from '@libpdf/core';
import type { PageStamp } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources, type PageView, pageView } from '../objects/page-view.ts';
import { decimal, deflatedStream, entriesOf } from '../objects/syntax.ts';

/** Throws if the stamp cannot be parsed. */
export async function stampPages(editable: EditablePdf, watermark: PageStamp | undefined): Promise<void> {
  if (!watermark) return;
  const stamp = await editable.pdf.embedPage(await PDF.load(Buffer.concat(watermark.stamp)), 0);
  makeGroup(editable, stamp.ref);
  const drawing = new Drawing(editable, stamp, watermark);
  for (const page of editable.pdf.getPages().filter((_, index) => isChosen(watermark, index + 1))) drawing.drawOn(page);
}

function isChosen({ pages }: PageStamp, number: number): boolean {
  return pages.length === 0 || pages.some(({ from, to }) => from <= number && number <= to);
}

/** A transparency group applies the opacity to the stamp as a whole, even if its parts overlap (ISO 32000-1, 11.6.6). */
function makeGroup(editable: EditablePdf, ref: PdfRef): void {
  const form = editable.resolve(ref);
  if (!(form instanceof PdfStream)) throw new Error('the stamp has no content');
  const Group = PdfDict.of({ Type: PdfName.of('Group'), S: PdfName.of('Transparency') });
  editable.change(ref, deflatedStream({ ...entriesOf(form), Group }, form.data));
}

/**
 * Names in the resources of a page. They cannot clash with those of Chromium, which are a letter and a number
 * (`get_resource_name`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFResourceDict.cpp).
 */
const STAMP = 'PlatenStamp';
const OPACITY = 'PlatenOpacity';

class Drawing {
  readonly #editable: EditablePdf;
  readonly #stamp: PDFEmbeddedPage;
  readonly #over: boolean;
  readonly #rotate: number;
  readonly #opacity: PdfRef;
  /** Content streams by their text, which pages of the same size share. */
  readonly #streams = new Map<string, PdfRef>();

  constructor(editable: EditablePdf, stamp: PDFEmbeddedPage, { opacity, layer, rotate }: PageStamp) {
    this.#editable = editable;
    this.#stamp = stamp;
    this.#over = layer === 'over';
    this.#rotate = rotate;
    const alpha = PdfNumber.of(opacity);
    this.#opacity = editable.add(PdfDict.of({ Type: PdfName.of('ExtGState'), ca: alpha, CA: alpha }));
  }

  drawOn(page: PDFPage): void {
    const dict = page.dict.clone();
    const matrix = placement(pageView(this.#editable, dict), this.#stamp, this.#rotate).map(decimal).join(' ');
    // An artifact, which screen readers skip (14.8.2.2).
    const draw = `/Artifact <</Type /Pagination /Subtype /Watermark>> BDC q /${OPACITY} gs ${matrix} cm /${STAMP} Do Q EMC`;
    const content = this.#editable.listOrOne(dict, 'Contents');
    const stamped = this.#over
      ? [this.#stream('q'), ...content, this.#stream(`Q ${draw}`)] // Chromium does not restore the graphics state
      : [this.#stream(draw), ...content];
    dict.set('Contents', PdfArray.of(...stamped));
    dict.set('Resources', this.#resources(dict));
    this.#editable.change(page.ref, dict);
  }

  #stream(text: string): PdfRef {
    const known = this.#streams.get(text) ?? this.#editable.add(PdfStream.fromDict({}, Buffer.from(`${text}\n`)));
    this.#streams.set(text, known);
    return known;
  }

  /** A copy of the page's resources with the stamp added; other pages may share the original. */
  #resources(page: PdfDict): PdfDict {
    const resources = findResources(this.#editable, page)?.clone() ?? new PdfDict();
    const add = (kind: string, name: string, ref: PdfRef) => {
      const entries = this.#editable.copyDictionary(resources, kind);
      entries.set(name, ref);
      resources.set(kind, entries);
    };
    add('XObject', STAMP, this.#stamp.ref);
    add('ExtGState', OPACITY, this.#opacity);
    return resources;
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
function toDirection(degrees: number): [cos: number, sin: number] {
  const radians = (degrees * Math.PI) / 180;
  if (degrees % 90 === 0) return [Math.round(Math.cos(radians)), Math.round(Math.sin(radians))];
  return [Math.cos(radians), Math.sin(radians)];
}
