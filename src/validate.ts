/** Validates a value against a schema: an unknown value in, the typed value or an error for each invalid field out. */
import { closest, distance } from 'fastest-levenshtein';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { type FieldError, invalidRequest } from './errors.ts';

/** The keyword `expected` of a schema says what is valid, for example `a length such as 10mm`. */
export type Validator<T> = (value: unknown) => T;

/** Maximum number of errors reported for one request. */
const MAX_FAULTS = 32;

Settings.Set({ maxErrors: MAX_FAULTS });

/** A similar name is suggested if at most this share of its letters differs. */
const NEAR = 0.5;

/** Returns a function that returns its argument, typed, or throws `invalid_request` with every invalid field. */
export function validator<S extends TSchema>(schema: S): Validator<Static<S>> {
  const compiled = Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return value as Static<S>;
    throw invalidRequest(describeErrors(schema, compiled.Errors(value)));
  };
}

interface SchemaError {
  keyword: string;
  schemaPath: string;
  instancePath: string;
  params: object;
  message: string;
}

interface SchemaNode {
  expected?: string;
  type?: string;
  properties?: Record<string, unknown>;
  [name: string]: unknown;
}

function describeErrors(schema: TSchema, schemaErrors: SchemaError[]): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const schemaError of schemaErrors) {
    for (const error of describeSchemaError(schema, schemaError)) errors.set(`${error.path} ${error.message}`, error);
  }
  return [...errors.values()];
}

function describeSchemaError(schema: TSchema, schemaError: SchemaError): FieldError[] {
  const path = toPath(schemaError.instancePath);
  const node = schemaAt(schema, schemaError.schemaPath);
  // TypeBox also reports each unknown field by itself, unless there are too many. `additionalProperties` names all of them.
  if (schemaError.keyword === 'boolean') return unknownField(schema, schemaError);
  if (schemaError.keyword === 'additionalProperties')
    return unknownFields(path, node, namesIn(schemaError.params, 'additionalProperties'));
  if (schemaError.keyword === 'required')
    return namesIn(schemaError.params, 'requiredProperties').map((name) => ({ path: join(path, name), message: 'is required' }));
  const expected = expectation(schema, schemaError.schemaPath);
  return [{ path, message: expected ? `must be ${expected}` : schemaError.message }];
}

function unknownField(schema: TSchema, { instancePath, schemaPath }: SchemaError): FieldError[] {
  const steps = stepsOf(instancePath);
  const parent = toPath(`/${steps.slice(0, -1).join('/')}`.replace(/^\/$/, ''));
  return unknownFields(parent, walk(schema, stepsOf(schemaPath).slice(0, -1)), steps.slice(-1));
}

function unknownFields(path: string, node: SchemaNode | undefined, names: string[]): FieldError[] {
  const known = Object.keys(node?.properties ?? {});
  return names.map((name) => ({ path: join(path, shorten(name)), message: `there is no such field${suggestion(name, known)}` }));
}

/** Suggests the most similar valid name, or lists all valid names. */
export function suggestion(name: string, known: string[]): string {
  if (!known.length) return '';
  const exact = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const nearest = exact ?? closest(name.slice(0, 64), known);
  if (exact || distance(name.slice(0, 64), nearest) <= NEAR * nearest.length) return `; did you mean ${nearest}?`;
  return `; use one of ${known.join(', ')}`;
}

/** The closest `expected` keyword on the path from the error up to the root. */
function expectation(schema: TSchema, schemaPath: string): string | undefined {
  const steps = stepsOf(schemaPath);
  for (let length = steps.length; length >= 0; length--) {
    const node = walk(schema, steps.slice(0, length));
    if (node?.expected) return node.expected;
    if (node?.properties && length < steps.length) return undefined; // that would be the parent's
  }
  return undefined;
}

function schemaAt(schema: TSchema, schemaPath: string): SchemaNode | undefined {
  return walk(schema, stepsOf(schemaPath));
}

function walk(schema: TSchema, steps: string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema as SchemaNode;
  for (const step of steps) node = node?.[step] as SchemaNode | undefined;
  return node;
}

function stepsOf(pointer: string): string[] {
  return pointer.replace(/^#/, '').split('/').slice(1).map(unescapePointer);
}

function toPath(pointer: string): string {
  return pointer.split('/').slice(1).map(unescapePointer).reduce(join, '');
}

function join(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path ? `${path}.${name}` : name;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function namesIn(params: object, member: string): string[] {
  return (params as Record<string, string[]>)[member] ?? [];
}

function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

/** The errors of a text that cannot be printed: unpaired surrogates have no UTF-8, and HTML does not allow NUL. */
export function textErrors(path: string, text: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!text.isWellFormed())
    errors.push({ path, message: `holds half of a surrogate pair at position ${text.search(/\p{Surrogate}/u)}` });
  const nul = text.indexOf('\0');
  if (nul >= 0) errors.push({ path, message: `holds a NUL character at position ${nul}` });
  return errors;
}
