/**
 * Makes one delivery attempt: a URL, headers and a body in, the response status or a description of the failure out. Never
 * throws.
 */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, UntrustedServerError } from '../egress/connect.ts';
import { limitInterimResponses } from '../egress/interim-responses.ts';
import { type OutboundPolicy, RefusedError } from '../egress/policy.ts';
import { unlessAborted } from '../egress/unless-aborted.ts';

export interface Attempt {
  url: string;
  /** Default: POST. */
  method?: string;
  headers: Record<string, string>;
  /** A list of buffers, so that a large body is never concatenated. */
  body: readonly Buffer[] | StreamedBody;
  timeoutMs: number;
  /** The longest time without any data on the connection. Default: `timeoutMs`. */
  idleMs?: number;
  signal: AbortSignal;
}

/** A body that is read while it is sent. */
export interface StreamedBody {
  bytes: number;
  /** Called once the connection is established. Throws `ContentUnavailableError`. */
  open(): Promise<Readable>;
}

/** The body cannot be read. The message is shown to the owner of the delivery. */
export class ContentUnavailableError extends Error {
  override name = 'ContentUnavailableError';
}

/** The receiver neither read nor sent data for `idleMs`. */
class StalledError extends Error {
  override name = 'StalledError';
}

export interface AttemptResult {
  /** The response status; undefined if there was no response. */
  status?: number;
  /** The first characters of the response body. */
  beginning?: string;
  /** A message for the owner of the delivery. It reveals nothing about hosts that the egress policy forbids. */
  error?: string;
  /** For the operator's log. */
  refusal?: RefusedError;
}

const MAX_ANSWER_BYTES = 65_536;
/** Only the beginning of the response body is kept, but it is read for this long, because some servers fail if the client does not read it. */
const MAX_ANSWER_MS = 1_000;
const KEPT_ANSWER_BYTES = 1_024;

type Answer = Required<Pick<AttemptResult, 'status' | 'beginning'>>;

/** Does not follow redirects. */
export async function attempt(
  policy: OutboundPolicy,
  { url, timeoutMs, idleMs = timeoutMs, signal, ...sent }: Attempt,
): Promise<AttemptResult> {
  const late = AbortSignal.timeout(timeoutMs);
  const end = AbortSignal.any([late, signal]);
  let socket: Socket | undefined;
  try {
    const to = new URL(url);
    socket = await unlessAborted(connectTo(policy, to, end), end);
    const opening = openBody(sent.body);
    const source = await unlessAborted(opening, end).catch((error: unknown) => {
      opening.then((late) => late.destroy()).catch(() => {});
      throw error;
    });
    socket.setTimeout(idleMs, () => socket?.destroy(new StalledError()));
    const { status, beginning } = await unlessAborted(exchange(to, socket, sent, source), end);
    return { status, ...(beginning && { beginning }), ...(isRedirect(status) && { error: 'redirects are not followed' }) };
  } catch (error) {
    if (late.aborted) return { error: `there was no answer within ${timeoutMs / 1000} seconds` };
    if (signal.aborted) return { error: 'the service was stopped before there was an answer' };
    if (error instanceof StalledError)
      return { error: `no data was taken, and nothing was answered, for ${idleMs / 1000} seconds` };
    return { error: failureReason(error), ...(error instanceof RefusedError && { refusal: error }) };
  } finally {
    socket?.destroy();
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function failureReason(error: unknown): string {
  if (error instanceof ContentUnavailableError) return error.message;
  if (error instanceof RefusedError && error.hasNoAddress) return 'the host has no address that may be reached';
  if (error instanceof RefusedError) return 'no connection could be made';
  if (error instanceof UntrustedServerError)
    return 'no encrypted connection could be made: the certificate must be valid for this host';
  return 'the connection broke off, or the answer was not HTTP';
}

/** Resolves when the response body has been read, or its limit of bytes or time is reached. */
function exchange(
  url: URL,
  socket: Socket,
  { method = 'POST', headers, body }: Pick<Attempt, 'method' | 'headers' | 'body'>,
  source: Readable,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let isAnswered = false; // a server may respond and close the connection before it has read the whole request
  const fail = (error: unknown) => {
    if (!isAnswered) reject(error);
  };
  const request = httpRequest({
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, 'content-length': String(bodyLength(body)) },
    setHost: false,
    createConnection: () => socket,
  });
  limitInterimResponses(request);
  request.on('error', fail);
  request.on('close', () => fail(new Error('the connection was closed')));
  request.on('response', (answer) => {
    isAnswered = true;
    void drain(answer).then((beginning) => resolve({ status: answer.statusCode ?? 0, beginning }));
  });
  pipeline(source, request).catch(fail);
  return promise;
}

async function openBody(body: Attempt['body']): Promise<Readable> {
  return 'open' in body ? body.open() : Readable.from(body, { objectMode: false });
}

function bodyLength(body: Attempt['body']): number {
  return 'open' in body ? body.bytes : body.reduce((sum, { length }) => sum + length, 0);
}

/** Returns the beginning of the body. A character that is cut off is left out. */
async function drain(answer: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let beginning = '';
  const read = async () => {
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (bytes < KEPT_ANSWER_BYTES) beginning += decoder.decode(chunk.subarray(0, KEPT_ANSWER_BYTES - bytes), { stream: true });
      bytes += chunk.byteLength;
      if (bytes >= MAX_ANSWER_BYTES) return;
    }
  };
  await Promise.race([read().catch(() => {}), sleep(MAX_ANSWER_MS, undefined, { ref: false })]);
  return beginning;
}

const TOO_MANY_REQUESTS = 429;
const NOT_IMPLEMENTED = 501;

export function isDelivered({ status = 0 }: AttemptResult): boolean {
  return status >= 200 && status < 300;
}

/** Whether a retry may succeed: there was no response, or a status that may be temporary. */
export function mayRetry({ status, refusal }: AttemptResult): boolean {
  if (status === undefined) return !refusal || Boolean(refusal.netError);
  return status === TOO_MANY_REQUESTS || (status >= 500 && status !== NOT_IMPLEMENTED);
}
