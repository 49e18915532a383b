/** The groups and the order of the form. An option that is named nowhere comes last, so that none can be missing. */
import { PDF_OPTIONS } from 'virtual:options-schema';
import { type OptionField, optionField } from './option-field.ts';

const GROUPS: Record<string, string> = {
  Page: 'format landscape width height margin scale pageRanges printBackground preferCSSPageSize omitBackground singlePage',
  'Header and footer': 'headerTemplate footerTemplate',
  Loading: 'waitUntil animations waitForSelector waitForFunction waitForTimeout timeout resourceTimeout',
  'Page context':
    'mediaType colorScheme viewport locale timezone javascript baseUrl userAgent cookies extraHTTPHeaders authenticate addStyleTag addScriptTag',
  Gates: 'failOnHttpStatus failOnResourceError failOnConsoleError failOnWarning',
  Result: 'tagged outline metadata password watermark attachments compress',
};

export interface OptionGroup {
  title: string;
  fields: OptionField[];
}

export const OPTION_GROUPS: OptionGroup[] = groupsOf(Object.keys(PDF_OPTIONS.properties));

export const OPTION_NAMES: ReadonlySet<string> = new Set(Object.keys(PDF_OPTIONS.properties));

function groupsOf(names: string[]): OptionGroup[] {
  const left = new Set(names);
  const groups = Object.entries(GROUPS).map(([title, members]) => {
    const present = members.split(' ').filter((name) => left.delete(name));
    return { title, fields: present.map(fieldOf) };
  });
  return left.size ? [...groups, { title: 'More', fields: [...left].map(fieldOf) }] : groups;
}

function fieldOf(name: string): OptionField {
  return optionField(name, PDF_OPTIONS.properties[name] ?? {});
}
