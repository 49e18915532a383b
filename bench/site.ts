/**
 * Sites for documents. Run as a program, it is a separate process with a site: rows after a delay, a distant font that may or may
 * not be cached, and small images that may not be cached.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The time after which `/rows` is answered. */
export const ROWS_DELAY_MS = 200;
const ROWS = 20;
/** The round trip to a font server on the same continent. */
const FONT_DELAY_MS = 20;
const FONT = new URL('../node_modules/@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf', import.meta.url);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface Site extends Disposable {
  origin: string;
  host: string;
}

/** Starts the site of this file in a process of its own. */
export async function startSite(): Promise<Site> {
  const child = fork(new URL(import.meta.url));
  const [origin] = (await once(child, 'message')) as [string];
  return { origin, host: new URL(origin).host, [Symbol.dispose]: () => void child.kill() };
}

/** Starts a site in this process. */
export async function listen(answer: RequestListener): Promise<Site> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://${host}`, host, [Symbol.dispose]: close };
}

if (import.meta.main) {
  const font = readFileSync(FONT);
  const rows = JSON.stringify(listRows());
  const { origin } = await listen(({ url = '' }, response) => {
    response.setHeader('cache-control', url.startsWith('/kept/') ? 'public, max-age=86400' : 'no-store');
    response.setHeader('access-control-allow-origin', '*');
    const send = (type: string, body: Buffer | string) => response.setHeader('content-type', type).end(body);
    if (url === '/rows') setTimeout(send, ROWS_DELAY_MS, 'application/json', rows);
    else if (url.endsWith('.ttf')) setTimeout(send, FONT_DELAY_MS, 'font/ttf', font);
    else send('image/png', PNG);
  });
  process.send?.(origin);
}

export function listRows(): string[] {
  return Array.from({ length: ROWS }, (_, n) => `row ${n + 1}`);
}
