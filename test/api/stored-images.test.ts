/** Stored images from synchronous and asynchronous renders: their records and how they are read. */
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, type List, problem, type Render } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readImageHeader } from '../support/read-image.ts';
import { Receiver, verified } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';
import { sharedService } from '../support/shared-service.ts';

const receiver = await Receiver.start().then(closeAfterAll);
const service = await sharedService();

const JSON_ALONE = { accept: 'application/json' };
const HTML = '<!doctype html><body style="background: red">';
const SIZE = { width: 60, height: 40 };
const BODY = { html: HTML, options: { type: 'jpeg', viewport: SIZE }, metadata: { order: '7' } };
const JPEG = { format: 'jpeg', ...SIZE };

async function caller(plan?: string): Promise<Client> {
  return new Client(service.url, (await service.createKey(plan)).key);
}

async function stored(client: Client, body: object = {}): Promise<DocumentRecord> {
  const reply = await client.send('POST', '/v1/image', { ...BODY, store: true, ...body });
  expect(reply.status, await reply.clone().text()).toBe(201);
  return (await reply.json()) as DocumentRecord;
}

describe('store: true', () => {
  test('returns the record of a document of its type, which contains the image', async () => {
    const client = await caller();
    const reply = await client.send('POST', '/v1/image', { ...BODY, store: true });
    const record = (await reply.json()) as DocumentRecord;
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`${service.url}/v1/documents/${record.document_id}`);
    expect(record).toMatchObject({ type: 'image/jpeg', pages: 1, ...SIZE, source: 'html', metadata: { order: '7' } });
    expect(record.filename).toBe(`${record.document_id}.jpg`);
    const kept = await client.get(`/v1/documents/${record.document_id}`);
    const bytes = await bytesOf(kept);
    expect(kept.headers.get('content-type')).toBe('image/jpeg');
    expect(kept.headers.get('platen-pages')).toBeNull();
    expect([bytes.length, sha256(bytes), readImageHeader(bytes)]).toEqual([record.bytes, record.sha256, JPEG]);
  });

  test('appears in lists, in the record, in usage, and in metadata searches', async () => {
    const client = await caller();
    const { report: _, ...record } = await stored(client, { filename: 'chart.jpeg' });
    expect((await client.json<List<DocumentRecord>>('/v1/documents?metadata[order]=7')).data).toEqual([record]);
    const read = await client.send('GET', `/v1/documents/${record.document_id}`, undefined, JSON_ALONE);
    expect(await read.json()).toMatchObject(record);
    const usage = await client.usage();
    expect(usage.storage).toEqual({ documents: 1, bytes: record.bytes, limit: null });
    expect(usage.documents.used).toBe(1);
  });

  test('returns the image if Accept names only its type', async () => {
    const client = await caller();
    const reply = await client.send('POST', '/v1/image', { ...BODY, store: true }, { accept: 'image/jpeg' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([201, 'image/jpeg']);
    const bytes = await bytesOf(reply);
    const kept = await bytesOf(await client.get(`/v1/documents/${reply.headers.get('platen-document-id')}`));
    expect(bytes.equals(kept)).toBe(true);
  });

  test('supports ranges, links and deletion as every document', async () => {
    const client = await caller();
    const { document_id: id, bytes } = await stored(client);
    const part = await client.send('GET', `/v1/documents/${id}`, undefined, { range: 'bytes=0-9' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-9/${bytes}`]);
    const link = (await (await client.send('POST', `/v1/documents/${id}/links`)).json()) as { url: string };
    const followed = await fetch(link.url);
    expect(followed.headers.get('content-type')).toBe('image/jpeg');
    expect(readImageHeader(await bytesOf(followed))).toEqual(JPEG);
    expect((await client.send('DELETE', `/v1/documents/${id}`)).status).toBe(204);
    await problem(await fetch(link.url), 410, 'document_deleted');
  });

  test('has no page images, and no other type', async () => {
    const client = await caller();
    const { document_id: id } = await stored(client);
    await problem(await client.get(`/v1/documents/${id}/pages/1.png`), 422, 'pdf_unreadable');
    const { detail } = await problem(
      await client.send('GET', `/v1/documents/${id}`, undefined, { accept: 'application/pdf' }),
      406,
      'not_acceptable',
    );
    expect(detail).toContain('image/jpeg or application/json');
  });

  test('is visible only to its key', async () => {
    const { document_id: id } = await stored(await caller());
    await problem(await (await caller()).get(`/v1/documents/${id}`), 404, 'not_found');
  });

  test('returns the same record for an Idempotency-Key, and 410 once the document is deleted', async () => {
    const client = await caller();
    const key = { 'idempotency-key': 'one' };
    const send = () => client.send('POST', '/v1/image', { ...BODY, store: true }, key);
    const first = (await (await send()).json()) as DocumentRecord;
    const again = await send();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await again.json()).toEqual(first);
    await client.send('DELETE', `/v1/documents/${first.document_id}`);
    await problem(await send(), 410, 'document_deleted');
  });

  test('is rejected on a plan without storage, before a charge', async () => {
    const client = await caller('nothing_kept');
    await problem(await client.send('POST', '/v1/image', { ...BODY, store: true }), 422, 'storage_unavailable');
    expect((await client.usage()).documents.used).toBe(0);
  });
});

test('stores images with auto_store, and still returns the image', async () => {
  const client = await caller();
  await client.send('PATCH', '/v1/account', { auto_store: true });
  const key = { 'idempotency-key': 'all', ...JSON_ALONE };
  const send = async () => (await client.send('POST', '/v1/image', BODY, key)).json() as Promise<Record<string, unknown>>;
  const first = await send();
  expect(first).toMatchObject({ document_id: expect.stringMatching(/^doc_/), type: 'image/jpeg', ...SIZE });
  expect(await send()).toMatchObject({ document_id: first.document_id, image: first.image, sha256: first.sha256 });
  expect(readImageHeader(Buffer.from(String(first.image), 'base64'))).toEqual(JPEG);
  const exempt = await client.send('POST', '/v1/image', { ...BODY, store: false });
  expect(exempt.headers.get('platen-document-id')).toBeNull();
  expect((await client.usage()).storage.documents).toBe(1);
});

describe('Prefer: respond-async', () => {
  const LATER = { prefer: 'respond-async' };

  test('returns a render, whose result is the stored image, and sends the webhook', async () => {
    const client = await caller();
    const reply = await client.send('POST', '/v1/image', { ...BODY, webhook_url: receiver.url }, LATER);
    expect([reply.status, reply.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    const render = (await reply.json()) as Render;
    expect(reply.headers.get('location')).toBe(`${service.url}/v1/renders/${render.render_id}`);
    const done = await client.ended(render);
    const result = await fetch(done.url as string);
    expect(result.headers.get('content-type')).toBe('image/jpeg');
    const bytes = await bytesOf(result);
    expect(readImageHeader(bytes)).toEqual(JPEG);
    expect(done).toMatchObject({ status: 'succeeded', pages: 1, bytes: bytes.length });
    await eventually('the webhook has arrived', () => receiver.received.length === 1);
    const { secret } = await client.json<{ secret: string }>('/v1/webhooks/secret');
    const [received] = receiver.received;
    expect(received && verified(received, secret)).toMatchObject({
      type: 'render.completed',
      data: { render_id: render.render_id, status: 'succeeded', document_id: done.document_id },
    });
    expect((await client.usage()).documents.used).toBe(1);
  });

  test('accepts the document as the body, with parameters, or with files', async () => {
    const client = await caller();
    const headers = { authorization: `Bearer ${client.key}`, ...LATER };
    const raw = await fetch(`${service.url}/v1/image?type=webp&fullPage=false`, {
      ...{ method: 'POST', body: HTML },
      headers: { ...headers, 'content-type': 'text/html' },
    });
    const form = new FormData();
    form.append('html', '<img src="dot.svg">');
    form.append('selector', 'img');
    form.append('files', new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"/>']), 'dot.svg');
    const beside = await fetch(`${service.url}/v1/image`, { method: 'POST', headers, body: form });
    const heads = await Promise.all(
      [raw, beside].map(async (reply) => {
        const { url } = await client.ended((await reply.json()) as Render);
        return readImageHeader(await bytesOf(await fetch(url as string)));
      }),
    );
    expect(heads).toEqual([
      { format: 'webp', width: 800, height: 600 },
      { format: 'png', width: 7, height: 5 },
    ]);
  });

  test('rejects faults immediately, and does not charge a failed render', async () => {
    const client = await caller();
    const send = (body: object) => client.send('POST', '/v1/image', body, LATER);
    const { errors } = await problem(await send({ html: HTML, options: { format: 'A4' } }), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'options.format' }]);
    await problem(await send({ ...BODY, store: false }), 400, 'invalid_request');
    const render = (await (await send({ html: HTML, options: { selector: '#none' } })).json()) as Render;
    expect(await client.ended(render)).toMatchObject({ status: 'failed', document_id: null, error: { code: 'print_failed' } });
    expect((await client.usage()).documents.used).toBe(0);
  });

  test('marks the image of a test key without a charge', async () => {
    const client = await caller();
    const { key } = (await (await client.send('POST', '/v1/keys', { name: 'test', test: true })).json()) as { key: string };
    const tester = new Client(service.url, key);
    const render = (await (await tester.send('POST', '/v1/image', BODY, LATER)).json()) as Render;
    const marked = await bytesOf(await fetch((await tester.ended(render)).url as string));
    const plain = await bytesOf(await client.send('POST', '/v1/image', BODY));
    expect(readImageHeader(marked)).toEqual(JPEG);
    expect(marked.equals(plain)).toBe(false);
    expect((await client.usage()).documents.used).toBe(1);
  });
});
