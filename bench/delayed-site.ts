/** A separate process with a site that answers with rows after a delay. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const DELAY_MS = 200;
const rows = JSON.stringify(Array.from({ length: Number(process.argv[2]) }, (_, n) => `row ${n + 1}`));

const server = createServer((_request, response) => {
  response.setHeader('access-control-allow-origin', '*').setHeader('cache-control', 'no-store');
  setTimeout(() => response.setHeader('content-type', 'application/json').end(rows), DELAY_MS);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port, delayMs: DELAY_MS }));
