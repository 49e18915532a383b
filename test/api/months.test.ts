/** The month changes at midnight UTC: the whole service in this process, with a clock of the test. */
import { expect, test } from 'vitest';
import { bytesOf, Client, problem, succeeded, type UsageRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';

let now = Date.parse('2027-01-15T12:00:00Z');

const { app, newClient } = await openApp({}, () => now);

test.each([
  ['in December', '2027-12-31T23:59:59.999Z', '2028-01-01T00:00:00.000Z', '2027-12-01T00:00:00.000Z', 31],
  ['in a leap year', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-02-01T00:00:00.000Z', 29],
  ['in another year', '2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z', 28],
])('%s', async (_name, last, next, first, days) => {
  const client = await newClient('three');
  now = Date.parse(last);
  for (let n = 0; n < 3; n++) expect((await client.pdf({ html: 'x' })).status).toBe(200);
  const refused = await problem(await client.pdf({ html: 'x' }), 402, 'quota_exceeded');
  expect(refused).toMatchObject({ limit: 3, used: 3, resets_at: next });
  const full = await client.usage();
  expect(full).toMatchObject({ period: { start: first, end: next }, documents: { used: 3, remaining: 0 } });
  expect(full.daily).toHaveLength(days);
  expect(full.daily.at(-1)).toEqual({ date: last.slice(0, 10), documents: 3 });
  now = Date.parse(next);
  const fresh = await client.usage();
  expect(fresh).toMatchObject({ period: { start: next }, documents: { used: 0, remaining: 3 } });
  expect(fresh.daily).toEqual([{ date: next.slice(0, 10), documents: 0 }]);
  expect((await client.pdf({ html: 'x' })).headers.get('platen-quota-remaining')).toBe('2');
  const { daily } = full;
  const month = first.slice(0, 7);
  const past = { period: full.period, documents: { used: 3 }, daily };
  expect(await client.json(`/v1/usage?month=${month}`)).toMatchObject(past);
  expect(await client.json(`/v1/usage?month=${month}`)).not.toHaveProperty('plan');
  expect(await client.json(`/v1/usage?month=${next.slice(0, 7)}`)).toEqual(await client.usage());
});

test('sums up documents, pages and bytes by month, by key and by template', async () => {
  now = Date.parse('2028-03-31T12:00:00Z');
  const client = await newClient();
  const made = await client.send('POST', '/v1/keys', { name: 'shop' });
  const other = new Client(client.url, ((await made.json()) as { key: string }).key);
  const template = await client.template('<p>1<p style="break-before: page">2', { name: 'receipt' });
  const hidden = await other.template('x', { name: 'secret plan' });
  const printed = [
    await client.pdf({ template_id: template.template_id }),
    await client.pdf({ html: 'x' }),
    await other.pdf({ template_id: hidden.template_id }),
  ];
  now = Date.parse('2028-04-01T12:00:00Z');
  printed.push(await client.pdf({ template_id: template.template_id }));
  printed.push(await client.pdf({ template_id: `${template.template_id}@1` }));
  printed.push(await client.send('POST', '/v1/image', { html: 'x' }));
  expect((await client.pdf({ html: '<p>x', options: { pageRanges: '9' } })).status).toBe(422);
  const sizes = await Promise.all(printed.map(async (reply) => (await bytesOf(await succeeded(reply))).length));
  const [twoPages, onePage, others, again, pinned, image] = sizes as [number, number, number, number, number, number];

  const { by_key, by_template, monthly } = await client.json<UsageRecord>('/v1/usage');
  const april = { documents: 3, pages: 4, bytes: again + pinned + image };
  const march = { documents: 3, pages: 4, bytes: twoPages + onePage + others };
  expect(monthly).toEqual([
    { month: '2028-03', ...march },
    { month: '2028-04', ...april },
  ]);
  expect(by_key).toMatchObject([april]);
  expect(by_template).toEqual([
    { template_id: template.template_id, name: 'receipt', documents: 2, pages: 4, bytes: again + pinned },
    { template_id: null, documents: 1, pages: 0, bytes: image },
  ]);

  const past = await client.json<UsageRecord>('/v1/usage?month=2028-03');
  expect(past.monthly).toEqual([{ month: '2028-03', ...march }]);
  expect(past.by_key).toMatchObject([
    { name: '', documents: 2, pages: 3, bytes: twoPages + onePage },
    { name: 'shop', documents: 1, pages: 1, bytes: others },
  ]);
  expect(past.by_template.find(({ template_id }) => template_id === hidden.template_id)).not.toHaveProperty('name');
  const ofOther = await other.json<UsageRecord>('/v1/usage?month=2028-03');
  expect(ofOther.by_key.map(({ name }) => name)).toEqual([undefined, 'shop']);
  expect(ofOther.by_template.map(({ name }) => name).toSorted()).toEqual(['secret plan', undefined, undefined]);
});

test('returns the days of a month without documents', async () => {
  const client = await newClient('three');
  now = Date.parse('2028-06-15T12:00:00Z');
  const { documents, daily } = await client.json<UsageRecord>('/v1/usage?month=2027-02');
  expect([documents, daily.length, daily[27]]).toEqual([{ used: 0 }, 28, { date: '2027-02-28', documents: 0 }]);
});

test.each(['2028-07', '9999-12', '2028-13', '2028-6', '2028', '0000-00', '2028-06-01', ''])(
  'rejects the month %j for usage',
  async (month) => {
    now = Date.parse('2028-06-30T23:59:59.999Z');
    const client = await newClient('three');
    const { errors } = await problem(await client.get(`/v1/usage?month=${month}`), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'month' }]);
  },
);

test('counts a render in the month in which it began', async () => {
  const client = await newClient('three');
  now = Date.parse('2029-04-30T23:59:59.000Z');
  const late = client.pdf({ html: '<p>x', options: { waitForTimeout: 500 } });
  for (;;) if ((await client.usage()).documents.used === 1) break;
  now = Date.parse('2029-05-01T00:00:01.000Z');
  expect((await late).status).toBe(200);
  expect((await client.usage()).documents.used).toBe(0);
  now = Date.parse('2029-04-30T23:59:59.500Z');
  expect((await client.usage()).documents.used).toBe(1);
});

test('expires documents and links by the same clock, to the millisecond', async () => {
  now = Date.parse('2030-06-01T00:00:00.000Z');
  const client = await newClient('free');
  const document = await client.store({ html: 'x' });
  expect(document.expires_at).toBe('2030-06-02T00:00:00.000Z');
  const link = await client.send('POST', `/v1/documents/${document.document_id}/links`, { expires_in: 3_600 });
  const { url } = (await link.json()) as { url: string };
  const status = async () => (await client.get(`/v1/documents/${document.document_id}`)).status;
  now += 3_600_000 - 1;
  expect((await fetch(url)).status).toBe(200);
  now += 1;
  await problem(await fetch(url), 410, 'link_expired');
  now = Date.parse(document.expires_at) - 1;
  expect(await status()).toBe(200);
  now += 1;
  expect(await status()).toBe(410);
  await app.sweep.run(); // This may join a sweep that began before the document expired.
  await app.sweep.run();
  expect(await status()).toBe(410);
  expect(await app.services.blobs.read(document.document_id)).toBeUndefined();
});
