/** Idempotency-Key: the same request twice is one render, one charge and one document. */
import { describe, expect, test } from 'vitest';
import {
  bytesOf,
  Client,
  type DocumentRecord,
  type List,
  problem,
  type TemplateRecord,
  withoutReport,
} from '../support/client.ts';
import { eventually, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

const on = async (plan = 'three') => new Client(service.url, (await service.createKey(plan)).key);
const named = (name: string) => ({ 'idempotency-key': name });
const SLOW = { html: '<p>slow', options: { waitForTimeout: 800 } };

describe('the same key and body', () => {
  test('return the same PDF and charge it once', async () => {
    const client = await on();
    const first = await client.pdf({ html: '<p>x', filename: 'n.pdf' }, named('a'));
    const second = await client.pdf({ html: '<p>x', filename: 'n.pdf' }, named('a'));
    expect([first.status, second.status]).toEqual([200, 200]);
    for (const name of ['content-type', 'content-length', 'content-disposition', 'platen-pages', 'platen-quota-remaining'])
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([null, 'true']);
    expect((await bytesOf(second)).equals(await bytesOf(first))).toBe(true);
    expect((await client.usage()).documents.used).toBe(1);
  });

  test('store once and return the same record', async () => {
    const client = await on();
    const first = await client.store({ html: '<p>x' }, named('b'));
    const again = await client.pdf({ html: '<p>x', store: true }, named('b'));
    expect(again.status).toBe(201);
    expect(again.headers.get('location')).toBe(first.url);
    expect(again.headers.get('platen-quota-remaining')).toBe('2');
    expect(again.headers.get('platen-warnings')).toBe('0');
    expect(await again.json()).toEqual(first);
    const bytes = await client.pdf({ html: '<p>x', store: true }, { ...named('b'), accept: 'application/pdf' });
    expect(bytes.status).toBe(201);
    expect((await bytesOf(bytes)).length).toBe(first.bytes);
    expect((await client.usage()).documents.used).toBe(1);
    expect((await client.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([withoutReport(first)]);
  });

  test.each([false, true])('return a PDF inside JSON with auto_store (%s)', async (autoStore) => {
    const client = await on();
    if (autoStore) await client.send('PATCH', '/v1/account', { auto_store: true });
    const send = () => client.pdf({ html: '<p>x' }, { ...named('json'), accept: 'application/json' });
    const [first, again] = [await send(), await send()];
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const [one, other] = (await Promise.all([first.json(), again.json()])) as [{ pdf: string }, { pdf: string }];
    expect(Buffer.from(one.pdf, 'base64').toString('latin1', 0, 5)).toBe('%PDF-');
    expect(other).toMatchObject({ ...one, ...(autoStore && { filename: expect.any(String) }) });
  });

  test('of 50 concurrent requests produce one render, charge and document; the others are asked to retry later', async () => {
    const client = await on();
    const body = { ...SLOW, store: true };
    const replies = await Promise.all(Array.from({ length: 50 }, () => client.pdf(body, named('fifty'))));
    const statuses = replies.map(({ status }) => status);
    // A request that arrives after the first one has ended gets the same reply.
    const replayed = replies.filter(({ headers }) => headers.get('idempotency-replayed') === 'true').length;
    expect(statuses.filter((status) => status === 201)).toHaveLength(1 + replayed);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49 - replayed);
    const refused = replies.find(({ status }) => status === 409) as Response;
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await problem(refused, 409, 'idempotency_running');
    expect((await client.usage()).documents.used).toBe(1);
    expect((await client.usage()).storage.documents).toBe(1);
    const winner = (await (replies.find(({ status }) => status === 201) as Response).json()) as DocumentRecord;
    expect(await (await client.pdf(body, named('fifty'))).json()).toEqual(winner);
  });

  test('create one template', async () => {
    const client = await on();
    const create = () => client.send('POST', '/v1/templates', { name: 'x', html: '<p>{{x}}' }, named('t'));
    const first = await create();
    const second = await create();
    expect(second.status).toBe(201);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    const template = (await first.json()) as TemplateRecord;
    expect(await second.json()).toEqual(template);
    expect((await client.json<List<TemplateRecord>>('/v1/templates')).data).toEqual([template]);
  });

  test('create one link', async () => {
    const client = await on();
    const { document_id } = await client.store({ html: 'x' });
    const make = () => client.send('POST', `/v1/documents/${document_id}/links`, { expires_in: 60 }, named('l'));
    const first = await (await make()).json();
    const second = await make();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.json()).toEqual(first);
  });

  test('are remembered after a restart', async () => {
    await using own = await startService();
    const { key } = await own.createKey('three');
    const first = await bytesOf(await new Client(own.url, key).pdf({ html: '<p>x' }, named('r')));
    await own.stop();
    await using again = await startService({ PLATEN_DATA_DIR: own.env.PLATEN_DATA_DIR ?? '' }, { firstKey: key });
    const client = new Client(again.url, key);
    const second = await client.pdf({ html: '<p>x' }, named('r'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await bytesOf(second)).equals(first)).toBe(true);
    expect((await client.usage()).documents.used).toBe(1);
  });
});

test('of another caller are independent', async () => {
  const [ada, bob] = [await on(), await on()];
  await ada.pdf({ html: '<p>ada' }, named('shared'));
  const response = await bob.pdf({ html: '<p>bob' }, named('shared'));
  expect(response.status).toBe(200);
  expect(response.headers.get('idempotency-replayed')).toBeNull();
});

test('run again after a failed request', async () => {
  const client = await on();
  const body = { html: '<script>for(;;){}</script>', options: { timeout: 500 } };
  await problem(await client.pdf(body, named('f')), 504, 'render_timeout');
  await problem(await client.pdf(body, named('f')), 504, 'render_timeout');
  await problem(await client.pdf({ html: 'x', options: { scale: 9 } }, named('g')), 400, 'invalid_request');
  expect((await client.pdf({ html: 'x' }, named('g'))).status).toBe(200);
  expect((await client.usage()).documents.used).toBe(1);
});

test('returns 422 for another body or path', async () => {
  const client = await on();
  await client.pdf({ html: '<p>one' }, named('m'));
  await problem(await client.pdf({ html: '<p>two' }, named('m')), 422, 'idempotency_mismatch');
  const elsewhere = client.send('POST', '/v1/templates', { html: '<p>one' }, named('m'));
  await problem(await elsewhere, 400, 'invalid_request');
  await problem(await client.send('POST', '/v1/templates', { name: 'x', html: 'y' }, named('m')), 422, 'idempotency_mismatch');
  expect((await client.usage()).documents.used).toBe(1);
});

test.each([
  ['nothing', ''],
  ['a blank', 'a b'],
  ['more than ASCII', '\u00fc'],
  ['256 characters', 'x'.repeat(256)],
])('returns 400 for a key with %s', async (_name, name) => {
  const client = await on();
  const response = await client.pdf({ html: 'x' }, named(name));
  expect((await problem(response, 400, 'invalid_request')).errors?.[0]?.path).toBe('Idempotency-Key');
});

describe('deleted results', () => {
  test('return 410 when the stored document was deleted', async () => {
    const client = await on();
    const { document_id } = await client.store({ html: 'x' }, named('d'));
    await client.send('DELETE', `/v1/documents/${document_id}`);
    await problem(await client.pdf({ html: 'x', store: true }, named('d')), 410, 'document_deleted');
    expect((await client.usage()).documents.used).toBe(1);
  });

  test('return 409 on a plan without retention, without another render or charge', async () => {
    const client = await on('nothing_kept');
    expect((await client.pdf({ html: 'x' }, named('z'))).status).toBe(200);
    await problem(await client.pdf({ html: 'x' }, named('z')), 409, 'idempotency_result_gone');
    expect((await client.usage()).documents.used).toBe(1);
  });

  test('return 409 after the retention of the plan, with no trace of the PDF', async () => {
    const client = await on('short');
    expect((await client.pdf({ html: 'x' }, named('s'))).status).toBe(200);
    expect((await client.pdf({ html: 'x' }, named('s'))).status).toBe(200);
    await eventually('it is gone', async () => (await client.pdf({ html: 'x' }, named('s'))).status === 409);
    await problem(await client.pdf({ html: 'x' }, named('s')), 409, 'idempotency_result_gone');
    expect((await client.usage()).documents.used).toBe(1);
  });
});
