/** A separate process with a site: small images that may not be cached, and a distant font that may or may not be cached. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** The round trip to a font server on the same continent. */
const DISTANCE_MS = 20;
const font = readFileSync(process.argv[2] ?? '');

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://site');
  const kept = pathname.startsWith('/kept/');
  response.setHeader('cache-control', kept ? 'public, max-age=86400' : 'no-store');
  response.setHeader('access-control-allow-origin', '*');
  if (pathname.endsWith('.ttf')) setTimeout(() => response.setHeader('content-type', 'font/ttf').end(font), DISTANCE_MS);
  else response.setHeader('content-type', 'image/png').end(PNG);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
