/** Joins the form fields of merged PDFs that we have made. Names are unique in a PDF: one that is taken gets a number. */
import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { FieldNames } from '../forms/field-names.ts';
import { formDictionary } from '../forms/form-dictionary.ts';
import { textString } from '../objects/syntax.ts';

/** The PDF that the fields come from. */
interface Source {
  resolve(value: PdfObject | undefined): PdfObject | undefined;
  /** With new numbers in all references. */
  copyOf(value: PdfObject): PdfObject;
}

export class MergedForm {
  readonly #names = new FieldNames();
  readonly #fields: PdfRef[] = [];
  #hasSignatures = false;

  /** The new names of the fields, by their old numbers. */
  join(source: Source, catalog: PdfDict): Map<number, PdfString> {
    const form = source.resolve(catalog.get('AcroForm'));
    const fields = form instanceof PdfDict ? source.resolve(form.get('Fields')) : undefined;
    this.#hasSignatures ||= form instanceof PdfDict && form.has('SigFlags');
    const names = new Map<number, PdfString>();
    for (const ref of fields instanceof PdfArray ? fields.toArray() : []) {
      const field = source.resolve(ref);
      const name = field instanceof PdfDict ? field.get('T') : undefined;
      const copy = source.copyOf(ref);
      if (!(ref instanceof PdfRef) || !(copy instanceof PdfRef) || !(name instanceof PdfString)) continue;
      names.set(ref.objectNumber, textString(this.#names.next(name.asString())));
      this.#fields.push(copy);
    }
    return names;
  }

  /** Undefined where there are no fields. */
  end(add: (object: PdfDict) => PdfRef): PdfDict | undefined {
    return this.#fields.length ? formDictionary(this.#fields, this.#hasSignatures, add) : undefined;
  }
}
