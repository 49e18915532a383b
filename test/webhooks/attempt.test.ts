/** A single attempt to deliver to a receiver that does not read. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { attempt } from '../../src/webhooks/attempt.ts';
import { eventually } from '../support/service.ts';

const sockets: Socket[] = [];
let server: ReturnType<typeof createServer>;
let policy: OutboundPolicy;
let url: string;

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.pause(); // reads nothing
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  policy = new OutboundPolicy(loadConfig({ PLATEN_OUTBOUND_ALLOW: address }).engine.outbound);
  url = `http://${address}/`;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

const signal = new AbortController().signal;
const LONG_MS = 3_600_000;

test('ends the attempt if the receiver stops reading, and closes the body', async () => {
  const bytes = 256 * 1024 * 1024; // more than all buffers in between
  const piece = Buffer.alloc(1024 * 1024);
  const source = Readable.from(Array(256).fill(piece));
  const body = { bytes, open: async () => source };
  const result = await attempt(policy, { url, method: 'PUT', headers: {}, body, timeoutMs: LONG_MS, idleMs: 500, signal });
  expect(result).toEqual({ error: 'no data was taken, and nothing was answered, for 0.5 seconds' });
  await eventually('the body is closed', () => source.destroyed);
});

test('ends the attempt if the receiver sends interim responses without end', async () => {
  for (const status of ['100 Continue', '102 Processing', '103 Early Hints']) {
    server.once('connection', (socket) => void socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(200)));
    const result = await attempt(policy, { url, headers: {}, body: [], timeoutMs: LONG_MS, signal });
    expect(result).toEqual({ error: 'the connection broke off, or the answer was not HTTP' });
  }
});

test('closes a body that opens after the attempt was aborted', async () => {
  const late = Promise.withResolvers<Readable>();
  const opening = Promise.withResolvers<void>();
  const open = () => {
    opening.resolve();
    return late.promise;
  };
  const end = new AbortController();
  const attempted = attempt(policy, { url, headers: {}, body: { bytes: 1, open }, timeoutMs: LONG_MS, signal: end.signal });
  await opening.promise;
  end.abort();
  expect(await attempted).toEqual({ error: 'the service was stopped before there was an answer' });
  const source = Readable.from(['x']);
  late.resolve(source);
  await eventually('it is closed', () => source.destroyed, 5_000);
});
