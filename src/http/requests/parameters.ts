/**
 * Turns query parameters and form fields into the members of a JSON body. The schema of a member decides the type to which its
 * text is converted.
 */
import { fieldErrors, hasCode, invalidRequest } from '../../errors.ts';
import { equivalentOption } from '../../render/request/schemas/equivalent-options.ts';
import { ImageOptions } from '../../render/request/schemas/image-schema.ts';
import { PdfOptions, PdfRequestBody } from '../../render/request/schemas/options-schema.ts';
import { suggestion } from '../../validate.ts';
import { parseJson } from './json-body.ts';
import { METADATA_MEMBER, readParameters } from './listing.ts';

interface SchemaNode {
  type?: string;
  anyOf?: SchemaNode[];
  items?: SchemaNode;
}

export type Schemas = Readonly<Record<string, SchemaNode>>;
type Members = Record<string, unknown>;

const PDF_OPTIONS = PdfOptions.properties as Schemas;
const IMAGE_OPTIONS = ImageOptions.properties as Schemas;
const OPTIONS: Schemas = { ...PDF_OPTIONS, ...IMAGE_OPTIONS };
const { html, markdown, store, filename, stylesheet, dry_run } = PdfRequestBody.properties;
const BODY_PARAMETERS: Schemas = {
  ...{ store, filename, stylesheet, dry_run, webhook_url: { type: 'string' } },
  deliver_to: { anyOf: [{ type: 'object' }, { type: 'string' }] },
};
/** The query parameters of a request whose body is the document. */
export const PDF_PARAMETERS: Schemas = { ...BODY_PARAMETERS, ...PDF_OPTIONS };
/** Includes PDF options, so that they are rejected in the same way as in a JSON body. */
export const IMAGE_PARAMETERS: Schemas = { ...BODY_PARAMETERS, ...OPTIONS };
export const DOCUMENT_FIELDS: Schemas = { html, markdown, stylesheet };

/** The fields of a form. Options are fields of their own, or members of the field `request`. */
export function formFields(parameters: Schemas): Schemas {
  return { html, markdown, ...parameters };
}

/** Leaves out `deliver_to`: a presigned URL must not be part of another URL, which may be logged. */
const { deliver_to: _, ...documentedParameters } = BODY_PARAMETERS;
export const PDF_PARAMETERS_SCHEMA = toSchema({ ...documentedParameters, ...PDF_OPTIONS });
export const IMAGE_PARAMETERS_SCHEMA = toSchema({ ...documentedParameters, ...IMAGE_OPTIONS });

/**
 * Describes the parameters in the OpenAPI document. The members of the JSON body document their meaning. Parameters that only
 * accept JSON are left out, because callers who need them can send a JSON body.
 */
function toSchema(parameters: Schemas) {
  const plain = Object.entries(parameters).filter(([, schema]) => !takesJson(schema));
  return { type: 'object', properties: Object.fromEntries(plain.map(([name, schema]) => [name, { type: plainType(schema) }])) };
}

/** Limits the values of all fields together, as in a JSON body. */
const MAX_VALUES = 500_000;
/** One more than the maximum of any list, so that a list that is too long is still noticed. */
const MAX_LIST = 1_001;
interface Budget {
  values: number;
}

const TEXT: SchemaNode = { type: 'string' };
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const OPTION_PREFIX = /^options\./;

/** Throws `invalid_request`, which names every parameter that is not in `known` or was sent more than once. */
export function toMembers(parameters: Iterable<readonly [name: string, given: unknown]>, known: Schemas): Members {
  const budget = { values: MAX_VALUES };
  const hasMetadata = Object.hasOwn(known, 'filename');
  const findReader = (name: string) => {
    const schema = Object.hasOwn(known, name) ? known[name] : hasMetadata && METADATA_MEMBER.test(name) ? TEXT : undefined;
    return schema && ((text: string) => readValue(schema, text, budget));
  };
  return groupMembers(Object.entries(readParameters(parameters, findReader, (name) => didYouMean(name, known))));
}

function groupMembers(values: Array<[name: string, value: unknown]>): Members {
  const isMetadata = ([name]: [string, unknown]) => METADATA_MEMBER.test(name);
  const isOption = ([name]: [string, unknown]) => Object.hasOwn(OPTIONS, name);
  const options = values.filter(isOption);
  const metadata = values.filter(isMetadata).map(([name, value]) => [METADATA_MEMBER.exec(name)?.[1], value]);
  return {
    ...Object.fromEntries(values.filter((entry) => !isOption(entry) && !isMetadata(entry))),
    ...(metadata.length && { metadata: Object.fromEntries(metadata) }),
    ...(options.length && { options: Object.fromEntries(options) }),
  };
}

function didYouMean(name: string, known: Schemas): string {
  const hint = Object.hasOwn(known, 'format') ? equivalentOption('options', name) : undefined;
  return hint?.startsWith('options.')
    ? `; did you mean ${hint.replaceAll('options.', '')}?`
    : suggestion(name, Object.keys(known));
}

/** Runs `parse` and renames the fields in its errors to the parameters that were sent: `margin` instead of `options.margin`. */
export function withParameterNames<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!hasCode(error, 'invalid_request')) throw error;
    throw invalidRequest(
      fieldErrors(error).map((each) => ({
        ...each,
        path: each.path.replace(OPTION_PREFIX, ''),
        message: each.message.replace(/; (did you mean|use) options\./, '; $1 '),
      })),
    );
  }
}

/** Text that matches no type of the schema is kept as text, so that the validation of the body reports the valid values. */
function readValue(schema: SchemaNode, text: string, budget: Budget): unknown {
  for (const { type, items } of listBranches(schema)) {
    const value = readAs(type, items, text, budget);
    if (value !== undefined) return value;
  }
  return text;
}

function listBranches({ anyOf, ...schema }: SchemaNode): SchemaNode[] {
  return anyOf?.flatMap(listBranches) ?? [schema];
}

function readAs(type: string | undefined, items: SchemaNode | undefined, text: string, budget: Budget): unknown {
  if (type === 'boolean') return { true: true, false: false }[text];
  if (type === 'number' || type === 'integer') return NUMBER.test(text) ? Number(text) : undefined;
  if (type === 'object') return /^\s*\{/.test(text) ? readJson(text, budget) : undefined;
  if (type !== 'array' || !items) return undefined;
  if (/^\s*\[/.test(text)) return readJson(text, budget);
  return isOfObjects(items) ? undefined : text.split(',', MAX_LIST).map((part) => readValue(items, part.trim(), budget));
}

function takesJson(schema: SchemaNode): boolean {
  return listBranches(schema).every(({ type, items }) => type === 'object' || (type === 'array' && items && isOfObjects(items)));
}

/** The type in the OpenAPI document: lists are separated by commas. */
function plainType({ type }: SchemaNode): string {
  return type && ['boolean', 'number', 'integer'].includes(type) ? type : 'string';
}

function isOfObjects(items: SchemaNode): boolean {
  return listBranches(items).every(({ type }) => type === 'object');
}

/** Returns undefined if the text is not JSON: a password or a selector may begin with a brace. */
function readJson(text: string, budget: Budget): unknown {
  try {
    return parseJson(Buffer.from(text), (values) => {
      budget.values -= values;
      if (budget.values < 0) throw new RangeError('more values than a body may hold');
    });
  } catch {
    return undefined;
  }
}
