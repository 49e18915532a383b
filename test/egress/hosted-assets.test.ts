/** The assets of one document: what is sent for a render is limited, and fetching files again and again is slow for their owner alone. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { startEgressProxy } from '../../src/egress/egress-proxy.ts';
import { HostedAssets } from '../../src/egress/hosted-assets.ts';
import { Pace } from '../../src/egress/pace.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { closeAfterAll } from '../support/close-after-all.ts';

const MEGABYTE = 1_048_576;
const FILE = Buffer.alloc(4 * MEGABYTE, 'abcdefgh');

const proxy = await startEgressProxy(new OutboundPolicy(loadConfig({}).engine.outbound)).then(closeAfterAll);
const listener = await proxy.openListener();

/** Starts a render of the owner. The returned function fetches its file, and resolves to the number of bytes that arrived. */
function startRender(owner: string, maxBytes: number, onExcess = () => {}): () => Promise<number> {
  const assets = new HostedAssets(new Map([['a.bin', { type: 'text/plain', content: FILE }]]), { owner, maxBytes, onExcess });
  listener.startRender({ requests: 0, bytes: 0, connections: 10, silenceMs: 5_000 }, assets);
  return async () => {
    const [host, port] = ['127.0.0.1', new URL(listener.proxyUrl).port];
    const asked = request({ host, port, path: `${assets.origin}/a.bin`, agent: false }).end();
    const [answer] = (await once(asked, 'response').catch(() => [])) as [IncomingMessage?];
    if (!answer) return 0;
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(answer, 'close').catch(() => {});
    return bytes;
  };
}

test('sends no more for a render than it may load', async () => {
  let excesses = 0;
  const fetchFile = startRender('acc_a', 2.5 * FILE.length, () => excesses++);
  const received = [await fetchFile(), await fetchFile(), await fetchFile(), await fetchFile()];
  expect(received.slice(0, 2)).toEqual([FILE.length, FILE.length]);
  expect(received[2]).toBeLessThanOrEqual(FILE.length / 2);
  expect(received[3]).toBe(0);
  expect(excesses).toBe(2);
});

test('sends each file once without a delay, and repeated files at the pace of their owner', async () => {
  const fetchFile = startRender('acc_b', 100 * FILE.length);
  await fetchFile();
  const began = performance.now();
  await Promise.all(Array.from({ length: 12 }, fetchFile)); // 48 MB: eight at once, the rest at 16 MB a second
  expect(performance.now() - began).toBeGreaterThan(2_000);
});

test('counts the time of an owner for that owner alone', () => {
  let now = 1_000;
  const pace = new Pace(1_000, 500, () => now);
  expect(pace.delay('a', 500)).toBe(0);
  expect(pace.delay('a', 250)).toBe(250);
  expect(pace.delay('a', 250)).toBe(500);
  expect(pace.delay('b', 500)).toBe(0);
  now += 500;
  expect(pace.delay('a', 100)).toBe(100);
  now += 10_000;
  expect(pace.delay('a', 500)).toBe(0);
  expect(pace.delay('a', 1)).toBe(1);
});
