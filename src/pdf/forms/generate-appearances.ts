/** Generates the appearances of form fields that a PDF leaves to its viewers (`NeedAppearances`): an open PDF in, changed fields out. */
import { type PDF, PdfRef } from '@libpdf/core';
import { paintBoxes } from './paint-boxes.ts';

/** Those that show a value. Boxes have appearances for all of their states. */
const KINDS = new Set(['text', 'dropdown', 'listbox']);

/** Returns the objects that were changed: widgets, and their appearance dictionaries. */
export function generateAppearances(pdf: PDF): PdfRef[] {
  const form = pdf.getForm()?.acroForm();
  if (!form?.needAppearances) return [];
  const fields = form.getFields().filter(({ type }) => KINDS.has(type));
  for (const field of fields) {
    field.needsAppearanceUpdate = true;
    field.isReadOnly = () => false; // libpdf leaves such fields out, whose values nobody would see
  }
  form.updateAppearances({ forceRegenerate: true });
  paintBoxes(fields);
  for (const field of fields) Reflect.deleteProperty(field, 'isReadOnly');
  const widgets = fields.flatMap((field) => field.getWidgets());
  return widgets.flatMap(({ ref, dict }) => [ref, dict.get('AP')]).filter((each) => each instanceof PdfRef);
}
