/** `platen mcp`: offers a running service, or a private one, as Model Context Protocol tools over standard input or HTTP. */
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { startApp } from '../app.ts';
import { type Config, loadConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { createMcpServer } from '../mcp/server.ts';
import { VERSION } from '../version.ts';

interface Flags {
  url?: string;
  port?: string;
}

export async function mcp({ url, port }: Flags): Promise<void> {
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ServiceError('invalid_request', '--url must begin with https:// or http://');
  if (port === undefined) await overStandardInput(url);
  else await overHttp(url, port);
}

async function overStandardInput(url: string | undefined): Promise<void> {
  const config = loadConfig();
  const { apiKey: key } = config.mcp;
  if (url !== undefined && !key) throw new ServiceError('unauthorized', 'set PLATEN_API_KEY to a key of the service');
  await using access = url === undefined ? await ownService(config) : { url, key, [Symbol.asyncDispose]: async () => {} };
  const server = createMcpServer(access, VERSION);
  const closed = Promise.withResolvers<void>();
  server.onclose = closed.resolve;
  process.stdin.once('end', closed.resolve);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, closed.resolve);
  await server.connect(new StdioServerTransport());
  await closed.promise;
  await server.close();
  process.stdin.destroy();
}

/** Starts a service for this command alone: on a free loopback port, with a key that is revoked at the end unless one is set. */
async function ownService(config: Config) {
  const app = await startApp({
    ...config,
    app: { ...config.app, host: '127.0.0.1', port: 0, logLevel: 'silent' },
    playground: { ...config.playground, playground: 'off' },
  });
  const { accounts, plans } = app.services;
  const { apiKey: given } = config.mcp;
  const issued = given
    ? undefined
    : await accounts.createKey((await accounts.createAccount(plans.operatorName, 'mcp')).id, 'mcp');
  return {
    url: app.url,
    key: issued?.secret ?? given,
    async [Symbol.asyncDispose]() {
      if (issued) await accounts.keys.revoke(undefined, issued.key.id);
      await app.stop();
    },
  };
}

async function overHttp(url: string | undefined, port: string): Promise<void> {
  if (url === undefined) throw new ServiceError('invalid_request', '--port requires --url, the URL of the service');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new ServiceError('invalid_request', '--port must be from 0 to 65535');
  const { host } = loadConfig().app;
  const server = mcpOverHttp({ url, version: VERSION });
  server.listen(Number(port), host);
  await once(server, 'listening');
  const address = server.address();
  process.stdout.write(`MCP at http://${host}:${typeof address === 'object' ? address?.port : port}/mcp\n`);
  const ended = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.resolve());
  await ended.promise;
  server.close();
  server.closeIdleConnections();
}
