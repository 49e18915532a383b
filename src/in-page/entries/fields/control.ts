/** Tells controls apart that can become form fields. */
import type { FieldKind } from '../../../tag-structure.ts';

type InputMembers = 'type' | 'value' | 'checked' | 'form' | 'readOnly' | 'required' | 'maxLength' | 'placeholder';

/** An input, a text area, a select element, or any other element that is a place for a signature. */
export type Control = HTMLElement & Partial<Pick<HTMLInputElement, InputMembers>>;

export function isInput(control: Control): control is HTMLInputElement {
  return control.localName === 'input';
}

export function isTextArea(control: Control): control is Control & HTMLTextAreaElement {
  return control.localName === 'textarea';
}

export function isSelect(control: Control): control is Control & HTMLSelectElement {
  return control.localName === 'select';
}

/** Whether the control is an input for a date or a time. */
export function isDate(control: Control): control is HTMLInputElement {
  return isInput(control) && /^(?:date|time|datetime-local|month|week)$/.test(control.type);
}

/** Returns an empty text for controls that are printed as they are: buttons, sliders, colours and files. */
export function fieldKind(control: Control): FieldKind | '' {
  if (control.hasAttribute('data-signature-field')) return 'signature';
  if (isTextArea(control)) return 'text';
  if (isSelect(control)) return control.multiple || control.size > 1 ? 'list' : 'combo';
  const { type, list } = control as HTMLInputElement;
  if (type === 'checkbox' || type === 'radio') return type;
  if (/^(?:hidden|submit|reset|button|image|file|color|range)$/.test(type)) return '';
  return list ? 'combo' : 'text';
}

/** Returns the name of the set of a radio button, within its form. Empty for other controls, and for a radio button without a name. */
export function radioSet(control: Control): string {
  return control.type === 'radio' ? (control.getAttribute('name') ?? '') : '';
}

/** Returns the content of a control that its field shows, as text to compare. */
export function contentToCompare(control: Control): string {
  const options = isSelect(control) ? [...control.options] : [];
  const chosen = options.flatMap(({ selected }, index) => (selected ? [index] : []));
  const { value, checked } = control;
  return JSON.stringify([fieldKind(control), value, checked, chosen, options.map((option) => [option.value, option.label])]);
}
