/** A key that uses as much as it can does not block other keys or readiness. */
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { eventually, startService } from '../support/service.ts';
import { Site } from '../support/site.ts';

const TIMEOUT_MS = 600_000;
const PLACES = 2;

const site = await Site.start({ '/never': () => {} }).then(closeAfterAll);
const service = await startService({
  PLATEN_CONCURRENCY: String(PLACES),
  PLATEN_FINISH_THREADS: '1',
  PLATEN_MAX_RENDER_TIMEOUT_MS: String(TIMEOUT_MS),
  PLATEN_RESOURCE_TIMEOUT_SECONDS: '600',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
}).then(closeAfterAll);

const options = { timeout: TIMEOUT_MS };
const holds: Record<string, () => object> = {
  'waits for a function': () => ({ html: '<p>x', options: { ...options, waitForFunction: 'false' } }),
  'waits for an element': () => ({ html: '<p>x', options: { ...options, waitForSelector: '#never' } }),
  'waits for a time': () => ({ html: '<p>x', options: { ...options, waitForTimeout: TIMEOUT_MS - 1 } }),
  'waits for an image': () => ({ html: `<img src="${site.origin}/never">`, options }),
  'waits for a document': () => ({ url: `${site.origin}/never`, options }),
  'never ends a script': () => ({ html: '<script>for (;;);</script>', options }),
};
/** Aborts the requests and waits until no render runs. A render that has run for ten seconds while others waited may have ended with 429. */
async function abortAll(requests: Array<Promise<Response>>, client: AbortController): Promise<void> {
  client.abort();
  const answers = await Promise.allSettled(requests);
  for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(429);
  await eventually('no render runs any more', async () => (await service.metric('platen_renders_running')) === 0);
}

const underWay = (places: number) =>
  eventually('the renders are running', async () => (await service.metric('platen_renders_running')) >= places);

async function rendersAndIsReady(client: Client, times = 3): Promise<void> {
  for (let n = 0; n < times; n++) expect((await readPdfReply(await client.pdf({ html: '<p>works' }))).pages).toEqual(['works']);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
}

test.each(Object.keys(holds))('serves other keys while one key %s in every place', async (way) => {
  const other = new Client(service.url, (await service.createKey()).key);
  const client = new AbortController();
  const requests = Array.from({ length: 3 * PLACES }, () => service.pdf(holds[way]?.(), { signal: client.signal }));
  for (const reply of requests) reply.catch(() => {});
  await underWay(PLACES);
  await rendersAndIsReady(other);
  // One slot is reserved for keys without a running render; these are more requests at once than that.
  await Promise.all(Array.from({ length: PLACES }, () => rendersAndIsReady(other, 1)));
  await abortAll(requests, client);
});

test('shares the places of an account between its keys', async () => {
  const mine = await service.createKey();
  const second = JSON.parse(await service.cli('keys', 'create', '--account', mine.account_id, '--json')) as { key: string };
  const other = new Client(service.url, (await service.createKey()).key);
  const client = new AbortController();
  const held = [mine.key, second.key].map((key) =>
    service.pdf(holds['waits for a function']?.(), { key, signal: client.signal }),
  );
  for (const reply of held) reply.catch(() => {});
  await underWay(PLACES);
  await rendersAndIsReady(other);
  await abortAll(held, client);
});

test('delays neither calls nor other batches when batches of one key never end', async () => {
  const hog = new Client(service.url, (await service.createKey()).key);
  const other = new Client(service.url, (await service.createKey()).key);
  const items = Array.from({ length: 40 }, holds['waits for a function'] ?? (() => ({})));
  const accepted = await hog.send('POST', '/v1/batches', {
    items: items.map((item, n) => ({ ...item, reference: `${n}`, filename: `${n}.pdf` })),
  });
  expect(accepted.status).toBe(202);
  const { batch_id } = (await accepted.json()) as { batch_id: string };
  await underWay(PLACES);
  expect(await other.batch({ items: [{ html: '<p>a' }, { html: '<p>b' }] })).toMatchObject({ status: 'completed', succeeded: 2 });
  await rendersAndIsReady(other);
  expect(await hog.json(`/v1/batches/${batch_id}`)).toMatchObject({ succeeded: 0, failed: 0 });
});
