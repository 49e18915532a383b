/** Sends errors in the format of Gotenberg: an HTTP status and a line of text. */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, type FieldError, type ServiceError, UNKNOWN_FIELD } from '../errors.ts';
import { KEY_NEEDED } from '../http/server/authenticate.ts';
import { PROBLEMS, type SendError, sendError, sendProblem } from '../http/server/problem.ts';
import { requestPath } from '../http/server/request-path.ts';
import type { Violation } from '../pdf/conformance/violations.ts';
import { adviseSenders, FILE } from './field-names.ts';

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
  if (code === 'render_gate_failed') return describeGate(error);
  if (code !== 'invalid_request') return message;
  const errors = (members.errors ?? []) as FieldError[];
  return errors.length ? describeFaults(errors) : message;
}

/** The status of the page, if it is the reason. A page with a content type is something other than HTML. */
function failedStatus({ code, members }: ServiceError): unknown {
  return code === 'navigation_failed' && members.content_type === undefined ? members.upstream_status : undefined;
}

interface FailingResource {
  url: string;
  status?: number;
  refused?: true;
  net_error?: string;
  reason?: string;
}

/** What failed a render because of a `failOn` field, a line for each. The field begins the message. */
function describeGate({ message, members }: ServiceError): string {
  const resources = (members.resources ?? []) as FailingResource[];
  if (message.startsWith('failOnResourceHttpStatusCodes: '))
    return ['Invalid HTTP status code from resources:', ...resources.map(describeStatus)].join('\n');
  if (message.startsWith('failOnResourceLoadingFailed: '))
    return ['Chromium failed to load resources:', ...resources.map(describeFailure)].join('\n');
  const warnings = (members.warnings ?? []) as Array<{ message: string }>;
  return ['Chromium console exceptions:', ...warnings.map((warning) => warning.message)].join('\n');
}

function describeStatus({ url, status = 0 }: FailingResource): string {
  return `${url} - ${status}: ${STATUS_CODES[status] ?? ''}`;
}

/** With Chromium's name for the error, as clients know it. A resource without a request is a file that was not sent. */
function describeFailure({ url, status, refused, net_error = 'ERR_FILE_NOT_FOUND', reason }: FailingResource): string {
  const error = status === undefined ? `net::${refused ? 'ERR_ACCESS_DENIED' : net_error}` : `status ${status}`;
  return `resource ${guessType(url)}: ${error} (${url}${reason ? `: ${adviseSenders(reason)}` : ''})`;
}

const TYPES: ReadonlyArray<readonly [type: string, names: RegExp]> = [
  ['Stylesheet', /\.css$/i],
  ['Script', /\.m?js$/i],
  ['Image', /\.(?:png|jpe?g|gif|svg|webp|avif)$/i],
  ['Font', /\.(?:woff2?|ttf|otf)$/i],
];

/** Chromium's name for a kind of resource, from the name of its file. */
function guessType(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  return TYPES.find(([, names]) => names.test(path))?.[0] ?? 'Other';
}

/** Names each rule once, because clients of Gotenberg get no list beside the message. */
function describeViolations(violations: Violation[]): string {
  const messages = [...new Set(violations.map(({ rule, message }) => `${rule}: ${message}`))];
  const more = messages.length - MAX_VIOLATIONS;
  return [...messages.slice(0, MAX_VIOLATIONS), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

/** A line for each fault. Those of the form are together, because clients read the beginning of the text. */
function describeFaults(errors: readonly FieldError[]): string {
  const isOfHeader = ({ path }: FieldError) => /^Gotenberg-|^Idempotency-Key$/.test(path);
  const headers = errors.filter(isOfHeader).map(({ path, message }) => `Invalid '${path}' header: ${message}`);
  const fields = [...new Set(errors.filter((error) => !isOfHeader(error)).map(describeField))];
  return [...headers, ...(fields.length ? [`Invalid form data: ${fields.join('\n')}`] : [])].join('\n');
}

/** What must be otherwise is invalid, in the words of Gotenberg. */
function describeField({ path, message }: FieldError): string {
  if (!path) return message;
  if (path.startsWith(FILE)) return `form file '${path.slice(FILE.length)}' ${message}`;
  if (message.startsWith(UNKNOWN_FIELD)) return `form field '${path}' is unknown${message.slice(UNKNOWN_FIELD.length)}`;
  return `form field '${path}' ${/^(?:must|has|names|cannot) /.test(message) ? 'is invalid: ' : ''}${message}`;
}

/** Sends errors as text to clients of Gotenberg, and as problem details to others. */
export function errorSender(routes: 'on' | 'off'): SendError {
  if (routes === 'off') return sendProblem;
  return (request, reply, error) =>
    (/^\/+forms(?:\/|$)/.test(requestPath(request)) ? sendText : sendProblem)(request, reply, error);
}

function sendText(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  reply.headers(traceHeaders(readTrace(request)));
  const text = { type: 'text/plain; charset=UTF-8', body: errorMessage(error), challenge: 'Basic realm="Platen", Bearer' };
  return sendError(request, reply, error, { ...text, status: errorStatus(error) });
}

/** The trace under both names that Gotenberg has for it. */
export function traceHeaders(trace: string): Record<string, string> {
  return { 'gotenberg-trace': trace, 'x-correlation-id': trace };
}

/** The trace that the client sent, or a new one. */
export function readTrace({ id, headers }: FastifyRequest): string {
  const given = headers['gotenberg-trace'] ?? headers['x-correlation-id'];
  return typeof given === 'string' && TRACE.test(given) ? given : id;
}
