/** Joins the form fields of merged PDFs. A number is added to a field name that is already taken. */
import { PdfArray, PdfBool, type PdfDict, type PdfObject, PdfRef, type PdfString } from '@libpdf/core';
import { FieldNames } from '../forms/field-names.ts';
import { formDictionary, OWN_FONTS } from '../forms/form-dictionary.ts';
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
  #needsAppearances = false;
  /** The order in which values are computed. */
  readonly #order: PdfObject[] = [];
  /** The fonts for what users type, by their names. */
  readonly #typed = new Map<string, PdfObject>();

  /** Whether fields of the last PDF have other names than before. */
  hasRenamed = false;

  /** Adds the fields of one PDF. Returns their new names by the object number in that PDF. */
  join(source: Source, catalog: PdfDict): Map<number, PdfString> {
    const form = source.dict(catalog, 'AcroForm');
    this.#hasSignatures ||= form?.has('SigFlags') ?? false;
    this.#needsAppearances ||= form?.getBool('NeedAppearances')?.value ?? false;
    this.#order.push(...source.list(form, 'CO').map((field) => source.copyValue(field)));
    for (const [{ value: name }, font] of source.dict(source.dict(form, 'DR'), 'Font') ?? [])
      if (!OWN_FONTS.includes(name) && !this.#typed.has(name)) this.#typed.set(name, source.copyValue(font));
    const names = new Map<number, PdfString>();
    this.hasRenamed = false;
    for (const ref of source.list(form, 'Fields')) {
      const name = source.text(source.asDict(ref), 'T');
      const copy = source.copyValue(ref);
      if (!(ref instanceof PdfRef) || !(copy instanceof PdfRef)) continue;
      names.set(ref.objectNumber, textString(this.#findFree(name)));
      this.#fields.push(copy);
    }
    return names;
  }

  #findFree(name: string): string {
    if (!name) return this.#names.next(name);
    const free = this.#names.keep(name);
    if (free !== name) this.hasRenamed = true;
    return free;
  }

  /** The form dictionary, or undefined if there are no fields. */
  end(add: (object: PdfDict) => PdfRef): PdfDict | undefined {
    if (!this.#fields.length) return undefined;
    const form = formDictionary(this.#fields, this.#hasSignatures, add, Object.fromEntries(this.#typed));
    if (this.#needsAppearances) form.set('NeedAppearances', PdfBool.TRUE);
    if (this.#order.length) form.set('CO', PdfArray.of(...this.#order));
    return form;
  }
}
