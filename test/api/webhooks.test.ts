/** Webhooks of the whole service: expired documents, secrets, the list, and restarts. */
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  Client,
  type DocumentRecord,
  type List,
  problem,
  succeeded,
  type WebhookDelivery,
  type WebhookSecret,
} from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { Receiver, verified, type WebhookRequest } from '../support/receiver.ts';
import { eventually, type Service, startService } from '../support/service.ts';

const DELIVERIES = '/v1/webhooks/deliveries';

const settingsFor = (allowed: Receiver) => ({
  PLATEN_SWEEP_SECONDS: '1',
  PLATEN_OUTBOUND_ALLOW: allowed.address,
  PLATEN_WEBHOOK_RETRY_SECONDS: '1 1 1 1 1 1',
  PLATEN_WEBHOOK_TIMEOUT_SECONDS: '2',
});

const receiver = await Receiver.start().then(closeAfterAll);
const forbidden = await Receiver.start().then(closeAfterAll);
let service: Service = await startService(settingsFor(receiver));
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (response) => response.writeHead(204).end();
});

/** Creates a client whose documents expire after two seconds and which has a webhook. */
async function caller(url: string | null = receiver.url): Promise<Client> {
  const client = new Client(service.url, (await service.createKey('short')).key);
  await setWebhookUrl(client, url);
  return client;
}

async function setWebhookUrl(client: Client, url: string | null): Promise<void> {
  const response = await succeeded(client.send('PATCH', '/v1/account', { document_expired_webhook_url: url }));
  expect(await response.json()).toMatchObject({ document_expired_webhook_url: url });
}

const listOf = async (client: Client) => (await client.json<List<WebhookDelivery>>(DELIVERIES)).data;
const secretOf = (client: Client) => client.json<WebhookSecret>('/v1/webhooks/secret');
const documentOf = ({ body }: WebhookRequest) => (JSON.parse(body) as { data: DocumentRecord }).data.document_id;
const swept = () => service.metric('platen_swept_total', 'content');

describe('batch.completed', () => {
  const send = (client: Client, body: object) => client.send('POST', '/v1/batches', { webhook_url: receiver.url, ...body });

  test.each<[string, object[], object]>([
    ['some failed', [{ html: '<p>a' }, { html: '<p>a' }, { nothing: 1 }], { total: 3, succeeded: 2, failed: 1 }],
    ['all are invalid', [{ nothing: 1 }], { total: 1, succeeded: 0, failed: 1 }],
  ])('is sent once, signed (%s)', async (_name, items, counts) => {
    const client = new Client(service.url, (await service.createKey()).key);
    const { batch_id } = (await (await send(client, { items })).json()) as { batch_id: string };
    await eventually('the webhook has arrived', () => receiver.received.length === 1);
    const event = verified(receiver.received[0] as WebhookRequest, (await secretOf(client)).secret);
    const { completed_at } = await client.json<{ completed_at: string }>(`/v1/batches/${batch_id}`);
    expect(event).toMatchObject({ type: 'batch.completed' });
    expect(event.data).toEqual({ batch_id, status: 'completed', ...counts, cancelled: 0, completed_at });
    expect(await listOf(client)).toMatchObject([{ type: 'batch.completed', status: 'delivered', attempts: 1 }]);
  });

  test('is sent for a cancelled batch', async () => {
    const client = new Client(service.url, (await service.createKey()).key);
    const items = Array.from({ length: 40 }, (_, n) => ({ html: `<p>${n}<script>${'1;'.repeat(n)}</script>` }));
    const { batch_id } = (await (await send(client, { items })).json()) as { batch_id: string };
    expect((await client.send('DELETE', `/v1/batches/${batch_id}`)).status).toBe(200);
    await eventually('the webhook has arrived', () => receiver.received.length === 1);
    const { data } = JSON.parse(receiver.received[0]?.body ?? '') as { data: { status: string; cancelled: number } };
    expect(data).toMatchObject({ batch_id, status: 'cancelled', total: 40 });
    expect(data.cancelled).toBeGreaterThan(0);
  });

  test('is sent after the restart of a killed service', async () => {
    const client = new Client(service.url, (await service.createKey()).key);
    const items = Array.from({ length: 30 }, (_, n) => ({ html: `<p>${n}` }));
    await send(client, { items });
    service.child.removeAllListeners('exit');
    service.child.kill('SIGKILL');
    await once(service.child, 'exit');
    const { PLATEN_DATA_DIR = '' } = service.env;
    service = await startService({ ...settingsFor(receiver), PLATEN_DATA_DIR }, { firstKey: service.key });
    await eventually('the webhook has arrived', () => receiver.received.length === 1, 60_000);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ data: { total: 30, succeeded: 30 } });
  });
});

describe('document.expired', () => {
  test('is sent once for each expired document, signed, and not for a deleted one', async () => {
    const client = await caller();
    const kept = [await client.store({ html: '<p>a' }), await client.store({ html: '<p>b' })];
    const deleted = await client.store({ html: '<p>c' });
    expect((await client.send('DELETE', `/v1/documents/${deleted.document_id}`)).status).toBe(204);
    await eventually('both events have arrived', async () => receiver.received.length === 2);
    const before = await swept();
    await client.store({ html: '<p>a sweep later' });
    await eventually('another sweep has been', async () => (await swept()) > before && receiver.received.length === 3);
    const expiryEvents = receiver.received.slice(0, 2);
    expect(expiryEvents.map(documentOf).sort()).toEqual(kept.map(({ document_id }) => document_id).sort());
    const { secret } = await secretOf(client);
    for (const each of expiryEvents) {
      const event = verified(each, secret);
      const document = kept.find(({ document_id }) => document_id === documentOf(each));
      expect(event.type).toBe('document.expired');
      expect(event.data).toEqual({ document_id: document?.document_id, expired_at: document?.expires_at });
    }
    expect(await service.metric('platen_webhook_deliveries_total', 'delivered')).toBeGreaterThanOrEqual(3);
    const list = await listOf(client);
    expect(list).toHaveLength(3);
    expect(list[0]).toEqual({
      delivery_id: receiver.ids[2],
      type: 'document.expired',
      url: receiver.url,
      status: 'delivered',
      attempts: 1,
      last_attempt_at: expect.stringMatching(/Z$/),
      next_attempt_at: null,
      response_status: 204,
      created_at: expect.stringMatching(/Z$/),
    });
  });

  test('is not sent without a URL, or after its removal', async () => {
    const client = await caller(null);
    expect(await client.json('/v1/account')).toMatchObject({ document_expired_webhook_url: null });
    const before = await swept();
    await client.store({ html: '<p>quiet' });
    await eventually('its content is gone', async () => (await swept()) > before);
    expect(await listOf(client)).toEqual([]);
  });

  test('rejects a blocked IP address immediately, in every field', async () => {
    const client = new Client(service.url, (await service.createKey()).key); // the operator's own key is told more
    const change = await client.send('PATCH', '/v1/account', { auto_store: true, document_expired_webhook_url: forbidden.url });
    const { detail } = await problem(change, 403, 'forbidden_url');
    expect(detail).toBe('document_expired_webhook_url: the network policy of this service does not allow this URL');
    expect(await client.json('/v1/account')).toMatchObject({ auto_store: false, document_expired_webhook_url: null });
    for (const webhook_url of [forbidden.url, 'http://[::1]:9/', 'http://localhost/', 'https://10.0.0.1/']) {
      const batch = client.send('POST', '/v1/batches', { items: [{ html: 'x' }], webhook_url });
      expect((await problem(await batch, 403, 'forbidden_url')).detail).toBe(
        'webhook_url: the network policy of this service does not allow this URL',
      );
      const render = client.send('POST', '/v1/pdf', { html: 'x', webhook_url }, { prefer: 'respond-async' });
      await problem(await render, 403, 'forbidden_url');
    }
    expect(forbidden.received).toEqual([]);
  });

  test.each([
    ['ftp://example.com/'],
    ['file:///etc/passwd'],
    ['javascript:alert(1)'],
    ['https://ada:secret@example.com/'],
    ['https://ada@example.com/'],
    ['example.com/hook'],
    [''],
    [`https://example.com/${'x'.repeat(2_048)}`],
    [`https://example.com/${'ü'.repeat(1_000)}`],
    [17],
    [['https://example.com/']],
  ])('rejects the URL %s', async (url) => {
    const client = new Client(service.url, service.key);
    const response = await client.send('PATCH', '/v1/account', { auto_store: true, document_expired_webhook_url: url });
    const { errors } = await problem(response, 400, 'invalid_request');
    expect(errors?.map(({ path }) => path)).toEqual(['document_expired_webhook_url']);
    expect(JSON.stringify(errors)).not.toContain('secret');
    expect(await client.json('/v1/account')).toMatchObject({ auto_store: false, document_expired_webhook_url: null });
  });
});

describe('the secret', () => {
  test('belongs to the account, and signs together with its predecessor after a rotation', async () => {
    const client = await caller();
    const first = await secretOf(client);
    expect(first).toMatchObject({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), previous: [] });
    expect(await secretOf(client)).toEqual(first);
    const rotation = await client.send('POST', '/v1/webhooks/secret/rotate');
    expect(rotation.status).toBe(200);
    expect(rotation.headers.get('cache-control')).toBe('no-store');
    const second = (await rotation.json()) as WebhookSecret;
    expect(second.previous.map(({ secret }) => secret)).toEqual([first.secret]);
    const left = Date.parse(second.previous[0]?.expires_at ?? '') - Date.parse(second.created_at);
    expect(Math.abs(left - 86_400_000)).toBeLessThan(1_000);
    await client.store({ html: '<p>a' });
    await eventually('the event has arrived', () => receiver.received.length === 1);
    for (const { secret } of [first, second]) verified(receiver.received[0] as WebhookRequest, secret);
    expect((await secretOf(await caller())).secret).not.toBe(second.secret);
  });

  test('requires a key', async () => {
    for (const [method, path] of [
      ['GET', '/v1/webhooks/secret'],
      ['POST', '/v1/webhooks/secret/rotate'],
      ['GET', DELIVERIES],
    ] as const)
      await problem(await new Client(service.url, 'plt_wrong').send(method, path), 401, 'unauthorized');
  });
});

describe('the list', () => {
  test('continues after its last entry, newest first, and shows each key its own deliveries', async () => {
    const client = await caller();
    for (let n = 0; n < 3; n++) await client.store({ html: `<p>${n}` });
    await eventually('all are delivered', async () => {
      const deliveries = await listOf(client);
      return deliveries.length === 3 && deliveries.every(({ status }) => status === 'delivered');
    });
    const all = await listOf(client);
    const first = await client.json<List<WebhookDelivery>>(`${DELIVERIES}?limit=2`);
    expect(first).toMatchObject({ data: all.slice(0, 2), has_more: true });
    const rest = await client.json<List<WebhookDelivery>>(`${DELIVERIES}?limit=2&cursor=${first.next_cursor}`);
    expect(rest).toEqual({ data: all.slice(2), has_more: false, next_cursor: null });
    expect(await listOf(await caller())).toEqual([]);
  });

  test.each(['limit=0', 'limit=101', 'cursor=x', 'status=failed'])('rejects %s', async (query) => {
    await problem(await new Client(service.url, service.key).get(`${DELIVERIES}?${query}`), 400, 'invalid_request');
  });
});

test('continues with the same id and bytes when the service was killed between two attempts', {
  timeout: 240_000,
}, async () => {
  const own = await Receiver.start((response, before) => response.writeHead(before < 2 ? 500 : 200).end());
  const settings = { ...settingsFor(own), PLATEN_WEBHOOK_RETRY_SECONDS: '1 25 1', PLATEN_WEBHOOK_TIMEOUT_SECONDS: '30' };
  await using first = await startService(settings);
  const { key } = await first.createKey('short');
  const client = new Client(first.url, key);
  await setWebhookUrl(client, own.url);
  await client.store({ html: '<p>a' });
  await eventually(
    'two attempts have failed',
    async () => {
      const [record] = await listOf(client);
      return record?.attempts === 2 && record.response_status === 500 && own.open === 0;
    },
    90_000,
  );
  const { secret } = await secretOf(client);
  const ended = once(first.child, 'close');
  first.child.removeAllListeners('exit'); // This listener would report an unexpected exit.
  first.child.kill('SIGKILL');
  await ended;

  await using second = await startService({ ...settings, PLATEN_DATA_DIR: first.env.PLATEN_DATA_DIR ?? '' }, { firstKey: key });
  await eventually('it is delivered', () => own.received.length >= 3, 60_000);
  const [a, b, c] = own.received;
  expect(new Set(own.ids).size).toBe(1);
  expect(c?.body).toBe(a?.body);
  expect(b?.body).toBe(a?.body);
  expect(verified(c as WebhookRequest, secret).type).toBe('document.expired');
  const again = new Client(second.url, key);
  await eventually('it is noted', async () => (await listOf(again))[0]?.status === 'delivered');
  const [record] = await listOf(again);
  expect(record).toMatchObject({ delivery_id: own.ids[0], response_status: 200 });
  expect(record?.attempts).toBeGreaterThanOrEqual(3); // one more if the service was killed before it noted the answer
  own.close();
});

test('waits on SIGTERM for an attempt no longer than the drain time, and sends the event after the restart', async () => {
  const own = await Receiver.start((response, before) => void (before > 0 && response.writeHead(200).end()));
  const settings = { ...settingsFor(own), PLATEN_WEBHOOK_TIMEOUT_SECONDS: '30', PLATEN_DRAIN_TIMEOUT_SECONDS: '1' };
  await using first = await startService(settings);
  const { key } = await first.createKey('short');
  const client = new Client(first.url, key);
  await setWebhookUrl(client, own.url);
  await client.store({ html: '<p>a' });
  await eventually('it is under way', () => own.open === 1);
  const startedAt = Date.now();
  expect(await first.stop()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(25_000); // The time limit of the attempt is 30 seconds.

  await using second = await startService({ ...settings, PLATEN_DATA_DIR: first.env.PLATEN_DATA_DIR ?? '' }, { firstKey: key });
  const again = new Client(second.url, key);
  await eventually('it is delivered', async () => (await listOf(again))[0]?.status === 'delivered');
  expect(await listOf(again)).toMatchObject([{ attempts: 2, response_status: 200 }]);
  expect(new Set(own.ids).size).toBe(1);
  own.close();
});

test('sends a test event, and an event again that was given up or delivered', async () => {
  const client = new Client(service.url, (await service.createKey()).key);
  const long = 'gone, and never to be seen again. '.repeat(1_000);
  receiver.answer = (response) => response.writeHead(410).end(`\0 ${long}`);
  const sent = await client.send('POST', '/v1/webhooks/test', { url: receiver.url });
  expect(sent.status).toBe(202);
  const { delivery_id } = (await sent.json()) as WebhookDelivery;
  const retry = (by = client) => by.send('POST', `${DELIVERIES}/${delivery_id}/retry`);
  await eventually('it is given up', async () => (await listOf(client))[0]?.status === 'failed');
  const other = new Client(service.url, (await service.createKey()).key);
  await problem(await retry(other), 404, 'not_found');
  receiver.answer = (response) => response.writeHead(204).end();
  const again = await retry();
  expect([again.status, await again.json()]).toMatchObject([202, { delivery_id, type: 'webhook.test' }]);
  await eventually('it is delivered', async () => (await listOf(client))[0]?.status === 'delivered');
  const [first, second] = receiver.received as [WebhookRequest, WebhookRequest];
  expect([second.body, second.headers['webhook-id']]).toEqual([first.body, delivery_id]);
  expect(verified(second, (await secretOf(client)).secret)).toMatchObject({ type: 'webhook.test', data: {} });
  await problem(await other.get(`${DELIVERIES}/${delivery_id}`), 404, 'not_found');
  const { payload, history, ...delivery } = await client.json<WebhookDelivery>(`${DELIVERIES}/${delivery_id}`);
  expect(delivery).toEqual((await listOf(client))[0]);
  expect(payload).toEqual(JSON.parse(first.body));
  const attempt = { started_at: expect.any(String), milliseconds: expect.any(Number) };
  expect(history).toEqual([
    { ...attempt, response_status: 410, response_body: `\0 ${long}`.slice(0, 1_024) },
    { ...attempt, response_status: 204 },
  ]);

  receiver.answer = (response) => response.destroy();
  expect((await retry()).status).toBe(202);
  await problem(await retry(), 404, 'not_found');
  const last = async () => (await client.json<WebhookDelivery>(`${DELIVERIES}/${delivery_id}`)).history?.[2];
  await eventually('it has failed', async () => (await last()) !== undefined);
  expect(await last()).toEqual({ ...attempt, error: 'the connection broke off, or the answer was not HTTP' });
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  await problem(await client.send('POST', '/v1/webhooks/test', { url: forbidden.url }), 403, 'forbidden_url');
  await problem(await client.send('POST', '/v1/webhooks/test', {}), 400, 'invalid_request');
});
