/** Adds headers to every reply, and logs, counts and traces every request, without its query string, headers or body. */
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLog } from '../../request-log/request-log.ts';
import { inSpan, type Span, startRequestSpan } from '../../tracing.ts';
import { inWorkLog, openWorkLog, type WorkLog } from '../../work-log.ts';
import { PROBLEMS } from '../server/problem.ts';
import { checkHead } from '../server/request-head.ts';
import type { Metrics, RequestOutcome } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace span of the request. Undefined while no traces are recorded. */
    span?: Span | undefined;
    /** What its log line says. Undefined before the first hook and after the line was written. */
    workLog?: WorkLog | undefined;
    /** How many bytes its connection had sent before. */
    sentBefore?: number;
  }
  interface FastifyContextConfig {
    /** Whether the requests of a route are renders, which the request log has. */
    isRender?: boolean;
  }
}

/** Sockets on which a reply was sent before the body had ended. A second reply must not be written to them. */
export const answeredEarly = new WeakSet<Socket>();

/** Headers with an id that a caller or a proxy has given the request, the first that is sent before the others. */
const ID_HEADERS = ['x-request-id', 'gotenberg-trace', 'x-correlation-id'] as const;
/** Such an id may be logged. */
const CALLERS_ID = /^[\w.:/+=@-]{1,128}$/;

interface Observers {
  metrics: Pick<Metrics, 'requestFinished'>;
  logger: Pick<FastifyBaseLogger, 'info'>;
  requestLog: Pick<RequestLog, 'note'>;
}

export function observeRequests(app: FastifyInstance, observers: Observers): void {
  app.addHook('onRequest', (request, reply, done) => {
    const log = openWorkLog({ request_id: request.id, ...callersId(request) });
    request.workLog = log;
    request.sentBefore = request.raw.socket.bytesWritten;
    request.span = startRequestSpan(request.headers.traceparent);
    // Fastify does not call `onResponse` for a reply that cannot be sent.
    reply.raw.once('close', () => finish(request, reply, observers));
    inSpan(request.span, () => inWorkLog(log, done));
  });
  app.addHook('onRequest', async (request, reply) => {
    answeredEarly.delete(request.raw.socket);
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.url.startsWith('/v1/')) reply.header('cache-control', 'no-store');
    checkHead(request.raw);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (!request.raw.complete) answeredEarly.add(request.raw.socket);
    finish(request, reply, observers);
  });
}

function callersId({ headers }: FastifyRequest): { caller_request_id?: string } {
  const given = ID_HEADERS.map((name) => headers[name]).find((value) => value !== undefined);
  return typeof given === 'string' && CALLERS_ID.test(given) ? { caller_request_id: given } : {};
}

/** Does nothing if it was called for this request before. */
function finish(request: FastifyRequest, reply: FastifyReply, { metrics, logger, requestLog }: Observers): void {
  const log = request.workLog;
  if (!log) return;
  request.workLog = undefined;
  const { raw, statusCode, elapsedTime } = reply;
  const brokeOff = raw.writableFinished || hasSentLength(request, reply) ? {} : { code: 'client_closed' };
  const outcome = {
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: raw.writableFinished || raw.headersSent ? statusCode : PROBLEMS.client_closed.status,
    milliseconds: Math.round(elapsedTime * 10) / 10,
  };
  inSpan(request.span, () => {
    metrics.requestFinished(outcome);
    logger.info({ ...log.origin, ...outcome, ...brokeOff, ...log.result }, 'request');
  });
  const { principal, routeOptions } = request;
  if (principal && routeOptions.config.isRender)
    requestLog.note(
      principal.keyId,
      { ...log, result: log.result.bytes === undefined ? { ...brokeOff, ...log.result } : log.result },
      { endpoint: outcome.route, milliseconds: outcome.milliseconds },
    );
  endSpan(request, outcome);
}

/**
 * Whether a stream has sent as many bytes as `Content-Length` announces. A client may close the connection when it has read them,
 * before the stream has reported its end.
 */
function hasSentLength({ raw: { socket }, sentBefore = 0 }: FastifyRequest, { raw }: FastifyReply): boolean {
  const length = Number(raw.getHeader('content-length') ?? Number.NaN);
  return raw.headersSent && !raw.writableEnded && socket.bytesWritten - sentBefore >= length;
}

/** The names are those of https://opentelemetry.io/docs/specs/semconv/http/http-spans/. */
function endSpan({ span, id, principal }: FastifyRequest, { method, route, status }: RequestOutcome): void {
  span?.rename(`${method} ${route}`);
  span?.set({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status, 'platen.request_id': id });
  if (principal) span?.set({ 'platen.key_id': principal.keyId });
  span?.end(status >= 500 ? String(status) : undefined);
}
