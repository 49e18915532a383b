/** Reads what a control is as a form field. */
import type { FieldKind, FormControl } from '../../../tag-structure.ts';
import { accessibleName } from '../../dom/accessible-name.ts';
import type { Locator } from '../../dom/locator.ts';
import { read, readAttribute } from '../../dom/nodes.ts';
import { type Control, fieldKind, isDate, isInput, isSelect, isTextArea, radioSet } from './control.ts';
import { readFieldStyle } from './field-style.ts';
import { readOptions } from './options.ts';
import { shownText, showsPlaceholder, textValue } from './text-values.ts';

export function describeField(control: Control, number: number, forms: Element[], locator: Locator): FormControl {
  const kind = fieldKind(control) as FieldKind;
  const place = control.getAttribute('data-signature-field') ?? '';
  const isControl = isInput(control) || isSelect(control) || isTextArea(control);
  return {
    ...locator.locate(control),
    number,
    name: accessibleName(control) || (isControl ? '' : place),
    kind,
    key: place || control.getAttribute('name') || control.id || '',
    set: kind === 'radio' ? radioSet(control) : '',
    form: forms.indexOf(control.form as Element),
    group: kind === 'radio' ? groupName(control) : '',
    value: textValue(control, kind),
    shown: shownText(control, kind),
    options: readOptions(control, kind),
    maxLength: kind === 'text' ? maxLength(control as HTMLInputElement) : 0,
    ...readState(control, kind),
    style: readFieldStyle(control, showsPlaceholder(control, kind) ? '::placeholder' : null),
    looks: undefined,
    typed: typedValue(control),
  };
}

/** Returns 0 if the value is already longer. */
function maxLength({ maxLength: limit, value }: HTMLInputElement | HTMLTextAreaElement): number {
  return limit >= value.length ? limit : 0;
}

function typedValue(control: Control): FormControl['typed'] {
  const { type, value, step } = control as HTMLInputElement;
  return isDate(control) || (type === 'number' && value) ? { type, value, step } : undefined;
}

function readState(control: Control, kind: FieldKind) {
  return {
    isChecked: control.checked === true,
    isReadOnly: isReadOnly(control),
    isRequired: control.required === true,
    isPassword: control.type === 'password',
    isMultiLine: isTextArea(control),
    isMultiple: isSelect(control) && control.multiple,
    isEditable: isInput(control) && kind === 'combo',
  };
}

function isReadOnly(control: Control): boolean {
  const isBox = /^(?:checkbox|radio)$/.test(control.type ?? '');
  return (control.readOnly === true && !isBox) || control.matches(':disabled');
}

function groupName(control: Control): string {
  const group = control.closest<HTMLElement>('fieldset, [role="radiogroup"]');
  if (!group) return '';
  const legend = group.localName === 'fieldset' ? group.querySelector(':scope > legend') : null;
  if (legend) return accessibleName(legend);
  return readAttribute(group, 'aria-label') !== null || read(group, 'title') ? accessibleName(group) : '';
}
