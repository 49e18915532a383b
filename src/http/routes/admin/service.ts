/** `/v1/admin/state`, `/v1/admin/errors` and `/v1/admin/webhooks`: the state of the service, and what fails in all accounts. */
import type { FastifyInstance } from 'fastify';
import type { LoggedFailure } from '../../../request-log/request-log.ts';
import type { FailedWebhook } from '../../../webhooks/webhooks.ts';
import { PAGE_PARAMETERS, timeOrNull, toIsoTime } from '../../replies/records.ts';
import { type ById, LOGGED_CAUSE, listSchema, pathId, recordSchema, TIME, TIME_OR_NULL } from '../../replies/response-schema.ts';
import { readPage, readText, toList } from '../../requests/listing.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import type { RouteServices } from '../services.ts';

export function serviceRoutes(app: FastifyInstance, services: RouteServices): void {
  const { webhooks, requestLog } = services;

  app.get('/v1/admin/state', { schema: STATE }, async () => readState(services));

  app.get('/v1/admin/errors', { schema: ERRORS }, async (request) => {
    const { page, filter } = readPage(request, { account_id: readText, code: readText });
    const { account_id: accountId, code } = filter;
    return toList(await requestLog.listFailures(page.limit, { accountId, code }, page.after), failureRecord);
  });

  app.get('/v1/admin/webhooks', { schema: WEBHOOKS }, async (request) => {
    const { page, filter } = readPage(request, { account_id: readText });
    return toList(await webhooks.listFailed(page.limit, filter.account_id, page.after), webhookRecord);
  });

  app.post<ById>(
    '/v1/admin/webhooks/:id/retry',
    { schema: RETRY, config: { ...RATE_LIMITED, bodyOptional: true } },
    async (request, reply) => {
      await webhooks.resendAny(request.params.id, requirePrincipal(request).keyId);
      return reply.code(204).send();
    },
  );
}

async function readState({ metricSources, webhooks }: RouteServices) {
  const { running, waiting, capacity, browsers, crashes } = metricSources.poolStats();
  const [waitingItems, failed, disk] = await Promise.all([
    metricSources.waitingItems(),
    webhooks.countFailed(),
    metricSources.disk(),
  ]);
  return {
    ...metricSources.versions(),
    ...{ running, waiting, capacity, browsers, crashes },
    waiting_items: waitingItems,
    failed_webhooks: failed,
    ...{ disk_bytes: disk.bytes, disk_free_bytes: disk.freeBytes },
  };
}

function failureRecord({ id, accountId, key_id, endpoint, code, message, cause, createdAt }: LoggedFailure) {
  return { id, account_id: accountId, key_id, endpoint, code, message, cause, created_at: toIsoTime(createdAt) };
}

/** Members that are null are absent, as in the list of the owner. */
function webhookRecord(webhook: FailedWebhook) {
  const { id, accountId, keyId, type, host, attempts, responseStatus, error, lastAttemptAt, createdAt } = webhook;
  return {
    ...{ id, account_id: accountId, key_id: keyId, type, host, attempts },
    ...(responseStatus !== null && { response_status: responseStatus }),
    ...(error !== null && { error }),
    ...{ last_attempt_at: timeOrNull(lastAttemptAt), created_at: toIsoTime(createdAt) },
  };
}

const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };

const STATE = {
  operationId: 'adminReadState',
  summary: 'Read the state of the service',
  response: {
    200: {
      description: 'Of several nodes, it is the one that answers, but for `waiting_items` and `failed_webhooks`.',
      ...recordSchema('ServiceState', {
        ...{ version: TEXT, node: { ...TEXT, description: 'The version of Node.' }, browser: TEXT },
        ...{ running: { ...COUNT, description: 'Renders that are running.' }, waiting: COUNT },
        capacity: { ...COUNT, description: 'Renders that can run at the same time.' },
        ...{ browsers: COUNT, crashes: { ...COUNT, description: 'Of browsers, since the start.' } },
        waiting_items: { ...COUNT, description: 'Batch items that are not being rendered yet.' },
        failed_webhooks: { ...COUNT, description: 'Webhooks of the last 30 days that were given up; 1,000 for more.' },
        ...{ disk_bytes: COUNT, disk_free_bytes: COUNT },
      }),
    },
  },
};

const FAILURE_SCHEMA = recordSchema(
  'AdminFailure',
  {
    id: { ...TEXT, description: 'The id of the request.' },
    ...{ account_id: { type: ['string', 'null'] }, key_id: TEXT, endpoint: TEXT, code: TEXT, message: TEXT },
    ...{ cause: LOGGED_CAUSE, created_at: TIME },
  },
  ['cause'],
);

const ERRORS = {
  operationId: 'adminListErrors',
  summary: 'List the renders of all accounts that failed',
  querystring: { type: 'object', properties: { ...PAGE_PARAMETERS, account_id: TEXT, code: TEXT } },
  response: {
    200: { description: 'One page of what the request log keeps, without text of the documents.', ...listSchema(FAILURE_SCHEMA) },
  },
};

const WEBHOOK_SCHEMA = recordSchema(
  'FailedWebhook',
  {
    ...{ id: TEXT, account_id: TEXT, key_id: TEXT, type: TEXT, host: TEXT, attempts: COUNT, response_status: COUNT, error: TEXT },
    ...{ last_attempt_at: TIME_OR_NULL, created_at: TIME },
  },
  ['response_status', 'error'],
);

const WEBHOOKS = {
  operationId: 'adminListFailedWebhooks',
  summary: 'List the webhooks of all accounts that were given up',
  querystring: { type: 'object', properties: { ...PAGE_PARAMETERS, account_id: TEXT } },
  response: { 200: { description: 'One page, without URLs and payloads.', ...listSchema(WEBHOOK_SCHEMA) } },
};

const RETRY = {
  operationId: 'adminRetryWebhook',
  summary: 'Send a webhook again that was given up',
  params: pathId('Delivery', 'msg'),
  response: { 204: { description: 'It is sent again.', type: 'null' } },
};
