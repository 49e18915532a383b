/** Validates a value against a schema: an unknown value in, the typed value or an error for each invalid field out. */
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator as Compiled } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type FieldError, invalidField, invalidRequest, UNKNOWN_FIELD } from './errors.ts';
import { nearest } from './nearest.ts';

/** A JSON object as the client sent it. */
export type Members = Record<string, unknown>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keyword `expected` of a schema says what is valid, for example `a length such as 10mm`. */
export type Validator<T> = (value: unknown) => T;

const MAX_ERRORS = 32;

/**
 * Maximum number of values in one request that the schema describes. Validation takes time for each, and 10,000 assets, the most
 * that a server can allow, have 30,000. Values that the schema does not describe, such as the data of a template, do not count.
 */
const MAX_VALUES = 50_000;

/** An object with more unknown members is refused as a whole, before they are compared with the known names. */
const MAX_UNKNOWN = 100;

/** The longest valid name is the path of an asset, of 500 characters. The time to describe an error grows with the names in its path. */
const MAX_NAME = 1_000;

Settings.Set({ maxErrors: MAX_ERRORS });

/** Added to the score of a branch whose required properties are all present, to outweigh all other matches. */
const WHOLE = 1_000;

/** Suggests what an unknown name is likely to mean. `parent` is the path of the object that has it. */
type Hint = (parent: string, name: string) => string | undefined;

/**
 * Returns a function that returns its argument, typed, or throws `invalid_request` naming every faulty field. Optional fields that
 * are null count as not sent: Go, Jackson and pydantic write them.
 */
export function validator<S extends TSchema>(schema: S, hint: Hint = () => undefined): Validator<Static<S>> {
  let compiled: Compiled | undefined; // not before it is needed, because the start would wait for all
  return (given) => {
    compiled ??= Compile(schema);
    const value = new NullRemover().remove(schema as TSchema as SchemaNode, given, '');
    if (compiled.Check(value)) return value as Static<S>;
    throw invalidRequest(describeErrors({ schema, value, hint }, compiled.Errors(value)[1]));
  };
}

/** Removes null members that are optional. Values that the schema does not describe are not changed. */
class NullRemover {
  #values = 0;

  /** Throws `invalid_request` if validation of the value would take too long. */
  remove(schema: SchemaNode, value: unknown, path: string): unknown {
    const { anyOf, items, properties, patternProperties } = schema;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value) && !anyOf) return items ? this.#removeFromItems(items, value, path) : value;
    if (!anyOf && !properties && !patternProperties) return value;
    const names = Array.isArray(value) ? [] : Object.keys(value);
    requireFewUnknown(schema, names.length, path);
    requireShortNames(names, path);
    if (anyOf) return anyOf.reduce((rest: unknown, branch) => this.remove(branch, rest, path), value);
    this.#count(names.length, path);
    const present = Object.entries(value).filter(([name, member]) => member !== null || !isOptional(schema, name));
    return Object.fromEntries(
      present.map(([name, member]) => [name, this.remove(memberSchema(schema, name), member, join(path, name))]),
    );
  }

  #removeFromItems(items: SchemaNode, list: unknown[], path: string): unknown[] {
    this.#count(list.length, path);
    return list.map((each, index) => this.remove(items, each, join(path, String(index))));
  }

  #count(values: number, path: string): void {
    this.#values += values;
    if (this.#values <= MAX_VALUES) return;
    throw invalidField(path, `brings the request to more than ${MAX_VALUES} values besides the data of a template: send fewer`);
  }
}

function requireFewUnknown(schema: SchemaNode, count: number, path: string): void {
  const known = count > MAX_UNKNOWN ? namesOfMembers(schema) : undefined;
  if (!known?.length || count <= known.length + MAX_UNKNOWN) return;
  throw invalidField(path, `has ${count} members; the only valid ones are ${[...new Set(known)].join(', ')}`);
}

function requireShortNames(names: string[], path: string): void {
  const long = names.find((name) => name.length > MAX_NAME);
  if (long === undefined) return;
  throw invalidField(path, `has a member whose name has ${long.length} characters; a name has at most ${MAX_NAME}`);
}

/** The names of all members that the schema allows. Undefined if it allows any name. */
function namesOfMembers({
  anyOf,
  type,
  properties = {},
  additionalProperties,
  patternProperties,
}: SchemaNode): string[] | undefined {
  if (anyOf) {
    const names = anyOf.map(namesOfMembers);
    return names.every((each) => each !== undefined) ? names.flat() : undefined;
  }
  if (type !== undefined && type !== 'object') return [];
  return additionalProperties === false && !patternProperties ? Object.keys(properties) : undefined;
}

/** Whether null may be removed: the property is known, not required, and its type does not include null. */
function isOptional({ properties = {}, required = [] }: SchemaNode, name: string): boolean {
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!member || required.includes(name)) return false;
  return ![member, ...(member.anyOf ?? [])].some(({ type }) => type === 'null');
}

/** The schema of a member, empty if it is unknown. */
function memberSchema({ properties = {}, patternProperties = {} }: SchemaNode, name: string): SchemaNode {
  const known = Object.hasOwn(properties, name) ? properties[name] : Object.values(patternProperties)[0];
  return known ?? {};
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
  properties?: Record<string, SchemaNode>;
  patternProperties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  [name: string]: unknown;
}

interface Checked {
  schema: TSchema;
  value: unknown;
  hint: Hint;
}

function describeErrors(checked: Checked, schemaErrors: SchemaError[]): FieldError[] {
  // Each unknown field has an error of its own. This one lists them again.
  const single = schemaErrors.filter(({ keyword }) => keyword !== 'additionalProperties');
  const relevant = single.filter((error) => concerns(checked.schema as SchemaNode, error, checked.value));
  const errors = (relevant.length ? relevant : single).flatMap((error) => describeError(checked, error));
  return [...new Map(errors.map((error) => [`${error.path} ${error.message}`, error])).values()];
}

function describeError(checked: Checked, schemaError: SchemaError): FieldError[] {
  const { keyword, schemaPath, instancePath, params, message } = schemaError;
  const { schema, value } = checked;
  const steps = parsePointer(instancePath);
  const path = toPath(steps);
  if (keyword === 'boolean') return [describeUnknown(checked, schemaPath, steps)];
  if (keyword === 'required') {
    const { requiredProperties } = params as { requiredProperties: string[] };
    return requiredProperties.map((name) => ({ path: join(path, name), message: 'is required' }));
  }
  const expected = expectation(schema, schemaPath);
  const given = path === '' ? undefined : findMember(value, steps);
  return [{ path, message: `${expected ? `must be ${expected}` : message}${explainMistake(schemaError, given)}` }];
}

/** Describes an unknown field. `schemaPath` is that of `additionalProperties` in the schema of the object around it. */
function describeUnknown({ schema, hint }: Checked, schemaPath: string, steps: string[]): FieldError {
  const [parent, name] = [toPath(steps.slice(0, -1)), steps.at(-1) ?? ''];
  const objectPath = schemaPath.replace(/\/[^/]*$/, '');
  const { properties = {}, required = [] } = findSchema(schema, objectPath) ?? {};
  const path = join(parent, shorten(name));
  const [own] = required;
  if (own && branchesAround(schema, objectPath).some((branch) => hasProperty(branch, name)))
    return { path, message: `cannot be combined with ${join(parent, own)}` };
  const hinted = hint(parent, name);
  const isOther = hinted !== undefined && hinted !== path; // a field of other endpoints has its own name
  const meant = isOther ? `; did you mean ${hinted}?` : suggestion(name, Object.keys(properties), parent);
  return { path, message: UNKNOWN_FIELD + meant };
}

/** Whether an error belongs to the branch that the value matches best, in every union on its path. */
function concerns(schema: SchemaNode, { keyword, schemaPath, instancePath }: SchemaError, whole: unknown): boolean {
  const places = parsePointer(instancePath);
  let at: { node: SchemaNode | undefined; value: unknown } = { node: schema, value: whole };
  for (const [step, name] of toPairs(parsePointer(schemaPath))) {
    if (step !== 'anyOf') at.value = findMember(at.value, places.splice(0, 1));
    else if ((chooseBranch(at.node, at.value) ?? Number(name)) !== Number(name)) return false;
    const node = findMember(at.node, name === undefined ? [step] : [step, name]) as SchemaNode | undefined;
    at = { node, value: at.value };
  }
  return keyword !== 'anyOf' || chooseBranch(at.node, at.value) === undefined;
}

/** The steps from a schema to the schemas in it: `properties/html`, `anyOf/1`, `items`. */
function* toPairs(steps: string[]): Generator<[step: string, name: string | undefined]> {
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as string;
    if (step === 'items') yield [step, undefined];
    else if (['properties', 'patternProperties', 'anyOf'].includes(step)) yield [step, steps[++at]];
  }
}

/** All branches of the union that has a branch at this path. Empty if there is none. */
function branchesAround(schema: TSchema, schemaPath: string): SchemaNode[] {
  const [, union] = /^(.*)\/anyOf\/\d+$/.exec(schemaPath) ?? [];
  return union === undefined ? [] : (findSchema(schema, union)?.anyOf ?? []);
}

function hasProperty({ properties = {} }: SchemaNode, name: string): boolean {
  return Object.hasOwn(properties, name);
}

/** The index of the branch that an object or array matches best. Undefined for other values, for which any branch may be meant. */
function chooseBranch(union: SchemaNode | undefined, value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const likeness = (union?.anyOf ?? []).map((branch) =>
    measureLikeness(branch, Array.isArray(value) ? 'array' : 'object', names),
  );
  const most = Math.max(...likeness);
  return most > 0 ? likeness.indexOf(most) : undefined;
}

function measureLikeness(branch: SchemaNode, type: string, names: string[]): number {
  if (branch.anyOf) return Math.max(...branch.anyOf.map((each) => measureLikeness(each, type, names)));
  if (branch.type !== type) return 0;
  const { required = [] } = branch;
  const isWhole = required.length > 0 && required.every((name) => names.includes(name));
  return 1 + names.filter((name) => hasProperty(branch, name)).length + (isWhole ? WHOLE : 0);
}

function findMember(value: unknown, steps: string[]): unknown {
  return steps.reduce((inner: unknown, step) => (inner as Record<string, unknown> | null | undefined)?.[step], value);
}

/** Suggests the path of the most similar valid name, or lists all valid names. */
export function suggestion(name: string, known: string[], path = ''): string {
  if (!known.length) return '';
  const near = nearest(name, known);
  const all = known.length === 1 ? known : `one of ${known.join(', ')}`;
  return near === undefined ? `; use ${all}` : `; did you mean ${join(path, near)}?`;
}

/** What is valid in the place of an error: in a union, any of its branches. */
function expectation(schema: TSchema, schemaPath: string): string | undefined {
  const steps = parsePointer(schemaPath);
  while (steps.at(-2) === 'anyOf') steps.splice(-2);
  return describe(findMember(schema, steps) as SchemaNode | undefined);
}

const SCALARS: Record<string, RegExp> = { boolean: /^(?:true|false)$/i, number: /^-?\d+(?:\.\d+)?$/, integer: /^-?\d+$/ };

/** Says what was sent if it looks valid to the caller: null, or a number or boolean in quotes. */
function explainMistake({ keyword, params }: SchemaError, given: unknown): string {
  if (given === null) return ', not null';
  const scalar = keyword === 'type' && typeof given === 'string' ? SCALARS[(params as { type: string }).type] : undefined;
  return scalar?.test(given as string) ? ', not a string: leave out the quotes' : '';
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  boolean: 'true or false',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
};

/** Describes a schema: by its keyword `expected`, else by its type and limits. */
function describe(node: SchemaNode = {}): string | undefined {
  const { expected, anyOf, type = '', items, properties = {} } = node;
  if (expected) return expected;
  if (anyOf) return [...new Set(anyOf.map(describe))].join(', or ');
  if (node.const !== undefined) return String(node.const);
  const name = TYPE_NAMES[type];
  const names = Object.keys(properties);
  if (names.length) return `${name} {${names.join(', ')}}`;
  const length = describeRange(node.minLength ?? node.minItems, node.maxLength ?? node.maxItems);
  if (items) return `${[name, 'of', length, 'items,'].filter(Boolean).join(' ')} each ${describe(items)}`;
  if (length) return `${name} of ${length} characters`;
  const { minimum, exclusiveMinimum, maximum } = node;
  if (exclusiveMinimum !== undefined) return `${name} above ${exclusiveMinimum}, at most ${maximum}`;
  const range = describeRange(minimum, maximum);
  if (!range) return name;
  return maximum === undefined ? `${name}, ${range}` : `${name} from ${range}`;
}

function describeRange(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined ? '' : `${least} or more`;
  return least === undefined ? `at most ${most}` : `${least} to ${most}`;
}

function findSchema(schema: TSchema, schemaPath: string): SchemaNode | undefined {
  return findMember(schema, parsePointer(schemaPath)) as SchemaNode | undefined;
}

function parsePointer(pointer: string): string[] {
  return pointer.replace(/^#/, '').split('/').slice(1).map(unescapePointer);
}

function toPath(steps: string[]): string {
  return steps.reduce(join, '');
}

function join(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path ? `${path}.${name}` : name;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

/** Errors about text that cannot be printed: unpaired surrogates cannot be encoded as UTF-8, and HTML does not allow NUL. */
export function textErrors(path: string, text: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!text.isWellFormed())
    errors.push({ path, message: `contains half of a surrogate pair at position ${text.search(/\p{Surrogate}/u)}` });
  const nul = text.indexOf('\0');
  if (nul >= 0) errors.push({ path, message: `contains a NUL character at position ${nul}` });
  return errors;
}
