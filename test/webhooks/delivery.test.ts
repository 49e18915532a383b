/** Webhook deliveries from a real database to real receivers: content, retries, addresses, shutdown and retention. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Principal } from '../../src/accounts/accounts.ts';
import { loadConfig } from '../../src/config.ts';
import { OutboundPolicy } from '../../src/egress/policy.ts';
import { openServices, type Services } from '../../src/services.ts';
import { Deliverer, type DeliveryOutcome } from '../../src/webhooks/deliverer.ts';
import type { WebhookDelivery } from '../../src/webhooks/webhooks.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { IDLE_TASKS } from '../support/idle-tasks.ts';
import { NameServer } from '../support/name-server.ts';
import { Receiver, verified } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { storageSettings } from '../support/storage-settings.ts';
import { TLS } from '../support/tls.ts';

let dataDir: string;
let opened: Services;
let owner: Principal;
let receiver: Receiver;
let deliverer: Deliverer | undefined;
let elapsedMs = 0;
const receivers: Receiver[] = [];
const outcomes: DeliveryOutcome[] = [];
const refusals: object[] = [];
const failures: unknown[] = [];
const clock = () => Date.now() + elapsedMs;
const never = new Promise(() => {});

beforeEach(async () => {
  elapsedMs = 0;
  for (const list of [outcomes, refusals, failures]) list.length = 0;
  dataDir = await makeTestFolder();
  await open();
  const { id } = await opened.accounts.createAccount('free');
  owner = (await opened.accounts.authenticate((await opened.accounts.createKey(id)).secret)) as Principal;
  receiver = await startReceiver();
});
afterEach(async () => {
  await close();
  for (const each of receivers.splice(0)) each.close();
  expect(failures).toEqual([]);
});

async function open(): Promise<void> {
  opened = await openServices(loadConfig({ ...(await storageSettings(dataDir)), PLATEN_DATA_DIR: dataDir }).services, clock);
}

async function close(deadline: Promise<unknown> = Promise.resolve()): Promise<void> {
  await stop(deadline);
  await opened.close();
}

/** Stops deliveries. Attempts that are still running when `deadline` resolves are aborted. */
async function stop(deadline: Promise<unknown>): Promise<void> {
  await Promise.race([opened.jobs.drain(), deadline]);
  deliverer?.abort();
  await opened.jobs.drain();
}

async function startReceiver(...more: Parameters<typeof Receiver.start>): Promise<Receiver> {
  const started = await Receiver.start(...more);
  receivers.push(started);
  return started;
}

function start(settings: Record<string, string> = {}, allowed: Receiver[] = receivers): void {
  const { engine, deliveries } = loadConfig({
    PLATEN_OUTBOUND_ALLOW: allowed.map(({ address }) => address).join(' '),
    PLATEN_WEBHOOK_RETRY_SECONDS: '1 1 1',
    PLATEN_WEBHOOK_TIMEOUT_SECONDS: '2',
    ...settings,
  });
  const services = {
    ...opened,
    policy: new OutboundPolicy(engine.outbound),
    clock,
    onOutcome: (outcome: DeliveryOutcome) => outcomes.push(outcome),
    onRefused: (_kind: string, details: object) => refusals.push(details),
  };
  deliverer = new Deliverer(services, deliveries);
  opened.jobs.start({ ...IDLE_TASKS, webhook: deliverer.task('webhook') }, (error) => failures.push(error));
}

function enqueue(url = receiver.url, data: object = {}): Promise<string> {
  const event = { ...owner, url, type: 'batch.completed', data } as const;
  return opened.database.transaction((query) => opened.webhooks.enqueue(event, query));
}

async function delivery(id: string): Promise<WebhookDelivery> {
  const record = (await opened.webhooks.list(owner.keyId, 100)).find((each) => each.id === id);
  if (!record) throw new Error(`no delivery ${id}`);
  return record;
}

async function ended(id: string): Promise<WebhookDelivery> {
  await eventually('the delivery has ended', async () => (await delivery(id)).status !== 'pending');
  return delivery(id);
}

describe('a receiver gets', () => {
  test('a POST of JSON that the public library verifies', async () => {
    start();
    const id = await enqueue(`${receiver.url}?room=1`, { batch_id: 'bat_1', name: 'Zoë' });
    expect(await ended(id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      responseStatus: 204,
      error: null,
      nextAttemptAt: null,
    });
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    expect(request.path).toBe('POST /hook?room=1');
    expect(request.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
    expect(id).toMatch(/^msg_[0-9A-Za-z]{22}$/);
    const [{ secret }] = await opened.webhookSecrets.of(owner.accountId);
    expect(secret).toMatch(/^whsec_/);
    const event = verified(request, secret);
    expect(event).toEqual({ type: 'batch.completed', timestamp: event.timestamp, data: { batch_id: 'bat_1', name: 'Zoë' } });
    expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
    expect(() => verified({ ...request, body: request.body.replace('bat_1', 'bat_2') }, secret)).toThrow();
    expect(outcomes).toEqual(['delivered']);
  });

  test('signatures by the new and the previous secret for 24 hours, then by the new one only', async () => {
    start();
    const [first] = await opened.webhookSecrets.of(owner.accountId);
    const [second, ...previous] = await opened.webhookSecrets.rotate(owner.accountId);
    expect(previous.map(({ secret }) => secret)).toEqual([first.secret]);
    expect(second.secret).not.toBe(first.secret);
    await ended(await enqueue());
    const [request] = receiver.received;
    if (!request) throw new Error('nothing came');
    expect(request.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    for (const { secret } of [first, second]) expect(verified(request, secret).type).toBe('batch.completed');

    elapsedMs = 86_400_001;
    await ended(await enqueue());
    expect(receiver.received[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    await opened.webhookSecrets.removeEnded();
    expect(await opened.webhookSecrets.of(owner.accountId)).toEqual([{ ...second, validUntil: null }]);
  });

  test('signatures by the last four of quickly replaced secrets', async () => {
    const [first] = await opened.webhookSecrets.of(owner.accountId);
    for (let n = 0; n < 5; n++) {
      elapsedMs += 1_000;
      await opened.webhookSecrets.rotate(owner.accountId);
    }
    const secrets = await opened.webhookSecrets.of(owner.accountId);
    expect(secrets).toHaveLength(4);
    expect(secrets.map(({ secret }) => secret)).not.toContain(first.secret);
    expect(secrets.map(({ validUntil }) => validUntil === null)).toEqual([true, false, false, false]);
  });

  test('one secret for an account even if it is created by simultaneous calls', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => opened.webhookSecrets.of(owner.accountId)));
    expect(new Set(all.map(([{ secret }]) => secret)).size).toBe(1);
  });

  test('no event whose transaction was rolled back', async () => {
    start();
    const event = { ...owner, url: receiver.url, type: 'batch.completed', data: {} } as const;
    const undone = opened.database.transaction(async (query) => {
      await opened.webhooks.enqueue(event, query);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const id = await enqueue();
    await ended(id);
    expect(receiver.ids).toEqual([id]);
  });
});

describe('a receiver that', () => {
  test('fails and then succeeds gets the same bytes with the same id, at growing intervals', async () => {
    receiver.answer = (response, before) => response.writeHead(before < 2 ? 500 : 200).end('{}');
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1 2 1' });
    const id = await enqueue(receiver.url, { n: 1 });
    await eventually('the first attempt has failed', async () => (await delivery(id)).responseStatus === 500);
    const waiting = await delivery(id);
    expect(waiting).toMatchObject({ status: 'pending', attempts: 1, error: null });
    expect(waiting.nextAttemptAt).toBeGreaterThan(waiting.lastAttemptAt ?? 0);
    expect(await ended(id)).toMatchObject({ status: 'delivered', attempts: 3, responseStatus: 200 });
    expect(receiver.ids).toEqual([id, id, id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const [{ secret }] = await opened.webhookSecrets.of(owner.accountId);
    for (const each of receiver.received) verified(each, secret);
    const [a = 0, b = 0, c = 0] = receiver.received.map(({ at }) => at);
    expect(b - a).toBeGreaterThanOrEqual(950);
    expect(c - b).toBeGreaterThanOrEqual(1_950);
    expect(outcomes).toEqual(['retried', 'retried', 'delivered']);
  });

  test.each([
    ['never succeeds gets no more attempts after the last interval', 503, 2, ['retried', 'failed']],
    ['answers 410 gets no more attempts', 410, 1, ['failed']],
  ])('%s', async (_what, status, attempts, expected) => {
    receiver.answer = (response) => response.writeHead(status).end();
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1' });
    const record = { status: 'failed', attempts, responseStatus: status, nextAttemptAt: null };
    expect(await ended(await enqueue())).toMatchObject(record);
    expect(receiver.received).toHaveLength(attempts);
    expect(outcomes).toEqual(expected);
  });

  test('redirects is not followed to its target', async () => {
    const target = await startReceiver();
    receiver.answer = (response) => response.writeHead(307, { location: target.url }).end();
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1' });
    expect(await ended(await enqueue())).toMatchObject({
      status: 'failed',
      attempts: 2,
      responseStatus: 307,
      error: 'redirects are not followed',
    });
    expect(target.received).toEqual([]);
  });

  test('hangs does not delay others', async () => {
    receiver.answer = () => {};
    const responsive = await startReceiver();
    start({ PLATEN_WEBHOOK_TIMEOUT_SECONDS: '3600' });
    const hanging = await Promise.all(Array.from({ length: 12 }, () => enqueue()));
    await eventually('the maximum number of attempts hang', () => receiver.open === 3);
    const good = await Promise.all(Array.from({ length: 20 }, () => enqueue(responsive.url)));
    for (const id of good) expect(await ended(id)).toMatchObject({ status: 'delivered' });
    expect((await Promise.all(hanging.map(delivery))).every(({ status, error }) => status === 'pending' && !error)).toBe(true);
    expect(receiver.open).toBe(3);
    expect(responsive.maxOpen).toBeLessThanOrEqual(3);
  });

  test('hangs is disconnected at the time-out', async () => {
    receiver.answer = () => {};
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '3600' });
    const hanging = await Promise.all(Array.from({ length: 12 }, () => enqueue()));
    await eventually('all have timed out', async () => {
      const all = await Promise.all(hanging.map(delivery));
      return all.every(({ error }) => error === 'there was no answer within 2 seconds');
    });
    expect(receiver.maxOpen).toBe(3);
  });

  test('answers and never ends its response has received the event, even if it sends endlessly', async () => {
    const flooding = await startReceiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    receiver.answer = (response) => response.writeHead(200).write('{');
    start();
    const ids = [await enqueue(), await enqueue(flooding.url)];
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    await eventually('its connection is closed', () => flooding.open === 0 && receiver.open === 0);
  });

  test('disconnects or does not speak HTTP has not received the event', async () => {
    receiver.answer = (response) => response.socket?.end('no HTTP at all\r\n\r\n');
    const disconnecting = await startReceiver((response) => response.destroy());
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1' });
    const error = 'the connection broke off, or the answer was not HTTP';
    for (const id of [await enqueue(), await enqueue(disconnecting.url)])
      expect(await ended(id)).toMatchObject({ status: 'failed', attempts: 2, responseStatus: null, error });
  });
});

describe('an address', () => {
  test('that is blocked is refused at every attempt, with the same error as a name that does not resolve', async () => {
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1' }, []);
    const hidden = [
      receiver.url,
      `http://localhost:${receiver.port}/`,
      'http://169.254.169.254/',
      `https://${receiver.address}/`,
    ];
    const ids = await Promise.all([...hidden, 'http://nowhere.invalid/'].map((url) => enqueue(url)));
    const all = await Promise.all(ids.map(ended));
    for (const each of all)
      expect(each).toMatchObject({
        status: 'failed',
        attempts: 2,
        responseStatus: null,
        error: 'the host has no address that may be reached',
      });
    expect(receiver.received).toEqual([]);
    expect(refusals).toContainEqual({ host: receiver.address, reason: 'not in the public internet', delivery_id: ids[0] });
  });

  test('on a port of the service is refused, whatever the policy allows', async () => {
    const policy = new OutboundPolicy(loadConfig({ PLATEN_OUTBOUND_ALLOW: '127.0.0.0/8' }).engine.outbound);
    policy.protect(receiver.port);
    await expect(policy.admit('127.0.0.1', receiver.port)).rejects.toThrow('the port belongs to the service itself');
  });

  test('that is a name is resolved once, and connects only to checked addresses', async () => {
    using names = await NameServer.start('');
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1', PLATEN_DNS_SERVERS: names.address });
    const at = (name: string) => `http://${name}.test:${receiver.port}/${name}`;
    // A second query would resolve to another address.
    expect(await ended(await enqueue(at('x.rebind2')))).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual([`x.rebind2.test:${receiver.port}`]);
    for (const name of ['x.mixed', 'x.neighbours', 'x.mapped', 'x.zero', 'x.private6'])
      expect(await ended(await enqueue(at(name)))).toMatchObject({
        status: name === 'x.mapped' ? 'delivered' : 'failed', // this is the allowed address in another notation
      });
  });

  test('that is a name that no rule can allow is not resolved', async () => {
    using names = await NameServer.start('');
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1', PLATEN_DNS_SERVERS: names.address, PLATEN_OUTBOUND: 'listed' });
    const id = await enqueue(`http://secret.private.test:${receiver.port}/hook`);
    expect(await ended(id)).toMatchObject({ status: 'failed', error: 'the host has no address that may be reached' });
    expect([...names.queriedNames]).toEqual([]);
  });

  test('with https requires a valid certificate for its name', async () => {
    using names = await NameServer.start('');
    const secure = await startReceiver(undefined, TLS);
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1', PLATEN_DNS_SERVERS: names.address });
    const at = (host: string) => `https://${host}:${secure.port}/hook`;
    const distrusted = await ended(await enqueue(at('hooks.private.test')));
    const trusted = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, TLS.cert]);
    const misnamed = [await enqueue(at('other.private.test')), await enqueue(at('127.0.0.1'))];
    const plain = await enqueue(`https://${receiver.address}/`);
    const id = await enqueue(at('hooks.private.test'));
    expect(await ended(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    for (const each of [distrusted, ...(await Promise.all([...misnamed, plain].map(ended)))])
      expect(each).toMatchObject({
        status: 'failed',
        error: 'no encrypted connection could be made: the certificate must be valid for this host',
      });
    expect(secure.ids).toEqual([id]);
    expect(receiver.received).toEqual([]);
  });

  test('that refuses connections is reported as such if it is allowed', async () => {
    const stopped = await startReceiver();
    const { url } = stopped;
    start({ PLATEN_WEBHOOK_RETRY_SECONDS: '1' });
    stopped.close();
    expect(await ended(await enqueue(url))).toMatchObject({ status: 'failed', error: 'no connection could be made' });
  });
});

describe('a process that ends', () => {
  test('completes attempts that end in time', async () => {
    receiver.answer = (response) => setTimeout(() => response.writeHead(200).end(), 300);
    start();
    const id = await enqueue();
    await eventually('it is under way', () => receiver.open === 1);
    await stop(never);
    expect(await delivery(id)).toMatchObject({ status: 'delivered' });
  });

  test('aborts other attempts, which the next process repeats at once', async () => {
    receiver.answer = (response, before) => void (before > 0 && response.writeHead(200).end());
    start();
    const id = await enqueue(receiver.url, { n: 1 });
    await eventually('it is under way', () => receiver.open === 1);
    await close();
    await open();
    start();
    expect(await ended(id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(receiver.ids).toEqual([id, id]);
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
  });

  test('abruptly leaves its deliveries to the next process after their lease', async () => {
    const id = await enqueue();
    await opened.database.query
      .updateTable('webhook_deliveries')
      .set({ lease_until: clock() + 7_000, attempts: 1 })
      .execute();
    start();
    const task = deliverer?.task('webhook');
    expect(await task?.owners?.()).toEqual([]);
    expect(await task?.take(owner.accountId)).toEqual({ kind: 'none' });
    expect(receiver.received).toEqual([]);
    elapsedMs = 7_001;
    expect(await ended(id)).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});

describe('retention', () => {
  test('lists deliveries of the key newest first, optionally after a position', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      elapsedMs = n;
      ids.unshift(await enqueue());
    }
    const all = await opened.webhooks.list(owner.keyId, 10);
    expect(all.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort((a, b) => b - a));
    const [, second] = all;
    expect(await opened.webhooks.list(owner.keyId, 2, second)).toEqual(all.slice(2, 4));
    expect(await opened.webhooks.list('key_other', 10)).toEqual([]);
  });

  test('keeps deliveries with their content for 30 days, or until delivered, and removes both at the end', async () => {
    receiver.answer = (response) => response.writeHead(200).end();
    start();
    const id = await enqueue(receiver.url, { marker: 'unmistakable' });
    await ended(id);
    expect((await opened.webhooks.read(owner.keyId, id)).payload).toContain('unmistakable');
    await stop(never);
    const waiting = await enqueue();
    elapsedMs = 30 * 86_400_000 - 60_000;
    await opened.webhooks.removeOld();
    expect(await opened.webhooks.list(owner.keyId, 10)).toHaveLength(2);
    elapsedMs += 120_000;
    await opened.webhooks.removeOld();
    expect((await opened.webhooks.list(owner.keyId, 10)).map((each) => each.id)).toEqual([waiting]);
  });
});
