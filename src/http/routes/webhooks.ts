/** `/v1/webhooks`: the signing secret, and the deliveries with their outcomes. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { validator } from '../../validate.ts';
import type { PastAttempt } from '../../webhooks/history.ts';
import type { WebhookSecret } from '../../webhooks/secrets.ts';
import { parseWebhookUrl, WEBHOOK_URL_EXPECTED } from '../../webhooks/webhook-url.ts';
import type { WebhookDelivery } from '../../webhooks/webhooks.ts';
import { PAGE_PARAMETERS, timeOrNull, toIsoTime } from '../replies/records.ts';
import { type ById, listSchema, pathId, recordSchema, TIME, TIME_OR_NULL } from '../replies/response-schema.ts';
import { readPage, toPage } from '../requests/listing.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { RATE_LIMITED } from '../server/rate-limit.ts';
import type { RouteServices } from './services.ts';

const TestBody = Type.Object(
  { url: Type.String({ expected: WEBHOOK_URL_EXPECTED, format: 'uri', examples: ['https://example.com/hooks/platen'] }) },
  { additionalProperties: false, $id: 'WebhookTest', expected: 'a JSON object' },
);
const checkTest = validator(TestBody);

export function webhookRoutes(app: FastifyInstance, { webhooks, webhookSecrets, requireWebhook }: RouteServices): void {
  app.get('/v1/webhooks/secret', { schema: SECRET }, async (request) =>
    secretRecord(await webhookSecrets.of(requirePrincipal(request).accountId)),
  );

  app.post('/v1/webhooks/secret/rotate', { schema: ROTATE, config: { bodyOptional: true } }, async (request) =>
    secretRecord(await webhookSecrets.rotate(requirePrincipal(request).accountId)),
  );

  app.get('/v1/webhooks/deliveries', { schema: LIST }, async (request) => {
    const { page } = readPage(request);
    const rows = await webhooks.list(requirePrincipal(request).keyId, page.limit + 1, page.after);
    return toPage(rows, page, deliveryRecord);
  });

  app.get<ById>('/v1/webhooks/deliveries/:id', { schema: READ }, async (request) => {
    const { payload, history, ...delivery } = await webhooks.read(requirePrincipal(request).keyId, request.params.id);
    const body = payload === null ? null : (JSON.parse(payload) as object);
    return { ...deliveryRecord(delivery), payload: body, history: history.map(attemptRecord) };
  });

  app.post('/v1/webhooks/test', { schema: TEST, config: RATE_LIMITED }, async (request, reply) => {
    const url = parseWebhookUrl(checkTest(request.body).url, 'url');
    const principal = requirePrincipal(request);
    requireWebhook(principal, url, 'url');
    return reply.code(202).send(deliveryRecord(await webhooks.sendTest(principal, url)));
  });

  app.post<ById>(
    '/v1/webhooks/deliveries/:id/retry',
    { schema: RETRY, config: { ...RATE_LIMITED, bodyOptional: true } },
    async (request, reply) =>
      reply.code(202).send(deliveryRecord(await webhooks.resend(requirePrincipal(request), request.params.id))),
  );
}

function secretRecord([present, ...previous]: [WebhookSecret, ...WebhookSecret[]]) {
  return {
    secret: present.secret,
    created_at: toIsoTime(present.createdAt),
    previous: previous.map(({ secret, createdAt, validUntil }) => ({
      secret,
      created_at: toIsoTime(createdAt),
      expires_at: toIsoTime(validUntil ?? 0),
    })),
  };
}

function deliveryRecord(delivery: WebhookDelivery) {
  const { lastAttemptAt, nextAttemptAt, responseStatus, error } = delivery;
  return {
    delivery_id: delivery.id,
    type: delivery.type,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    last_attempt_at: timeOrNull(lastAttemptAt),
    next_attempt_at: timeOrNull(nextAttemptAt),
    ...(responseStatus !== null && { response_status: responseStatus }),
    ...(error !== null && { error }),
    created_at: toIsoTime(delivery.createdAt),
  };
}

function attemptRecord({ startedAt, milliseconds, status, beginning, error }: PastAttempt) {
  return {
    started_at: toIsoTime(startedAt),
    milliseconds,
    ...(status !== undefined && { response_status: status }),
    ...(beginning !== undefined && { response_body: beginning }),
    ...(error !== undefined && { error }),
  };
}

const SECRET_TEXT = {
  type: 'string',
  description: 'The secret in the form that Standard Webhooks libraries expect.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
};
const SECRET_SCHEMA = recordSchema('WebhookSecret', {
  secret: SECRET_TEXT,
  created_at: TIME,
  previous: {
    type: 'array',
    description: 'Replaced secrets that still sign, newest first.',
    items: recordSchema('PreviousSecret', { secret: SECRET_TEXT, created_at: TIME, expires_at: TIME }),
  },
});
const COUNT = { type: 'integer' };
const OUTCOME = ['response_status', 'error'] as const;
const ATTEMPT_SCHEMA = recordSchema(
  'WebhookAttempt',
  {
    started_at: TIME,
    milliseconds: COUNT,
    response_status: COUNT,
    response_body: { type: 'string', description: 'Its first 1,024 bytes.' },
    error: { type: 'string' },
  },
  ['response_body', ...OUTCOME],
);
const DELIVERY_SCHEMA = recordSchema(
  'WebhookDelivery',
  {
    delivery_id: { type: 'string', description: 'Sent as `webhook-id`.', examples: ['msg_0123456789ABCDEFGHIJKL'] },
    type: { type: 'string', enum: ['batch.completed', 'render.completed', 'document.expired', 'webhook.test'] },
    url: { type: 'string', format: 'uri' },
    status: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
    attempts: { type: 'integer', description: 'Attempts started since it was sent or sent again.' },
    last_attempt_at: TIME_OR_NULL,
    next_attempt_at: { ...TIME_OR_NULL, description: '`null` if there is no further attempt.' },
    response_status: { type: 'integer', description: 'HTTP status of the last answer. Absent if there was none.' },
    error: { type: 'string', description: 'Why the last attempt failed. Absent if the status tells the reason.' },
    created_at: TIME,
    payload: { type: ['object', 'null'], description: 'The body, not in lists. `null` if it is no longer stored.' },
    history: { type: 'array', description: 'The last 20 attempts, oldest first; not in lists.', items: ATTEMPT_SCHEMA },
  },
  [...OUTCOME, 'payload', 'history'],
);

const SECRET = {
  operationId: 'readWebhookSecret',
  summary: 'Read the secret that signs webhooks',
  description: 'Returns the secret of the account of this key. The first call creates it.',
  response: { 200: { description: 'The current secret.', ...SECRET_SCHEMA } },
};

const ROTATE = {
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the secret that signs webhooks',
  description:
    'The replaced secret keeps signing for 24 hours: `webhook-signature` has one signature per secret. At most four sign at the same time.',
  response: { 200: { description: 'The new secret.', ...SECRET_SCHEMA } },
  errors: [400, 408, 413, 415, 429],
};

const LIST = {
  operationId: 'listWebhookDeliveries',
  summary: 'List webhook deliveries',
  description: 'Deliveries are kept for 30 days.',
  querystring: { type: 'object', properties: PAGE_PARAMETERS },
  response: { 200: { description: 'One page of the deliveries of this key.', ...listSchema(DELIVERY_SCHEMA) } },
};

const READ = {
  operationId: 'readWebhookDelivery',
  summary: 'Read a webhook delivery',
  params: pathId('Delivery', 'msg'),
  response: { 200: { description: 'The delivery with its body and attempts.', ...DELIVERY_SCHEMA } },
};

const TEST = {
  operationId: 'testWebhook',
  summary: 'Send a test webhook',
  description:
    'Sends a signed `webhook.test` event without data, and retries it as any other. The list of deliveries has its outcome.',
  body: TestBody,
  response: { 202: { description: 'The delivery.', ...DELIVERY_SCHEMA } },
};

const RETRY = {
  operationId: 'retryWebhookDelivery',
  summary: 'Send a webhook again',
  description: 'The event, which was delivered or given up, has the same id and body as before.',
  params: pathId('Delivery', 'msg'),
  response: { 202: { description: 'The delivery.', ...DELIVERY_SCHEMA } },
  errors: [400, 408, 413, 415],
};
