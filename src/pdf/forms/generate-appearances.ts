/** Generates the appearances of form fields that a PDF leaves to its viewers (`NeedAppearances`): an open PDF in, changed fields out. */
import { type PDF, PdfRef } from '@libpdf/core';
import { encodeTexts, findUnshowable } from './field-fonts.ts';
import { paintBoxes } from './paint-boxes.ts';
import { shownTexts } from './widget-texts.ts';

type Field = ReturnType<ReturnType<NonNullable<ReturnType<PDF['getForm']>>['acroForm']>['getFields']>[number];

/** Those that show a value. Boxes have appearances for all of their states. */
const KINDS = new Set(['text', 'dropdown', 'listbox']);

/**
 * Returns the objects that were changed: widgets, and their appearance dictionaries. `onHidden` is called for a field whose value no font
 * of the form can show: it stays as it is.
 */
export function generateAppearances(pdf: PDF, onHidden: (field: Field, character: string) => void = () => {}): PdfRef[] {
  const form = pdf.getForm()?.acroForm();
  if (!form?.needAppearances) return [];
  encodeTexts(form);
  const fields = form.getFields().filter(({ type }) => KINDS.has(type));
  for (const field of fields) {
    const hidden = shownTexts(field)
      .map((each) => findUnshowable(form, each))
      .find((each) => each !== undefined);
    if (hidden !== undefined) onHidden(field, hidden);
    field.needsAppearanceUpdate = hidden === undefined;
    field.isReadOnly = () => hidden !== undefined; // libpdf leaves such fields out, whose values nobody would see
  }
  form.updateAppearances({ forceRegenerate: true });
  paintBoxes(fields);
  for (const field of fields) Reflect.deleteProperty(field, 'isReadOnly');
  const widgets = fields.flatMap((field) => field.getWidgets());
  return widgets.flatMap(({ ref, dict }) => [ref, dict.get('AP')]).filter((each) => each instanceof PdfRef);
}
