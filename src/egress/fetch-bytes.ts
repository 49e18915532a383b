/** Sends one request of the service itself under the outbound policy: a URL and a body in, the bytes of the response out. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connectTo, UntrustedServerError } from './connect.ts';
import { type OutboundPolicy, RefusedError } from './policy.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface FetchOptions {
  /** `http:` or `https:`. Redirects are not followed. */
  url: URL;
  /** If it is set, the request is a POST. */
  body?: { type: string; bytes: Uint8Array } | undefined;
  accept: string;
  maxBytes: number;
  timeoutMs: number;
  /** Aborts the request. */
  signal: AbortSignal;
}

/** There is no usable response. The message is for the user who chose the URL, and reveals little about the server. */
export class NoResponseError extends Error {
  override name = 'NoResponseError';
}

/** Throws `NoResponseError`, and the reason of the signal. */
export async function fetchBytes(policy: OutboundPolicy, { url, timeoutMs, signal, ...question }: FetchOptions): Promise<Buffer> {
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
  { body, accept, maxBytes }: Pick<FetchOptions, 'body' | 'accept' | 'maxBytes'>,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest({
    method: body ? 'POST' : 'GET',
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      accept,
      ...(body && { 'content-type': body.type, 'content-length': String(body.bytes.length) }),
    },
    setHost: false,
    createConnection: () => socket,
  });
  request.on('error', reject);
  request.on('close', () => reject(new Error('the connection was closed')));
  request.on('response', resolve);
  request.end(body?.bytes);
  const answer = await promise;
  if (answer.statusCode !== 200) throw new NoResponseError(`answered with status ${answer.statusCode}`);
  return readBody(answer, maxBytes, (what) => new NoResponseError(what));
}

/** Throws the error of `refuse` if the body has more bytes, and ends its connection. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: (what: string) => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refuse(`sent more than ${maxBytes} bytes`); // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
