/** Generates the appearances of form fields that a PDF leaves to its viewers (`NeedAppearances`): an open PDF in, changed fields out. */
import { type PDF, PdfRef } from '@libpdf/core';
import { PdfReader } from '../objects/pdf-reader.ts';
import { encodeTexts, findUnshowable } from './field-fonts.ts';
import { paintBoxes } from './paint-boxes.ts';
import { shownTexts } from './widget-texts.ts';

type Field = ReturnType<ReturnType<NonNullable<ReturnType<PDF['getForm']>>['acroForm']>['getFields']>[number];

/** Those that show a value. Boxes have appearances for all of their states. */
const KINDS = new Set(['text', 'dropdown', 'listbox']);

interface Options {
  /** Is called for a field whose value no font of the form can show: it stays as it is. */
  onHidden?(field: Field, character: string): void;
  /** Also for fields that have no appearance although the PDF does not say so. Viewers generate it then. */
  includesMissing?: boolean;
}

/** Returns the objects that were changed: widgets, and their appearance dictionaries. */
export function generateAppearances(pdf: PDF, { onHidden = () => {}, includesMissing = false }: Options = {}): PdfRef[] {
  const form = pdf.getForm()?.acroForm();
  const needsAll = form?.needAppearances;
  const fields = (form?.getFields() ?? []).filter(
    (field) => KINDS.has(field.type) && (needsAll || (includesMissing && lacksAppearance(field))),
  );
  if (!form || !(fields.length || needsAll)) return [];
  encodeTexts(form);
  for (const field of fields) {
    const hidden = shownTexts(field)
      .map((each) => findUnshowable(form, each))
      .find((each) => each !== undefined);
    if (hidden !== undefined) onHidden(field, hidden);
    if (hidden === undefined) forgetColors(pdf, field);
    field.needsAppearanceUpdate = hidden === undefined;
    field.isReadOnly = () => hidden !== undefined; // libpdf leaves such fields out, whose values nobody would see
  }
  form.updateAppearances({ forceRegenerate: true });
  paintBoxes(fields);
  for (const field of fields) Reflect.deleteProperty(field, 'isReadOnly');
  const widgets = fields.flatMap((field) => field.getWidgets());
  return widgets.flatMap(({ ref, dict }) => [ref, dict.get('AP')]).filter((each) => each instanceof PdfRef);
}

/**
 * Makes libpdf paint background and border of a text as the field says. It takes other colours of the appearance before for them, such as
 * those of the shadow of a border.
 */
export function forgetColors(pdf: PDF, field: Field): void {
  const reader = new PdfReader(pdf);
  const widgets = field.type === 'text' ? field.getWidgets() : [];
  for (const { dict } of widgets) if (dict.has('MK')) reader.dict(dict, 'AP')?.delete('N');
}

function lacksAppearance(field: Field): boolean {
  return field.getWidgets().some((widget) => !widget.hasNormalAppearance());
}
