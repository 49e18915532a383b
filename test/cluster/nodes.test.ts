/** Two services on one database and one bucket share their data and take over from each other. */
import { expect, test } from 'vitest';
import { type Batch, bytesOf, Client, type DocumentRecord, problem } from '../support/client.ts';
import { closeAfterAll, makeTestFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually, type Service, startService } from '../support/service.ts';
import { startBoth } from './start-both.ts';

const { postgres, s3 } = await startBoth();
const settings = {
  PLATEN_DATABASE_URL: await postgres.createDatabase(),
  PLATEN_BLOBS_URL: s3.urlOf(await s3.createBucket()),
  PLATEN_CONCURRENCY: '2',
  PLATEN_SWEEP_SECONDS: '1',
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '3',
};
const first = await startService(settings).then(closeAfterAll);
const second = await startService(settings, { firstKey: first.key }).then(closeAfterAll);

const slow = (n: number) => `<script>const end = performance.now() + 150; while (performance.now() < end);</script><p>${n}`;

async function number(text: string): Promise<number> {
  const [row] = await postgres.query(settings.PLATEN_DATABASE_URL ?? '', text);
  return Number(Object.values(row ?? {})[0]);
}

test('reads and deletes on one node what the other stored, and rejects a key that the other revoked', async () => {
  const { key, key_id } = await first.createKey();
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const record = await (await here.pdf({ html: '<p>one', store: true }, { accept: 'application/json' })).json();
  const { document_id: id, bytes } = record as DocumentRecord;
  const content = await there.get(`/v1/documents/${id}`);
  expect((await content.arrayBuffer()).byteLength).toBe(bytes);
  expect((await there.get(`/v1/documents/${id}`, { range: 'bytes=0-4' })).status).toBe(206);
  expect((await there.send('DELETE', `/v1/documents/${id}`)).status).toBe(204);
  expect((await here.get(`/v1/documents/${id}`)).status).toBe(410);
  await first.cli('keys', 'revoke', key_id);
  expect((await there.get('/v1/documents')).status).toBe(401);
});

test('honours an Idempotency-Key on both nodes', async () => {
  const { key } = await first.createKey();
  const body = { html: slow(0) };
  const send = (url: string) => new Client(url, key).pdf(body, { 'idempotency-key': 'one' });
  await Promise.all([first.url, second.url, first.url, second.url].map(send));
  const replies = await Promise.all([send(first.url), send(second.url)]);
  const pdfs = await Promise.all(replies.map(async (reply) => Buffer.from(await reply.arrayBuffer())));
  expect(pdfs[0]?.equals(pdfs[1] ?? Buffer.alloc(0))).toBe(true);
  expect((await new Client(first.url, key).usage()).documents.used).toBe(1);
});

test('fills a template anew after the other node replaced it', async () => {
  const { key } = await first.createKey();
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const { template_id } = await here.template('<p>before {{n}}');
  const fill = async (client: Client) => (await readPdf(await bytesOf(await client.pdf({ template_id, data: { n: 1 } })))).pages;
  expect(await fill(there)).toEqual(['before 1']);
  const replaced = { name: 'test', html: '<p>after {{n}}' };
  expect((await here.send('PUT', `/v1/templates/${template_id}`, replaced)).status).toBe(200);
  expect(await fill(there)).toEqual(['after 1']);
});

test('serves a link that the other node signed, until the document is deleted', async () => {
  const { key } = await first.createKey();
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const { document_id } = await here.store({ html: '<p>linked' });
  const signed = await here.send('POST', `/v1/documents/${document_id}/links`);
  const { url } = (await signed.json()) as { url: string };
  const onOther = url.replace(first.url, second.url);
  expect(onOther).not.toBe(url);
  expect((await readPdf(await bytesOf(await fetch(onOther)))).pages).toEqual(['linked']);
  await there.send('DELETE', `/v1/documents/${document_id}`);
  expect((await fetch(url)).status).toBe(410);
});

test('expires documents on both nodes, and removes their content once', async () => {
  const { key, account_id } = await first.createKey('short');
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const { document_id } = await here.store({ html: '<p>short' });
  const isGone = async (client: Client) => (await client.get(`/v1/documents/${document_id}`)).status === 410;
  await eventually('it is gone for both', async () => (await isGone(here)) && isGone(there));
  await eventually(
    'its content is removed',
    async () => (await number(`select sum(has_content) from documents where account_id = '${account_id}'`)) === 0,
  );
});

test('counts concurrent renders on both nodes', async () => {
  const { key, account_id } = await first.createKey('narrow');
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const long = { html: '<p>long', options: { waitForTimeout: 10_000 } };
  const both = [here.pdf(long), there.pdf(long)];
  const underWay = `select count(*) from reservations where account_id = '${account_id}'`;
  await eventually('both are under way', async () => (await number(underWay)) === 2);
  const { limit } = await problem(await there.pdf({ html: '<p>one more' }), 429, 'concurrency_limited');
  expect(limit).toBe(2);
  const items = Array.from({ length: 6 }, (_, n) => ({ html: `<p>${n}` }));
  const { batch_id } = (await (await there.send('POST', '/v1/batches', { items })).json()) as Batch;
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
  const look = () => there.json<Batch>(`/v1/batches/${batch_id}`);
  await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 60_000);
  expect((await look()).succeeded).toBe(6);
  expect((await here.usage()).documents.used).toBe(8);
});

test('counts an assembly as one render, and charges it for each rendered part', async () => {
  const { key, account_id } = await first.createKey('narrow');
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const parts = ['<p>one', '<p>two', '<p>three', slow(4)].map((html) => ({ html }));
  const long = { parts: [...parts, { html: '<p>long', options: { waitForTimeout: 10_000 } }] };
  const sent = here.send('POST', '/v1/pdf/assemble', long);
  const underWay = `select coalesce(sum(documents), 0) from reservations where account_id = '${account_id}'`;
  await eventually('it has reserved its documents', async () => (await number(underWay)) === 5);
  expect((await there.pdf({ html: '<p>beside it' })).status).toBe(200);
  expect((await readPdf(await bytesOf(await sent))).pages).toHaveLength(5);
  expect((await here.usage()).documents.used).toBe(6);
  const later = await there.send('POST', '/v1/pdf/assemble', { parts, store: true }, { prefer: 'respond-async' });
  const { render_id } = (await later.json()) as { render_id: string };
  const look = () => here.json<{ status: string }>(`/v1/renders/${render_id}`);
  await eventually('it has succeeded', async () => (await look()).status === 'succeeded', 60_000);
  expect((await here.usage()).documents.used).toBe(10);
  expect(await number(underWay)).toBe(0);
});

test('counts an assembly as one render of the minute', async () => {
  const { key } = await first.createKey('slow');
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const parts = Array.from({ length: 4 }, (_, n) => ({ html: `<p>${n}` }));
  for (const node of [here, there, here]) expect((await node.send('POST', '/v1/pdf/assemble', { parts })).status).toBe(200);
  await problem(await there.send('POST', '/v1/pdf/assemble', { parts }), 429, 'rate_limited');
  expect((await here.usage()).documents.used).toBe(12);
});

test('counts the renders of a minute on both nodes', async () => {
  const { key } = await first.createKey('slow');
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const render = async (client: Client) => client.pdf({ html: '<p>x' });
  for (const client of [here, there, here]) expect((await render(client)).status).toBe(200);
  const refused = await render(there);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await problem(refused, 429, 'rate_limited')).toMatchObject({ limit: 3 });
  expect((await here.usage()).documents.used).toBe(3);
});

test('counts the requests and the rendering time of a playground visitor on both nodes', async () => {
  const headers = { 'content-type': 'application/json' };
  const render = ({ url }: Service) => fetch(`${url}/v1/playground/pdf`, { method: 'POST', headers, body: '{"html": "<p>x"}' });
  for (const node of [first, second, first]) expect((await render(node)).status).toBe(200);
  const refused = await render(second);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect(await problem(refused, 429, 'rate_limited')).toMatchObject({ limit: 3 });
  expect(await number("select requests from visitor_requests where visitor not like 'time %'")).toBe(4);
  expect(await number("select requests from visitor_requests where visitor like 'time %'")).toBe(3);
  await postgres.query(settings.PLATEN_DATABASE_URL ?? '', 'update visitor_requests set since = since - 60000');
  await eventually('the sweep has removed the count', async () => (await number('select count(*) from visitor_requests')) === 0);
  expect((await render(second)).headers.get('ratelimit-remaining')).toBe('2');
});

test('streams events of items that the other node renders', async () => {
  const { key } = await first.createKey();
  const [here, there] = [new Client(first.url, key), new Client(second.url, key)];
  const items = Array.from({ length: 12 }, (_, n) => ({ html: slow(n) }));
  const { batch_id: id } = (await (await here.send('POST', '/v1/batches', { items })).json()) as Batch;
  const events = await (await there.get(`/v1/batches/${id}/events`, { accept: 'text/event-stream' })).text();
  expect(events.match(/^event: item$/gm)).toHaveLength(12);
  expect(events.match(/^event: batch$/gm)).toHaveLength(1);
  expect(events.match(/^:$/gm)?.length).toBeLessThan(4); // it was notified, and did not merely poll
});

test('takes over the items of a killed node: none is lost, or stored or charged twice', async () => {
  const dataDir = await makeTestFolder();
  const doomed = await startService({ ...settings, PLATEN_DATA_DIR: dataDir }, { firstKey: first.key });
  const { key, account_id } = await first.createKey();
  const client = new Client(first.url, key);
  const items = Array.from({ length: 60 }, (_, n) => ({ html: slow(n), ...(n % 10 === 9 && { options: { pageRanges: '9' } }) }));
  const { batch_id: id } = (await (await client.send('POST', '/v1/batches', { items })).json()) as Batch;
  await eventually(
    'the node that is to die renders some of it',
    async () => (await doomed.metric('platen_batch_items_total')) >= 3,
  );
  doomed.child.removeAllListeners('exit');
  doomed.child.kill('SIGKILL');
  const look = () => client.json<Batch>(`/v1/batches/${id}`);
  await eventually('the batch has ended', async () => (await look()).completed_at !== undefined, 60_000);
  const batch = await look();
  expect(batch).toMatchObject({ status: 'completed', succeeded: 54, failed: 6 });
  const documents = new Set(batch.items.flatMap(({ document_id }) => document_id ?? []));
  expect(documents.size).toBe(54);
  expect(await number(`select count(*) from documents where account_id = '${account_id}'`)).toBe(54);
  expect(await number(`select sum(documents) from usage_days where account_id = '${account_id}'`)).toBe(54);
  await eventually('reservations of the dead are given back', async () => (await client.usage()).documents.used === 54);
  expect(
    await number("select count(*) from batch_requests join batch_items using (batch_id, position) where status <> 'failed'"),
  ).toBe(0);
});
