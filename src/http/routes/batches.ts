/** `/v1/batches`: renders many documents in one call, each with its own outcome. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MAX_ITEMS, MAX_REFERENCE, parseBatchRequest } from '../../batches/batch-request.ts';
import { type CreationHook, isRenderId, type WholeBatch } from '../../batches/batches.ts';
import { hasCode, ServiceError } from '../../errors.ts';
import { type Claim, type Idempotency, resultGone } from '../../idempotency/idempotency.ts';
import { PdfRequestBody } from '../../render/request/schemas/options-schema.ts';
import { MetadataSchema } from '../../render/request/values/metadata.ts';
import { BATCH_SCHEMA, batchRecord, batchSummary, SUMMARY_SCHEMA } from '../replies/batch-record.ts';
import { FILTER_PARAMETERS } from '../replies/records.ts';
import { type ById, header, listSchema, pathId } from '../replies/response-schema.ts';
import { DELIVER_TO_SCHEMA } from '../requests/deliver-to-schema.ts';
import { IDEMPOTENCY_SCHEMA, idempotent, markReplayed, type Query } from '../requests/idempotent.ts';
import { readFilteredPage, toList } from '../requests/listing.ts';
import { PREFER_SCHEMA, readWaitSeconds } from '../requests/prefer.ts';
import { memoryOfBody } from '../requests/read-body.ts';
import { requestMemory, takeBody } from '../requests/request-memory.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';
import { requestOrigin } from '../server/origin.ts';
import { RATE_LIMITED } from '../server/rate-limit.ts';
import type { RouteServices } from './services.ts';

export function batchRoutes(app: FastifyInstance, services: RouteServices): void {
  const { batches } = services;

  app.post('/v1/batches', { schema: CREATE, config: RATE_LIMITED }, async (request, reply) => {
    const { id, isReplay } = await accept(services, request, reply);
    return sendAccepted(services, id, request, reply).catch((error: unknown) => {
      if (!isReplay || !hasCode(error, 'not_found')) throw error;
      throw resultGone('the batch of this Idempotency-Key was removed with its documents');
    });
  });

  app.get('/v1/batches', { schema: LIST }, async (request) => {
    const { page, filter } = readFilteredPage(request);
    return toList(await batches.list(requirePrincipal(request).keyId, page.limit, filter, page.after), batchSummary);
  });

  app.get<ById>('/v1/batches/:id', { schema: READ }, async (request, reply) =>
    sendBatch(services, await awaitBatch(services, requireBatchId(request.params.id), request, reply), request, reply),
  );

  app.delete<ById>('/v1/batches/:id', { schema: CANCEL, config: { bodyOptional: true } }, async (request, reply) => {
    const { keyId } = requirePrincipal(request);
    requireBatchId(request.params.id);
    await batches.cancel(keyId, request.params.id);
    return sendBatch(services, await batches.find(keyId, request.params.id), request, reply);
  });

  app.post<ById>(
    '/v1/batches/:id/retry',
    { schema: RETRY, config: { ...RATE_LIMITED, bodyOptional: true } },
    async (request, reply) => {
      const { id } = await requireEndedBatch(services, request);
      const principal = requirePrincipal(request);
      const hold = (bytes: number) => requestMemory(request).atLeast(memoryOfBody(bytes));
      const create = async (hook: CreationHook) => {
        const batch = await batches.readFailed(principal.keyId, id, hold);
        services.requireWebhook(principal, batch.webhookUrl);
        return batches.create(principal, batch, hook);
      };
      const accepted = await acceptOnce(services.idempotency, create, request, reply);
      return sendAccepted(services, accepted.id, request, reply);
    },
  );
}

/** Rejects the ids of asynchronous renders, which have their own route. Throws `not_found`. */
export function requireBatchId(id: string): string {
  if (isRenderId(id)) throw new ServiceError('not_found', 'there is no such batch');
  return id;
}

/** Throws `not_found` and `batch_unfinished`. */
export async function requireEndedBatch(
  { batches, secondsForItems }: RouteServices,
  request: FastifyRequest<ById>,
): Promise<WholeBatch> {
  const batch = await batches.find(requirePrincipal(request).keyId, requireBatchId(request.params.id));
  if (batch.completedAt !== null) return batch;
  const { unfinished, total } = batch;
  const retryAfterSeconds = await secondsForItems(unfinished);
  throw new ServiceError('batch_unfinished', `${unfinished} of ${total} items have no result yet`, {
    retryAfterSeconds,
    members: { unfinished, retry_after: retryAfterSeconds },
  });
}

/** The body is not kept while the client waits for the batch. */
function accept({ batches, idempotency, requireWebhook }: RouteServices, request: FastifyRequest, reply: FastifyReply) {
  const batch = parseBatchRequest(takeBody(request));
  const principal = requirePrincipal(request);
  requireWebhook(principal, batch.webhookUrl);
  return acceptOnce(idempotency, (hook) => batches.create(principal, batch, hook), request, reply);
}

/** Creates a batch with `create`, or finds that of the first request. */
export async function acceptOnce(
  idempotency: Idempotency,
  create: (hook: CreationHook) => Promise<string>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ id: string; isReplay: boolean }> {
  const complete = (claim: Claim | undefined) => async (batchId: string, query: Query) =>
    claim && idempotency.complete(claim, { kind: 'batch', batchId }, query, { resourceId: batchId });
  const accepted = await idempotent<{ id: string; isReplay: boolean }>(
    request,
    idempotency,
    async (claim) => ({ id: await create(complete(claim)), isReplay: false }),
    async (answer) => {
      if (answer.kind !== 'batch') throw new Error('this idempotent result belongs to another endpoint');
      markReplayed(reply);
      return { id: answer.batchId, isReplay: true };
    },
  );
  requestMemory(request).resize(0); // the items are in the database, so that waiting for them uses no memory
  return accepted;
}

/** Sends 200 with all results if the client waited and the batch has ended, otherwise 202. */
async function sendAccepted(
  services: RouteServices,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const batch = await awaitBatch(services, id, request, reply);
  const isWhole = readWaitSeconds(request) > 0 && batch.completedAt !== null;
  reply.code(isWhole ? 200 : 202).header('location', `${requestOrigin(request)}/v1/batches/${id}`);
  return sendBatch(services, batch, request, reply);
}

/**
 * Returns the batch when it has ended and all uploads have ended, or its present state when the client has waited as long as it
 * asked.
 */
export async function awaitBatch(
  { batches }: RouteServices,
  id: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<WholeBatch> {
  const { keyId } = requirePrincipal(request);
  const seconds = readWaitSeconds(request);
  if (!seconds) return batches.find(keyId, id);
  reply.header('preference-applied', `wait=${seconds}`);
  using watch = batches.progress.watch(id, disconnectSignal(reply), 'end'); // the watch starts before the query, so that no end is missed
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const batch = await batches.find(keyId, id);
    const left = end - performance.now();
    if (hasEnded(batch) || watch.closed || left <= 0) return batch;
    await watch.next(left);
  }
}

/** Whether the batch and its uploads have ended. */
function hasEnded({ completedAt, items }: WholeBatch): boolean {
  return completedAt !== null && !items.some(({ delivery }) => delivery?.status === 'pending');
}

async function sendBatch(
  { links, secondsForItems }: RouteServices,
  batch: WholeBatch,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (batch.completedAt === null) reply.header('retry-after', await secondsForItems(batch.unfinished));
  return reply.send(batchRecord(batch, requestOrigin(request), links));
}

const ID = pathId('Batch', 'bat');

export const UNTIL_END = {
  'Retry-After': header('integer', 'Estimated number of seconds until the end. Absent after it.', 'UntilEnd'),
};
const HEADERS = {
  ...UNTIL_END,
  'Preference-Applied': header('string', 'The `wait` that the service applied.', 'PreferenceApplied'),
};
const CREATED_HEADERS = {
  ...HEADERS,
  Location: header('string', 'URL of the batch.'),
  'Idempotency-Replayed': header('string', '`true` if an earlier request created the batch.', 'BatchReplayed'),
};
/** A source may come from the defaults. */
const { 'x-sources': _sources, ...ITEM_FIELDS } = PdfRequestBody as typeof PdfRequestBody & { 'x-sources': unknown };
const content = { 'application/json': { schema: BATCH_SCHEMA } };

const CREATE = {
  operationId: 'createBatch',
  summary: 'Render a batch',
  description:
    'Renders up to 500 documents and stores them. Each item succeeds or fails on its own and is charged only if it succeeds; identical items are rendered once. Single calls have priority. An accepted batch is completed even if the service restarts.',
  headers: { type: 'object', properties: { ...IDEMPOTENCY_SCHEMA.properties, ...PREFER_SCHEMA } },
  body: {
    $id: 'BatchRequest',
    'x-example': { items: [{ reference: 'one', html: '<h1>One</h1>' }], defaults: { options: { format: 'A5' } } },
    type: 'object',
    required: ['items'],
    additionalProperties: false,
    properties: {
      items: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_ITEMS,
        description: 'Each item takes the fields of `POST /v1/pdf`. Results are always stored.',
        items: {
          ...ITEM_FIELDS,
          $id: 'BatchItem',
          properties: {
            reference: {
              type: 'string',
              maxLength: MAX_REFERENCE,
              description: 'Your name for the item, which its record repeats. It need not be unique.',
              examples: ['invoice-42'],
            },
            ...PdfRequestBody.properties,
            deliver_to: DELIVER_TO_SCHEMA,
          },
        },
      },
      webhook_url: {
        type: 'string',
        format: 'uri',
        description: 'URL that receives a signed `batch.completed` event when the batch has finished.',
        'x-default': 'none',
        examples: ['https://example.com/hooks/platen'],
      },
      metadata: {
        ...MetadataSchema,
        description: 'As `metadata` of `POST /v1/pdf`, for the batch itself.',
        'x-default': 'none',
      },
      defaults: {
        ...ITEM_FIELDS,
        $id: 'BatchDefaults',
        description:
          'Values for fields that an item does not set. `options`, `assets` and `metadata` are merged member by member. An item with a source of its own takes none from here.',
      },
    },
  },
  response: {
    200: { description: 'The batch has finished within the time given in `Prefer: wait`.', headers: CREATED_HEADERS, content },
    202: { description: 'The batch is accepted.', headers: CREATED_HEADERS, content },
  },
  errors: [409, 422],
};

const RETRY = {
  operationId: 'retryBatch',
  summary: 'Run the failed items of a batch again',
  description:
    'Creates a batch of the items that have failed, with their references and the defaults, metadata and `webhook_url` of the batch. Items that were not valid are left out. The service keeps the requests of failed items, encrypted, for as long as the request log has them and at most as long as the batch.',
  params: ID,
  headers: CREATE.headers,
  response: CREATE.response,
  errors: [409, 422],
};

const LIST = {
  operationId: 'listBatches',
  summary: 'List batches',
  querystring: { type: 'object', properties: FILTER_PARAMETERS },
  response: { 200: { description: 'One page of the batches of this key.', ...listSchema(SUMMARY_SCHEMA) } },
};

const READ = {
  operationId: 'readBatch',
  summary: 'Read a batch with the results of its items',
  headers: { type: 'object', properties: PREFER_SCHEMA },
  params: ID,
  response: { 200: { description: 'The batch.', headers: HEADERS, content } },
};

const CANCEL = {
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description: 'Cancels the items that have not started. Running items are completed, and documents are kept.',
  params: ID,
  response: { 200: { description: 'The batch.', headers: HEADERS, content } },
};
