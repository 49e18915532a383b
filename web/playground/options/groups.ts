/** The options of the form, in the groups and the order of the service. An option without a group comes last, so that none can be missing. */
import { GROUPS, PDF_OPTIONS } from 'virtual:options-schema';
import { type OptionField, optionField } from './option-field.ts';

export interface OptionGroup {
  title: string;
  fields: OptionField[];
}

export const OPTION_GROUPS: OptionGroup[] = groupOptions(Object.keys(PDF_OPTIONS.properties));

function groupOptions(names: string[]): OptionGroup[] {
  const left = new Set(names);
  const groups = Object.entries(GROUPS).map(([title, members]) => {
    const present = members.split(' ').filter((name) => left.delete(name));
    return { title, fields: present.map(toField) };
  });
  return left.size ? [...groups, { title: 'More', fields: [...left].map(toField) }] : groups;
}

function toField(name: string): OptionField {
  return optionField(name, PDF_OPTIONS.properties[name] ?? {});
}
