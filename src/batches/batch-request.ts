/** The body of `POST /v1/batches` in, items and their defaults out; and what one item asks for, with its defaults. */
import { Type } from 'typebox';
import { type FieldError, hasCode, invalidRequest, type ServiceError } from '../errors.ts';
import { type ImageRequest, parseImageRequest } from '../render/image-request.ts';
import { MetadataSchema, parseMetadata } from '../render/metadata.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../render/render-request.ts';
import { ValidationErrors } from '../render/validation-errors.ts';
import { textErrors, validator } from '../validate.ts';
import { parseUploadTarget, type UploadTarget } from '../webhooks/upload-target.ts';
import { parseWebhookUrl, WEBHOOK_URL_EXPECTED } from '../webhooks/webhook-url.ts';

/** An object as it was sent. */
export type Members = Record<string, unknown>;

/** How a request is read, by what its document is rendered to. */
export const PARSERS = { pdf: parseRenderRequest, image: parseImageRequest };
export type RenderKind = keyof typeof PARSERS;

export interface BatchRequest {
  /** Undefined: PDFs. */
  kind?: RenderKind;
  items: unknown[];
  defaults: Members;
  /** Is told when the batch has ended. */
  webhookUrl: string | undefined;
  /** Of the batch, not of its documents. */
  metadata: Readonly<Record<string, string>>;
}

/** What an item asks for, with its defaults. */
export type ItemRequest<R = RenderRequest> = R & {
  /** Where its document is uploaded to. */
  deliverTo: UploadTarget | undefined;
};

export const MAX_ITEMS = 500;
export const MAX_REFERENCE = 256;
/** How long a document is kept that is stored for its upload alone. */
const HELD_MS = 3_600_000;

/** What is in an item is looked at item by item. */
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

/** Throws `invalid_request` when the batch as a whole makes no sense. */
export function parseBatchRequest(body: unknown): BatchRequest {
  const { items, defaults = {}, webhook_url: webhookUrl, metadata: given } = checkShape(body);
  if (Array.isArray(defaults)) throw invalidRequest([{ path: 'defaults', message: 'must be an object' }]);
  for (const name of ['reference', 'deliver_to'])
    if ((defaults[name] ?? undefined) !== undefined)
      throw invalidRequest([{ path: `defaults.${name}`, message: 'must be in the items, not in defaults' }]);
  const faults = new ValidationErrors();
  const metadata = parseMetadata(given, faults);
  faults.throwIfAny();
  return { items, defaults, webhookUrl: webhookUrl === undefined ? undefined : parseWebhookUrl(webhookUrl), metadata };
}

/** The reference of an item; undefined where there is none that can be given back. */
export function referenceOf(item: unknown): string | undefined {
  const reference = isMembers(item) ? item.reference : undefined;
  const usable = typeof reference === 'string' && reference.length <= MAX_REFERENCE && !textErrors('', reference).length;
  return usable ? reference : undefined;
}

/** What an item asks for, with its defaults. Throws as `parseRenderRequest` does. */
export function parseItem(item: unknown, defaults: Members, limits: RenderLimits): ItemRequest {
  return parseItemBy(parseRenderRequest, item, defaults, limits);
}

/** The same, of what the parser makes of it. */
export function parseItemBy<R extends RenderRequest | ImageRequest>(
  parse: (body: unknown, limits: RenderLimits) => R,
  item: unknown,
  defaults: Members,
  limits: RenderLimits,
): ItemRequest<R> {
  if (!isMembers(item)) throw invalidRequest([{ path: '', message: 'must be an object' }]);
  const errors: FieldError[] = [];
  if ((item.reference ?? undefined) !== undefined && referenceOf(item) === undefined)
    errors.push({ path: 'reference', message: `must be a string of at most ${MAX_REFERENCE} characters` });
  const { deliver_to: target, ...merged } = merge(item, defaults);
  const deliverTo = target === undefined ? undefined : parseUploadTarget(target);
  if (merged.store === false && !deliverTo)
    errors.push({ path: 'store', message: 'cannot be false without deliver_to: results of batches are stored documents' });
  if (merged.conformance_report)
    errors.push({ path: 'conformance_report', message: 'cannot be sent in a batch: send the item to POST /v1/pdf' });
  if (merged.dry_run) errors.push({ path: 'dry_run', message: 'cannot be sent in a batch: send the item to POST /v1/pdf' });
  const request = collecting(errors, () => parse(merged, limits));
  if (!request || errors.length) throw invalidRequest(errors);
  const isHeld = merged.store === false;
  return Object.assign(request, { store: true, deliverTo, keptMs: isHeld ? HELD_MS : undefined });
}

/** Whether what an item asks for is uploaded and not kept. */
export function isForUploadAlone(item: unknown, defaults: Members): boolean {
  const { store, deliver_to: target } = isMembers(item) ? merge(item, defaults) : {};
  return store === false && target !== undefined;
}

/** Faults of the rest are told with those that were found before. */
function collecting<T>(errors: FieldError[], parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!errors.length || !hasCode(error, 'invalid_request')) throw error;
    errors.push(...errorsOf(error));
    return undefined;
  }
}

/** The errors an error names. */
export function errorsOf({ members }: ServiceError): FieldError[] {
  return Array.isArray(members.errors) ? (members.errors as FieldError[]) : [];
}

/** Members that are null count as not sent. */
function present(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

/** Members of the item win, those of options, assets and metadata one by one. A source of its own takes the place of all there is of the defaults'. */
export function merge({ reference: _, ...given }: Members, defaults: Members): Members {
  const item = present(given);
  const merged = { ...withoutSource(defaults, item), ...item };
  for (const name of ['options', 'assets', 'metadata'])
    if (merged[name] !== defaults[name] && isMembers(merged[name]) && isMembers(defaults[name]))
      merged[name] = { ...defaults[name], ...present(merged[name]) };
  return merged;
}

function withoutSource(defaults: Members, item: Members): Members {
  const { html, markdown, stylesheet, url, template_id, data, assets, ...others } = defaults;
  const rest = { ...others, ...(assets !== undefined && { assets }) };
  const given = (name: string) => item[name] !== undefined;
  if (given('url')) return others;
  if (given('html')) return rest;
  if (given('markdown')) return { ...rest, ...(stylesheet !== undefined && { stylesheet }) };
  if (given('template_id')) return { ...rest, ...(data !== undefined && { data }) };
  return defaults;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
