/** Steps that fill form fields, and make them and annotations part of the pages. */
import type { FormField, PDFForm } from '@libpdf/core';
import { flattenAnnotations } from '../flatten/flatten-annotations.ts';
import { encodeTexts, makeShowable } from '../forms/field-fonts.ts';
import { resolveOptions, toFieldValue } from '../forms/foreign-values.ts';
import { generateAppearances } from '../forms/generate-appearances.ts';
import { paintBoxes } from '../forms/paint-boxes.ts';
import { pruneTags } from '../select/prune-tags.ts';
import { type OpenDocument, reopen, StepError } from './open-document.ts';

export interface FillStep {
  /** By the full name of the field. For boxes, whether they are ticked; for lists, one or several of their options. */
  fields: Record<string, string | boolean | string[]>;
}

export async function fillFields(document: OpenDocument, { fields }: FillStep): Promise<void> {
  dropXfa(document);
  await reopen(document);
  generateAppearances(document.pdf.pdf);
  const form = document.pdf.pdf.getForm();
  if (form) encodeTexts(form.acroForm());
  resolveOptions(document.pdf, form?.getFields() ?? []);
  for (const [name, value] of Object.entries(fields)) {
    const at = `fields.${name.slice(0, 64)}`;
    const field = form?.getField(name);
    if (!form || !field) throw new StepError(at, 'is no field of the document');
    try {
      requireShowable(document, form, field, value);
      const { skipped } = form.fill({ [name]: toFieldValue(field, value) });
      if (skipped.length) throw new Error('this field takes no value');
    } catch (error) {
      throw new StepError(at, `cannot be filled: ${(error as Error).message.slice(0, 200)}`);
    }
  }
  form?.updateAppearances();
  paintBoxes(Object.keys(fields).flatMap((name) => form?.getField(name) ?? []));
}

const WITH_TEXT = new Set(['text', 'dropdown', 'listbox']);

function requireShowable({ pdf }: OpenDocument, form: PDFForm, { type }: FormField, value: FillStep['fields'][string]): void {
  const texts = WITH_TEXT.has(type) ? [value].flat().filter((each) => typeof each === 'string') : [];
  const missing = texts.map((text) => makeShowable(pdf.pdf, form.acroForm(), text)).find((each) => each !== undefined);
  if (missing !== undefined) throw new Error(`the form has no font that can show ${missing} with the rest of the value`);
}

/** A form of XFA says in another language what the fields show, and would contradict them. */
function dropXfa({ pdf, dropped }: OpenDocument): void {
  const form = pdf.dict(pdf.catalog, 'AcroForm')?.clone();
  if (!form?.has('XFA')) return;
  form.delete('XFA');
  pdf.catalog.set('AcroForm', form);
  dropped.push({ what: 'XFA', why: 'it would contradict the fields, which have changed' });
}

export interface FlattenStep {
  /** Whether annotations other than links become content as well. */
  annotations: boolean;
}

export async function flatten(document: OpenDocument, { annotations }: FlattenStep): Promise<void> {
  dropXfa(document);
  await reopen(document);
  const { pdf, dropped } = document;
  const fields = pdf.pdf.getForm()?.fieldCount ?? 0;
  generateAppearances(pdf.pdf, (name, character) => {
    throw new StepError(
      '',
      `cannot be carried out: the form has no font that can show ${character} of the field ${name.slice(0, 64)}`,
    );
  });
  if (annotations) noteFiles(document);
  const lost = flattenAnnotations(pdf, (subtype) => subtype === 'Widget' || (annotations && !STAYING.has(subtype)));
  if (lost.length) dropped.push({ what: 'annotations', why: describeLost(lost) });
  pdf.catalog.delete('AcroForm');
  if (pdf.catalog.has('StructTreeRoot')) pruneTags(pdf, new Set());
  if (fields && pdf.catalog.has('StructTreeRoot'))
    dropped.push({ what: 'tags of form fields', why: 'flattened fields are content without tags' });
}

const STAYING = new Set(['Link', 'Popup', '']);

function describeLost(subtypes: readonly string[]): string {
  const kinds = [...new Set(subtypes)].sort().join(', ').slice(0, 200);
  return `${subtypes.length} (${kinds}) had no appearance that could become content`;
}

function noteFiles({ pdf, dropped }: OpenDocument): void {
  const hasFile = pdf
    .pages()
    .some(({ page }) => pdf.list(page, 'Annots').some((each) => pdf.name(pdf.asDict(each), 'Subtype') === 'FileAttachment'));
  if (hasFile) dropped.push({ what: 'attachments', why: 'files of flattened annotations cannot be opened any more' });
}
