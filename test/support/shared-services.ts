/**
 * Before all tests: what answers a worker's question for its service, at `/` and the number of the worker. It is started for the
 * first suite of the worker that asks, serves the others, and ends after all tests.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { NameServer } from './name-server.ts';
import { type Service, startService } from './service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    sharedServices: string;
  }
}

/** The defaults, but for what would have suites wait, or be refused for what others sent; and sites of theirs on 127.0.0.1. */
const SETTINGS = {
  PLATEN_SWEEP_SECONDS: '1',
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
  PLATEN_OUTBOUND_ALLOW: '127.0.0.1',
};

export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const services = new Map<string, Promise<Service>>();
  const names = await NameServer.start('');
  const server = createServer(({ url: worker = '' }, response) => {
    const service = services.get(worker) ?? startService({ ...SETTINGS, PLATEN_DNS_SERVERS: names.address });
    services.set(worker, service);
    service.then(
      ({ url, env }) => response.end(JSON.stringify({ url, settings: ownSettings(env) })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  provide('sharedServices', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await Promise.all([...services.values()].map(async (service) => (await service)[Symbol.asyncDispose]()));
    names.close();
  };
}

/** Without the rest of the environment, which each worker has by itself. */
function ownSettings(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name === 'TMPDIR' || name.startsWith('PLATEN_')));
}
