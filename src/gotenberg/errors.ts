/** Sends errors in the format of Gotenberg: an HTTP status and a line of text. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode, FieldError, ServiceError } from '../errors.ts';
import { KEY_NEEDED } from '../http/server/authenticate.ts';
import { PROBLEMS, type SendError, sendError, sendProblem } from '../http/server/problem.ts';
import { requestPath } from '../http/server/request-path.ts';
import type { Violation } from '../pdf/conformance/violations.ts';
import { FILE } from './field-names.ts';

const MISSING_KEY = 'send a valid API key as a Bearer token, as the password of Basic credentials, or in X-Api-Key';
const MAX_VIOLATIONS = 10;
const TRACE = /^[\x21-\x7e]{1,200}$/;
/** Statuses that differ from those of `/v1`. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  navigation_failed: 400,
  render_gate_failed: 409,
  wait_failed: 400,
  print_failed: 400,
  render_timeout: 503,
};

export function errorStatus(error: ServiceError): number {
  return failedStatus(error) === undefined ? (STATUSES[error.code] ?? PROBLEMS[error.code].status) : 409;
}

export function errorMessage(error: ServiceError): string {
  const { code, members, message } = error;
  const status = failedStatus(error);
  if (status !== undefined) return `Invalid HTTP status code from the main page: ${status}`;
  if (message === KEY_NEEDED) return MISSING_KEY;
  if (code === 'not_conformant') return describeViolations(members.violations as Violation[]);
  if (code !== 'invalid_request') return message;
  const errors = (members.errors ?? []) as FieldError[];
  return errors.length ? errors.map(faultMessage).join('; ') : message;
}

/** The status of the page, if it is the reason. A page with a content type is something other than HTML. */
function failedStatus({ code, members }: ServiceError): unknown {
  return code === 'navigation_failed' && members.content_type === undefined ? members.upstream_status : undefined;
}

/** Names each rule once, because clients of Gotenberg get no list beside the message. */
function describeViolations(violations: Violation[]): string {
  const messages = [...new Set(violations.map(({ rule, message }) => `${rule}: ${message}`))];
  const more = messages.length - MAX_VIOLATIONS;
  return [...messages.slice(0, MAX_VIOLATIONS), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

function faultMessage({ path, message }: FieldError): string {
  if (/^Gotenberg-|^Idempotency-Key$/.test(path)) return `Invalid '${path}' header: ${message}`;
  const what = path.startsWith(FILE) ? `form file '${path.slice(FILE.length)}' ` : `form field '${path}' `;
  return `Invalid form data: ${path ? what : ''}${message}`;
}

/** Sends errors as text to clients of Gotenberg, and as problem details to others. */
export function errorSender(routes: 'on' | 'off'): SendError {
  if (routes === 'off') return sendProblem;
  return (request, reply, error) =>
    (/^\/+forms(?:\/|$)/.test(requestPath(request)) ? sendText : sendProblem)(request, reply, error);
}

function sendText(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  reply.header('gotenberg-trace', readTrace(request));
  const text = { type: 'text/plain; charset=UTF-8', body: errorMessage(error), challenge: 'Basic realm="Platen", Bearer' };
  return sendError(request, reply, error, { ...text, status: errorStatus(error) });
}

/** The trace that the client sent, or a new one. */
export function readTrace({ id, headers }: FastifyRequest): string {
  const given = headers['gotenberg-trace'];
  return typeof given === 'string' && TRACE.test(given) ? given : id;
}
