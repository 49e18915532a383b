/** Uploads of results to a URL of the caller: content, retries, reports and secrecy. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Client, type List, problem, type Render } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { NameServer } from '../support/name-server.ts';
import { readImageHeader } from '../support/read-image.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver, verified } from '../support/receiver.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { TLS } from '../support/tls.ts';

const SIGNATURE = 'X-Amz-Signature=0123456789abcdef';
const LATER = { prefer: 'respond-async' };

const target = () => `https://hooks.private.test:${bucket.port}/invoice.pdf?${SIGNATURE}`;
const host = () => `hooks.private.test:${bucket.port}`;
const settings = () => ({
  PLATEN_OUTBOUND_ALLOW: `${bucket.address} ${hooks.address}`,
  PLATEN_DNS_SERVERS: names.address,
  PLATEN_WEBHOOK_RETRY_SECONDS: '1 1 1',
  PLATEN_WEBHOOK_TIMEOUT_SECONDS: '5',
  NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
});

const folder = await makeFolder();
await writeFile(join(folder, 'ca.pem'), TLS.cert);
const bucket = await Receiver.start(undefined, TLS).then(closeAfterAll);
const hooks = await Receiver.start().then(closeAfterAll);
const names = await NameServer.start('').then(closeAfterAll);
let service: Service = await startService(settings());
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  for (const each of [bucket, hooks]) {
    each.received.length = 0;
    each.answer = (response) => response.writeHead(200).end();
  }
});

async function caller(plan?: string): Promise<Client> {
  return new Client(service.url, (await service.createKey(plan)).key);
}

async function start(client: Client, body: object, headers = {}, path = '/v1/pdf'): Promise<Render> {
  const reply = await client.send('POST', path, { deliver_to: target(), ...body }, headers);
  expect(reply.status, await reply.clone().text()).toBe(202);
  return (await reply.json()) as Render;
}

const documentsOf = async (client: Client) => (await client.usage()).documents.used;

describe('the upload', () => {
  test('is one PUT of the PDF with its length, and is described in the record', async () => {
    const client = await caller();
    const done = await client.ended(await start(client, { html: '<p>uploaded' }));
    expect(done).toMatchObject({
      status: 'succeeded',
      delivery: { host: host(), status: 'delivered', attempts: 1, http_status: 200 },
    });
    expect(bucket.received.map(({ path }) => path)).toEqual([`PUT /invoice.pdf?${SIGNATURE}`]);
    const { headers, bytes } = bucket.received[0] as (typeof bucket.received)[0];
    expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'content-length': String(bytes.length), host: host() });
    expect(headers['transfer-encoding']).toBeUndefined();
    expect((await readPdf(bytes)).pages).toEqual(['uploaded']);
    const stored = await fetch(done.url as string);
    expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
    expect(await documentsOf(client)).toBe(1);
  });

  test('of an image has its media type, and removes the image afterwards unless it is stored', async () => {
    const client = await caller();
    const options = { type: 'webp', fullPage: false, viewport: { width: 50, height: 40 } };
    const done = await client.ended(await start(client, { html: '<p>x', store: false, options }, {}, '/v1/image'));
    expect(done).toMatchObject({ status: 'succeeded', delivery: { status: 'delivered', attempts: 1 } });
    const { headers, bytes } = bucket.received[0] as (typeof bucket.received)[0];
    expect(headers).toMatchObject({ 'content-type': 'image/webp', 'content-length': String(bytes.length) });
    expect(readImageHeader(bytes)).toEqual({ format: 'webp', width: 50, height: 40 });
    await problem(await client.get(`/v1/documents/${done.document_id}`), 410, 'document_deleted');
    expect(await documentsOf(client)).toBe(1);
  });

  test('sends the headers that the target requires', async () => {
    const client = await caller();
    const deliverTo = { url: target(), headers: { 'x-ms-blob-type': 'BlockBlob', 'Content-Type': 'application/octet-stream' } };
    await client.ended(await start(client, { html: '<p>x', deliver_to: deliverTo }));
    expect(bucket.received[0]?.headers).toMatchObject({
      'x-ms-blob-type': 'BlockBlob',
      'content-type': 'application/octet-stream',
    });
  });

  test('is retried while the target fails, with one render and one charge', async () => {
    bucket.answer = (response, before) => response.writeHead(before < 2 ? 503 : 200).end();
    const client = await caller();
    const done = await client.ended(await start(client, { html: '<p>x' }));
    expect(done.delivery).toMatchObject({ status: 'delivered', attempts: 3, http_status: 200 });
    expect(new Set(bucket.received.map(({ body }) => body)).size).toBe(1);
    expect(await documentsOf(client)).toBe(1);
  });

  test.each([
    ['a signature that is refused', 403, undefined],
    ['a redirect, which is not followed', 307, 'redirects are not followed'],
  ])('ends with %s', async (_name, status, error) => {
    bucket.answer = (response) => response.writeHead(status, { location: `http://${hooks.address}/` }).end();
    const client = await caller();
    const done = await client.ended(await start(client, { html: '<p>x' }));
    expect(done).toMatchObject({ status: 'succeeded', delivery: { status: 'failed', attempts: 1, http_status: status } });
    expect(done.delivery?.error).toBe(error);
    expect(bucket.received).toHaveLength(1);
    expect(hooks.received).toEqual([]);
    expect((await fetch(done.url as string)).status).toBe(200);
  });

  test.each(['https://127.0.0.1:9/x', 'https://10.0.0.1/x', 'https://169.254.169.254/latest'])(
    'is refused for targets that the egress policy blocks: %s',
    async (address) => {
      const client = await caller();
      const done = await client.ended(await start(client, { html: '<p>x', deliver_to: address }));
      expect(done.delivery).toEqual({
        host: new URL(address).host,
        status: 'failed',
        attempts: 1,
        error: 'the host has no address that may be reached',
      });
    },
  );

  test('comes before the webhook, which reports its outcome', async () => {
    const client = await caller();
    bucket.answer = (response) => {
      expect(hooks.received).toEqual([]);
      response.writeHead(200).end();
    };
    const render = await start(client, { html: '<p>x', webhook_url: hooks.url });
    await eventually('the webhook has arrived', () => hooks.received.length === 1);
    const { secret } = await client.json<{ secret: string }>('/v1/webhooks/secret');
    expect(hooks.received[0] && verified(hooks.received[0], secret)).toMatchObject({
      type: 'render.completed',
      data: {
        render_id: render.render_id,
        status: 'succeeded',
        delivery: { status: 'delivered', attempts: 1, http_status: 200 },
      },
    });
    expect(bucket.received).toHaveLength(1);
  });

  test('does not happen for a failed render, whose webhook is sent', async () => {
    const client = await caller();
    const done = await client.ended(await start(client, { url: 'http://127.0.0.1:9/', webhook_url: hooks.url }));
    expect(done).toMatchObject({ status: 'failed', error: { code: 'forbidden_url' } });
    expect(done.delivery).toBeUndefined();
    await eventually('the webhook has arrived', () => hooks.received.length === 1);
    expect(bucket.received).toEqual([]);
    expect(await documentsOf(client)).toBe(0);
  });

  test('can be requested in a form', async () => {
    const client = await caller();
    const form = new FormData();
    form.append('request', JSON.stringify({ html: '<img src="a.txt">form', deliver_to: target() }));
    form.append('files', new Blob(['x']), 'a.txt');
    const reply = await fetch(`${service.url}/v1/pdf`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}` },
      body: form,
    });
    expect(reply.status).toBe(202);
    expect((await client.ended((await reply.json()) as Render)).delivery).toMatchObject({ status: 'delivered' });
  });

  test('can be different for each batch item', async () => {
    const client = await caller();
    const items = [{ html: '<p>a', deliver_to: target() }, { html: '<p>b' }, { html: '<p>a', deliver_to: target() }];
    const batch = await client.batch({ items, webhook_url: hooks.url });
    const delivered = { host: host(), status: 'delivered', attempts: 1, http_status: 200 };
    expect(batch.items.map(({ delivery }) => delivery)).toEqual([delivered, undefined, delivered]);
    expect(bucket.received).toHaveLength(1); // Equal items with the same address are rendered and uploaded once.
    await eventually('the webhook has arrived', () => hooks.received.length === 1);
  });
});

describe('a document that is not stored', () => {
  test.each([
    ['where the plan keeps nothing', 'nothing_kept', {}],
    ['with store: false', undefined, { store: false }],
  ])('is deleted once it is uploaded (%s)', async (_name, plan, body) => {
    const client = await caller(plan);
    const done = await client.ended(await start(client, { html: '<p>gone', ...body }));
    expect(done.delivery).toMatchObject({ status: 'delivered' });
    expect((await readPdf(bucket.received[0]?.bytes as Buffer)).pages).toEqual(['gone']);
    await problem(await client.send('GET', `/v1/documents/${done.document_id}`), 410, 'document_deleted');
    expect((await client.json<List<object>>('/v1/documents')).data).toEqual([]);
    expect(await documentsOf(client)).toBe(1);
  });

  test('is rejected if the plan has no storage and store is true', async () => {
    const reply = await (await caller('nothing_kept')).send('POST', '/v1/pdf', { html: 'x', store: true, deliver_to: target() });
    await problem(reply, 422, 'storage_unavailable');
  });
});

describe('rejected immediately', () => {
  test.each<[string, unknown, string]>([
    ['an address without encryption', 'http://example.com/x', 'deliver_to'],
    ['no address', 'bucket/x', 'deliver_to'],
    ['a name and password', 'https://a:b@example.com/', 'deliver_to'],
    ['an object without an address', { headers: {} }, 'deliver_to.url'],
    ['an unknown field', { url: 'https://example.com/', method: 'POST' }, 'deliver_to.method'],
    ['a header of the connection', { url: 'https://example.com/', headers: { Host: 'x' } }, 'deliver_to.headers.Host'],
    ...['Cookie', 'X-Forwarded-For', 'X-HTTP-Method-Override', 'x-original-url'].map((name): [string, unknown, string] => [
      `a header that servers trust: ${name}`,
      { url: 'https://example.com/', headers: { [name]: 'x' } },
      `deliver_to.headers.${name}`,
    ]),
    ['a header with a line break', { url: 'https://example.com/', headers: { a: 'x\ny' } }, 'deliver_to.headers.a'],
    ['a number', 7, 'deliver_to'],
  ])('%s', async (_name, deliverTo, path) => {
    const client = await caller();
    for (const headers of [{}, LATER]) {
      const reply = await client.send('POST', '/v1/pdf', { html: 'x', deliver_to: deliverTo }, headers);
      expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path }]);
    }
    expect(await documentsOf(client)).toBe(0);
  });

  test('rejects deliver_to in the defaults of a batch, which would send all items to one URL', async () => {
    const reply = await (await caller()).send('POST', '/v1/batches', {
      items: [{ html: 'x' }],
      defaults: { deliver_to: target() },
    });
    expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path: 'defaults.deliver_to' }]);
  });
});

test.each([
  ['allowed', () => target()],
  ['refused', () => 'https://10.0.0.1/x'],
])('reports in a dry run that the upload would be %s, and uploads nothing', async (verdict, address) => {
  const client = await caller();
  const body = { html: 'x', dry_run: true, deliver_to: address() };
  const answer = await (await client.send('POST', '/v1/pdf', body)).json();
  expect(answer).toMatchObject({ dry_run: true, urls: [], deliver_to: { host: new URL(address()).host, verdict } });
  expect(bucket.received).toEqual([]);
});

test('keeps the signature of the URL out of logs, lists and records', async () => {
  const client = await caller();
  bucket.answer = (response) => response.writeHead(403).end();
  const render = await start(client, { html: '<p>x', webhook_url: hooks.url });
  await client.ended(render);
  await eventually('the webhook has arrived', () => hooks.received.length === 1);
  const addresses = [`/v1/renders/${render.render_id}`, '/v1/webhooks/deliveries', '/v1/documents', '/v1/batches'];
  const shown = await Promise.all(addresses.map(async (path) => (await client.send('GET', path)).text()));
  expect(shown.join()).not.toContain('Signature');
  expect(hooks.received.map(({ body }) => body).join()).not.toContain('Signature');
  expect(service.output()).not.toContain('Signature');
  const { data } = JSON.parse(shown[1] ?? '') as List<{ type: string }>;
  expect(data.map(({ type }) => type)).toEqual(['render.completed']);
});

test('continues an upload after the service was killed, without another render', async () => {
  const client = await caller();
  const held = Promise.withResolvers<void>();
  bucket.answer = () => held.resolve(); // The upload gets no reply.
  const render = await start(client, { html: '<p>survives' });
  await held.promise;
  service.child.removeAllListeners('exit');
  service.child.kill('SIGKILL');
  await once(service.child, 'exit');
  bucket.answer = (response) => response.writeHead(200).end();
  const { PLATEN_DATA_DIR = '' } = service.env;
  service = await startService({ ...settings(), PLATEN_DATA_DIR }, { firstKey: service.key });
  const after = new Client(service.url, client.key);
  const done = await after.ended(render);
  expect(done.delivery).toMatchObject({ status: 'delivered', attempts: 2 });
  expect(bucket.received).toHaveLength(2);
  expect(bucket.received[0]?.body).toBe(bucket.received[1]?.body);
  expect(await documentsOf(after)).toBe(1);
});
