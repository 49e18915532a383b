/** Prepares a control to become a form field of the PDF: the print shows its box without its content. */
import type { FieldKind, FormControl } from '../../../tag-structure.ts';
import { TRANSPARENT } from '../../dom/create-html.ts';
import { checkboxAppearances } from './checkbox-appearances.ts';
import { type Control, isInput } from './control.ts';
import { PreparedControl } from './prepared-control.ts';
import { readLength, SIDES } from './style-declarations.ts';

/** A background that is almost transparent. */
const INVISIBLE = 'rgb(255 255 255 / 0.004)';
/** Moves text so far that Chromium does not print it. Text at the other end would not be moved. */
const MOVED_AWAY = { 'text-indent': '-16000000px', 'text-align': 'start' };

/** `label` is the accessible name by which the tag of the control is found in the PDF. Sets how a checkbox looks in `field`. */
export function hideField(control: Control, field: FormControl, label: string): PreparedControl {
  const { kind, isMultiLine, isChecked } = field;
  const prepared = new PreparedControl(control);
  const isBox = kind === 'checkbox' || kind === 'radio';
  prepared.setAttribute(control, 'data-platen-field', '');
  if (isBox) field.looks = checkboxAppearances(prepared);
  if (field.looks && !field.looks.isPrinted) hideBox(prepared);
  else if (isChecked && !field.looks) prepared.hideMarks(uncheckedStyle(control));
  if (kind === 'list') hideOptions(prepared);
  else if (!isBox && (kind !== 'signature' || isInput(control))) hideText(prepared, isMultiLine);
  showBox(prepared);
  prepared.setAttribute(control, 'role', taggedRole(control, kind));
  prepared.setAttribute(control, 'aria-label', label);
  prepared.setAttribute(control, 'aria-labelledby', null);
  return prepared;
}

/** Returns a role with which Chromium tags the control, as it does not tag some, such as lists. */
function taggedRole(control: Control, kind: FieldKind): string {
  if (kind === 'checkbox' && control.getAttribute('role') === 'switch') return 'switch';
  return kind === 'checkbox' || kind === 'radio' ? kind : 'textbox';
}

function hideOptions(prepared: PreparedControl): void {
  for (const option of prepared.control.querySelectorAll<HTMLElement>('option, optgroup'))
    prepared.setStyle(option, { visibility: 'hidden' });
}

/** Emptying the control could change its styles and its validity. */
function hideText(prepared: PreparedControl, isMultiLine: boolean): void {
  const { control } = prepared;
  if (getComputedStyle(control).fieldSizing === 'content') prepared.setStyle(control, sizeToKeep(control));
  prepared.hideWith(MOVED_AWAY);
  if (!isMultiLine || control.value === '') return;
  const overflows = control.scrollHeight > control.clientHeight || control.scrollWidth > control.clientWidth;
  // Only the first line is moved, so the value becomes a single invisible character. It overflows as before, because borders then look different.
  prepared.replaceText(`\u200b${overflows ? '\n'.repeat(control.scrollHeight) : ''}`);
}

/** Hides a box. It is shown by its field, whose appearances could not cover another box exactly. */
function hideBox(prepared: PreparedControl): void {
  const { control } = prepared;
  const { appearance, boxShadow } = getComputedStyle(control);
  prepared.hideMarks({
    ...(appearance === 'none' ? { 'border-color': 'transparent' } : bareBox(control)),
    ...(boxShadow.includes('inset') && { 'box-shadow': 'none' }),
    background: INVISIBLE,
  });
}

/** The style of a native box without its appearance, in its size and place: it may be inline, and its margin is above the baseline. */
function bareBox(control: Control): Record<string, string> {
  const { display, verticalAlign, marginBottom } = getComputedStyle(control);
  const isOnBaseline = !/^(?:top|bottom|middle|text-top|text-bottom|sub|super)$/.test(verticalAlign);
  const raised = verticalAlign === 'baseline' ? '0px' : verticalAlign;
  return {
    ...{ appearance: 'none', display, 'box-sizing': 'border-box', border: '0', 'border-radius': '0', padding: '0' },
    ...sizeToKeep(control),
    ...(isOnBaseline && { 'vertical-align': `calc(${raised} - ${marginBottom})` }),
  };
}

/** Returns the size of a control. Percentages stay what they are, because the column of a table may depend on its content. */
function sizeToKeep(control: Control): { width: string; height: string } {
  const used = getComputedStyle(control);
  const side = (name: 'width' | 'height') => {
    const stated = String(control.computedStyleMap().get(name));
    return stated.includes('%') ? stated : used[name];
  };
  return { width: side('width'), height: side('height') };
}

/** Returns the style of a checked control with images of its own when it is not checked. */
function uncheckedStyle(control: Control): Record<string, string> {
  control.checked = false;
  const style = getComputedStyle(control);
  const names = ['background-color', 'background-image', 'border-color', 'box-shadow', 'color', 'outline-style'];
  const look = Object.fromEntries(names.map((name): [string, string] => [name, style.getPropertyValue(name)]));
  control.checked = true;
  return look;
}

/**
 * Gives an invisible control a background, because Chromium does not tag elements that paint nothing (`emitStructElem`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTag.cpp).
 */
function showBox(prepared: PreparedControl): void {
  const style = getComputedStyle(prepared.control);
  const isPlain = style.backgroundColor === TRANSPARENT && style.backgroundImage === 'none';
  const isBorderless = SIDES.every((side) => readLength(style, `border-${side}-width`) === 0);
  if (isPlain && isBorderless) prepared.setStyle(prepared.control, { 'background-color': INVISIBLE });
}
