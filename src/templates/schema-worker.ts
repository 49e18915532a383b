/**
 * The child process that checks data by a JSON Schema (2020-12): a schema and data as JSON in, faults with their places out. Ajv makes
 * code from schemas, so nothing else runs here, and `pattern` runs in linear time.
 */
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import Format from 'typebox/format';
import { inTime, serveTasks } from '../queue/serve-tasks.ts';
import type { Fault, SchemaAnswer, SchemaTask } from './schema-messages.ts';

/** The time for a schema, for data, and for all samples together, also on a busy machine. What needs more fails, and the process stays. */
const TASK_MS = 4_000;
/** What a sample has after others that took all of it. */
const LEAST_MS = 150;
const MAX_FAULTS = 100;
/** Longer data gets its first fault only: the list of all of them can be larger than the data. */
const MAX_LISTED_CHARACTERS = 1_000_000;
const MAX_VALUES_CHARACTERS = 200;
const CACHED = 50;
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

interface Compiled {
  schema: string;
  /** Stops at the first fault. */
  first: ValidateFunction;
  all: ValidateFunction;
}

function compileFor({ schema, samples }: Extract<SchemaTask, { kind: 'compile' }>): SchemaAnswer {
  const compiled = inTime(() => tryCompile(schema), TASK_MS);
  if (Array.isArray(compiled)) return { faults: compiled };
  const end = performance.now() + TASK_MS;
  const checked = samples.map(([name, json]) => ({ name, faults: checkSample(compiled, json, end) }));
  return { faults: [], samples: checked.filter(({ faults }) => faults.length) };
}

/** Returns what is wrong with the schema if it cannot be compiled, or used for the simplest data. */
function tryCompile(schema: string): Compiled | Fault[] {
  const faults = [...findFaults(JSON.parse(schema))];
  if (faults.length) return faults.slice(0, MAX_FAULTS);
  try {
    const compiled = compile(schema);
    compiled.first({});
    return compiled;
  } catch (error) {
    return [{ pointer: '', message: explainSchema(error as Error) }];
  }
}

function checkSample(compiled: Compiled, json: string, end: number): Fault[] {
  try {
    return inTime(() => findErrors(compiled, json), Math.max(LEAST_MS, Math.ceil(end - performance.now())));
  } catch (error) {
    return [{ pointer: '', message: `cannot be checked: ${explain(error as NodeJS.ErrnoException)}` }];
  }
}

const cache = new Map<string, Compiled>();

function check({ key, schema, data }: Extract<SchemaTask, { kind: 'check' }>): SchemaAnswer {
  const known = cache.get(key);
  const compiled = known?.schema === schema ? known : compile(schema);
  cache.delete(key);
  cache.set(key, compiled); // the most recently used are at the end
  for (const [oldest] of cache) {
    if (cache.size <= CACHED) break;
    cache.delete(oldest);
  }
  return { faults: findErrors(compiled, data) };
}

function findErrors({ first, all }: Compiled, json: string): Fault[] {
  const data: unknown = JSON.parse(json);
  if (first(data)) return [];
  const isLong = json.length > MAX_LISTED_CHARACTERS;
  if (!isLong) all(data);
  const errors = ((isLong ? first : all).errors ?? []).slice(0, MAX_FAULTS);
  first.errors = null;
  all.errors = null;
  return errors.map(toFault);
}

function compile(schema: string): Compiled {
  // `$id` is only a name here: references are within the schema.
  const parsed = JSON.parse(schema) as AnySchemaObject;
  return { schema, first: createAjv(false).compile(parsed), all: createAjv(true).compile(parsed) };
}

/** Schemas that were checked before need no meta-schema. */
function createAjv(allErrors: boolean, { meta } = { meta: false }): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    meta,
    validateSchema: meta,
    inlineRefs: false, // the code of a schema stays as long as the schema
    ownProperties: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    logger: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  });
  ajv.addVocabulary(['$anchor']); // Ajv follows it, but its strict mode does not know it
  for (const [name, test] of Format.Entries()) ajv.addFormat(name, test);
  return ajv;
}

/** A regular expression of JSON Schema in the engine of RE2, which has no lookaround and no backreferences. */
function compilePattern(pattern: string) {
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text: string) => expression.matcher(text).find(), toString: () => pattern };
}

/** The meta-schema is compiled once, before the time of a task begins. */
const META = createAjv(true, { meta: true });
META.validateSchema({});

/** What the meta-schema does not find: other dialects and keywords, references to elsewhere, patterns that RE2 lacks. */
function* findFaults(schema: AnySchemaObject): Generator<Fault> {
  if (schema.$schema !== undefined && schema.$schema !== DIALECT)
    return yield { pointer: '/$schema', message: `must be ${DIALECT}, or left out` };
  if (!META.validateSchema(schema)) yield* (META.errors ?? []).slice(0, MAX_FAULTS).map(toFault);
  else yield* findInSchema(schema, '', META);
}

/** Finds faults in the value of a keyword. */
type Finder = (value: unknown, pointer: string, ajv: Ajv2020) => Iterable<Fault>;

/** Keywords whose value is no schema. */
const FINDERS = new Map<string, Finder>([
  ...toEntries('allOf anyOf oneOf prefixItems properties $defs definitions dependentSchemas', findInMembers),
  ...toEntries('const enum default examples required type dependentRequired $vocabulary', () => []),
  ...toEntries('$ref $dynamicRef', referenceFaults),
  ...toEntries('pattern', patternFaults),
  ...toEntries('patternProperties', findInPatterns),
  ...toEntries('format', formatFaults),
]);

function* findInSchema(schema: unknown, at: string, ajv: Ajv2020): Generator<Fault> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const pointer = `${at}/${escapeStep(keyword)}`;
    if (Object.hasOwn(ajv.RULES.keywords, keyword)) yield* (FINDERS.get(keyword) ?? findInSchema)(value, pointer, ajv);
    else yield { pointer, message: 'is not a keyword of JSON Schema 2020-12' };
  }
}

function* findInMembers(schemas: unknown, at: string, ajv: Ajv2020): Generator<Fault> {
  for (const [name, each] of Object.entries(schemas as object)) yield* findInSchema(each, `${at}/${escapeStep(name)}`, ajv);
}

function* findInPatterns(schemas: unknown, at: string, ajv: Ajv2020): Generator<Fault> {
  for (const pattern of Object.keys(schemas as object)) yield* patternFaults(pattern, `${at}/${escapeStep(pattern)}`);
  yield* findInMembers(schemas, at, ajv);
}

function* referenceFaults(value: unknown, pointer: string): Generator<Fault> {
  if (!String(value).startsWith('#')) yield { pointer, message: 'must begin with #: a schema refers only to itself' };
}

function* formatFaults(value: unknown, pointer: string): Generator<Fault> {
  if (!Format.Has(String(value))) yield { pointer, message: `must be one of ${FORMATS}` };
}

const FORMATS = Format.Entries()
  .map(([name]) => name)
  .sort()
  .join(', ');

function* patternFaults(value: unknown, pointer: string): Generator<Fault> {
  try {
    compilePattern(String(value));
  } catch (error) {
    const { message } = error as Error;
    yield { pointer, message: `is not an expression of RE2, which has no lookaround and no backreferences: ${shorten(message)}` };
  }
}

function toEntries(keywords: string, find: Finder): Array<[string, Finder]> {
  return keywords.split(' ').map((keyword) => [keyword, find]);
}

/** The place of a missing or unexpected member is that of the member. */
function toFault({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): Fault {
  const { missingProperty, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const inner = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const pointer = inner === undefined ? instancePath : `${instancePath}/${escapeStep(String(inner))}`;
  if (keyword === 'required') return { pointer, message: 'is required' };
  if (inner !== undefined && missingProperty === undefined) return { pointer, message: 'is not allowed here' };
  const values = keyword === 'enum' ? allowedValues.map(toJson).join(', ') : keyword === 'const' ? toJson(allowedValue) : '';
  if (!values || values.length > MAX_VALUES_CHARACTERS) return { pointer, message: shorten(message) };
  return { pointer, message: keyword === 'enum' ? `must be one of ${values}` : `must be ${values}` };
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}

function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shorten(text: string): string {
  return text.length > MAX_VALUES_CHARACTERS ? `${text.slice(0, MAX_VALUES_CHARACTERS)}…` : text;
}

const TIMEOUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === TIMEOUT) return `the check takes longer than ${TASK_MS} ms`;
  if (message.startsWith('Maximum call stack')) return 'the schema refers to itself without end';
  return 'the data cannot be checked by the schema';
}

function explainSchema({ message }: Error): string {
  return message.startsWith('Maximum call stack') ? 'refers to itself without end' : shorten(message);
}

serveTasks(
  (task: SchemaTask): SchemaAnswer => (task.kind === 'compile' ? compileFor(task) : inTime(() => check(task), TASK_MS)),
  (error): SchemaAnswer => ({ failure: explain(error as NodeJS.ErrnoException) }),
);
