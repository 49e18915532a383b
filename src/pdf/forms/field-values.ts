/** The type, flags and value of form fields (ISO 32000-1, 12.7.4). */
import { PdfArray, PdfName, PdfNumber, type PdfObject } from '@libpdf/core';
import type { FormControl } from '../../tag-structure.ts';
import { textString } from '../objects/syntax.ts';

/** Bits of `Ff` (tables 221, 228 and 230), counted from 1. */
const BITS = { isReadOnly: 1, isRequired: 2, isMultiLine: 13, isPassword: 14, isEditable: 19, isMultiple: 22 } as const;
const COMBO = 18;

export function fieldFlags(field: FormControl): number {
  const bits: number[] = Object.entries(BITS).flatMap(([name, bit]) => (field[name as keyof typeof BITS] ? [bit] : []));
  if (field.kind === 'combo') bits.push(COMBO);
  return bits.reduce((flags, bit) => flags | (1 << (bit - 1)), 0);
}

/** The entries of text fields, combo boxes and list boxes. */
export function valueEntries(field: FormControl): Record<string, PdfObject> {
  const entries: Record<string, PdfObject> = {
    FT: PdfName.of(field.kind === 'text' ? 'Tx' : 'Ch'),
    Ff: PdfNumber.of(fieldFlags(field)),
  };
  if (field.maxLength) entries.MaxLen = PdfNumber.of(field.maxLength);
  if (field.kind === 'list') return { ...entries, ...selectedValues(field), Opt: toOptions(field) };
  if (field.kind === 'combo') entries.Opt = toOptions(field);
  if (field.value || field.options.some(({ isSelected }) => isSelected)) entries.V = textString(field.value);
  return entries;
}

/** Each option as its label, or as a pair of value and label if they differ. */
function toOptions({ options }: FormControl): PdfArray {
  const items = options.map(({ value, label }) =>
    value === label ? textString(label) : PdfArray.of(textString(value), textString(label)),
  );
  return PdfArray.of(...items);
}

function selectedValues({ options }: FormControl): Record<string, PdfObject> {
  const chosen = options.flatMap((option, index) => (option.isSelected ? [{ value: textString(option.value), index }] : []));
  const [first] = chosen;
  if (!first) return {};
  const V = chosen.length === 1 ? first.value : PdfArray.of(...chosen.map(({ value }) => value));
  return { V, I: PdfArray.of(...chosen.map(({ index }) => PdfNumber.of(index))) };
}
