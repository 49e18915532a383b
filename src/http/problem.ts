/** Errors as the client sees them: error code in, `application/problem+json` (RFC 9457) out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { ACCEPTED_CODINGS, isAccepted } from './content-coding.ts';
import { isUnasked } from './expectations.ts';
import { originOf } from './origin.ts';

export const PROBLEM_TYPE = 'application/problem+json';

interface Explanation {
  status: number;
  title: string;
  /** What happened. */
  meaning: string;
  /** What the caller can do. */
  remedy: string;
}

/** The one table of statuses. A code without a row does not compile. */
export const PROBLEMS: Readonly<Record<ErrorCode, Explanation>> = {
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    meaning:
      'The request body could not be read as JSON in UTF-8, is nested more than 100 levels deep, or holds more than 500,000 values.',
    remedy: 'Send one JSON object. With curl, --data-binary @file.json keeps the file as it is.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    meaning: 'One or more fields are missing, unknown, of the wrong type or out of range. `errors` lists each with its path.',
    remedy: 'Correct the fields named in `errors`. Nothing was rendered.',
  },
  unauthorized: {
    status: 401,
    title: 'A valid API key is required',
    meaning: 'The Authorization header is missing, or its key is unknown, mistyped or revoked.',
    remedy: 'Send `Authorization: Bearer plt_...`. `platen keys create` makes a key.',
  },
  quota_exceeded: {
    status: 402,
    title: 'The allowance of the month is used up',
    meaning:
      'The plan of the account allows no further document this calendar month (UTC). `limit`, `used` and `resets_at` tell the details. Nothing was rendered or charged.',
    remedy: 'Wait until `resets_at`, or ask the operator for another plan.',
  },
  forbidden_url: {
    status: 403,
    title: 'The address may not be reached',
    meaning:
      'The `url`, or an address it was redirected to, is not in the public internet, is on a port that is not open to documents, or was excluded by the operator. What is there was not looked at. Nothing was charged.',
    remedy: 'Use a public address; the operator can allow others by PLATEN_OUTBOUND_ALLOW and PLATEN_OUTBOUND_PORTS.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this address, or what it names does not exist or belongs to another key.',
    remedy: 'Check the address and the id.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address exists, but not for this HTTP method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The Accept header allows none of the types this address can answer with.',
    remedy: 'Accept application/pdf, or send no Accept header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The whole request was not received in time.',
    remedy: 'Send it again on a faster connection; the operator can raise PLATEN_REQUEST_TIMEOUT_SECONDS.',
  },
  idempotency_running: {
    status: 409,
    title: 'The first request with this Idempotency-Key is still running',
    meaning: 'Another request with the same Idempotency-Key has not been answered yet.',
    remedy: 'Send the request again after the seconds in Retry-After; it gets the reply of the first.',
  },
  idempotency_result_gone: {
    status: 409,
    title: 'The reply to this Idempotency-Key was not kept',
    meaning:
      'The request with this Idempotency-Key was answered and charged, but its PDF is kept no longer: the plan of the account keeps documents for a shorter time, or not at all.',
    remedy: 'Use the PDF you received. To render again, send a new Idempotency-Key.',
  },
  batch_unfinished: {
    status: 409,
    title: 'The batch has not ended',
    meaning:
      'Items of the batch have no outcome yet, and all results together are there once the last one has. `unfinished` counts them.',
    remedy:
      'Send the request again after the seconds in Retry-After, or follow `GET /v1/batches/{id}/events` until the last event.',
  },
  document_expired: {
    status: 410,
    title: 'The document has expired',
    meaning: 'The document was kept for as long as the plan of its account said when it was stored. Its content is gone.',
    remedy: 'Render it again.',
  },
  document_deleted: {
    status: 410,
    title: 'The document was deleted',
    meaning: 'Its owner deleted the document. Its content is gone.',
    remedy: 'Render it again.',
  },
  link_expired: {
    status: 410,
    title: 'The link has expired',
    meaning: 'The signed link was valid for a limited time, which is over.',
    remedy: 'Ask the owner of the document for a new link.',
  },
  content_too_large: {
    status: 413,
    title: 'Content too large',
    meaning:
      'The HTML is over 5,242,880 bytes of UTF-8 (524,288 for the playground), or the request body is over the server’s limit. `limit` and, where known, `actual` are in bytes.',
    remedy: 'Make the document smaller: move images to lower resolutions, split the document.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'The body has a content type, a charset or a Content-Encoding that this address does not read. Accept-Encoding names the codings it does.',
    remedy:
      'Send `Content-Type: application/json`, with a body in UTF-8, as it is or with `Content-Encoding: gzip` or `deflate`. `POST /v1/pdf` also reads `text/html`, `text/markdown` and `multipart/form-data`.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The Range header asks for bytes beyond the end of the document. Content-Range tells its size.',
    remedy: 'Ask for bytes the document has, or send no Range header.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    meaning: 'The Expect header asks for something other than `100-continue`.',
    remedy: 'Send `Expect: 100-continue`, or no Expect header.',
  },
  navigation_failed: {
    status: 422,
    title: 'The document could not be loaded',
    meaning:
      'The `url` could not be reached (`net_error` is the reason, as Chromium names it), or was answered with an error status or something else than HTML (`upstream_status`, `content_type`). Or an `html` document navigated away from itself, by script, form or reload, before it could be printed.',
    remedy:
      'Check the url, with a browser, from outside your own network. `failOnHttpStatus: false` prints pages of errors, too. Remove scripts and forms from `html` that reload or navigate while it loads.',
  },
  render_gate_failed: {
    status: 422,
    title: 'The document is not whole',
    meaning:
      'The document could be printed, but the request asked for no PDF in such a case: `gate` names the option (failOnHttpStatus, failOnResourceError, failOnConsoleError, failOnWarning), `resources`, `messages` or `warnings` what was found. Nothing was charged.',
    remedy: 'Mend what is named, or send the request without that option.',
  },
  wait_failed: {
    status: 422,
    title: 'What was to be waited for cannot be told',
    meaning:
      'The script of `waitForFunction` threw an exception, or its promise was rejected. `detail` names it. Nothing was charged.',
    remedy:
      'Write a script that is falsy until what it waits for is there, such as `document.querySelector("#chart")?.dataset.ready`.',
  },
  template_error: {
    status: 422,
    title: 'The template cannot be filled',
    meaning:
      'The template has a fault, uses too many different paths, or takes too much time or memory to fill. `line` and `column` tell where, counted from 1.',
    remedy: 'Correct the template at that place.',
  },
  template_limit: {
    status: 422,
    title: 'Too many templates',
    meaning:
      'The templates of this key would be more, or larger together, than the server allows. `limit` is the number or the bytes.',
    remedy: 'Delete templates; the operator can raise PLATEN_MAX_TEMPLATES and PLATEN_MAX_TEMPLATES_MB.',
  },
  storage_unavailable: {
    status: 422,
    title: 'The plan stores no documents',
    meaning: 'The plan of the account has a retention of zero. Nothing was rendered, stored or charged.',
    remedy: 'Send the request without `store: true` and keep the PDF of the reply, or ask the operator for another plan.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    meaning: 'The same Idempotency-Key came with another method, address or body within 24 hours.',
    remedy: 'Use a new Idempotency-Key for every different request.',
  },
  print_failed: {
    status: 422,
    title: 'The document could not be printed',
    meaning:
      'The browser loaded the document but could not print it or make an image of it, for example because `pageRanges` names no page of it, or `selector` matches nothing.',
    remedy: 'See `detail`; correct the options it names.',
  },
  not_mergeable: {
    status: 422,
    title: 'The documents cannot be merged',
    meaning:
      'The batch has no documents that are still there, or some that are protected by a password, which `items` names by index and reference.',
    remedy: 'Fetch the documents as `.zip`, or one by one.',
  },
  page_crashed: {
    status: 422,
    title: 'The document crashed its page',
    meaning: 'The page that rendered the document crashed, twice. Other renders are not affected.',
    remedy: 'Simplify the document. Should it crash again, report it with the document.',
  },
  resource_limit: {
    status: 422,
    title: 'The document takes too much',
    meaning:
      'Rendering took more memory or more of the network than one render may have, or the PDF or the image grew too large; or the documents of a batch are too large to be merged (`limit` and `actual` in bytes).',
    remedy:
      'Simplify or split the document; the operator can raise PLATEN_RENDERER_MEMORY_MB, PLATEN_RENDER_MAX_NETWORK_MB, PLATEN_RENDER_MAX_REQUESTS, PLATEN_MAX_PDF_BYTES and PLATEN_MAX_IMAGE_PIXELS.',
  },
  queue_full: {
    status: 429,
    title: 'Too many renders are waiting',
    meaning:
      'As many renders wait as the server allows, or visitors of the playground, or Liquid templates of this account; or the work had held its place for long while others waited, and was ended for them.',
    remedy: 'Send the request again after the seconds in Retry-After.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The account sent more renders and template uploads in a minute than its plan allows; or a client address more to the playground, in a minute or at one time. RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset tell the details.',
    remedy: 'Send the request again after the seconds in Retry-After.',
  },
  concurrency_limited: {
    status: 429,
    title: 'Too many renders at one time',
    meaning:
      'As many renders of the account are under way as its plan allows, or as many streams and downloads of batches of the key are open as may be.',
    remedy: 'Wait for one to be answered, then send the next.',
  },
  memory_limited: {
    status: 429,
    title: 'Your requests hold too much memory',
    meaning:
      'Requests of the account, or of the client address in the playground, hold as much memory as one may have: their bodies, what is made of them, and PDFs that have not been read. Nothing was charged.',
    remedy:
      'Send the request again after the seconds in Retry-After, fewer large ones at one time, and read replies at once; the operator can raise PLATEN_REQUEST_MEMORY_MB.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    meaning: 'The request line and headers are larger than the server reads.',
    remedy: 'Send documents and data in the body.',
  },
  client_closed: {
    status: 499,
    title: 'The client closed the connection',
    meaning: 'The client went away before the answer; the render was stopped. Seen in logs and metrics only.',
    remedy: 'Wait longer than `options.timeout` for the answer.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong that is not the request’s fault.',
    remedy: 'Try again; if it persists, tell the operator the request_id.',
  },
  not_implemented: {
    status: 501,
    title: 'Not implemented',
    meaning: 'The request has a Transfer-Encoding other than `chunked`.',
    remedy: 'Send the body in chunks or with its Content-Length, and not compressed.',
  },
  browser_unavailable: {
    status: 503,
    title: 'No browser available',
    meaning: 'The browser could not be started.',
    remedy: 'Try again after Retry-After; operators find the reason with `platen doctor`.',
  },
  storage_failed: {
    status: 503,
    title: 'The storage does not work',
    meaning:
      'The disk or the database of the service is full or failing. A request that fails this way before its work is done is not charged.',
    remedy: 'Try again after Retry-After; operators find the reason in the log.',
  },
  overloaded: {
    status: 503,
    title: 'Requests hold too much memory',
    meaning:
      'All requests together hold as much memory as is meant for them, and this one needs more than is left. Nothing was charged.',
    remedy:
      'Send the request again after the seconds in Retry-After, or a smaller one; the operator can raise PLATEN_REQUEST_MEMORY_MB.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    meaning: 'The service finishes what it has begun and takes nothing new.',
    remedy: 'Send the request again to another instance, or after Retry-After.',
  },
  render_timeout: {
    status: 504,
    title: 'The render took too long',
    meaning: 'The render did not finish within its timeout; `phase` tells where it was: queue, load, print or finish.',
    remedy: 'Raise options.timeout, or simplify the document. Scripts that never end are the usual cause.',
  },
  http_version_not_supported: {
    status: 505,
    title: 'HTTP version not supported',
    meaning: 'The request line names no version of HTTP, or another one than 1.1 and 1.0.',
    remedy: 'Send the request as HTTP/1.1. A reverse proxy can translate HTTP/2 and HTTP/3.',
  },
};

/** Headers that describe what would have been sent. */
const OF_SUCCESS = [
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

/** Sends an error; everything that is not a `ServiceError` becomes `internal_error` and says nothing more. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  const { status } = PROBLEMS[error.code];
  for (const name of OF_SUCCESS) reply.removeHeader(name);
  reply.code(status).type(PROBLEM_TYPE).header('x-request-id', request.id); // also where no hook has run yet
  if (status === 415 && !isAccepted(request.headers['content-encoding'])) reply.header('accept-encoding', ACCEPTED_CODINGS);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  readRest(request, reply);
  return reply.send(JSON.stringify(problemOf(error, request.id, originOf(request))));
}

/**
 * What is left of the body is read and dropped: a connection closed on it is reset, and the answer may be lost on its way. A client
 * that has not been asked for its body may send none, and nobody could tell what comes next: that connection is closed.
 */
function readRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  raw.resume();
  if (raw.complete || isUnasked(raw)) return;
  if (!reply.raw.shouldKeepAlive) raw.once('end', () => raw.socket.end());
  reply.raw.shouldKeepAlive = true;
  reply.removeHeader('connection');
}

export function problemOf(error: ServiceError, requestId: string, origin: string): Record<string, unknown> {
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

/** Any error as a `ServiceError`. Fastify's own are translated; unknown ones hide behind `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const known = FRAMEWORK_ERRORS[code ?? ''];
  if (known) return new ServiceError(known.code, known.detail, { cause: error });
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new ServiceError('invalid_request', 'the request could not be understood', { cause: error, members: { errors: [] } });
  return new ServiceError('internal_error', 'something went wrong on the server', { cause: error });
}

const FRAMEWORK_ERRORS: Record<string, { code: ErrorCode; detail: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    detail: 'this address does not read that Content-Type; send application/json',
  },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found', detail: 'there is nothing at this address' },
  FST_ERR_BAD_URL: { code: 'not_found', detail: 'there is nothing at this address' },
};
