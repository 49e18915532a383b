/** The stamps of the route `stamp/bulk`: a list of them in one field in, the fields of the route `stamp` out. */
import { invalidField } from '../../errors.ts';
import { type Fields, json, parseChoice, type Rename, readList, readObject, readText } from '../read-field.ts';
import type { GotenbergForm } from '../sent-form.ts';
import { type MarkOptions, readMarkOptions } from './marks.ts';

interface Stamp {
  source: string;
  /** The text, or the name of a file. */
  expression: string | undefined;
  pages: string | undefined;
  options: MarkOptions;
}

export const BULK_FIELDS: Fields = { stamps: json(readStamps) };

/** Returns undefined if there are none. */
function readStamps(value: unknown, rename: Rename): Stamp[] | undefined {
  const stamps = readList(value).map((given) => {
    const { source, expression, file, pages, options } = readObject(given);
    const name = parseChoice(readText(source, 'source'), ['text', 'image', 'pdf']);
    const drawn = name === 'text' ? expression : (file ?? expression);
    return {
      source: name,
      expression: readMember(drawn, 'expression'),
      pages: readMember(pages, 'pages'),
      options: readMarkOptions(options ?? null, rename),
    };
  });
  return stamps.length ? stamps : undefined;
}

/** Clients send null and empty members for those without a value. */
function readMember(value: unknown, name: string): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : readText(value, name);
}

/** Throws `invalid_request` for a stamp without its file. */
export function applyBulkStamps({ values, aliases, stamp: files }: GotenbergForm): void {
  const stamps = (values.get('stamps') ?? []) as Stamp[];
  for (const [index, { source, expression }] of stamps.entries())
    if (source !== 'text' && !files.some(({ path }) => expression === undefined || path === expression))
      throw invalidField('', `bulk stamp entry ${index} requires an uploaded stamp file for image or pdf source`);
  aliases.set('stampOptions', 'stamps'); // errors about a stamp as a whole
  for (const name of ['source', 'expression', 'pages', 'options'] as const)
    values.set(
      `stamp${name[0]?.toUpperCase()}${name.slice(1)}`,
      stamps.map((stamp) => stamp[name]),
    );
}
