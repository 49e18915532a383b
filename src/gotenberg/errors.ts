/** Sends errors in the format of Gotenberg: an HTTP status and a line of text. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode, FieldError, ServiceError } from '../errors.ts';
import { KEY_NEEDED } from '../http/server/authenticate.ts';
import { PROBLEMS, type SendError, sendError, sendProblem } from '../http/server/problem.ts';
import { pathOf } from '../http/server/request-path.ts';
import { inFormTerms } from './form.ts';

const MISSING_KEY = 'send a valid API key as a Bearer token, as the password of Basic credentials, or in X-Api-Key';
const TRACE = /^[\x21-\x7e]{1,200}$/;
/** Statuses that differ from those of `/v1`. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  navigation_failed: 400,
  render_gate_failed: 409,
  wait_failed: 400,
  print_failed: 400,
  render_timeout: 503,
};

export function statusOf({ code, members }: ServiceError): number {
  if (code === 'navigation_failed' && members.upstream_status !== undefined) return 409;
  return STATUSES[code] ?? PROBLEMS[code].status;
}

export function messageOf({ code, members, message }: ServiceError): string {
  if (code === 'navigation_failed' && members.upstream_status !== undefined)
    return `Invalid HTTP status code from the main page: ${members.upstream_status}`;
  if (message === KEY_NEEDED) return MISSING_KEY;
  if (code !== 'invalid_request') return inFormTerms(message);
  const errors = (members.errors ?? []) as FieldError[];
  return errors.length ? errors.map(faultMessage).join('; ') : message;
}

function faultMessage({ path, message }: FieldError): string {
  if (/^Gotenberg-|^Idempotency-Key$/.test(path)) return `Invalid '${path}' header: ${message}`;
  const what = path.includes('.html') ? 'form file' : 'form field';
  return `Invalid form data: ${path ? `${what} '${path}' ${message}` : message}`;
}

/** Sends errors as text to clients of Gotenberg, and as problem details to others. */
export function errorSender(routes: 'on' | 'off'): SendError {
  if (routes === 'off') return sendProblem;
  return (request, reply, error) => (/^\/+forms(?:\/|$)/.test(pathOf(request)) ? sendText : sendProblem)(request, reply, error);
}

function sendText(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  reply.header('gotenberg-trace', traceOf(request));
  const text = { type: 'text/plain; charset=UTF-8', body: messageOf(error), challenge: 'Basic realm="Platen", Bearer' };
  return sendError(request, reply, error, { ...text, status: statusOf(error) });
}

/** The trace that the client sent, or a new one. */
export function traceOf({ id, headers }: FastifyRequest): string {
  const given = headers['gotenberg-trace'];
  return typeof given === 'string' && TRACE.test(given) ? given : id;
}
