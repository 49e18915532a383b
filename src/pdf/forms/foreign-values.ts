/**
 * The values of form fields as people know them: what the options of a list or a group of buttons export or show. libpdf knows the states
 * of buttons, which other producers call `0` and `1`, and what lists export.
 */
import { type FormField, PdfArray, type PdfObject } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { labelOf } from '../objects/pdf-reader.ts';

type Value = string | boolean | string[];

const LISTS = new Set(['dropdown', 'listbox']);
const BUTTONS = new Set(['radio', 'checkbox']);
const MAX_NAMED = 10;
const MAX_NAME = 64;

/** Options may be objects of their own, which libpdf does not follow. */
export function resolveOptions(pdf: ForeignPdf, fields: readonly FormField[]): void {
  for (const field of fields) {
    const options = pdf.list(field.acroField(), 'Opt').map((each) => resolveOption(pdf, each));
    if (options.length) field.acroField().set('Opt', PdfArray.of(...options));
  }
}

function resolveOption(pdf: ForeignPdf, option: PdfObject): PdfObject {
  const found = pdf.resolve(option) ?? option;
  return found instanceof PdfArray ? PdfArray.of(...found.toArray().map((each) => pdf.resolve(each) ?? each)) : found;
}

/** Which values fields take, by the types of both. */
const TAKEN: Readonly<Record<string, { types: readonly string[]; text: string }>> = {
  text: { types: ['string'], text: 'a text' },
  checkbox: { types: ['boolean', 'string'], text: 'true or false' },
  radio: { types: ['string'], text: 'one of its options' },
  dropdown: { types: ['string'], text: 'one of its options' },
  listbox: { types: ['string', 'object'], text: 'one or several of its options' },
};

/** The value for libpdf. Throws if the field takes no such value, or has no such option. */
export function toFieldValue(field: FormField, value: Value): Value {
  const taken = TAKEN[field.type];
  if (taken && !taken.types.includes(typeof value)) throw new Error(`it takes ${taken.text}`);
  if (typeof value === 'boolean') return value;
  if (LISTS.has(field.type)) {
    const chosen = [value].flat().map((each) => toExported(field, each));
    return field.type === 'listbox' ? chosen : (chosen[0] as string);
  }
  return BUTTONS.has(field.type) && typeof value === 'string' ? toState(field, value) : value;
}

/** The value of a field as `toFieldValue` takes it. */
export function exportedValue(field: FormField): unknown {
  const value = 'getValue' in field && typeof field.getValue === 'function' ? field.getValue() : null;
  if (!BUTTONS.has(field.type)) return value;
  const { states, exported } = buttonsOf(field);
  return exported[states.indexOf(String(value))] ?? value;
}

function toExported(field: FormField, value: string): string {
  const options = optionsOf(field);
  const found = options.find(({ exported }) => exported === value) ?? options.find(({ shown }) => shown === value);
  if (found) return found.exported;
  if (field.type === 'dropdown' && 'isEditable' in field && field.isEditable) return value;
  throw noOption(
    value,
    options.map(({ shown }) => shown),
  );
}

function toState(field: FormField, value: string): string {
  const { states, exported } = buttonsOf(field);
  const state = states[exported.indexOf(value)] ?? states.find((each) => each === value);
  if (state !== undefined || value === 'Off') return state ?? value;
  throw noOption(value, [...(field.type === 'checkbox' ? ['true', 'false'] : []), ...(exported.length ? exported : states)]);
}

/** The states of the buttons of a field, and what each exports: options are in the order of the buttons. */
function buttonsOf(field: FormField) {
  const states = field.getWidgets().map((widget) => widget.getOnValue() ?? 'Off');
  return { states, exported: optionsOf(field).map(({ exported }) => exported) };
}

function optionsOf(field: FormField): Array<{ exported: string; shown: string }> {
  const options = field.acroField().get('Opt');
  if (!(options instanceof PdfArray)) return [];
  return options.toArray().flatMap((option) => {
    const [exported, shown = exported] = (option instanceof PdfArray ? option.toArray() : [option]).map(labelOf);
    return exported === undefined ? [] : { exported, shown: shown ?? exported };
  });
}

function noOption(value: string, options: readonly string[]): Error {
  return new Error(`${value.slice(0, MAX_NAME)} is none of its options, which are ${listed(options)}`);
}

/** Some names, for an error. */
export function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ', ...' : '';
  const some = names.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME));
  return `${some.join(', ') || 'none'}${more}`;
}
