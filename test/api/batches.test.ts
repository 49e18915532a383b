/** Batches: many documents in one request, each with its own outcome. */
import { describe, expect, test } from 'vitest';
import {
  type Batch,
  type BatchItemResult,
  bytesOf,
  Client,
  type DocumentRecord,
  type List,
  problem,
  succeeded,
} from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';
import { browserProcessesOfType, eventually, type IssuedKey, type Service, startService } from '../support/service.ts';

const service = await startService({ PLATEN_CONCURRENCY: '2', PLATEN_SWEEP_SECONDS: '1' }).then(closeAfterAll);

async function on(plan = 'growth', at: Service = service): Promise<Client & { issued: IssuedKey }> {
  const issued = await at.createKey(plan);
  return Object.assign(new Client(at.url, issued.key), { issued });
}

const WAIT = { prefer: 'wait=60' };
const slow = (ms: number, text = 'slow') => ({ html: `<p>${text}`, options: { waitForTimeout: ms } });
const many = (count: number, item: (n: number) => object = (n) => ({ html: `<p>${n}` })) =>
  Array.from({ length: count }, (_, n) => ({ ...item(n), reference: `r${n}` }));

const send = (client: Client, body: unknown, headers?: Record<string, string>) =>
  client.send('POST', '/v1/batches', body, headers);

/** Sends a batch and waits until it has ended. */
async function batch(client: Client, body: unknown): Promise<Batch> {
  const response = await succeeded(send(client, body, WAIT));
  return (await response.json()) as Batch;
}

async function accepted(client: Client, body: unknown): Promise<Batch> {
  const response = await send(client, body);
  expect(response.status, await response.clone().text()).toBe(202);
  return (await response.json()) as Batch;
}

async function ended(client: Client, id: string, withinMs = 60_000): Promise<Batch> {
  let found: Batch | undefined;
  await eventually(
    'the batch has ended',
    async () => {
      found = (await (await client.get(`/v1/batches/${id}`, WAIT)).json()) as Batch;
      return found.completed_at !== undefined;
    },
    withinMs,
  );
  return found as Batch;
}

const codes = ({ items }: Batch) => items.map(({ error, status }) => error?.code ?? status);

async function textOf(url: string | null): Promise<string> {
  return (await readPdf(await bytesOf(await fetch(url ?? '')))).pages.join('\f');
}

describe('202 and 200', () => {
  test('renders 500 items, 50 of them broken in 10 ways: 450 documents and 50 errors, in order', {
    timeout: 300_000,
  }, async () => {
    const client = await on();
    const { template_id } = await client.template('<p>{{x}}');
    const broken: Array<[item: unknown, code: string]> = [
      [{ html: 'x', options: { scale: 9 } }, 'invalid_request'],
      ['no object', 'invalid_request'],
      [{ html: 'x', reference: 7 }, 'invalid_request'],
      [{ template_id: 'tpl_0123456789ABCDEFGHIJKL' }, 'not_found'],
      [{ template_id, data: { x: 'x'.repeat(5_242_881) } }, 'content_too_large'],
      [{ url: 'http://127.0.0.1:1/' }, 'forbidden_url'],
      [{ html: '<script>location.reload()</script>' }, 'navigation_failed'],
      [{ html: 'x', options: { pageRanges: '7' } }, 'print_failed'],
      [{ html: '<script>for(;;){}</script>', options: { timeout: 500 } }, 'render_timeout'],
      [{ html: '<img src="http://127.0.0.1:1/x.png">', options: { failOnResourceError: true } }, 'render_gate_failed'],
    ];
    const brokenAt = (n: number) => (n % 10 === 3 ? broken[Math.floor(n / 10) % broken.length] : undefined);
    const items = many(500).map((item, n) => brokenAt(n)?.[0] ?? item);
    const done = await ended(client, (await accepted(client, { items })).batch_id, 240_000);
    expect(done).toMatchObject({ status: 'completed', total: 500, succeeded: 450, failed: 50 });
    expect(codes(done)).toEqual(items.map((_, n) => brokenAt(n)?.[1] ?? 'succeeded'));
    expect(done.items.map(({ index }) => index)).toEqual(items.map((_, n) => n));
    for (const { index, reference, url, pages, document_id } of done.items) {
      if (brokenAt(index)) expect({ document_id, url, pages }).toEqual({ document_id: null, url: null, pages: null });
      else expect({ reference, pages }).toEqual({ reference: `r${index}`, pages: 1 });
    }
    expect(done.items[3]?.error?.errors?.[0]?.path).toBe('options.scale');
    expect(done.items[23]?.reference).toBeNull();
    for (const n of [0, 7, 250, 499]) expect(await textOf(done.items[n]?.url ?? null)).toBe(`${n}`);
    expect((await client.usage()).documents.used).toBe(450);
    expect((await client.usage()).storage.documents).toBe(450);
  });

  test('merges the defaults into each item', async () => {
    const client = await on();
    const { template_id } = await client.template('<p>{{x}}');
    const done = await batch(client, {
      defaults: { template_id, data: { x: 'default' }, filename: 'd.pdf', options: { format: 'A5', scale: 1.5 } },
      items: [
        {},
        { data: { x: 'own' } },
        { html: '<p>html' },
        { html: 'x', options: { scale: 1, landscape: true }, filename: 'o.pdf' },
      ],
    });
    expect(codes(done)).toEqual(Array(4).fill('succeeded'));
    expect(await textOf(done.items[0]?.url ?? null)).toBe('default');
    expect(await textOf(done.items[1]?.url ?? null)).toBe('own');
    expect(await textOf(done.items[2]?.url ?? null)).toBe('html');
    const names = (await client.json<List<DocumentRecord>>('/v1/documents')).data.map(({ filename }) => filename);
    expect(names.sort()).toEqual(['d.pdf', 'd.pdf', 'd.pdf', 'o.pdf']);
    const pdf = await readPdf(await bytesOf(await fetch(done.items[3]?.url ?? '')));
    expect(millimetresOf(pdf)[0]).toEqual([210, 148]);
  });

  test('returns 202 with Location and Retry-After without Prefer', async () => {
    const client = await on();
    const response = await send(client, { items: many(3, (n) => slow(300, `${n}`)) });
    expect(response.status).toBe(202);
    const { batch_id, items, status } = (await response.json()) as Batch;
    expect(response.headers.get('location')).toBe(`${client.url}/v1/batches/${batch_id}`);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('preference-applied')).toBeNull();
    expect(['queued', 'running']).toContain(status);
    expect(items).toHaveLength(3);
    const done = await ended(client, batch_id);
    expect(done).toMatchObject({ status: 'completed', succeeded: 3 });
    const again = await client.get(`/v1/batches/${batch_id}`);
    expect(again.headers.get('retry-after')).toBeNull();
    expect(await again.json()).toEqual(done);
  });

  test('honours Prefer: wait up to a minute, and returns 202 when the time is over', async () => {
    const client = await on();
    const short = await send(client, { items: [slow(2_500)] }, { prefer: 'respond-async, wait=1' });
    expect([short.status, short.headers.get('preference-applied')]).toEqual([202, 'wait=1']);
    const long = await send(client, { items: [{ html: 'x' }] }, { prefer: 'wait=600' });
    expect([long.status, long.headers.get('preference-applied')]).toEqual([200, 'wait=60']);
  });

  test('renders and charges identical items once, with the same outcome for all', async () => {
    const client = await on();
    const same = { html: '<p>same', options: { format: 'A5' } };
    const bad = { html: 'x', options: { pageRanges: '9' } };
    const done = await batch(client, {
      defaults: { options: { format: 'A5' } },
      items: [same, { html: '<p>same', reference: 'b' }, { html: '<p>other' }, bad, bad, { ...same, filename: 'x.pdf' }],
    });
    expect(codes(done)).toEqual(['succeeded', 'succeeded', 'succeeded', 'print_failed', 'print_failed', 'succeeded']);
    const ids = done.items.map(({ document_id }) => document_id);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set([ids[0], ids[2], ids[5]]).size).toBe(3);
    expect(done).toMatchObject({ succeeded: 4, failed: 2 });
    expect((await client.usage()).documents.used).toBe(3);
  });

  test('provides links that work without a key until the document is deleted', async () => {
    const client = await on();
    const done = await batch(client, { items: [{ html: '<p>linked' }] });
    const { url, document_id } = done.items[0] as BatchItemResult;
    expect((await fetch(url ?? '')).status).toBe(200);
    await client.send('DELETE', `/v1/documents/${document_id}`);
    expect((await fetch(url ?? '')).status).toBe(410);
  });

  test('fails the remaining items when the allowance is used up', async () => {
    const client = await on('three');
    const done = await batch(client, { items: [{ html: 'x', options: { pageRanges: '9' } }, ...many(5)] });
    expect(done).toMatchObject({ succeeded: 3, failed: 3 });
    expect(codes(done).filter((code) => code === 'quota_exceeded')).toHaveLength(2);
    expect((await client.usage()).documents.used).toBe(3);
  });

  test('delays items at the concurrency and rate limits of the plan instead of failing them', async () => {
    const narrow = await on('narrow');
    expect(await batch(narrow, { items: many(8, (n) => slow(50, `${n}`)) })).toMatchObject({ succeeded: 8 });
    expect(await batch(await on('slow'), { items: many(8) })).toMatchObject({ succeeded: 8 });
  });
});

describe('400, 404, 422', () => {
  test.each([
    ['no items', {}, 'items'],
    ['items that are no list', { items: {} }, 'items'],
    ['an empty list', { items: [] }, 'items'],
    ['501 items', { items: many(501) }, 'items'],
    ['an unknown member', { items: many(1), webhook: 'https://example.com/' }, 'webhook'],
    ['a webhook that is no address', { items: many(1), webhook_url: 'example' }, 'webhook_url'],
    ['defaults that are no object', { items: many(1), defaults: [] }, 'defaults'],
    ['a reference for all', { items: many(1), defaults: { reference: 'x' } }, 'defaults.reference'],
  ])('returns 400 for %s', async (_name, body, path) => {
    const { errors } = await problem(await send(await on(), body), 400, 'invalid_request');
    expect(errors?.[0]?.path).toBe(path);
  });

  test('returns 404 for a batch of another key and for an unknown id', async () => {
    const [ada, bob] = [await on(), await on()];
    const { batch_id } = await batch(ada, { items: many(1) });
    for (const id of [batch_id, 'bat_0123456789ABCDEFGHIJKL', 'x'])
      for (const method of ['GET', 'DELETE']) await problem(await bob.send(method, `/v1/batches/${id}`), 404, 'not_found');
    expect((await bob.json<List<Batch>>('/v1/batches')).data).toEqual([]);
  });

  test('rejects a plan without storage', async () => {
    await problem(await send(await on('nothing_kept'), { items: many(2) }), 422, 'storage_unavailable');
  });

  test('rejects store: false for items', async () => {
    const done = await batch(await on(), {
      items: [
        { html: 'x', store: false },
        { html: 'x', store: true },
      ],
    });
    expect(codes(done)).toEqual(['invalid_request', 'succeeded']);
  });
});

test('creates one batch for one Idempotency-Key', async () => {
  const client = await on();
  const make = (headers = {}) => send(client, { items: many(2) }, { 'idempotency-key': 'b', ...headers });
  const first = (await (await make()).json()) as Batch;
  const second = await make(WAIT);
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(((await second.json()) as Batch).batch_id).toBe(first.batch_id);
  await problem(await send(client, { items: many(3) }, { 'idempotency-key': 'b' }), 422, 'idempotency_mismatch');
  expect((await client.json<List<Batch>>('/v1/batches')).data).toHaveLength(1);
  expect((await client.usage()).documents.used).toBe(2);
});

test('lists batches without items, newest first', async () => {
  const client = await on();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await batch(client, { items: many(1) })).batch_id);
  const first = await client.json<List<Batch>>('/v1/batches?limit=2');
  expect(first.data.map(({ batch_id }) => batch_id)).toEqual([ids[2], ids[1]]);
  expect(first.data[0]).not.toHaveProperty('items');
  const rest = await client.json<List<Batch>>(`/v1/batches?limit=2&cursor=${first.next_cursor}`);
  expect(rest.data.map(({ batch_id }) => batch_id)).toEqual([ids[0]]);
});

test('cancels queued items on DELETE, and keeps finished ones', async () => {
  const client = await on();
  const { batch_id } = await accepted(client, { items: many(20, (n) => slow(400, `${n}`)) });
  await eventually('it has begun', async () => (await client.json<Batch>(`/v1/batches/${batch_id}`)).status === 'running');
  const answer = await client.send('DELETE', `/v1/batches/${batch_id}`);
  expect(answer.status).toBe(200);
  const done = await ended(client, batch_id);
  expect(done.status).toBe('cancelled');
  expect(done.succeeded).toBeGreaterThanOrEqual(1);
  expect(done.cancelled).toBeGreaterThanOrEqual(14);
  expect(done.succeeded + (done.cancelled ?? 0)).toBe(20);
  expect(codes(done).sort()).toEqual([...Array(done.cancelled).fill('cancelled'), ...Array(done.succeeded).fill('succeeded')]);
  expect((await client.usage()).documents.used).toBe(done.succeeded);
  expect(await (await client.send('DELETE', `/v1/batches/${batch_id}`)).json()).toMatchObject({ status: 'cancelled' });
});

test('does not change a finished batch on DELETE', async () => {
  const client = await on();
  const done = await batch(client, { items: many(2) });
  const answer = await client.send('DELETE', `/v1/batches/${done.batch_id}`);
  expect(await answer.json()).toMatchObject({ status: 'completed', succeeded: 2 });
});

test('answers a single render while a batch is running', async () => {
  const [client, other] = [await on(), await on()];
  const { batch_id } = await accepted(client, { items: many(80, (n) => slow(100, `${n}`)) });
  for (const each of [client, other]) {
    expect((await each.pdf({ html: '<p>single' })).status).toBe(200);
    expect((await client.json<Batch>(`/v1/batches/${batch_id}`)).status).toBe('running');
  }
  expect(await ended(client, batch_id)).toMatchObject({ succeeded: 80 });
});

test('alternates between keys, so that a small batch does not wait for an earlier large one', async () => {
  const [large, small] = [await on(), await on()];
  const { batch_id } = await accepted(large, { items: many(200, (n) => slow(100, `${n}`)) });
  await batch(small, { items: many(3, (n) => slow(100, `${n}`)) });
  expect((await large.json<Batch>(`/v1/batches/${batch_id}`)).status).toBe('running');
  await large.send('DELETE', `/v1/batches/${batch_id}`);
});

test('loses no item when the browser crashes during a batch', async () => {
  const client = await on();
  const { batch_id } = await accepted(client, { items: many(16, (n) => slow(100, `${n}`)) });
  await eventually('some are done', async () => (await client.json<Batch>(`/v1/batches/${batch_id}`)).succeeded >= 2);
  const [browser] = await browserProcessesOfType(service, 'browser');
  process.kill(browser as number, 'SIGKILL');
  expect(await ended(client, batch_id)).toMatchObject({ succeeded: 16, failed: 0 });
  expect((await client.usage()).documents.used).toBe(16);
});

test('fails the items of a revoked key', async () => {
  const client = await on();
  // These are far more items than can be rendered while the command starts: most still wait when the key is revoked, and fail at once.
  const { batch_id } = await accepted(client, { items: many(400, (n) => slow(300, `${n}`)) });
  await service.cli('keys', 'revoke', client.issued.key_id);
  await problem(await client.get(`/v1/batches/${batch_id}`), 401, 'unauthorized');
  await eventually('nothing waits', async () => (await service.metric('platen_batch_items_waiting')) === 0, 110_000);
  expect(await service.metric('platen_batch_items_total', 'outcome="unauthorized"')).toBeGreaterThan(0);
  expect(await batch(await on(), { items: many(1) })).toMatchObject({ succeeded: 1 });
});

test('deletes batches when their documents have expired', async () => {
  const client = await on('short');
  const { batch_id } = await accepted(client, { items: [{ html: 'x' }] });
  await eventually('it has gone', async () => (await client.get(`/v1/batches/${batch_id}`)).status === 404);
});
