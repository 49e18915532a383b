/** Limits of a plan for unfinished items and for stored bytes: many requests at once get exactly as much as the plan allows. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Client, type DocumentRecord, problem } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { eventually, startService } from '../support/service.ts';

const MEGABYTE = 1_048_576;
const PLANS = {
  free: { documents: null, retention: '1d' },
  queueing: { documents: null, retention: '1d', open_items: 3 },
  storing: { documents: null, retention: '1d', storage_mb: 1 },
};
/** About 0.4 MB of noise, so that two of them fit into a megabyte. */
const LARGE = `<canvas width="380" height="340"></canvas><script>
  const context = document.querySelector('canvas').getContext('2d');
  const image = context.createImageData(380, 340);
  for (let n = 0; n < image.data.length; n++) image.data[n] = n % 4 === 3 ? 255 : Math.random() * 256;
  context.putImageData(image, 0, 0);
</script>`;
const ENDLESS = { html: '<p>x', options: { waitForFunction: 'false', timeout: 120_000 } };

const folder = await makeFolder('plans');
const file = join(folder, 'plans.json');
await writeFile(file, JSON.stringify({ plans: PLANS }));
const service = await startService({
  PLATEN_PLANS_FILE: file,
  PLATEN_MAX_RENDER_TIMEOUT_MS: '120000',
  PLATEN_DRAIN_TIMEOUT_SECONDS: '1',
}).then(closeAfterAll);

const on = async (plan: string) => new Client(service.url, (await service.createKey(plan)).key);
const statuses = (replies: Response[]) => replies.map(({ status }) => status).toSorted();

describe('storage_mb', () => {
  test('stores and charges exactly what fits, and again after something was deleted', async () => {
    const client = await on('storing');
    const replies = await Promise.all(Array.from({ length: 6 }, () => client.pdf({ html: LARGE, store: true })));
    expect(statuses(replies)).toEqual([201, 201, 422, 422, 422, 422]);
    const usage = await client.usage();
    expect(usage.storage).toMatchObject({ documents: 2, limit: MEGABYTE });
    expect(usage.documents.used).toBe(2);
    const refused = replies.find(({ status }) => status === 422) as Response;
    const fault = await problem(refused, 422, 'storage_limit');
    expect(fault).toMatchObject({ limit: MEGABYTE, detail: expect.stringContaining('delete documents') });
    expect((await client.pdf({ html: LARGE })).status).toBe(200);
    const stored = replies.find(({ status }) => status === 201) as Response;
    const { document_id } = (await stored.json()) as DocumentRecord;
    expect((await client.send('DELETE', `/v1/documents/${document_id}`)).status).toBe(204);
    expect((await client.pdf({ html: LARGE, store: true })).status).toBe(201);
  });

  test('counts the files of the account', async () => {
    const client = await on('storing');
    const assets = { noise: { content: Buffer.alloc(700_000).toString('base64') } };
    expect((await client.send('PATCH', '/v1/account', { assets })).status).toBe(200);
    expect((await client.usage()).storage).toMatchObject({ documents: 0, bytes: 700_000 });
    await problem(await client.pdf({ html: LARGE, store: true }), 422, 'storage_limit');
    const more = { ...assets, more: assets.noise };
    await problem(await client.send('PATCH', '/v1/account', { assets: more }), 422, 'storage_limit');
    expect((await client.send('PATCH', '/v1/account', { assets })).status).toBe(200);
    expect((await client.send('PATCH', '/v1/account', { assets: null })).status).toBe(200);
    expect((await client.pdf({ html: LARGE, store: true })).status).toBe(201);
  });

  test('limits images and the items of batches', async () => {
    const client = await on('storing');
    for (let n = 0; n < 2; n++) expect((await client.pdf({ html: LARGE, store: true })).status).toBe(201);
    await problem(await client.send('POST', '/v1/image', { html: LARGE, store: true }), 422, 'storage_limit');
    const reply = await client.send('POST', '/v1/batches', { items: [{ html: LARGE }] }, { prefer: 'wait=100' });
    const { batch_id } = (await reply.json()) as { batch_id: string };
    const read = () => client.json<{ status: string; items: Array<{ error: { code: string } }> }>(`/v1/batches/${batch_id}`);
    await eventually('the batch has ended', async () => (await read()).status === 'completed', 100_000);
    expect((await read()).items[0]?.error.code).toBe('storage_limit');
  });
});

/** Their endless renders hold places until the service ends. */
describe('open_items', () => {
  const batch = (client: Client, items: object[]) => client.send('POST', '/v1/batches', { items });
  const later = (client: Client, body: object) => client.pdf(body, { prefer: 'respond-async' });

  test('limits the unfinished items of batches and asynchronous renders together', async () => {
    const client = await on('queueing');
    const requests = Array.from({ length: 10 }, (_, n) => (n % 2 ? batch(client, [ENDLESS]) : later(client, ENDLESS)));
    const replies = await Promise.all(requests);
    expect(statuses(replies)).toEqual([202, 202, 202, 429, 429, 429, 429, 429, 429, 429]);
    const refused = replies.find(({ status }) => status === 429) as Response;
    const { detail, ...members } = await problem(refused, 429, 'queue_full');
    expect(members).toMatchObject({ limit: 3, open_items: 3 });
    expect(detail).toContain('the plan queueing allows 3 unfinished items');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('counts an item until it has finished or is cancelled, and no item that is invalid', async () => {
    const client = await on('queueing');
    const invalid = { html: '<p>x', options: { scale: 99 } };
    expect((await batch(client, [...Array.from({ length: 8 }, () => invalid), { html: '<p>done' }])).status).toBe(202);
    const last = await batch(client, [ENDLESS]);
    const { batch_id } = (await last.json()) as { batch_id: string };
    await eventually('the first batch has finished', async () => {
      const reply = await batch(client, [ENDLESS, { ...ENDLESS, filename: 'b.pdf' }]);
      return reply.status === 202;
    });
    await problem(await batch(client, [ENDLESS]), 429, 'queue_full');
    expect((await client.send('DELETE', `/v1/batches/${batch_id}`)).ok).toBe(true);
  });

  test('says to send fewer items if a batch has more than the plan allows', async () => {
    const client = await on('queueing');
    const items = Array.from({ length: 4 }, (_, n) => ({ html: `<p>${n}` }));
    const reply = await batch(client, items);
    const { errors } = await problem(reply, 400, 'invalid_request');
    const message = expect.stringMatching(
      /^has 4 valid items, and the plan queueing allows 3 .*; send several batches of at most 3/,
    );
    expect(errors).toEqual([{ path: 'items', message }]);
    expect(reply.headers.get('retry-after')).toBeNull();
  });
});
