/**
 * Parses the body of `POST /v1/batches` into items and their defaults, and each item, merged with the defaults, into a render
 * request.
 */
import { Type } from 'typebox';
import { type FieldError, fieldErrors, hasCode, invalidRequest } from '../errors.ts';
import { type AssemblyRequest, makesOnePdf, parseAssemblyRequest } from '../render/assembly/assembly-request.ts';
import { type DefaultOptions, withDefaultOptions } from '../render/request/default-options.ts';
import { type ImageRequest, parseImageRequest } from '../render/request/image-request.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../render/request/render-request.ts';
import { MetadataSchema, parseMetadata } from '../render/request/values/metadata.ts';
import { ValidationErrors } from '../render/request/values/validation-errors.ts';
import { isMembers, type Members, textErrors, validator } from '../validate.ts';
import { parseUploadTarget, type UploadTarget } from '../webhooks/upload-target.ts';
import { parseWebhookUrl, WEBHOOK_URL_EXPECTED } from '../webhooks/webhook-url.ts';

/** The request parser for each kind of output. */
export const PARSERS = { pdf: parseRenderRequest, image: parseImageRequest, assembly: parseAssemblyRequest };
export type RenderKind = keyof typeof PARSERS;

/** The parser for a kind of output, with the default options of the account. */
export function parserFor(kind: RenderKind, options: DefaultOptions | undefined): (...given: ParserArguments) => AnyRequest {
  return (body, ...rest) => PARSERS[kind](withDefaultOptions(body, options, kind), ...rest);
}
type ParserArguments = Parameters<typeof parseImageRequest>;
type AnyRequest = RenderRequest | ImageRequest | AssemblyRequest;

export interface BatchRequest {
  /** Default: `pdf`. */
  kind?: RenderKind;
  items: unknown[];
  defaults: Members;
  /** Receives an event when the batch has ended. */
  webhookUrl: string | undefined;
  /** The metadata of the batch, not of its documents. */
  metadata: Readonly<Record<string, string>>;
}

/** The render request of an item, merged with the defaults of its batch. */
export type ItemRequest<R = RenderRequest> = R & {
  /** Where the document is uploaded to. */
  deliverTo: UploadTarget | undefined;
};
export type AnyItemRequest = ItemRequest<AnyRequest>;

export const MAX_ITEMS = 500;
export const MAX_REFERENCE = 256;
/** An item and the defaults are merged for each item, so neither may have more members than a server can allow assets. */
const MAX_MEMBERS = 10_000;
const MERGED = ['options', 'assets', 'metadata'] as const;
/** How long a document is kept if it is stored only to be uploaded. */
const HELD_MS = 3_600_000;

/** The content of the items is validated later, item by item. */
const BatchShape = Type.Object(
  {
    items: {
      ...Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_ITEMS }),
      expected: `a list of 1 to ${MAX_ITEMS} items`,
    },
    defaults: Type.Optional({ ...Type.Record(Type.String(), Type.Unknown()), expected: 'an object' }),
    webhook_url: Type.Optional({ ...Type.String(), expected: WEBHOOK_URL_EXPECTED }),
    metadata: Type.Optional(MetadataSchema),
  },
  { additionalProperties: false, expected: 'a JSON object' },
);
const checkShape = validator(BatchShape);

/** Throws `invalid_request` if a field of the batch itself is invalid. Does not validate the items. */
export function parseBatchRequest(body: unknown): BatchRequest {
  const { items, defaults = {}, webhook_url: webhookUrl, metadata: given } = checkShape(body);
  if (Array.isArray(defaults)) throw invalidRequest([{ path: 'defaults', message: 'must be an object' }]);
  requireFewMembers(defaults, 'defaults');
  for (const name of ['reference', 'deliver_to'])
    if ((defaults[name] ?? undefined) !== undefined)
      throw invalidRequest([{ path: `defaults.${name}`, message: 'must be in the items, not in defaults' }]);
  const faults = new ValidationErrors();
  const metadata = parseMetadata(given, faults);
  faults.throwIfAny();
  return { items, defaults, webhookUrl: webhookUrl === undefined ? undefined : parseWebhookUrl(webhookUrl), metadata };
}

function requireFewMembers(members: Members, path = ''): void {
  for (const [name, value] of [['', members] as const, ...MERGED.map((name) => [name, members[name]] as const)]) {
    const count = isMembers(value) ? Object.keys(value).length : 0;
    if (count > MAX_MEMBERS)
      throw invalidRequest([
        { path: [path, name].filter(Boolean).join('.'), message: `has ${count} members; at most ${MAX_MEMBERS} are allowed` },
      ]);
  }
}

/** The reference of an item; undefined if it has none, or one that is not valid and cannot be returned to the client. */
export function readReference(item: unknown): string | undefined {
  const reference = isMembers(item) ? item.reference : undefined;
  const usable = typeof reference === 'string' && reference.length <= MAX_REFERENCE && !textErrors('', reference).length;
  return usable ? reference : undefined;
}

/** Parses an item merged with the defaults of the batch and the `options` of the account. Throws as `parseRenderRequest` does. */
export function parseItem(item: unknown, defaults: Members, limits: RenderLimits): ItemRequest;
export function parseItem(
  item: unknown,
  defaults: Members,
  limits: RenderLimits,
  kind: RenderKind,
  options?: DefaultOptions,
): AnyItemRequest;
export function parseItem(
  item: unknown,
  defaults: Members,
  limits: RenderLimits,
  kind: RenderKind = 'pdf',
  options?: DefaultOptions,
): AnyItemRequest {
  if (!isMembers(item)) throw invalidRequest([{ path: '', message: 'must be an object' }]);
  requireFewMembers(item);
  const errors: FieldError[] = [];
  if ((item.reference ?? undefined) !== undefined && readReference(item) === undefined)
    errors.push({ path: 'reference', message: `must be a string of at most ${MAX_REFERENCE} characters` });
  const { deliver_to: target, ...merged } = merge(item, defaults);
  const deliverTo = target === undefined ? undefined : parseUploadTarget(target);
  if (merged.store === false && !deliverTo)
    errors.push({ path: 'store', message: 'cannot be false without deliver_to: results of batches are stored documents' });
  if (merged.conformance_report)
    errors.push({ path: 'conformance_report', message: 'cannot be sent in a batch: send the item to POST /v1/pdf' });
  if (merged.dry_run) errors.push({ path: 'dry_run', message: 'cannot be sent in a batch: send the item to POST /v1/pdf' });
  const request = collectErrors(errors, () => requireOneFile(parserFor(kindOf(merged, kind), options)(merged, limits)));
  if (!request || errors.length) throw invalidRequest(errors);
  const isHeld = merged.store === false;
  return Object.assign(request, { store: true, deliverTo, keptMs: isHeld ? HELD_MS : undefined });
}

function requireOneFile<T extends object>(request: T): T {
  if (makesOnePdf(request)) return request;
  throw invalidRequest([{ path: 'steps', message: 'cannot have split or extract here: the result of an item is a stored PDF' }]);
}

/** An item with parts is an assembly. */
function kindOf({ parts }: Members, kind: RenderKind): RenderKind {
  return kind === 'pdf' && parts !== undefined ? 'assembly' : kind;
}

/** Whether the document of an item is only uploaded and not kept afterwards. */
export function isUploadOnly(item: unknown, defaults: Members): boolean {
  const { store, deliver_to: target } = isMembers(item) ? merge(item, defaults) : {};
  return store === false && target !== undefined;
}

/** Adds the validation errors that `parse` throws to those found before, so that all are reported together. */
function collectErrors<T>(errors: FieldError[], parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!errors.length || !hasCode(error, 'invalid_request')) throw error;
    errors.push(...fieldErrors(error));
    return undefined;
  }
}

/** Removes members that are null, which count as not sent. */
function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/**
 * Merges an item with the defaults. Members of the item override those of the defaults; `options`, `assets` and `metadata` are
 * merged member by member. If the item has a source, the source members of the defaults are dropped.
 */
export function merge({ reference: _, ...given }: Members, defaults: Members): Members {
  const item = withoutUndefined(given);
  const merged = { ...withoutSource(defaults, item), ...item };
  for (const name of MERGED)
    if (merged[name] !== defaults[name] && isMembers(merged[name]) && isMembers(defaults[name]))
      merged[name] = { ...merged[name], ...defaults[name], ...withoutUndefined(merged[name]) }; // null stays if there is no default
  return merged;
}

function withoutSource(defaults: Members, item: Members): Members {
  const { html, markdown, stylesheet, url, template_id, data, assets, ...others } = defaults;
  const rest = { ...others, ...(assets !== undefined && { assets }) };
  const given = (name: string) => item[name] !== undefined;
  if (given('parts')) return rest;
  if (given('url')) return others;
  if (given('html')) return rest;
  if (given('markdown')) return { ...rest, ...(stylesheet !== undefined && { stylesheet }) };
  if (given('template_id')) return { ...rest, ...(data !== undefined && { data }) };
  return defaults;
}
