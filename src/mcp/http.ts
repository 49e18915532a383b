/** Serves MCP over streamable HTTP: requests with a Bearer key in, replies out. Each request gets its own MCP server. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ApiError, callApi } from './api.ts';
import { createMcpServer } from './server.ts';

interface HttpSettings {
  /** The URL of the service. */
  url: string;
  version: string;
}

const PATH = '/mcp';
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 256;
/** Enough for an HTML document of 5 MB with JSON escaping. */
const MAX_BODY_BYTES = 16_000_000;
/** Maximum number of bodies that are read at the same time, which limits their memory. */
const MAX_READING = 8;
const BAD_GATEWAY = 502;

export function mcpOverHttp(settings: HttpSettings): Server {
  const bodies = new BodyReader();
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(settings, bodies, request, response).catch((error: unknown) => {
      const { status, message } = error instanceof HttpError ? error : { status: 500, message: 'internal error' };
      if (!response.headersSent) refuse(response, status, message);
      else response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** An error that is sent to the client with this status. */
class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(
  settings: HttpSettings,
  bodies: BodyReader,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const key = keyOf(request);
  await checkKey(settings.url, key, response);
  const message = await bodies.read(request);
  if (Array.isArray(message)) throw new HttpError(400, 'send a single message: batches are not supported');
  const server = createMcpServer({ url: settings.url, key }, settings.version);
  // Without a generator for session ids, the transport has no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void Promise.all([transport.close(), server.close()]).catch(() => {}));
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, message);
}

function keyOf({ url = '/', method, headers }: IncomingMessage): string {
  if (URL.parse(url, 'http://any')?.pathname !== PATH) throw new HttpError(404, `the MCP endpoint is ${PATH}`);
  const key = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (!key) throw new HttpError(401, 'send an API key as `Authorization: Bearer plt_...`');
  if (method !== 'POST') throw new HttpError(405, 'use POST: sessions are not supported');
  return key;
}

/** Checks the key with the API before the body is read, so that only callers with a valid key can use memory. */
async function checkKey(url: string, key: string, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    await (await callApi({ url, key, signal: left.signal }, '/v1/account')).body?.cancel();
  } catch (error) {
    throw error instanceof ApiError ? new HttpError(error.status ?? BAD_GATEWAY, error.message) : error;
  }
}

class BodyReader {
  #reading = 0;

  /** Throws if too many bodies are being read, or if this one is too large. */
  async read(request: IncomingMessage): Promise<unknown> {
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge();
    if (this.#reading >= MAX_READING) throw new HttpError(503, 'too many requests are being read; try again');
    this.#reading++;
    try {
      return parsed(await readBody(request));
    } finally {
      this.#reading--;
    }
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `the body has more than ${MAX_BODY_BYTES} bytes`);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Returns null for invalid JSON, which the transport refuses. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
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
