/** Steps that fill form fields, and make them and annotations part of the pages. */
import { nearest } from '../../nearest.ts';
import { flattenAnnotations } from '../flatten/flatten-annotations.ts';
import { encodeTexts, makeShowable } from '../forms/field-fonts.ts';
import { listed, resolveOptions, toFieldValue } from '../forms/foreign-values.ts';
import { forgetColors, generateAppearances } from '../forms/generate-appearances.ts';
import { paintBoxes } from '../forms/paint-boxes.ts';
import { printWidgets, shownTexts } from '../forms/widget-texts.ts';
import { pruneTags } from '../select/prune-tags.ts';
import { type OpenDocument, reopen, StepError } from './open-document.ts';

export interface FillStep {
  /** By the full name of the field. For boxes, whether they are ticked; for lists, one or several of their options. */
  fields: Record<string, string | boolean | string[]>;
}

/** Fields that are wrong, of which an error tells. */
const MAX_WRONG = 100;

type Form = NonNullable<ReturnType<OpenDocument['pdf']['pdf']['getForm']>>;
type Field = ReturnType<ReturnType<Form['acroForm']>['getFields']>[number];

/** Fields whose texts are to be printed, by their names, each with a character that no font of the form can show. */
type Unshowable = Map<string, { field: Field; character: string }>;

export async function fillFields(document: OpenDocument, { fields }: FillStep): Promise<void> {
  dropXfa(document);
  await reopen(document);
  const unshowable = generateTexts(document);
  const form = document.pdf.pdf.getForm();
  if (form) encodeTexts(form.acroForm());
  resolveOptions(document.pdf, form?.getFields() ?? []);
  const errors: StepError[] = [];
  for (const [name, value] of Object.entries(fields)) {
    try {
      fillNamed(document, form, name, value, unshowable);
    } catch (error) {
      errors.push(new StepError(`fields.${name.slice(0, 64)}`, (error as Error).message));
    }
    if (errors.length >= MAX_WRONG) break;
  }
  const [first, ...others] = errors;
  if (first) throw new StepError(first.field, first.message, others);
  form?.updateAppearances();
  paintBoxes(Object.keys(fields).flatMap((name) => (unshowable.has(name) ? [] : (form?.getField(name) ?? []))));
  await printUnshowable(document, unshowable);
}

/** Throws an error that is a predicate about the field. */
function fillNamed(
  document: OpenDocument,
  form: Form | null,
  name: string,
  value: FillStep['fields'][string],
  unshowable: Unshowable,
): void {
  const field = form?.acroForm().getField(name);
  if (!form || !field) throw new Error(`is no field of the document${suggestion(name, form)}`);
  try {
    const character = fillField(document, form, field, value);
    if (character === undefined) unshowable.delete(name);
    else if (document.print) unshowable.set(name, { field, character });
    else throw new Error(`the form has no font that can show ${character} with the rest of the value`);
  } catch (error) {
    throw new Error(`cannot be filled: ${(error as Error).message.slice(0, 200)}`);
  }
}

function suggestion(name: string, form: Form | null): string {
  const known = form?.getFieldNames() ?? [];
  if (!known.length) return ', which has none';
  const near = nearest(name, known);
  return near === undefined ? `, whose fields are ${listed(known)}` : `; did you mean ${listed([near])}?`;
}

const WITH_TEXT = new Set(['text', 'dropdown', 'listbox']);
const BOXES = new Set(['checkbox', 'radio']);

/** Returns a character that no font of the form can show, so that the field has the value and still shows something else. */
function fillField({ pdf }: OpenDocument, form: Form, field: Field, given: FillStep['fields'][string]): string | undefined {
  const acroForm = form.acroForm();
  requireFit(field, given);
  acroForm.updateFieldAppearance = () => {}; // which setting a value calls
  try {
    const { skipped } = form.fill({ [field.name]: toFieldValue(field, given) });
    if (skipped.length) throw new Error('this field takes no value');
  } finally {
    Reflect.deleteProperty(acroForm, 'updateFieldAppearance');
  }
  const texts = WITH_TEXT.has(field.type) ? shownTexts(field) : [];
  const missing = texts.map((text) => makeShowable(pdf.pdf, acroForm, text)).find((each) => each !== undefined);
  forgetColors(pdf.pdf, field);
  if (missing === undefined && !hasOwnLook(field)) acroForm.updateFieldAppearance(field);
  return missing;
}

/** Whether a box looks as its producer has drawn it, which may be nothing while it is not ticked. libpdf would draw it anew. */
function hasOwnLook(field: Field): boolean {
  return BOXES.has(field.type) && field.getWidgets().every((widget) => widget.hasNormalAppearance());
}

/** libpdf would cut the value off, which nobody would notice. */
function requireFit(field: Field, given: FillStep['fields'][string]): void {
  const most = 'maxLength' in field ? Number(field.maxLength) : 0;
  if (most > 0 && typeof given === 'string' && given.length > most)
    throw new Error(`the value has ${given.length} characters, and the field takes at most ${most}`);
}

/** Generates what viewers were to show. Returns the fields whose texts no font of the form can show. */
function generateTexts({ pdf }: OpenDocument, { includesMissing } = { includesMissing: false }): Unshowable {
  const unshowable: Unshowable = new Map();
  const onHidden = (field: Field, character: string) => void unshowable.set(field.name, { field, character });
  generateAppearances(pdf.pdf, { onHidden, includesMissing });
  return unshowable;
}

async function printUnshowable({ pdf, print }: OpenDocument, unshowable: Unshowable): Promise<void> {
  const form = pdf.pdf.getForm();
  const fields = Array.from(unshowable.values(), ({ field }) => field);
  if (form && print && fields.length) await printWidgets(pdf, form.acroForm(), fields, print);
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
  const unshowable = generateTexts(document, { includesMissing: true });
  requirePrint(document, unshowable);
  await printUnshowable(document, unshowable);
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

function requirePrint({ print }: OpenDocument, unshowable: Unshowable): void {
  const [first] = unshowable.values();
  if (print || !first) return;
  const what = `${first.character} of the field ${first.field.name.slice(0, 64)}`;
  throw new StepError('', `cannot be carried out: the form has no font that can show ${what}`);
}

function noteFiles({ pdf, dropped }: OpenDocument): void {
  const hasFile = pdf
    .pages()
    .some(({ page }) => pdf.list(page, 'Annots').some((each) => pdf.name(pdf.asDict(each), 'Subtype') === 'FileAttachment'));
  if (hasFile) dropped.push({ what: 'attachments', why: 'files of flattened annotations cannot be opened any more' });
}
