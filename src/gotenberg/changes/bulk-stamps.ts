/** The stamps of the route `stamp/bulk`: a list of them in one field in, the fields of the route `stamp` out. */
import { invalidField } from '../../errors.ts';
import { type Fields, json, parseChoice, type Rename, readList, readObject } from '../read-field.ts';
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
    const name = parseChoice(String(source), ['text', 'image', 'pdf']);
    const drawn = name === 'text' ? expression : (file ?? expression);
    return {
      source: name,
      expression: readText(drawn),
      pages: readText(pages),
      options: readMarkOptions(options ?? null, rename),
    };
  });
  return stamps.length ? stamps : undefined;
}

function readText(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
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
