/** Joins the form fields of merged PDFs that Platen made. A number is added to a field name that is already taken. */
import { type PdfDict, type PdfObject, PdfRef, type PdfString } from '@libpdf/core';
import { FieldNames } from '../forms/field-names.ts';
import { formDictionary } from '../forms/form-dictionary.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { textString } from '../objects/syntax.ts';

interface Source extends PdfReader {
  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject;
}

export class MergedForm {
  readonly #names = new FieldNames();
  readonly #fields: PdfRef[] = [];
  #hasSignatures = false;

  /** Adds the fields of one PDF. Returns their new names by the object number in that PDF. */
  join(source: Source, catalog: PdfDict): Map<number, PdfString> {
    const form = source.dict(catalog, 'AcroForm');
    this.#hasSignatures ||= form?.has('SigFlags') ?? false;
    const names = new Map<number, PdfString>();
    for (const ref of source.list(form, 'Fields')) {
      const name = source.text(source.asDict(ref), 'T');
      const copy = source.copyValue(ref);
      if (!(ref instanceof PdfRef) || !(copy instanceof PdfRef)) continue;
      names.set(ref.objectNumber, textString(this.#names.next(name)));
      this.#fields.push(copy);
    }
    return names;
  }

  /** The form dictionary, or undefined if there are no fields. */
  end(add: (object: PdfDict) => PdfRef): PdfDict | undefined {
    return this.#fields.length ? formDictionary(this.#fields, this.#hasSignatures, add) : undefined;
  }
}
