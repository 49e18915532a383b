/** The MCP server over HTTP (streamable, without sessions): requests with a Bearer key in, answers out. Each request has a server of its own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpServer } from './server.ts';

interface HttpSettings {
  /** Of the service. */
  url: string;
  version: string;
  maxBodyBytes: number;
}

const PATH = '/mcp';
const REQUEST_TIMEOUT_MS = 60_000;

export function mcpOverHttp(settings: HttpSettings): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(settings, request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'internal error');
      else response.destroy();
    });
  });
  return server;
}

async function answer(settings: HttpSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://any');
  if (pathname !== PATH) return refuse(response, 404, `the address of MCP is ${PATH}`);
  const key = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!key) return refuse(response, 401, 'send an API key as `Authorization: Bearer plt_...`');
  if (request.method !== 'POST') return refuse(response, 405, 'use POST: there are no sessions');
  const body = await readBody(request, settings.maxBodyBytes);
  if (body === undefined) return refuse(response, 413, `the body has more than ${settings.maxBodyBytes} bytes`);
  const server = createMcpServer({ url: settings.url, key }, settings.version);
  // Without a generator of ids there are no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void Promise.all([transport.close(), server.close()]).catch(() => {}));
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, parsed(body));
}

async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > limit) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** What is no JSON is refused by the transport. */
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
