/**
 * Reads the form fields of the document before it is printed and prepares them: the print shows the boxes of the controls without their
 * content. Controls that cannot become fields are printed as they are.
 */
import type { FormControl } from '../../../tag-structure.ts';
import { type ExceededLimit, FIELD_LIMITS, isStyleText, type PackedFields } from '../../contract/fields.ts';
import { captureAppearance, looksSame } from '../../dom/appearance.ts';
import { Locator } from '../../dom/locator.ts';
import { openRoots, selectIn } from '../../dom/roots.ts';
import { type Control, isSelect } from './control.ts';
import { describeField } from './describe-field.ts';
import { addFieldLinks, addFieldStyles } from './field-links.ts';
import { findControls } from './find-controls.ts';
import { hideField } from './hide-field.ts';
import type { PreparedControl } from './prepared-control.ts';

/** The controls that are prepared, and how they are watched. */
let restorePrepared = (_numbers: number[]): boolean => false;

/**
 * Places links to `KEY:0` and so on over the controls. Reads all controls before it changes any, because the style of one can depend on
 * another.
 */
export function prepareFields(key: string): PackedFields | ExceededLimit {
  const { controls, others } = findControls();
  if (controls.length > FIELD_LIMITS.fields) return { exceeded: 'fields' };
  const locator = new Locator();
  const forms = [...selectIn(document, 'form')];
  const fields = controls.map((control, number) => describeField(control, number, forms, locator));
  const exceeded = firstExceeded(fields);
  if (exceeded) return { exceeded };
  const hideAll = () => controls.map((control, number) => hideField(control, fields[number] as FormControl, `${key} ${number}`));
  const isPrepared = !controls.length || prepareWithoutStyleChanges(controls, hideAll, key);
  const printed = isPrepared ? others : [...controls, ...others];
  return {
    ...pack(isPrepared ? fields : []),
    printed: printed.slice(0, FIELD_LIMITS.fields).map((control) => locator.locate(control)),
  };
}

/** Restores some of the prepared fields. Returns whether no script has changed any of the others. */
export function restoreFields(numbers: number[]): boolean {
  return restorePrepared(numbers);
}

function firstExceeded(fields: FormControl[]): ExceededLimit['exceeded'] | undefined {
  const options = fields.flatMap((field) => field.options);
  if (options.length > FIELD_LIMITS.options) return 'options';
  const texts = [...fields.flatMap(({ value, key }) => [value, key]), ...options.flatMap(({ value, label }) => [value, label])];
  return texts.some(({ length }) => length > FIELD_LIMITS.characters) ? 'characters' : undefined;
}

/**
 * Returns false, and restores the controls, if anything but their content then looks different, or if there is too much to compare.
 */
function prepareWithoutStyleChanges(controls: Control[], hideAll: () => PreparedControl[], key: string): boolean {
  const roots = openRoots();
  const own = new Set(controls.flatMap((control) => [control, ...(isSelect(control) ? control.querySelectorAll('*') : [])]));
  const before = captureAppearance(roots, own);
  if (!before) return false;
  addFieldStyles();
  const prepared = hideAll();
  const holder = addFieldLinks(prepared, key);
  const isSame = looksSame(before, captureAppearance(roots, own, holder));
  if (isSame) watch(prepared);
  else {
    for (const each of prepared) each.restore();
    holder.remove();
  }
  return isSame;
}

/** Detects changes by scripts, which run until the print: compares the controls in the `beforeprint` event and again afterwards. */
function watch(prepared: PreparedControl[]): void {
  const restored = new Set<number>();
  let isSame = true;
  const compare = () => {
    isSame &&= prepared.every((each, number) => restored.has(number) || each.isUnchanged());
  };
  addEventListener('beforeprint', compare);
  restorePrepared = (numbers) => {
    compare();
    for (const number of numbers) {
      restored.add(number);
      prepared[number]?.restore();
    }
    return isSame;
  };
}

function pack(fields: FormControl[]): Omit<PackedFields, 'printed'> {
  const styles = new Map<string, number>();
  const indexFor = (text: string) => {
    const index = styles.get(text) ?? styles.size;
    styles.set(text, index);
    return index;
  };
  const packed = JSON.stringify(fields, (name, item: unknown) => (isStyleText(name) ? indexFor(item as string) : item));
  return { packed, styles: [...styles.keys()] };
}
