/** Asynchronous renders: accepted immediately, completed exactly once despite restarts, and reported when they end. */
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf, Client, type List, problem, type Render } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver, verified } from '../support/receiver.ts';
import { eventually, type Service, startService } from '../support/service.ts';

const settings = () => ({ PLATEN_OUTBOUND_ALLOW: receiver.address });

const receiver = await Receiver.start().then(closeAfterAll);
let service: Service = await startService(settings());
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  receiver.received.length = 0;
});

async function caller(plan?: string): Promise<Client> {
  return new Client(service.url, (await service.createKey(plan)).key);
}

const LATER = { prefer: 'respond-async' };
const start = (client: Client, body: object, headers = {}, path = '/v1/pdf') =>
  client.send('POST', path, body, { ...LATER, ...headers });
const documentsOf = async (client: Client) => (await client.usage()).documents.used;

describe('202', () => {
  test('returns the render, its URL and later its document', async () => {
    const client = await caller();
    const reply = await start(client, { html: '<p>later', filename: 'later.pdf' });
    const render = (await reply.json()) as Render;
    expect(reply.status).toBe(202);
    expect(reply.headers.get('preference-applied')).toBe('respond-async');
    expect(reply.headers.get('location')).toBe(`${service.url}/v1/renders/${render.render_id}`);
    const done = await client.ended(render);
    expect(done).toMatchObject({ status: 'succeeded', pages: 1, completed_at: expect.any(String) });
    expect((await readPdf(await bytesOf(await fetch(done.url as string)))).pages).toEqual(['later']);
    expect(await client.json<List<object>>('/v1/documents')).toMatchObject({ data: [{ document_id: done.document_id }] });
    expect(await client.json<List<object>>('/v1/batches')).toMatchObject({ data: [] });
    expect(await documentsOf(client)).toBe(1);
  });

  test('accepts a raw document with query parameters', async () => {
    const client = await caller();
    const reply = await fetch(`${service.url}/v1/pdf?format=A5`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'text/html', ...LATER },
      body: '<p>raw',
    });
    expect(reply.status).toBe(202);
    expect(await client.ended((await reply.json()) as Render)).toMatchObject({ status: 'succeeded' });
  });

  test('reports the error of a failed render and does not charge it', async () => {
    const client = await caller();
    const render = (await (await start(client, { url: 'http://127.0.0.1:9/' })).json()) as Render;
    expect(await client.ended(render)).toMatchObject({
      status: 'failed',
      document_id: null,
      url: null,
      error: { code: 'forbidden_url' },
    });
    expect(await documentsOf(client)).toBe(0);
  });

  test('sends a signed webhook', async () => {
    const client = await caller();
    const render = (await (await start(client, { html: '<p>x', webhook_url: receiver.url })).json()) as Render;
    await eventually('the webhook has arrived', () => receiver.received.length === 1);
    const { secret } = await client.json<{ secret: string }>('/v1/webhooks/secret');
    const done = await client.ended(render);
    const [received] = receiver.received;
    expect(received && verified(received, secret)).toMatchObject({
      type: 'render.completed',
      data: { render_id: render.render_id, status: 'succeeded', document_id: done.document_id, error: null },
    });
  });

  test.each(['a document of its own', 'a form'])('sends a webhook for %s', async (kind) => {
    const client = await caller();
    const known = receiver.received.length;
    const form = new FormData();
    for (const [name, value] of Object.entries({ html: '<p>x', webhook_url: receiver.url })) form.append(name, value);
    const isForm = kind === 'a form';
    const reply = await fetch(`${service.url}/v1/pdf${isForm ? '' : `?webhook_url=${encodeURIComponent(receiver.url)}`}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, ...(!isForm && { 'content-type': 'text/html' }), ...LATER },
      body: isForm ? form : '<p>x',
    });
    expect(reply.status, await reply.clone().text()).toBe(202);
    const { render_id: id } = (await reply.json()) as Render;
    await eventually('the webhook has arrived', () => receiver.received.length === known + 1);
    expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ data: { render_id: id, status: 'succeeded' } });
  });

  test('returns the same render for the same Idempotency-Key, but not to a synchronous request', async () => {
    const client = await caller();
    const key = { 'idempotency-key': 'one' };
    const first = (await (await start(client, { html: '<p>x' }, key)).json()) as Render;
    const again = await start(client, { html: '<p>x' }, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    expect(await again.json()).toMatchObject({ render_id: first.render_id });
    await problem(await client.send('POST', '/v1/pdf', { html: '<p>x' }, key), 422, 'idempotency_mismatch');
    await client.ended(first);
    expect(await documentsOf(client)).toBe(1);
  });
});

describe('rejected immediately', () => {
  test.each<[string, object, string]>([
    ['no source', {}, 'html'],
    ['a wrong option', { html: 'x', options: { scale: 9 } }, 'options.scale'],
    ['not to be stored', { html: 'x', store: false }, 'store'],
    ['a webhook that is none', { html: 'x', webhook_url: 'ftp://example.com' }, 'webhook_url'],
  ])('%s', async (_name, body, path) => {
    const { errors } = await problem(await start(await caller(), body), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path }]);
  });

  test('rejects webhook_url as a query parameter without Prefer', async () => {
    const { key } = await caller();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/html' };
    const reply = await fetch(`${service.url}/v1/pdf?webhook_url=x`, { method: 'POST', headers, body: 'x' });
    expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path: 'webhook_url' }]);
  });

  test('rejects webhook_url without Prefer', async () => {
    const reply = await (await caller()).send('POST', '/v1/pdf', { html: 'x', webhook_url: receiver.url });
    expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path: 'webhook_url' }]);
  });

  test('rejects a plan without storage', async () => {
    await problem(await start(await caller('nothing_kept'), { html: 'x' }), 422, 'storage_unavailable');
  });
});

test('returns 404 for a render of another key, a batch id and an unknown id', async () => {
  const client = await caller();
  const render = (await (await start(client, { html: '<p>x' })).json()) as Render;
  const other = await (await caller()).send('GET', `/v1/renders/${render.render_id}`);
  expect((await problem(other, 404, 'not_found')).detail).toBe('there is no such render');
  const batch = (await (await client.send('POST', '/v1/batches', { items: [{ html: 'x' }] })).json()) as { batch_id: string };
  await problem(await client.send('GET', `/v1/renders/${batch.batch_id}`), 404, 'not_found');
  await problem(await client.send('GET', '/v1/renders/ren_0123456789ABCDEFGHIJKL'), 404, 'not_found');
});

test.each(['', '.pdf', '.zip', '/events'])(
  'does not serve an asynchronous render as a batch: /v1/batches/{id}%s',
  async (rest) => {
    const client = await caller();
    const { render_id } = (await (await start(client, { html: '<p>x' })).json()) as Render;
    await problem(await client.send('GET', `/v1/batches/${render_id}${rest}`), 404, 'not_found');
    await problem(await client.send('DELETE', `/v1/batches/${render_id}`), 404, 'not_found');
  },
);

test('completes renders that a killed service accepted exactly once after the restart', async () => {
  const client = await caller();
  const pathOf = (n: number) => (n % 2 ? '/v1/image' : '/v1/pdf');
  const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => start(client, { html: `<p>${n}` }, {}, pathOf(n))));
  const renders = (await Promise.all(replies.map((reply) => reply.json()))) as Render[];
  service.child.removeAllListeners('exit');
  service.child.kill('SIGKILL');
  await once(service.child, 'exit');
  const { PLATEN_DATA_DIR = '' } = service.env;
  service = await startService({ ...settings(), PLATEN_DATA_DIR }, { firstKey: service.key });
  const after = new Client(service.url, client.key);
  const done = await Promise.all(renders.map((render) => after.ended(render)));
  expect(done.map(({ status }) => status)).toEqual(renders.map(() => 'succeeded'));
  const { data } = await after.json<List<{ type: string }>>('/v1/documents');
  expect(data.map(({ type }) => type).sort()).toEqual([...Array(4).fill('application/pdf'), ...Array(4).fill('image/png')]);
  const { daily } = await after.usage(); // `used` includes what the dead process had reserved, until its leases end.
  expect(daily.reduce((sum, { documents }) => sum + documents, 0)).toBe(8);
});
