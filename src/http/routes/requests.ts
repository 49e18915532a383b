/** `/v1/requests`: what came of the renders and batch items of the last days. */
import type { FastifyInstance } from 'fastify';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { LoggedRequest } from '../../request-log/request-log.ts';
import { PAGE_PARAMETERS, toIsoTime } from '../replies/records.ts';
import {
  type ById,
  binary,
  idMembers,
  LOGGED_CAUSE,
  listSchema,
  pathId,
  recordSchema,
  TIME,
} from '../replies/response-schema.ts';
import { readChoice, readPage, readText, readTime, toList } from '../requests/listing.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { getAndHead } from '../server/get-and-head.ts';
import { requestOrigin } from '../server/origin.ts';
import { PROBLEMS } from '../server/problem.ts';
import type { RouteServices } from './services.ts';

const JPEG = 'image/jpeg';
const STATUSES = ['succeeded', 'failed'] as const;

const FILTERS = {
  status: readChoice(STATUSES),
  code: readText,
  template_id: readText,
  batch_id: readText,
  reference: readText,
  created_after: readTime,
  created_before: readTime,
};

export function requestRoutes(app: FastifyInstance, { requestLog }: RouteServices): void {
  app.get('/v1/requests', { schema: LIST }, async (request) => {
    const { page, filter } = readPage(request, FILTERS);
    const { status, code, reference, template_id: templateId, batch_id: batchId } = filter;
    const during = { createdAfter: filter.created_after, createdBefore: filter.created_before };
    const filters = { status, code, reference, templateId, batchId, ...during };
    const found = await requestLog.list(requirePrincipal(request).keyId, page.limit, filters, page.after);
    return toList(found, (logged) => requestRecord(logged, requestOrigin(request)));
  });

  app.get<ById>('/v1/requests/:id', { schema: READ }, async (request) => {
    const found = await requestLog.find(requirePrincipal(request).keyId, request.params.id);
    if (!found) throw new ServiceError('not_found', 'there is no such request, or it belongs to another key');
    return requestRecord(found, requestOrigin(request));
  });

  getAndHead<ById>(app, '/v1/requests/:id/picture', { schema: PICTURE }, async (request, reply) => {
    const picture = await requestLog.readPicture(requirePrincipal(request).keyId, request.params.id);
    if (!picture) throw new ServiceError('not_found', 'there is no picture of such a request, or it belongs to another key');
    reply.type(JPEG).header('content-security-policy', "default-src 'none'");
    if (request.method !== 'HEAD') return reply.send(picture);
    picture.destroy();
    return reply.send();
  });
}

/** Members that are undefined are absent. */
function requestRecord(logged: LoggedRequest, origin: string) {
  const { code, batch_id: batchId, picture } = logged;
  return {
    ...{ id: logged.id, request_id: logged.id, key_id: logged.key_id },
    status: code === null ? 'succeeded' : 'failed',
    ...{ endpoint: logged.endpoint, source: logged.source },
    ...(code !== null && {
      code,
      http_status: PROBLEMS[code as ErrorCode]?.status,
      message: logged.message,
      cause: logged.cause,
    }),
    ...{ template_id: logged.template_id ?? undefined, template_version: logged.templateVersion },
    ...{ options: logged.options, options_left_out: logged.optionsLeftOut },
    ...(batchId !== null &&
      (batchId.startsWith('ren_') ? { render_id: batchId } : { batch_id: batchId, index: logged.position })),
    ...{ reference: logged.reference ?? undefined, caller_request_id: logged.callersId, document_id: logged.documentId },
    ...{ pages: logged.pages, bytes: logged.bytes, milliseconds: logged.milliseconds, stages: logged.stages },
    ...{ warning_count: logged.warnings, warnings: logged.warningKinds },
    picture_url: picture !== undefined ? `${origin}/v1/requests/${logged.id}/picture` : undefined,
    created_at: toIsoTime(logged.createdAt),
  };
}

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const REQUEST_SCHEMA = recordSchema(
  'LoggedRequest',
  {
    ...idMembers('request_id', 'req'),
    key_id: TEXT,
    status: { $id: 'LoggedStatus', type: 'string', enum: [...STATUSES] },
    endpoint: { ...TEXT, description: 'The route of the call; `/v1/batches` and `/v1/renders` for work in the background.' },
    source: { ...TEXT, description: '`html`, `markdown`, `url`, `template` or `assembly`. Absent if the request was not valid.' },
    code: { ...TEXT, description: 'The error code. This field and the next three are only of failures.' },
    http_status: { ...INTEGER, description: 'The status of the error.' },
    message: { ...TEXT, description: 'What failed, without text of the request or the document.' },
    cause: LOGGED_CAUSE,
    template_id: TEXT,
    template_version: { ...INTEGER, description: 'The version that was rendered.' },
    options: {
      $id: 'LoggedOptions',
      type: 'object',
      additionalProperties: true,
      description: 'The options of a PDF that are choices, switches, numbers and lengths, with the defaults of the account.',
    },
    options_left_out: {
      type: 'array',
      items: TEXT,
      description: 'The names of its other options, whose values the log does not keep.',
    },
    batch_id: TEXT,
    index: { ...INTEGER, description: 'Position of the item in its batch.' },
    render_id: TEXT,
    reference: { ...TEXT, description: 'Of the batch item.' },
    caller_request_id: {
      ...TEXT,
      description: 'The `X-Request-Id` of the call, else its `Gotenberg-Trace` or `X-Correlation-ID`.',
    },
    document_id: { ...TEXT, description: 'The stored result.' },
    pages: INTEGER,
    bytes: INTEGER,
    milliseconds: { type: 'number' },
    stages: {
      $id: 'LoggedStages',
      type: 'object',
      additionalProperties: { type: 'number' },
      description: 'Milliseconds of each phase that the render reached.',
    },
    warning_count: INTEGER,
    warnings: { type: 'array', items: TEXT, description: 'The kinds of the warnings.' },
    picture_url: {
      ...TEXT,
      format: 'uri',
      description: 'What the page showed when the render failed, if the account has `failure_pictures` on.',
    },
    created_at: { ...TIME, description: 'When it ended.' },
  },
  [
    ...([
      'source',
      'code',
      'http_status',
      'message',
      'cause',
      'template_id',
      'template_version',
      'options',
      'options_left_out',
    ] as const),
    ...(['batch_id', 'index', 'render_id', 'reference', 'caller_request_id', 'document_id', 'pages', 'bytes', 'stages'] as const),
    ...(['warning_count', 'warnings', 'picture_url'] as const),
  ],
);

const LIST = {
  operationId: 'listRequests',
  summary: 'List requests',
  description:
    'The renders and batch items of the last seven days, unless the operator keeps them for another time. Requests beyond the rate limit, dry runs and repeated replies are left out.',
  querystring: {
    type: 'object',
    properties: {
      ...PAGE_PARAMETERS,
      status: REQUEST_SCHEMA.properties.status,
      code: { ...TEXT, examples: ['render_timeout'] },
      ...{ template_id: TEXT, batch_id: TEXT, reference: TEXT },
      ...{ created_after: TIME, created_before: TIME },
    },
  },
  response: {
    200: {
      description: 'One page. With filters, it may have fewer than `limit` records even if more follow.',
      ...listSchema(REQUEST_SCHEMA),
    },
  },
};

const READ = {
  operationId: 'readRequest',
  summary: 'Read a request',
  description: 'The id of a call is its `X-Request-Id`. It can be read a second after the reply at the latest.',
  params: pathId('Request', 'req'),
  response: { 200: { description: 'The request.', ...REQUEST_SCHEMA } },
};

const PICTURE = {
  operationId: 'readRequestPicture',
  summary: 'Read the picture of a failure',
  description: 'The part of the page that the viewport shows. There is none if the page did not answer within a second.',
  params: pathId('Request', 'req'),
  response: { 200: { description: 'The picture.', content: binary(JPEG) } },
};
