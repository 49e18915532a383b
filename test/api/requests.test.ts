/** The request log: an owner finds out why a request failed, and nobody finds anything of its documents. */
import { expect, test } from 'vitest';
import { type Batch, Client, type List, problem, succeeded } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { eventually, startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { rowsOf } from '../support/stored.ts';

interface Logged {
  id: string;
  status: string;
  code?: string;
  message?: string;
  created_at: string;
  [member: string]: unknown;
}

const SECRET = 'not-for-the-request-log-5d1c';

const service = await sharedService();
const owner = async () => new Client(service.url, (await service.createKey()).key);
const ada = await owner();

const idOf = (response: Response) => response.headers.get('x-request-id') ?? '';
const list = (client: Client, filter: Record<string, string> = {}) =>
  client.json<List<Logged>>(`/v1/requests?${new URLSearchParams(filter)}`);

/** The entry, which exists a moment after the reply. */
async function logged(client: Client, id: string): Promise<Logged> {
  await eventually(`${id} is logged`, async () => (await client.get(`/v1/requests/${id}`)).ok);
  return client.json<Logged>(`/v1/requests/${id}`);
}

test('has what was rendered, from what, and how long it took', async () => {
  const template = await ada.template(`<p>{{name}}<img src="data:,${SECRET}">`);
  const reply = await ada.pdf(
    { template_id: template.template_id, data: { name: SECRET }, store: true },
    { 'x-request-id': 'order-7' },
  );
  const { document_id, bytes } = (await reply.json()) as { document_id: string; bytes: number };
  expect(await logged(ada, idOf(reply))).toEqual({
    ...{ id: idOf(reply), request_id: idOf(reply), key_id: expect.stringMatching(/^key_/) },
    ...{ status: 'succeeded', endpoint: '/v1/pdf', source: 'template', caller_request_id: 'order-7' },
    ...{
      template_id: template.template_id,
      template_version: 1,
      options: {},
      options_left_out: [],
      document_id,
      pages: 1,
      bytes,
    },
    ...{ milliseconds: expect.any(Number), warning_count: 1, warnings: ['resource_failed'] },
    stages: expect.objectContaining({ queue: expect.any(Number), print: expect.any(Number) }),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const image = await ada.send('POST', '/v1/image', { html: '<p>x' });
  expect(await logged(ada, idOf(image))).toMatchObject({ endpoint: '/v1/image', source: 'html', status: 'succeeded' });
});

test('says why requests failed, without what they contain', async () => {
  const client = await owner();
  const failures: Array<[object, Record<string, unknown>]> = [
    [
      { html: SECRET, options: { scale: 9, [SECRET]: 1 } },
      { code: 'invalid_request', http_status: 400, cause: { fields: ['options', 'options.scale'] } },
    ],
    [
      { html: `<script>for(;;){}//${SECRET}</script>`, options: { timeout: 2_000 } },
      { code: 'render_timeout', http_status: 504, cause: { phase: expect.any(String), timeout_ms: 2_000 } },
    ],
    [{ template_id: 'tpl_0000000000000000000000' }, { code: 'not_found', message: expect.stringContaining('no such template') }],
    [{ url: `http://user:${SECRET}@none.invalid/?token=${SECRET}` }, { code: 'navigation_failed', source: 'url' }],
    [
      { html: `<script>console.error('${SECRET}')</script>`, options: { failOnConsoleError: true } },
      { code: 'render_gate_failed', cause: { gate: 'failOnConsoleError' } },
    ],
    [{ html: '<p>x', options: { addScriptTag: [{ url: `http://none.invalid/${SECRET}.js` }] } }, { code: 'navigation_failed' }],
    [{ html: '<p>x', options: { waitForFunction: `(() => { throw Error('${SECRET}') })()` } }, { code: 'wait_failed' }],
    [
      { html: '<p>x', options: { waitForSelector: `[title="${SECRET}"]`, timeout: 2_000 } },
      { code: 'render_timeout', cause: { phase: expect.any(String), timeout_ms: 2_000 } },
    ],
    [
      { html: '<p>x', options: { pageRanges: '9' } },
      { code: 'print_failed', message: expect.stringContaining('there is no page 9') },
    ],
  ];
  for (const [body, members] of failures) {
    const entry = await logged(client, idOf(await client.pdf(body)));
    expect(entry).toMatchObject({ ...members, status: 'failed', message: expect.stringMatching(/\w/) });
  }
  const all = JSON.stringify(await list(client, { limit: '100' }));
  expect(all).not.toContain(SECRET);
  expect(JSON.stringify(await rowsOf(service.env, 'select * from logged_requests'))).not.toContain(SECRET);
});

test('keeps the options that hold no text of the caller, and names the others', async () => {
  const client = await owner();
  await client.send('PATCH', '/v1/account', { options: { scale: 0.9, footer: SECRET } });
  const kept = { format: 'A5', margin: { top: '2cm' }, pageRanges: '1', conformance: 'PDF/A-2u', timezone: 'Europe/Vienna' };
  const texts = {
    ...{ watermark: { text: SECRET }, locale: `de-x-${SECRET.slice(-4)}`, metadata: { title: SECRET }, header: SECRET },
    ...{ addStyleTag: { content: `/*${SECRET}*/` }, waitForFunction: `'${SECRET}'`, waitForSelector: `:not(${SECRET})` },
    ...{ userAgent: SECRET, layout: [SECRET] },
  };
  const failOnHttpStatus = Array.from({ length: 100 }, () => 404);
  const id = idOf(await client.pdf({ html: '<title>t</title><p>x', options: { ...kept, ...texts, failOnHttpStatus } }));
  const entry = await logged(client, id);
  expect(entry.options).toEqual({ ...kept, scale: 0.9 });
  expect((entry.options_left_out as string[]).toSorted()).toEqual(
    [...Object.keys(texts), 'failOnHttpStatus', 'footer'].toSorted(),
  );
  expect(JSON.stringify(await rowsOf(service.env, 'select * from logged_requests'))).not.toContain(SECRET);
  const image = await client.send('POST', '/v1/image', { html: '<p>x' });
  expect(await logged(client, idOf(image))).not.toHaveProperty('options');
});

test('has each batch item and asynchronous render, with its reference', async () => {
  const client = await owner();
  const html = '<p>the same';
  const items = [
    { html, reference: 'a' },
    { html, reference: 'b' },
    { html: '<p>x', reference: 'c', options: { pageRanges: '9' } },
    { reference: 'd', options: { scale: 9 }, html: '<p>x' },
  ];
  const { batch_id } = await client.batch({ items });
  const { data } = await list(client, { batch_id });
  const byIndex = data.toSorted((a, b) => Number(a.index) - Number(b.index));
  expect(byIndex).toMatchObject([
    { index: 0, reference: 'a', status: 'succeeded', pages: 1, endpoint: '/v1/batches' },
    { index: 1, reference: 'b', status: 'succeeded', pages: 1 },
    { index: 2, reference: 'c', status: 'failed', code: expect.any(String) },
    { index: 3, reference: 'd', status: 'failed', code: 'invalid_request' },
  ]);
  expect((await list(client, { reference: 'c' })).data.map(({ id }) => id)).toEqual([byIndex[2]?.id]);
  const accepted = await client.pdf({ html: '<p>later' }, { prefer: 'respond-async' });
  const { render_id } = await client.ended((await accepted.json()) as { render_id: string });
  expect((await list(client, { limit: '1' })).data).toMatchObject([{ render_id, endpoint: '/v1/renders', status: 'succeeded' }]);
});

test('filters and pages, newest first', async () => {
  const client = await owner();
  const template = await client.template('<p>x');
  const before = new Date().toISOString();
  for (const body of [{ html: 'a' }, { template_id: template.template_id }, { html: 'b', options: { scale: 9 } }])
    await logged(client, idOf(await client.pdf(body)));
  const ids = (await list(client)).data.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  const first = await list(client, { limit: '2' });
  const rest = await list(client, { limit: '2', cursor: first.next_cursor ?? '' });
  expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
  const found = async (filter: Record<string, string>) => (await list(client, filter)).data.map(({ id }) => ids.indexOf(id));
  expect(await found({ status: 'failed' })).toEqual([0]);
  expect(await found({ status: 'succeeded' })).toEqual([1, 2]);
  expect(await found({ code: 'invalid_request' })).toEqual([0]);
  expect(await found({ template_id: template.template_id })).toEqual([1]);
  expect(await found({ created_after: before, status: 'failed' })).toEqual([0]);
  expect(await found({ created_before: before })).toEqual([]);
  await problem(await client.get('/v1/requests?status=broken'), 400, 'invalid_request');
});

test('shows nothing to other keys, and needs the scope of renders', async () => {
  const [client, other] = [await owner(), await owner()];
  const id = idOf(await client.pdf({ html: '<p>x' }));
  await logged(client, id);
  await problem(await other.get(`/v1/requests/${id}`), 404, 'not_found');
  await problem(await client.get('/v1/requests/req_x-y'), 404, 'not_found');
  expect((await list(other)).data).toEqual([]);
  const made = await client.send('POST', '/v1/keys', { name: 'narrow', scopes: ['templates'] });
  const narrow = new Client(service.url, ((await made.json()) as { key: string }).key);
  await problem(await narrow.get('/v1/requests'), 403, 'insufficient_scope');
});

test('leaves out dry runs, repeated replies and requests that do not render', async () => {
  const client = await owner();
  const name = { 'idempotency-key': 'once' };
  await client.pdf({ html: '<p>x' }, name);
  await client.pdf({ html: '<p>x' }, name);
  await client.pdf({ html: '<p>x', dry_run: true });
  await client.pdf({ template_id: 'tpl_0000000000000000000000', dry_run: true });
  await client.get('/v1/documents/doc_0000000000000000000000');
  await logged(client, idOf(await client.pdf({ html: '<p>last' })));
  expect((await list(client)).data).toHaveLength(2);
});

test('runs the failed items of a batch again', async () => {
  const client = await owner();
  const template = await client.template('<p>{% if %}', { engine: 'placeholders' });
  const items = [
    { html: '<p>fine', reference: 'fine' },
    { template_id: template.template_id, data: { a: SECRET }, reference: 'one' },
    { template_id: template.template_id, data: { a: SECRET }, reference: 'two' },
    { html: '<p>x', options: { scale: 9 }, reference: 'never valid' },
  ];
  const removed = await client.send('DELETE', `/v1/templates/${template.template_id}`);
  expect(removed.status).toBe(204);
  const failed = await client.batch({ items, defaults: { options: { format: 'A6' } }, metadata: { run: '7' } });
  expect(failed).toMatchObject({ succeeded: 1, failed: 3 });
  const retry = (id: string, headers = {}) => client.send('POST', `/v1/batches/${id}/retry`, undefined, headers);
  const again = await succeeded(retry(failed.batch_id, { prefer: 'wait=60' }));
  const batch = (await again.json()) as Batch;
  expect(again.headers.get('location')).toContain(`/v1/batches/${batch.batch_id}`);
  expect(batch.batch_id).not.toBe(failed.batch_id);
  expect(batch).toMatchObject({ total: 2, failed: 2, metadata: { run: '7' } });
  expect(batch.items.map(({ reference, error }) => [reference, error?.code])).toEqual([
    ['one', 'not_found'],
    ['two', 'not_found'],
  ]);
  expect(await retry(failed.batch_id).then(({ status }) => status)).toBe(202);
  const fine = await client.batch({ items: [{ html: '<p>fine' }] });
  await problem(await retry(fine.batch_id), 404, 'not_found');
  await problem(await (await owner()).send('POST', `/v1/batches/${failed.batch_id}/retry`), 404, 'not_found');
  expect(await rowsOf(service.env, `select * from batch_requests where batch_id = '${fine.batch_id}'`)).toEqual([]);
});

test('renders again what has become possible', async () => {
  const client = await owner();
  const template = await client.template('<p>{{a}}{{{b}}}');
  const items = [
    { template_id: template.template_id, data: { b: 'x'.repeat(10) }, reference: 'r', options: { pageRanges: '2' } },
  ];
  const failed = await client.batch({ items });
  expect(failed).toMatchObject({ failed: 1 });
  const html = '<p>one<p style="break-before: page">two';
  await client.send('PUT', `/v1/templates/${template.template_id}`, { html });
  const reply = await client.send('POST', `/v1/batches/${failed.batch_id}/retry`, undefined, { prefer: 'wait=60' });
  expect(await reply.json()).toMatchObject({ succeeded: 1, failed: 0, items: [{ reference: 'r', pages: 1 }] });
});

test('forgets entries and requests after their time, and those of a deleted account', async () => {
  let now = Date.parse('2026-03-10T12:00:00Z');
  const { app, env, newClient } = await openApp({ PLATEN_REQUEST_LOG_DAYS: '2' }, () => now);
  const client = await newClient();
  const count = async (table: string) => (await rowsOf(env, `select * from ${table}`)).length;
  const failed = await client.batch({ items: [{ html: '<p>x', options: { pageRanges: '9' } }] });
  await logged(client, idOf(await client.pdf({ html: '<p>x' })));
  expect([await count('logged_requests'), await count('batch_requests')]).toEqual([2, 2]);
  now += 2 * 86_400_000 - 1_000;
  await app.sweep.run();
  expect((await list(client)).data).toHaveLength(2);
  now += 1_000;
  expect((await list(client)).data).toEqual([]);
  await app.sweep.run();
  expect([await count('logged_requests'), await count('batch_requests')]).toEqual([0, 0]);
  const retried = await client.send('POST', `/v1/batches/${failed.batch_id}/retry`);
  await problem(retried, 404, 'not_found');

  await logged(client, idOf(await client.pdf({ html: '<p>x' })));
  const accounts = (await rowsOf(env, 'select distinct account_id from api_keys')) as Array<{ account_id: string }>;
  for (const { account_id } of accounts) await app.services.accounts.delete(account_id);
  expect(await count('logged_requests')).toBe(1);
  await app.sweep.run();
  expect(await count('logged_requests')).toBe(0);
});

test('logs nothing if the operator has switched it off', async () => {
  await using off = await startService({ PLATEN_REQUEST_LOG_DAYS: '0' });
  const client = new Client(off.url, off.key);
  await client.pdf({ html: '<p>x' });
  const failed = await client.batch({ items: [{ html: '<p>x', options: { pageRanges: '9' } }] });
  expect((await list(client)).data).toEqual([]);
  await problem(await client.send('POST', `/v1/batches/${failed.batch_id}/retry`), 404, 'not_found');
  expect(await rowsOf(off.env, 'select * from logged_requests')).toEqual([]);
});
