/** The JSON Schema of the data of a template, in requests and replies. */
import { AnyObject } from '../../../render/request/schemas/options-schema.ts';
import type { ValidationErrors } from '../../../render/request/values/validation-errors.ts';
import { MAX_SCHEMA_BYTES } from '../../../templates/schemas.ts';

const EXAMPLE = { type: 'object', required: ['customer'], properties: { customer: { type: 'object' } } };

export const DataSchema = {
  ...AnyObject,
  $id: 'TemplateDataSchema',
  expected: 'a JSON Schema, an object',
  description: `A [JSON Schema](https://json-schema.org/draft/2020-12) that data must fit to be rendered (422 \`data_invalid\`), at most ${MAX_SCHEMA_BYTES} bytes of JSON; \`{}\` for none. It refers only to itself. \`pattern\` has the syntax of [RE2](https://github.com/google/re2/wiki/Syntax).`,
  examples: [EXAMPLE],
};

export const SCHEMA_RECORD = {
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'The JSON Schema of the data; `null` for none.',
  examples: [EXAMPLE],
};

/** JSON, or null for none. Undefined if none was sent. Whether the schema is valid is found out when it is stored. */
export function parseDataSchema(given: unknown, errors: ValidationErrors): string | null | undefined {
  if (given === undefined) return undefined;
  const json = JSON.stringify(given);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_SCHEMA_BYTES) errors.add('schema', `has ${bytes} bytes; at most ${MAX_SCHEMA_BYTES} are allowed`);
  return json === '{}' ? null : json;
}
