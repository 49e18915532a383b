/** Joins the form fields of merged PDFs that Platen made. A number is added to a field name that is already taken. */
import { PdfArray, PdfDict, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { FieldNames } from '../forms/field-names.ts';
import { formDictionary } from '../forms/form-dictionary.ts';
import { textString } from '../objects/syntax.ts';

/** The PDF that the fields come from. */
interface Source {
  resolve(value: PdfObject | undefined): PdfObject | undefined;
  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject;
}

export class MergedForm {
  readonly #names = new FieldNames();
  readonly #fields: PdfRef[] = [];
  #hasSignatures = false;

  /** Adds the fields of one PDF. Returns their new names by the object number in that PDF. */
  join(source: Source, catalog: PdfDict): Map<number, PdfString> {
    const form = source.resolve(catalog.get('AcroForm'));
    const fields = form instanceof PdfDict ? source.resolve(form.get('Fields')) : undefined;
    this.#hasSignatures ||= form instanceof PdfDict && form.has('SigFlags');
    const names = new Map<number, PdfString>();
    for (const ref of fields instanceof PdfArray ? fields.toArray() : []) {
      const field = source.resolve(ref);
      const name = field instanceof PdfDict ? field.get('T') : undefined;
      const copy = source.copyValue(ref);
      if (!(ref instanceof PdfRef) || !(copy instanceof PdfRef) || !(name instanceof PdfString)) continue;
      names.set(ref.objectNumber, textString(this.#names.next(name.asString())));
      this.#fields.push(copy);
    }
    return names;
  }

  /** The form dictionary, or undefined if there are no fields. */
  end(add: (object: PdfDict) => PdfRef): PdfDict | undefined {
    return this.#fields.length ? formDictionary(this.#fields, this.#hasSignatures, add) : undefined;
  }
}
