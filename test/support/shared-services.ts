/**
 * Runs before all tests: an HTTP server that answers `/` plus a worker number with the shared service of that worker. The
 * service is started at the first request, shared by the suites of the worker, and stopped after all tests.
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

/** The defaults, except where suites would wait or be refused because of others' requests; their sites are on 127.0.0.1. */
const SETTINGS = {
  PLATEN_SWEEP_SECONDS: '1',
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '100000',
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

/** Returns the settings without the rest of the environment, which each worker has itself. */
function ownSettings(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name === 'TMPDIR' || name.startsWith('PLATEN_')));
}
