/** One attempt to deliver: an address, headers and a body in, what was answered or what went wrong out. Never throws. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type OutboundPolicy, Refusal } from '../egress/policy.ts';
import { NotTrusted, reach } from '../egress/reach.ts';

export interface Attempt {
  url: string;
  /** Default: POST. */
  method?: string;
  headers: Record<string, string>;
  /** In pieces, so that a large one is never concatenated. */
  body: readonly Buffer[];
  timeoutMs: number;
  /** Ends the attempt. */
  signal: AbortSignal;
}

export interface AttemptResult {
  /** What was answered; undefined where nothing was. */
  status?: number;
  /** In words for the owner of the address: nothing of what lies behind an address that may not be reached. */
  error?: string;
  /** For the operator's log. */
  refusal?: Refusal;
}

const MAX_ANSWER_BYTES = 65_536;
/** What comes after the head of an answer is of no interest, but a server may be upset when it is not read. */
const MAX_ANSWER_MS = 1_000;

/** Redirects are not followed. */
export async function attempt(policy: OutboundPolicy, { url, timeoutMs, signal, ...sent }: Attempt): Promise<AttemptResult> {
  const late = AbortSignal.timeout(timeoutMs);
  const end = AbortSignal.any([late, signal]);
  let socket: Socket | undefined;
  try {
    const to = new URL(url);
    socket = await ended(reach(policy, to, end), end);
    const status = await ended(exchange(to, socket, sent), end);
    return { status, ...(isRedirect(status) && { error: 'redirects are not followed' }) };
  } catch (error) {
    if (late.aborted) return { error: `there was no answer within ${timeoutMs / 1000} seconds` };
    if (signal.aborted) return { error: 'the service was stopped before there was an answer' };
    return { error: describeFailure(error), ...(error instanceof Refusal && { refusal: error }) };
  } finally {
    socket?.destroy();
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Whether a name leads to a place that may not be reached or to none is not told. */
function describeFailure(error: unknown): string {
  if (error instanceof Refusal && (!error.netError || error.netError === 'ERR_NAME_NOT_RESOLVED'))
    return 'the host has no address that may be reached';
  if (error instanceof Refusal) return 'no connection could be made';
  if (error instanceof NotTrusted) return 'no encrypted connection could be made: the certificate must be valid for this host';
  return 'the connection broke off, or the answer was not HTTP';
}

/** Not everything that is waited for can be ended. */
async function ended<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  work.catch(() => {}); // it may fail after it was given up
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end));
}

/** The status of the answer, once its body has been read, or enough of it. */
function exchange(
  url: URL,
  socket: Socket,
  { method = 'POST', headers, body }: Pick<Attempt, 'method' | 'headers' | 'body'>,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = httpRequest({
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, 'content-length': String(body.reduce((sum, { length }) => sum + length, 0)) },
    setHost: false,
    createConnection: () => socket,
  });
  request.on('error', reject);
  request.on('close', () => reject(new Error('the connection was closed')));
  request.on('response', (answer) => {
    void drain(answer).then(() => resolve(answer.statusCode ?? 0));
  });
  Readable.from(body, { objectMode: false }).pipe(request);
  return promise;
}

async function drain(answer: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = MAX_ANSWER_BYTES;
  answer.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength;
    if (left <= 0) resolve();
  });
  answer.on('error', () => resolve());
  answer.on('close', () => resolve());
  answer.on('end', () => resolve());
  const timer = setTimeout(resolve, MAX_ANSWER_MS);
  await promise;
  clearTimeout(timer);
}
