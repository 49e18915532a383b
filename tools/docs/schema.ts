/** Describes a JSON Schema in Markdown: its type, its default, and its members as a table. */
import { code, either, json, table } from './markdown.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  contentEncoding?: string;
  contentMediaType?: string;
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  'x-default'?: string;
  'x-unit'?: string;
  'x-values'?: string[];
}

export function typeOf(schema: Schema): string {
  const values = schema['x-values'] ?? schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (values) return either(values.map((value) => code(String(value))));
  if (schema.anyOf) return either([...new Set(schema.anyOf.map(typeOf))]);
  return ofType(schema);
}

function ofType(schema: Schema): string {
  const { type, items } = schema;
  if (type === 'array') return `list of ${items ? typeOf(items) : 'values'}${limits(schema.minItems, schema.maxItems, 'items')}`;
  if (type === 'object') return schema.patternProperties ? 'object of strings' : 'object';
  if (type === 'integer' || type === 'number') return `${type}${range(schema)}`;
  if (type === 'string') return ofText(schema);
  return Array.isArray(type) ? either(type) : (type ?? 'any value');
}

function ofText({ minLength, maxLength, contentEncoding, contentMediaType, format }: Schema): string {
  const kind = [
    contentMediaType && `(${code(contentMediaType)})`,
    contentEncoding && `in ${contentEncoding}`,
    format && `(${format})`,
  ];
  return `${['string', ...kind.filter(Boolean)].join(' ')}${limits(minLength, maxLength, 'characters')}`;
}

function range({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function limits(from: number | undefined, to: number | undefined, of: string): string {
  if (to === undefined) return from === undefined ? '' : ` (at least ${from} ${of})`;
  return from === undefined ? ` (at most ${to} ${of})` : ` (${from} to ${to} ${of})`;
}

/** Returns the effective default; empty if the schema does not state it. */
export function defaultOf(schema: Schema): string {
  return schema['x-default'] ?? (schema.default === undefined ? '' : json(schema.default));
}

/** Returns the members of an object, of the objects in a list, or of all alternative objects. */
export function membersOf(schema: Schema): Array<[name: string, schema: Schema, required: boolean]> {
  const objects = objectsIn(schema);
  const members = new Map<string, [string, Schema, boolean]>();
  for (const { properties = {}, required = [] } of objects)
    for (const [name, member] of Object.entries(properties))
      members.set(name, [name, member, objects.length === 1 && required.includes(name)]);
  return [...members.values()];
}

function objectsIn(schema: Schema): Schema[] {
  if (schema.properties) return [schema];
  const found = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap(objectsIn);
  return [...new Set(found)];
}

/** Returns an empty text if there are no members. */
export function membersTable(schema: Schema): string {
  const members = membersOf(schema);
  if (!members.length) return '';
  const rows = members.map(([name, member, required]) => [
    code(name),
    withUnit(member),
    required ? 'required' : defaultOf(member),
    member.description ?? '',
  ]);
  return table(['member', 'type', 'default', 'meaning'], rows);
}

export function withUnit(schema: Schema): string {
  const unit = schema['x-unit'];
  return unit ? `${typeOf(schema)}, in ${unit}` : typeOf(schema);
}
