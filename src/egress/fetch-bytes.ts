/** Sends requests of the service itself under the outbound policy: a URL and a body in, the bytes of the response out. */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connectTo, UntrustedServerError } from './connect.ts';
import { limitInterimResponses } from './interim-responses.ts';
import { type OutboundPolicy, RefusedError } from './policy.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface FetchOptions {
  /** `http:` or `https:`. */
  url: URL;
  /** If it is set, the request is a POST. */
  body?: { type: string; bytes: Uint8Array } | undefined;
  accept: string;
  /** Further headers. */
  headers?: Record<string, string>;
  maxBytes: number;
  timeoutMs: number;
  /** Aborts the request. */
  signal: AbortSignal;
}

/** There is no usable response. The message is for the user who chose the URL, and reveals little about the server. */
export class NoResponseError extends Error {
  override name = 'NoResponseError';
}

export interface FetchedFile {
  bytes: Buffer;
  headers: IncomingHttpHeaders;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Follows no redirects. Throws `NoResponseError`, and the reason of the signal. */
export async function fetchBytes(policy: OutboundPolicy, options: FetchOptions): Promise<Buffer> {
  const answer = await fetchAnswer(policy, options);
  if (answer instanceof URL) throw new NoResponseError('answered with a redirect');
  return answer.bytes;
}

/** Follows redirects, each of which the policy judges. Another origin does not get `headers`. Throws as `fetchBytes` does. */
export async function fetchFile(policy: OutboundPolicy, options: FetchOptions): Promise<FetchedFile> {
  let { url, headers = {} } = options;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await fetchAnswer(policy, { ...options, url, headers });
    if (!(answer instanceof URL)) return answer;
    if (answer.origin !== url.origin) headers = {};
    url = answer;
  }
  throw new NoResponseError('redirects too often');
}

/** Returns the address of a redirect. */
async function fetchAnswer(
  policy: OutboundPolicy,
  { url, timeoutMs, signal, ...question }: FetchOptions,
): Promise<FetchedFile | URL> {
  const late = AbortSignal.timeout(timeoutMs);
  const end = AbortSignal.any([late, signal]);
  let socket: Socket | undefined;
  try {
    socket = await unlessAborted(connectTo(policy, url, end), end);
    return await unlessAborted(exchange(url, socket, question), end);
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new NoResponseError(`did not answer within ${timeoutMs / 1_000} seconds`, { cause: error });
    throw error instanceof NoResponseError ? error : new NoResponseError(describeReason(error), { cause: error });
  } finally {
    socket?.destroy();
  }
}

function describeReason(error: unknown): string {
  if (error instanceof RefusedError && error.hasNoAddress) return 'has no address that may be reached';
  if (error instanceof UntrustedServerError) return 'has no valid certificate for its name';
  return 'could not be reached, or did not speak HTTP';
}

async function exchange(
  url: URL,
  socket: Socket,
  { body, accept, headers, maxBytes }: Pick<FetchOptions, 'body' | 'accept' | 'headers' | 'maxBytes'>,
): Promise<FetchedFile | URL> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest({
    method: body ? 'POST' : 'GET',
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      accept,
      ...(body && { 'content-type': body.type, 'content-length': String(body.bytes.length) }),
    },
    setHost: false,
    createConnection: () => socket,
  });
  limitInterimResponses(request);
  request.on('error', reject);
  request.on('close', () => reject(new Error('the connection was closed')));
  request.on('response', resolve);
  request.end(body?.bytes);
  const answer = await promise;
  const target = REDIRECTS.includes(answer.statusCode ?? 0) ? URL.parse(answer.headers.location ?? '', url.href) : null;
  if (target && /^https?:$/.test(target.protocol)) return target;
  if (answer.statusCode !== 200) throw new NoResponseError(`answered with status ${answer.statusCode}`);
  return { bytes: await readBody(answer, maxBytes, (what) => new NoResponseError(what)), headers: answer.headers };
}

/** Throws the error of `refuse` if the body has more bytes, and ends its connection. A chunk of one byte is not kept, because it uses hundreds. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: (what: string) => Error,
): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of body) {
    const end = length + chunk.length;
    if (end > maxBytes) throw refuse(`sent more than ${maxBytes} bytes`); // leaving the loop closes the connection
    if (end > buffer.length) buffer = Buffer.concat([buffer], Math.max(end, 2 * buffer.length));
    buffer.set(chunk, length);
    length = end;
  }
  return Buffer.from(buffer.subarray(0, length));
}
