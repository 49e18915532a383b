/** Webhooks of Gotenberg requests: headers in, the addresses for results, errors and events out. Also sends these. */
import type { FastifyRequest } from 'fastify';
import { invalidField, type ServiceError } from '../errors.ts';
import { connectionHeaders } from '../webhooks/connection-headers.ts';
import type { ResultUploads, Upload } from '../webhooks/result-uploads.ts';
import { parseWebhookUrl } from '../webhooks/webhook-url.ts';
import { errorMessage, errorStatus, traceHeaders } from './errors.ts';

type Method = Upload['method'];

export interface WebhookAddresses {
  url: string;
  method: Method;
  /** At least one of `errorUrl` and `eventsUrl` is set. */
  errorUrl: string | undefined;
  errorMethod: Method;
  eventsUrl: string | undefined;
  headers: Record<string, string>;
}

const METHODS: readonly Method[] = ['POST', 'PUT', 'PATCH'];
const MAX_HEADERS = 50;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/;
/** Time limit for everything that is sent for one job, including retries. */
const MAX_SENDING_MS = 120_000;
/** Time limit for sending the result. It leaves time to report that the result could not be sent. */
const MAX_RESULT_MS = 80_000;
/** Headers that callers cannot set, because they belong to the connection or are set by the service. */
const NOT_FOR_CALLERS = connectionHeaders('gotenberg-trace');

/** Returns undefined if the client waits for the result. Throws `invalid_request`. */
export function readWebhook({ headers }: FastifyRequest): WebhookAddresses | undefined {
  const given = (name: string) => (headers[`gotenberg-webhook-${name.toLowerCase()}`] as string | undefined) || undefined;
  const address = (name: string) => {
    const url = given(name);
    return url === undefined ? undefined : parseWebhookUrl(url, `Gotenberg-Webhook-${name}`);
  };
  const [url, errorUrl, eventsUrl] = [address('Url'), address('Error-Url'), address('Events-Url')];
  if (!url && !errorUrl && !eventsUrl) return undefined;
  if (!url) throw wrong('Url', 'is required with the other webhook headers');
  if (!errorUrl && !eventsUrl) throw wrong('Events-Url', 'is required, or Gotenberg-Webhook-Error-Url: errors are sent there');
  if (headers['idempotency-key'] !== undefined)
    throw invalidField('Idempotency-Key', 'cannot be combined with Gotenberg-Webhook-Url');
  const [method, errorMethod] = [readMethod('Method', given), readMethod('Error-Method', given)];
  return { url, method, errorUrl, errorMethod, eventsUrl, headers: readHeaders(given('Extra-Http-Headers')) };
}

function readMethod(name: string, given: (name: string) => string | undefined): Method {
  const method = METHODS.find((each) => each === (given(name) ?? 'POST').toUpperCase());
  if (!method) throw wrong(name, `must be one of ${METHODS.join(', ')}`);
  return method;
}

function readHeaders(given: string | undefined): Record<string, string> {
  if (given === undefined) return {};
  const entries = Object.entries(parseObject(given));
  if (entries.length > MAX_HEADERS) throw wrong('Extra-Http-Headers', `must have at most ${MAX_HEADERS} headers`);
  for (const [name, value] of entries) {
    if (!TOKEN.test(name) || typeof value !== 'string' || !VALUE.test(value))
      throw wrong('Extra-Http-Headers', 'must be an object of header names and texts, as JSON');
    if (NOT_FOR_CALLERS.test(name)) throw wrong('Extra-Http-Headers', `cannot set ${name}`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string]));
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {}; // Go clients write it for a map without a value
    if (typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {} // the error is thrown below
  throw wrong('Extra-Http-Headers', 'must be an object, as JSON');
}

function wrong(name: string, message: string): ServiceError {
  return invalidField(`Gotenberg-Webhook-${name}`, message);
}

/** A request that is answered by webhooks. */
export interface WebhookJob {
  uploads: ResultUploads;
  to: WebhookAddresses;
  trace: string;
}

/** Sends the result. If it cannot be sent, sends an error instead, as Gotenberg does. */
export async function sendResult(
  job: WebhookJob,
  { type, disposition, body }: { type: string; disposition: string; body: Buffer[] },
  signal: AbortSignal,
): Promise<void> {
  const { url, method, headers: own } = job.to;
  const headers = {
    ...{ 'content-disposition': disposition, 'user-agent': 'Platen' },
    ...own,
    ...{ 'content-type': type, ...traceHeaders(job.trace) },
  };
  const end = within(MAX_SENDING_MS, signal);
  if (await job.uploads.send({ url, method, headers, body }, within(MAX_RESULT_MS, signal)))
    await sendEvent(job, 'webhook.success', {}, end);
  else await sendFault(job, { status: 500, message: 'the result could not be sent to the webhook' }, end);
}

export async function sendError(job: WebhookJob, error: ServiceError, signal: AbortSignal): Promise<void> {
  await sendFault(job, { status: errorStatus(error), message: errorMessage(error) }, within(MAX_SENDING_MS, signal));
}

function within(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

async function sendFault(job: WebhookJob, fault: { status: number; message: string }, signal: AbortSignal): Promise<void> {
  const { errorUrl, errorMethod } = job.to;
  if (errorUrl) await sendJson(job, errorUrl, errorMethod, fault, signal);
  await sendEvent(job, 'webhook.error', { error: fault }, signal);
}

async function sendEvent(job: WebhookJob, event: string, more: object, signal: AbortSignal): Promise<void> {
  const body = { event, correlationId: job.trace, timestamp: new Date().toISOString(), ...more };
  if (job.to.eventsUrl) await sendJson(job, job.to.eventsUrl, 'POST', body, signal);
}

async function sendJson({ uploads, to, trace }: WebhookJob, url: string, method: Method, json: object, signal: AbortSignal) {
  const own = { 'content-type': 'application/json; charset=UTF-8', ...traceHeaders(trace) };
  const headers = { 'user-agent': 'Platen', ...to.headers, ...own };
  await uploads.send({ url, method, headers, body: [Buffer.from(JSON.stringify(json))] }, signal);
}
