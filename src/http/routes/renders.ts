/**
 * `Prefer: respond-async` on `POST /v1/pdf` and `POST /v1/image`, and `GET /v1/renders/{id}`: renders that are accepted now and
 * run in the background.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import { parserFor, type RenderKind } from '../../batches/batch-request.ts';
import { isRenderId, type WholeBatch } from '../../batches/batches.ts';
import { invalidField, ServiceError } from '../../errors.ts';
import { makesOnePdf } from '../../render/assembly/assembly-request.ts';
import type { AnyRequest } from '../../render/render.ts';
import type { RenderLimits } from '../../render/request/render-request.ts';
import { isMembers, type Members } from '../../validate.ts';
import { parseUploadTarget, type UploadTarget } from '../../webhooks/upload-target.ts';
import { parseWebhookUrl } from '../../webhooks/webhook-url.ts';
import { ITEM_SCHEMA, itemRecord } from '../replies/batch-record.ts';
import { toIsoTime } from '../replies/records.ts';
import { type ById, header, idMembers, pathId, recordSchema, TIME } from '../replies/response-schema.ts';
import { DELIVER_TO_SCHEMA } from '../requests/deliver-to-schema.ts';
import { IDEMPOTENCY_SCHEMA } from '../requests/idempotent.ts';
import { PREFER_SCHEMA, prefersAsync } from '../requests/prefer.ts';
import { parseBody, SourceBody, takeSourceBody } from '../requests/source-bodies.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { requestOrigin } from '../server/origin.ts';
import { acceptOnce, awaitBatch, UNTIL_END } from './batches.ts';
import type { RouteServices } from './services.ts';

export function renderRoutes(app: FastifyInstance, services: RouteServices): void {
  app.get<ById>('/v1/renders/:id', { schema: READ }, async (request, reply) =>
    sendRender(services, request.params.id, request, reply),
  );
}

/** Whether the reply is sent before the result: if the client asks for it, or the result is uploaded, except for a dry run. */
export function isAsync(request: FastifyRequest): boolean {
  const { body } = request;
  const { deliver_to: target, dry_run: isDryRun } = (body instanceof SourceBody ? body.members : Object(body)) ?? {};
  return prefersAsync(request) || ((target ?? undefined) !== undefined && isDryRun !== true);
}

/** Removes the delivery fields from the body of a synchronous request, and returns the upload target. */
export function takeUploadTarget(body: unknown): UploadTarget | undefined {
  const { webhook_url: webhook, deliver_to: target } = takeResultFields(body);
  if (webhook !== undefined && target === undefined)
    throw invalidField('webhook_url', 'requires the header Prefer: respond-async, or deliver_to');
  return target === undefined ? undefined : parseUploadTarget(target);
}

/** Stores the render and replies 202. An invalid request is rejected immediately. */
export async function startRender(
  services: RouteServices,
  kind: RenderKind,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { batches, idempotency, requireWebhook } = services;
  const principal = requirePrincipal(request);
  const { item, webhookUrl } = readBody(kind, request, services.limits, principal);
  requireWebhook(principal, webhookUrl);
  const batch = { kind, items: [item], defaults: {}, metadata: {}, webhookUrl };
  const { id } = await acceptOnce(idempotency, (hook) => batches.createRender(principal, batch, hook), request, reply);
  reply.code(202).header('location', `${requestOrigin(request)}/v1/renders/${id}`);
  if (prefersAsync(request)) reply.header('preference-applied', 'respond-async');
  return sendRender(services, id, request, reply);
}

/** The fields of a body that say where the result is delivered. The request parsers do not know them. */
const RESULT_FIELDS = ['webhook_url', 'deliver_to'] as const;

/** Removes the delivery fields from a body and returns them. Members that are null count as not sent. */
function takeResultFields(body: unknown): Partial<Record<(typeof RESULT_FIELDS)[number], unknown>> {
  const members = body instanceof SourceBody ? body.members : body;
  if (!isMembers(members)) return {};
  const taken = RESULT_FIELDS.map((name) => [name, members[name]] as const);
  for (const name of RESULT_FIELDS) delete members[name];
  return Object.fromEntries(taken.filter(([, value]) => (value ?? undefined) !== undefined));
}

/** Throws as the parser does. */
function readBody(
  kind: RenderKind,
  request: FastifyRequest,
  limits: RenderLimits,
  { plan, options }: Principal,
): { item: Members; webhookUrl: string | undefined } {
  const body = takeSourceBody(request);
  const { webhook_url: webhook, deliver_to: target } = takeResultFields(body);
  const parsed = parseBody<AnyRequest>(body, limits, parserFor(kind, options));
  refuseNow(parsed, target !== undefined);
  if (target !== undefined) parseUploadTarget(target);
  const webhookUrl = webhook === undefined ? undefined : parseWebhookUrl(webhook);
  const item = body instanceof SourceBody ? body.toJson() : (body as Members);
  if (target === undefined) return { item, webhookUrl };
  const store = item.store ?? (plan.retentionMs ? undefined : false); // without retention, the document is kept only for its upload
  return { item: { ...item, deliver_to: target, ...(store !== undefined && { store }) }, webhookUrl };
}

/** Rejects requests that need a synchronous reply. */
function refuseNow({ store, isDryRun, ...request }: AnyRequest, isDelivered: boolean): void {
  const how = isDelivered ? 'deliver_to' : 'Prefer: respond-async';
  if (isDryRun) throw invalidField('dry_run', 'cannot be combined with Prefer: respond-async');
  if ('reportsConformance' in request && request.reportsConformance)
    throw invalidField('conformance_report', `cannot be combined with ${how}`);
  if (!makesOnePdf(request)) throw invalidField('steps', `cannot have split or extract with ${how}: its result is a stored PDF`);
  if (store === false && !isDelivered)
    throw invalidField(
      'store',
      'cannot be false with Prefer: respond-async and without deliver_to: its result is a stored document',
    );
}

async function sendRender(
  services: RouteServices,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (!isRenderId(id)) throw noSuchRender();
  const batch = await awaitBatch(services, id, request, reply);
  if (batch.completedAt === null) reply.header('retry-after', await services.secondsForItems(batch.unfinished));
  return reply.send(renderRecord(batch, requestOrigin(request), services.links));
}

function renderRecord({ id, createdAt, completedAt, items }: WholeBatch, origin: string, links: RouteServices['links']) {
  const [item] = items;
  if (!item) throw noSuchRender();
  const { index: _index, reference: _reference, ...outcome } = itemRecord(item, origin, links);
  return {
    id,
    render_id: id,
    ...outcome,
    created_at: toIsoTime(createdAt),
    ...(completedAt !== null && { completed_at: toIsoTime(completedAt) }),
  };
}

function noSuchRender(): ServiceError {
  return new ServiceError('not_found', 'there is no such render');
}

const { index: _index, reference: _reference, ...OUTCOME } = ITEM_SCHEMA.properties;

const RENDER_SCHEMA = recordSchema(
  'Render',
  {
    ...idMembers('render_id', 'ren'),
    ...OUTCOME,
    created_at: TIME,
    completed_at: { ...TIME, description: 'Absent until the render has ended.' },
  },
  ['error', 'delivery', 'completed_at'],
);

export const ACCEPTED = {
  $id: 'Render202',
  description: 'The render is accepted, and is completed even if the service restarts.',
  headers: {
    Location: header('string', 'URL of the render.'),
    'Preference-Applied': header('string', '`respond-async`.'),
    'Retry-After': header('integer', 'Estimated number of seconds until the render has ended.'),
  },
  content: { 'application/json': { schema: RENDER_SCHEMA } },
};

const READ = {
  operationId: 'readRender',
  summary: 'Read an asynchronous render',
  description: 'A render that was started with `Prefer: respond-async` or `deliver_to`, for as long as the plan keeps documents.',
  headers: { type: 'object', properties: PREFER_SCHEMA },
  params: pathId('Render', 'ren'),
  response: {
    200: {
      description: 'The render.',
      headers: UNTIL_END,
      content: { 'application/json': { schema: RENDER_SCHEMA } },
    },
  },
};

export const START_HEADERS = {
  type: 'object',
  properties: {
    ...IDEMPOTENCY_SCHEMA.properties,
    Prefer: {
      $id: 'PreferAsyncParam',
      type: 'string',
      description: '`respond-async` answers 202 at once with the render, whose result is a stored document.',
      examples: ['respond-async'],
    },
  },
};

const RESULT_SCHEMAS = {
  webhook_url: {
    $id: 'WebhookUrl',
    type: 'string',
    format: 'uri',
    description: 'URL that receives a signed `render.completed` event. Requires `Prefer: respond-async` or `deliver_to`.',
    'x-default': 'none',
    examples: ['https://example.com/hooks/platen'],
  },
  deliver_to: DELIVER_TO_SCHEMA,
};

export function withResultFields<B extends { properties: object }>(body: B) {
  return { ...body, properties: { ...body.properties, ...RESULT_SCHEMAS } };
}
