/** Imports the appearances of fields: PDFs that Chromium printed with a page for each field in, form XObjects of the editable out. */
import { PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { POINTS_PER_PX } from '../../units.ts';
import { StreamDecoder } from '../content/streams.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { findResources, pageView } from '../objects/page-view.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { decimal, deflatedStream, numbers } from '../objects/syntax.ts';
import type { Forms } from './forms.ts';
import { type Margins, textMargins } from './text-margins.ts';

/** The scale of the printed appearances, which viewers fit into the rectangles of the fields. */

/** The form XObjects by `appearanceKey`. */
export async function printedAppearances(
  editable: EditablePdf,
  { appearances, shown, scale, fields }: Forms,
): Promise<Map<string, PdfRef>> {
  const pages: Array<{ page: PdfDict; copier: Copier }> = [];
  for (const printed of appearances) {
    const pdf = await PDF.load(Buffer.concat(printed));
    const copier = new Copier(editable, pdf);
    pages.push(...pdf.getPages().map(({ dict: page }) => ({ page, copier })));
  }
  /** By page and margins, because different kinds of fields that look the same share a page. */
  const forms = new Map<string, PdfRef>();
  const found = new Map<string, PdfRef>();
  const enlarged = POINTS_PER_PX / scale;
  const known = new Map(fields.map((field) => [field.number, field]));
  for (const { field, state, page: index, width, height } of shown) {
    const { page, copier } = pages[index] ?? {};
    const control = known.get(field);
    if (!page || !copier || !control) continue;
    const margins = textMargins(control, scale).map((margin) => margin * enlarged) as Margins;
    const key = [index, ...margins].join(' ');
    const form = forms.get(key) ?? copier.createForm(page, width * enlarged, height * enlarged, margins);
    forms.set(key, form);
    found.set(appearanceKey(field, state), form);
  }
  return found;
}

export function appearanceKey(field: number, state?: 'on' | 'off'): string {
  return `${field} ${state}`;
}

/** Copies objects from one PDF to another, each only once, because many pages share fonts. */
export class Copier extends PdfReader {
  readonly #editable: EditablePdf;
  readonly #copied = new Map<number, PdfRef>();

  constructor(editable: EditablePdf, source: PDF) {
    super(source);
    this.#editable = editable;
  }

  /** A form XObject that shows what is within these margins in the upper left corner of a page. */
  createForm(page: PdfDict, width: number, height: number, [above, after, below, before]: Margins): PdfRef {
    const { bottom, height: pageHeight } = pageView(this, page);
    const top = bottom + pageHeight;
    const resources = findResources(this, page);
    const entries = {
      ...{ Type: PdfName.of('XObject'), Subtype: PdfName.of('Form'), FormType: PdfNumber.of(1) },
      BBox: numbers(...[before, top - height + below, width - after, top - above].map((value) => Number(decimal(value)))),
      Resources: resources ? this.#copyValue(resources) : new PdfDict(),
    };
    return this.#editable.add(deflatedStream(entries, new StreamDecoder().pageContent(this, page)));
  }

  #copyValue(value: PdfObject): PdfObject {
    if (value instanceof PdfRef) return this.#copyRef(value);
    if (value instanceof PdfArray) return PdfArray.of(...value.toArray().map((item) => this.#copyValue(item)));
    if (value instanceof PdfStream) return new PdfStream(this.#copyDictionary(value), value.data);
    return value instanceof PdfDict ? this.#copyDictionary(value) : value;
  }

  #copyDictionary(dict: PdfDict): PdfDict {
    return new PdfDict([...dict].map(([key, value]): [string, PdfObject] => [key.value, this.#copyValue(value)]));
  }

  #copyRef(ref: PdfRef): PdfRef {
    const known = this.#copied.get(ref.objectNumber);
    if (known) return known;
    const added = this.#editable.add(new PdfDict());
    this.#copied.set(ref.objectNumber, added);
    const value = this.resolve(ref);
    if (value) this.#editable.change(added, this.#copyValue(value));
    return added;
  }
}
