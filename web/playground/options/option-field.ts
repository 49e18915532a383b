/** A member of the schema of `options` in, what the form shows for it out. */

/** JSON Schema, as far as the options use it. */
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
  description?: string;
  expected?: string;
  examples?: unknown[];
}

export interface FieldFacts {
  name: string;
  /** Without the sentence on the default. */
  help: string;
  /** The words after "Default: ". */
  fallback: string;
  required: boolean;
  example: string;
}

type Shape =
  | { kind: 'switch'; on: boolean }
  /** `fallback` is the value that need not be sent, where it is one of the choices. */
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

/** Texts that may be longer are written in a field of several lines. */
const ONE_LINE = 8_192;

export function optionField(name: string, schema: OptionSchema, formats: string[] = [], required = false): OptionField {
  const { help, fallback } = splitDefault(schema.description ?? '');
  const facts = { name, help, fallback, required, example: exampleOf(schema) };
  return { ...facts, ...shapeOf(name, schema, fallback, formats) };
}

function shapeOf(name: string, schema: OptionSchema, fallback: string, formats: string[]): Shape {
  if (name === 'format') return choice(formats, fallback);
  if (schema.anyOf) return ofUnion(schema, schema.anyOf, fallback);
  if (schema.type === 'boolean') return ofBoolean(fallback);
  if (schema.type === 'array') return ofList(schema, schema.items ?? {});
  if (schema.type === 'object') return ofObject(schema);
  if (schema.type === 'integer' || schema.type === 'number') return ofNumber(schema);
  return ofText(schema);
}

function ofUnion(schema: OptionSchema, branches: OptionSchema[], fallback: string): Shape {
  if (branches.every((branch) => branch.const !== undefined))
    return choice(
      branches.map((branch) => String(branch.const)),
      fallback,
    );
  const list = branches.find(({ type }) => type === 'array');
  const objects = branches.flatMap((branch) => (branch.anyOf ?? [branch]).filter(({ type }) => type === 'object'));
  if (list && objects.length) return { kind: 'list', fields: merged(objects), maxItems: list.maxItems };
  if (objects.length) return { kind: 'either', fields: merged(objects) };
  if (branches.some(({ type }) => type === 'boolean')) return { kind: 'statuses' };
  return { kind: 'text', lines: false, maxLength: schema.maxLength };
}

/** Members of objects of which one is sent; what is valid together is for the service to say. */
function merged(objects: OptionSchema[]): OptionField[] {
  const all = new Map<string, OptionField>();
  for (const { properties = {}, required = [] } of objects) {
    const always = objects.length === 1 ? required : [];
    for (const [name, schema] of Object.entries(properties)) all.set(name, optionField(name, schema, [], always.includes(name)));
  }
  return [...all.values()];
}

function ofBoolean(fallback: string): Shape {
  if (fallback === 'true' || fallback === 'false' || !fallback) return { kind: 'switch', on: fallback === 'true' };
  const choices = [
    { text: 'true', value: true },
    { text: 'false', value: false },
  ];
  return { kind: 'choice', choices, usual: undefined };
}

function ofList({ maxItems }: OptionSchema, items: OptionSchema): Shape {
  if (items.anyOf?.every((branch) => branch.const !== undefined))
    return { kind: 'flags', names: items.anyOf.map((branch) => String(branch.const)) };
  return { kind: 'list', fields: merged([items]), maxItems };
}

function ofObject(schema: OptionSchema): Shape {
  return schema.properties ? { kind: 'members', fields: merged([schema]) } : { kind: 'pairs' };
}

function ofNumber({ minimum, maximum, type, expected = '', description = '' }: OptionSchema): Shape {
  const words = `${expected} ${description}`;
  const unit = /milliseconds/.test(words) ? 'ms' : /degrees/i.test(words) ? '°' : '';
  return { kind: 'number', minimum, maximum, whole: type === 'integer', unit };
}

function ofText({ maxLength, contentEncoding, expected = '' }: OptionSchema): Shape {
  if (contentEncoding === 'base64') return { kind: 'file', as: 'base64' };
  if (expected.startsWith('an image')) return { kind: 'file', as: 'data-url' };
  return { kind: 'text', lines: (maxLength ?? 0) > ONE_LINE, maxLength };
}

function choice(names: string[], fallback: string): Shape {
  const usual = names.includes(fallback) ? fallback : undefined;
  return { kind: 'choice', choices: names.map((name) => ({ text: name, value: name })), usual };
}

function splitDefault(description: string): { help: string; fallback: string } {
  const at = description.search(/Default[:,]/);
  if (at < 0) return { help: description, fallback: '' };
  const [, fallback = '', rest = ''] =
    /^Default(?::|, and nothing else:|, or) (.*?)\.(?=\s|$)(.*)$/s.exec(description.slice(at)) ?? [];
  return { help: `${description.slice(0, at)}${rest}`.trim(), fallback: fallback.replace(/^`(.*)`$/, '$1') };
}

function exampleOf({ examples: [first] = [] }: OptionSchema): string {
  return typeof first === 'string' || typeof first === 'number' ? String(first) : '';
}

/** What the control of an option is given. */
export interface ControlProps {
  field: OptionField;
  /** As the service names it in errors: `margin.top`, `cookies[0].name`. */
  path: string;
  value: unknown;
  onChange(value: unknown): void;
}
