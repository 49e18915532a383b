/** Lookups and connections that are given up end completely, and nothing starts after the reply. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { image, Site } from '../support/site.ts';

/** The service gives up a lookup without an answer after this time. */
const RESOLVING_MS = 5_000;

/** The queries that the silent name server received, with the names in them. */
const queries: string[] = [];
const silent = closeAfterAll(createSocket('udp4', (question) => queries.push(question.toString('latin1'))));
silent.bind(0, '127.0.0.1');
await once(silent, 'listening');
const site = await Site.start({ '/image.png': image }).then(closeAfterAll);
const service = await startService({
  PLATEN_DNS_SERVERS: `127.0.0.1:${(silent.address() as AddressInfo).port}`,
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
  PLATEN_CONCURRENCY: '6', // The renders wait for their lookups at the same time.
}).then(closeAfterAll);
const ada = new Client(service.url, service.key);

async function servesStill(): Promise<void> {
  const pdf = await readPdfReply(await ada.pdf({ html: `<p>still here</p><img src="${site.origin}/image.png">` }));
  expect(pdf.pages).toEqual(['still here']);
  expect(pdf.images).toBe(1);
}

describe.concurrent('a name server that does not answer', () => {
  test.each([
    ['images', 'image', (n: number) => `<img src="http://image${n}.example/x.png">`],
    [
      'fetches',
      'fetch',
      (n: number) => `<script>fetch("http://fetch${n}.example/x", { mode: "no-cors" }).catch(() => {})</script>`,
    ],
    ['sockets', 'socket', (n: number) => `<script>new WebSocket("ws://socket${n}.example/x")</script>`],
    ['encrypted images', 'secure', (n: number) => `<img src="https://secure${n}.example/x.png">`],
  ])('costs each lookup its time, and the service continues (%s)', async (_kind, name, element) => {
    const html = `<p>here</p>${Array.from({ length: 20 }, (_, n) => element(n)).join('')}`;
    const pdf = await readPdfReply(await ada.pdf({ html, options: { resourceTimeout: 1_000 } }));
    expect(pdf.pages).toEqual(['here']);
    expect(queries.some((question) => question.includes(name))).toBe(true);
    await sleep(RESOLVING_MS + 1_000);
    await servesStill();
  });

  test('returns 422 in time for the document itself', async () => {
    const response = await ada.pdf({ url: 'http://nobody.example/' });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'navigation_failed', net_error: 'ERR_NAME_NOT_RESOLVED' });
  });

  test('leaves nothing behind when a render ends before the lookup', async () => {
    const response = await ada.pdf({ html: '<script>fetch("http://later.example/x").catch(() => {})</script><p>x' });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await sleep(RESOLVING_MS + 1_000);
    await servesStill();
  });
});

test('reports a long URL without its name and password', async () => {
  const address = `http://ada:${'p'.repeat(600)}@127.0.0.1:${site.port}/missing.png`;
  const body = {
    html: `<script>fetch("${address}").catch(() => {})</script><iframe src="${address}"></iframe><p>x`,
    store: true,
  };
  const response = await ada.pdf(body);
  expect(response.status).toBe(201);
  expect(await response.text()).not.toContain('ppp');
});

test('gives a redirected document the rest of the time of the render', async () => {
  site.serve({
    '/first': (_request, response) =>
      void response.setHeader('content-type', 'text/html').end('<script>location = "/second"</script>'),
    '/second': async (_request, response) => {
      await sleep(2_500);
      response.setHeader('content-type', 'text/html').end('<p>second');
    },
  });
  const pdf = await readPdfReply(await ada.pdf({ url: `${site.origin}/first`, options: { resourceTimeout: 1_000 } }));
  expect(pdf.pages).toEqual(['second']);
});

test('checks page ranges against the printed document, and requests its URL once', async () => {
  let times = 0;
  site.serve({ '/once': (_request, response) => void response.setHeader('content-type', 'text/html').end(`<p>${++times}`) });
  const options = { pageRanges: '1-5' };
  expect((await readPdfReply(await ada.pdf({ url: `${site.origin}/once`, options }))).pages).toEqual(['1']);
  const beyond = await ada.pdf({ url: `${site.origin}/once`, options: { pageRanges: '7' } });
  expect(await beyond.json()).toMatchObject({ code: 'print_failed', pages: 1 });
  expect(times).toBe(2);
});
