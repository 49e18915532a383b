/** Reads the options of a control. */
import type { FieldKind, FieldOption } from '../../../tag-structure.ts';
import { type Control, isSelect } from './control.ts';
import { optionStyle } from './style-declarations.ts';

/** Returns the options of a select element, or the suggestions of an input. Options with equal values are identified by their labels. */
export function readOptions(control: Control, kind: FieldKind): FieldOption[] {
  if (isSelect(control)) {
    const all = offeredOptions(control, kind);
    const areUnlike = new Set(all.map(({ value }) => value)).size === all.length;
    return all.map((option) => ({
      value: areUnlike ? option.value : option.label,
      label: option.label,
      isSelected: option.selected,
      group: (option.parentElement as Partial<HTMLOptGroupElement> | null)?.label ?? '',
      css: kind === 'list' ? optionStyle(option) : '',
    }));
  }
  return kind === 'combo' ? suggestions(control as HTMLInputElement) : [];
}

function suggestions({ list, value: current }: HTMLInputElement): FieldOption[] {
  const values = [...(list?.options ?? [])].map(({ value }) => value);
  return values.map((value) => ({ value, label: value, isSelected: value === current, group: '', css: '' }));
}

/**
 * Returns the options without those that the document hides, and for a drop-down list without those that are disabled, unless they are
 * selected.
 */
function offeredOptions({ options }: HTMLSelectElement, kind: FieldKind): HTMLOptionElement[] {
  if (kind !== 'combo') return [...options].filter((option) => !isHidden(option));
  return [...options].filter((option) => option.selected || !(isHidden(option) || option.matches(':disabled')));
}

function isHidden(option: HTMLOptionElement): boolean {
  return option.closest('[hidden]') !== null || getComputedStyle(option).display === 'none';
}
