/** Sends errors to the client as `application/problem+json` (RFC 9457). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EXPLANATIONS } from '../../error-explanations.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { type FieldSchema, failureFields } from '../../request-log/failure-fields.ts';
import { ACCEPTED_CODINGS, isAccepted } from './content-coding.ts';
import { awaitsContinue } from './expect-continue.ts';
import { requestOrigin } from './origin.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/** A code without a status does not compile. */
const STATUSES: Readonly<Record<ErrorCode, number>> = {
  ...{ invalid_json: 400, invalid_request: 400 },
  unauthorized: 401,
  quota_exceeded: 402,
  ...{ forbidden_url: 403, insufficient_scope: 403, not_owner: 403, account_suspended: 403 },
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  ...{ idempotency_running: 409, idempotency_result_gone: 409, batch_unfinished: 409 },
  ...{ document_expired: 410, document_deleted: 410, link_expired: 410 },
  version_conflict: 412,
  content_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  ...{ navigation_failed: 422, render_gate_failed: 422, wait_failed: 422, template_error: 422, data_invalid: 422 },
  ...{ template_limit: 422, key_limit: 422, certificate_password_wrong: 422, certificate_unusable: 422 },
  ...{ certificate_expired: 422, certificate_limit: 422, timestamps_unavailable: 422 },
  ...{ storage_unavailable: 422, storage_limit: 422, idempotency_mismatch: 422, document_interferes: 422 },
  ...{ print_failed: 422, not_conformant: 422, invoice_invalid: 422, document_protected: 422 },
  ...{ pdf_unreadable: 422, not_mergeable: 422, page_crashed: 422, resource_limit: 422 },
  ...{ queue_full: 429, rate_limited: 429, concurrency_limited: 429, memory_limited: 429 },
  headers_too_large: 431,
  client_closed: 499,
  internal_error: 500,
  not_implemented: 501,
  ...{ browser_unavailable: 503, storage_failed: 503, secret_key_missing: 503, timestamp_failed: 503 },
  ...{ revocation_failed: 503, overloaded: 503, shutting_down: 503 },
  render_timeout: 504,
  http_version_not_supported: 505,
};

type Explanation = (typeof EXPLANATIONS)[ErrorCode] & { status: number };

/** Every error code with its status and explanation. */
export const PROBLEMS = Object.fromEntries(
  Object.entries(EXPLANATIONS).map(([code, explanation]) => [code, { status: STATUSES[code as ErrorCode], ...explanation }]),
) as Record<ErrorCode, Explanation>;

/** Headers that describe a successful reply, which an error must not carry. */
const SUCCESS_HEADERS = [
  'content-disposition',
  'content-length',
  'etag',
  'accept-ranges',
  'content-security-policy',
  'location',
  'platen-pages',
  'platen-document-id',
  'platen-quota-remaining',
  'platen-warnings',
  'platen-left-out',
  'x-accel-buffering',
  'idempotency-replayed',
  'server-timing',
];

export type SendError = (request: FastifyRequest, reply: FastifyReply, error: ServiceError) => FastifyReply;

/** Sends an error. Anything other than a `ServiceError` becomes `internal_error` without further detail. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  const { status } = PROBLEMS[error.code];
  const body = JSON.stringify(toProblem(error, request.id, requestOrigin(request)));
  return sendError(request, reply, error, { status, type: PROBLEM_TYPE, body });
}

export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
  { status, type, body, challenge = 'Bearer' }: { status: number; type: string; body: string; challenge?: string },
): FastifyReply {
  for (const name of SUCCESS_HEADERS) reply.removeHeader(name);
  Object.assign(request.workLog?.result ?? {}, { code: error.code, ...failureFields(error, routeSchemas(request)) });
  Object.assign(request.workLog?.details ?? {}, { error });
  reply.code(status).type(type).header('x-request-id', request.id); // the hook that sets it may not have run yet
  if (status === 415 && !isAccepted(request.headers['content-encoding'])) reply.header('accept-encoding', ACCEPTED_CODINGS);
  if (status === 401) reply.header('www-authenticate', challenge);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  readRest(request, reply);
  return reply.send(body);
}

/**
 * Reads and drops the rest of the body: closing the connection with unread data resets it, and the answer may be lost on its way.
 * A client that expects `100 Continue` and was not asked for its body may or may not send it. The connection is closed then,
 * because the next bytes could be either that body or a new request.
 */
function readRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  raw.resume();
  if (raw.complete || awaitsContinue(raw)) return;
  if (!reply.raw.shouldKeepAlive) raw.once('end', () => raw.socket.end());
  reply.raw.shouldKeepAlive = true;
  reply.removeHeader('connection');
}

export function toProblem(error: ServiceError, requestId: string, origin: string): Record<string, unknown> {
  const { status, title } = PROBLEMS[error.code];
  return {
    ...error.members,
    type: `${origin}/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
  };
}

const FORM = 'application/x-www-form-urlencoded';

/** Converts any error to a `ServiceError`. Errors of Fastify are translated, and unknown ones become `internal_error`. */
export function toServiceError(error: unknown, request?: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const isForm = request?.headers['content-type']?.startsWith(FORM);
    const refused = isForm ? `${FORM}, which curl sends unless -H sets another Content-Type` : 'that Content-Type';
    const detail = `this endpoint does not accept ${refused}; send ${new Intl.ListFormat('en', { type: 'disjunction' }).format(acceptedTypes(request))}`;
    return new ServiceError('unsupported_media_type', detail, { cause: error });
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH' || code === 'FST_ERR_BAD_URL')
    return new ServiceError('not_found', 'there is nothing at this URL', { cause: error });
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new ServiceError('invalid_request', 'the request could not be understood', { cause: error, members: { errors: [] } });
  return new ServiceError('internal_error', 'something went wrong on the server', { cause: error });
}

/** The schemas of the body and of the query parameters that the route describes. */
function routeSchemas({ routeOptions }: FastifyRequest): FieldSchema[] {
  const { body, querystring } = (routeOptions.schema ?? {}) as { body?: RouteBody; querystring?: FieldSchema };
  const bodies = body?.content ? Object.values(body.content).map(({ schema }) => schema) : [body];
  return [...bodies, querystring].filter((schema) => schema !== undefined);
}

type RouteBody = FieldSchema & { content?: Record<string, { schema?: FieldSchema }> };

function acceptedTypes(request: FastifyRequest | undefined): string[] {
  const { content } = (request?.routeOptions.schema?.body ?? {}) as { content?: object };
  return Object.keys(content ?? { 'application/json': {} });
}
