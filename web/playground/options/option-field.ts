/** Turns a member of the schema of `options` into a field of the form. */

/** The part of JSON Schema that the options use. */
export interface OptionSchema {
  type?: string;
  const?: unknown;
  anyOf?: OptionSchema[];
  items?: OptionSchema;
  properties?: Record<string, OptionSchema>;
  patternProperties?: Record<string, OptionSchema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  contentEncoding?: string;
  contentMediaType?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  /** A description of the default. */
  'x-default'?: string;
  'x-unit'?: string;
  /** Values of a text, which ignore case. */
  'x-values'?: string[];
}

export interface FieldFacts {
  name: string;
  help: string;
  /** The default as it is displayed. Empty if the schema does not state it. */
  fallback: string;
  required: boolean;
  example: string;
}

type Shape =
  | { kind: 'switch'; on: boolean }
  /** `usual` is the choice that need not be sent, if there is one. */
  | { kind: 'choice'; choices: Array<{ text: string; value: string | boolean }>; usual: string | boolean | undefined }
  | { kind: 'number'; minimum: number | undefined; maximum: number | undefined; whole: boolean; unit: string }
  | { kind: 'text'; lines: boolean; maxLength: number | undefined }
  | { kind: 'file'; as: 'base64' | 'data-url' }
  | { kind: 'flags'; names: string[] }
  | { kind: 'statuses' }
  | { kind: 'members'; fields: OptionField[] }
  /** One text for all of it, or its members. */
  | { kind: 'either'; fields: OptionField[] }
  | { kind: 'list'; fields: OptionField[]; maxItems: number | undefined }
  | { kind: 'pairs' };

export type OptionField = FieldFacts & Shape;

export function optionField(name: string, schema: OptionSchema, required = false): OptionField {
  const facts = {
    name,
    help: schema.description ?? '',
    fallback: describeDefault(schema),
    required,
    example: findExample(schema),
  };
  return { ...facts, ...toShape(schema) };
}

function toShape(schema: OptionSchema): Shape {
  if (schema['x-values']) return choice(schema['x-values'], schema.default);
  if (schema.anyOf) return unionShape(schema, schema.anyOf);
  if (schema.type === 'boolean') return booleanShape(schema);
  if (schema.type === 'array') return listShape(schema, schema.items ?? {});
  if (schema.type === 'object') return objectShape(schema);
  if (schema.type === 'integer' || schema.type === 'number') return numberShape(schema);
  return textShape(schema);
}

function unionShape(schema: OptionSchema, branches: OptionSchema[]): Shape {
  if (branches.every((branch) => branch.const !== undefined))
    return choice(
      branches.map((branch) => String(branch.const)),
      schema.default,
    );
  const list = branches.find(({ type }) => type === 'array');
  const objects = branches.flatMap((branch) => (branch.anyOf ?? [branch]).filter(({ type }) => type === 'object'));
  if (branches.every(({ type }) => type === 'object')) return { kind: 'members', fields: mergeFields(objects) };
  if (list && objects.length) return { kind: 'list', fields: mergeFields(objects), maxItems: list.maxItems };
  if (objects.length) return { kind: 'either', fields: mergeFields(objects) };
  if (branches.some(({ type }) => type === 'boolean')) return { kind: 'statuses' };
  const consts = branches.flatMap((branch) => branch.anyOf ?? branch).filter((branch) => branch.const !== undefined);
  if (consts.length)
    return choice(
      consts.map((branch) => String(branch.const)),
      schema.default,
    );
  return { kind: 'text', lines: false, maxLength: schema.maxLength };
}

/** Members that need an API key. */
const OF_KEYS: ReadonlySet<string> = new Set(['document_id']);

/** The members of all alternatives. The service decides which of them are valid together. */
function mergeFields(objects: OptionSchema[]): OptionField[] {
  const all = new Map<string, OptionField>();
  for (const { properties = {}, required = [] } of objects) {
    const always = objects.length === 1 ? required : [];
    for (const [name, schema] of Object.entries(properties))
      if (!OF_KEYS.has(name)) all.set(name, optionField(name, schema, always.includes(name)));
  }
  return [...all.values()];
}

function booleanShape(schema: OptionSchema): Shape {
  if (typeof schema.default === 'boolean') return { kind: 'switch', on: schema.default };
  const choices = [
    { text: 'true', value: true },
    { text: 'false', value: false },
  ];
  return { kind: 'choice', choices, usual: undefined };
}

function listShape({ maxItems }: OptionSchema, items: OptionSchema): Shape {
  if (items.anyOf?.every((branch) => branch.const !== undefined))
    return { kind: 'flags', names: items.anyOf.map((branch) => String(branch.const)) };
  return { kind: 'list', fields: mergeFields([items]), maxItems };
}

function objectShape(schema: OptionSchema): Shape {
  return schema.properties ? { kind: 'members', fields: mergeFields([schema]) } : { kind: 'pairs' };
}

function numberShape({ minimum, maximum, type, 'x-unit': unit = '' }: OptionSchema): Shape {
  return { kind: 'number', minimum, maximum, whole: type === 'integer', unit };
}

/** Documents, styles and scripts get a field of several lines. */
function textShape({ maxLength, contentEncoding, contentMediaType = '' }: OptionSchema): Shape {
  if (contentMediaType.startsWith('image/')) return { kind: 'file', as: 'data-url' };
  if (contentEncoding === 'base64' || contentMediaType === 'application/pdf') return { kind: 'file', as: 'base64' };
  return { kind: 'text', lines: contentMediaType.startsWith('text/'), maxLength };
}

function choice(names: string[], fallback: unknown): Shape {
  const usual = names.find((name) => name === fallback);
  return { kind: 'choice', choices: names.map((name) => ({ text: name, value: name })), usual };
}

function describeDefault({ default: value, 'x-default': words }: OptionSchema): string {
  if (words !== undefined) return words;
  if (value === undefined) return '';
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? String(value) : `\`${JSON.stringify(value)}\``;
}

function findExample({ examples: [first] = [] }: OptionSchema): string {
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
}

/** The properties of the control of an option. */
export interface ControlProps {
  field: OptionField;
  /** The path as errors of the service name it, such as `margin.top` or `cookies[0].name`. */
  path: string;
  value: unknown;
  onChange(value: unknown): void;
}
