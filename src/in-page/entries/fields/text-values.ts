/** Reads the texts of controls. */
import type { FieldKind } from '../../../tag-structure.ts';
import { type Control, isDate, isInput, isSelect, isTextArea } from './control.ts';
import { readOptions } from './options.ts';

/** Returns an empty text for passwords. */
export function textValue(control: Control, kind: FieldKind): string {
  if (control.type === 'password' || kind === 'signature' || kind === 'list') return '';
  if (isDate(control)) return shownTime(control);
  if (!isSelect(control)) return control.value ?? '';
  return readOptions(control, kind).find(({ isSelected }) => isSelected)?.value ?? '';
}

/** Returns the text that the control shows, which may be its placeholder. */
export function shownText(control: Control, kind: FieldKind): string {
  if (showsPlaceholder(control, kind)) return control.placeholder ?? '';
  return isSelect(control) && kind === 'combo' ? (control.selectedOptions[0]?.label ?? '') : textValue(control, kind);
}

export function showsPlaceholder(control: Control, kind: FieldKind): boolean {
  const hasText = (isInput(control) || isTextArea(control)) && /^(?:text|combo)$/.test(kind);
  return hasText && control.value === '' && Boolean(control.placeholder);
}

/** PDF viewers would replace any other format as soon as the field is edited. */
function shownTime({ type, value, valueAsNumber, valueAsDate, step }: HTMLInputElement): string {
  const [, year, week] = /^(\d+)-W(\d+)$/.exec(value) ?? [];
  if (week) return `Week ${week}, ${year}`;
  const at = type === 'datetime-local' ? new Date(valueAsNumber) : valueAsDate;
  if (!value || !at) return value;
  const goesBelow = (seconds: number) => valueAsNumber % (seconds * 1_000) !== 0 || (Number(step) || 60) % seconds !== 0;
  const day: Intl.DateTimeFormatOptions = { year: 'numeric', month: '2-digit', day: '2-digit' };
  const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
  if (goesBelow(60)) time.second = '2-digit';
  if (goesBelow(1)) time.fractionalSecondDigits = 3;
  const formats: Record<string, Intl.DateTimeFormatOptions> = {
    date: day,
    month: { year: 'numeric', month: 'long' },
    time,
    'datetime-local': { ...day, ...time },
  };
  const format = new Intl.DateTimeFormat(undefined, { ...formats[type], timeZone: 'UTC' });
  return format.format(at).replace(/\u202f/g, ' ');
}
