/** Serves MCP over streamable HTTP: requests with a Bearer key in, replies out. Each request gets its own MCP server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ServiceError } from '../errors.ts';
import { parseJson } from '../http/requests/json-body.ts';
import { ByteBudget, type HeldBytes } from '../queue/byte-budget.ts';
import { ApiError, callApi } from './api.ts';
import { createMcpServer } from './server.ts';

interface HttpSettings {
  url: string;
  version: string;
}

const PATH = '/mcp';
/** How long a client may take to send its head, before anything is known about it, and its whole request. */
const HEAD_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_MS = 1_000;
/** Enough for an HTML document of 5 MB with JSON escaping. */
const MAX_BODY_BYTES = 16_000_000;
/** Memory for messages, of which a key may use half of what the others leave. */
const MEMORY_BYTES = 256 * 1_048_576;
/** A message is in memory as bytes, as parsed values and as the body of the call to the API; each chunk has an object of its own. */
const MEMORY_PER_BYTE = 3;
const MEMORY_PER_CHUNK = 256;
const MEMORY_PER_VALUE = 64;
/** A message has about ten members, besides the arguments of a tool. */
const MAX_MEMBERS = 1_000;
const BAD_GATEWAY = 502;

/** There is no limit of connections: one that has not sent its head uses little, and a limit would let a few clients use it up. */
export function mcpOverHttp(settings: HttpSettings): Server {
  const memory = new ByteBudget(MEMORY_BYTES);
  const timeouts = {
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  };
  return createServer(timeouts, (request, response) => {
    answer(settings, memory, request, response).catch((error: unknown) => {
      const { status, message } = toHttpError(error);
      if (!response.headersSent) refuse(response, status, message);
      else response.destroy();
    });
  });
}

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const STATUSES: Partial<Record<ServiceError['code'], number>> = { invalid_json: 400, memory_limited: 429, overloaded: 503 };

function toHttpError(error: unknown): { status: number; message: string } {
  if (error instanceof HttpError) return error;
  const status = error instanceof ServiceError ? STATUSES[error.code] : undefined;
  return status ? { status, message: (error as Error).message } : { status: 500, message: 'internal error' };
}

async function answer(
  settings: HttpSettings,
  memory: ByteBudget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = readKey(request);
  await checkKey(settings.url, key, response);
  const held = memory.open(key);
  response.once('close', () => held.release());
  const message = parseMessage(await readBody(request, held), held);
  if (Array.isArray(message)) throw new HttpError(400, 'send a single message: batches are not supported');
  const server = createMcpServer({ url: settings.url, key }, settings.version);
  // Without a generator for session ids, the transport has no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void Promise.all([transport.close(), server.close()]).catch(() => {}));
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, message);
}

function readKey({ url = '/', method, headers }: IncomingMessage): string {
  if (URL.parse(url, 'http://any')?.pathname !== PATH) throw new HttpError(404, `the MCP endpoint is ${PATH}`);
  const key = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!key) throw new HttpError(401, 'send an API key as `Authorization: Bearer plt_...`');
  if (method !== 'POST') throw new HttpError(405, 'use POST: sessions are not supported');
  return key;
}

/** Checks the key with the API before the body is read, so that only callers with a valid key can use memory. Any scope will do. */
async function checkKey(url: string, key: string, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    await (await callApi({ url, key, signal: left.signal }, '/v1/account')).body?.cancel();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== 'insufficient_scope') throw new HttpError(error.status ?? BAD_GATEWAY, error.message);
  }
}

async function readBody(request: IncomingMessage, held: HeldBytes): Promise<Buffer> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    held.grow(MEMORY_PER_BYTE * chunk.length + MEMORY_PER_CHUNK);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): HttpError {
  return new HttpError(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
}

function parseMessage(body: Buffer, held: HeldBytes): unknown {
  const message = parseJson(body, (values) => held.grow(MEMORY_PER_VALUE * values));
  requireFewMembers(message);
  return message;
}

/** The SDK takes several seconds to validate 400,000 members. It does not look into the arguments of a tool. */
function requireFewMembers(message: unknown): void {
  const unread = Object(Object(message).params).arguments;
  const found = [message];
  for (const value of found) {
    const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
    if (found.length + members.length > MAX_MEMBERS)
      throw new HttpError(400, `the message has more than ${MAX_MEMBERS} members besides those in the arguments of a tool`);
    if (value !== unread) found.push(...members);
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    connection: 'close',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
