/** Test keys: every result is marked, nothing is charged, and separate limits apply. */
import { expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, problem } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { type ReadPng, readPng } from '../support/read-image.ts';
import { readPdf } from '../support/read-pdf.ts';

const PER_DAY = 12;
const DAY_MS = 86_400_000;

let now = Date.now();

const settings = { PLATEN_TEST_RENDERS_PER_DAY: String(PER_DAY), PLATEN_GOTENBERG_ROUTES: 'on' };
const { app, newClient } = await openApp(settings, () => now);

interface Issued {
  key: string;
  key_id: string;
  hint: string;
  test: boolean;
}

/** Creates a key on a new account, and a test key with it. */
async function keys(plan = 'growth'): Promise<{ live: Client; tester: Client; issued: Issued }> {
  const live = await newClient(plan);
  const issued = await make(live, { test: true });
  return { live, tester: new Client(app.url, issued.key), issued };
}

async function make(by: Client, body: object): Promise<Issued> {
  const reply = await by.send('POST', '/v1/keys', body);
  expect(reply.status, await reply.clone().text()).toBe(201);
  return (await reply.json()) as Issued;
}

const textOf = async (reply: Response) => (await readPdf(await bytesOf(reply))).pages;
const used = async (by: Client) => (await by.usage()).documents.used;

test('has a secret that shows its kind, also after a rotation', async () => {
  const { issued, tester } = await keys();
  expect(issued).toMatchObject({ test: true, hint: issued.key.slice(0, 13) });
  expect(issued.key).toMatch(/^plt_test_[0-9A-Za-z]{38}$/);
  const rotated = (await (await tester.send('POST', `/v1/keys/${issued.key_id}/rotate`)).json()) as Issued;
  expect(rotated.key).toMatch(/^plt_test_/);
  expect((await new Client(app.url, rotated.key).get('/v1/documents')).status).toBe(200);
});

test('can be created by the operator', async () => {
  const { accounts } = app.services;
  const account = await accounts.createAccount('growth');
  const { secret, key } = await accounts.createKey(account.id, 'ci', { isTest: true });
  expect(secret).toMatch(/^plt_test_/);
  expect(await textOf(await new Client(app.url, secret).pdf({ html: 'x' }))).toEqual([expect.stringContaining('TEST')]);
  expect(key.isTest).toBe(true);
});

test('creates only test keys', async () => {
  const { tester } = await keys();
  expect(await make(tester, {})).toMatchObject({ test: true });
  const { errors } = await problem(await tester.send('POST', '/v1/keys', { test: false }), 400, 'invalid_request');
  expect(errors).toMatchObject([{ path: 'test' }]);
});

test('marks every page, whatever watermark the request has, without a charge', async () => {
  const { live, tester } = await keys();
  const html = 'one<p style="break-before: page">two';
  const watermark = { text: 'mine', pages: '1', opacity: 0.01, layer: 'under' };
  for (const body of [
    { html },
    { html, options: { watermark } },
    { html, options: { conformance: 'PDF/A-2b', metadata: { title: 'x' } } },
  ]) {
    const reply = await tester.pdf(body);
    expect(reply.headers.has('platen-quota-remaining')).toBe(false);
    const pages = await textOf(reply);
    expect(pages).toEqual([expect.stringContaining('TEST'), expect.stringContaining('TEST')]);
    expect(pages.join()).not.toContain('mine');
  }
  expect(await used(live)).toBe(0);
  expect(await textOf(await live.pdf({ html }))).toEqual(['one', 'two']);
  expect(await used(live)).toBe(1);
});

test('marks an image without changing its size', async () => {
  const { live, tester } = await keys();
  const body = {
    html: '<body style="background: #fff"><script>document.designMode = "on"</script>',
    options: { viewport: { width: 300, height: 200 } },
  };
  const images = [];
  for (const by of [live, tester]) images.push(readPng(await bytesOf(await by.send('POST', '/v1/image', body))));
  const [plain, marked] = images;
  expect([marked?.width, marked?.height]).toEqual([plain?.width, plain?.height]);
  const dark = (image: ReadPng | undefined) => {
    let count = 0;
    for (let at = 0; image && at < image.width * image.height; at++)
      if (image.colorAt(at % image.width, Math.floor(at / image.width)) !== '#ffffffff') count++;
    return count;
  };
  expect(dark(plain)).toBe(0);
  expect(dark(marked)).toBeGreaterThan(200);
  expect(await used(live)).toBe(1);
});

test('marks batch items, asynchronous renders and Gotenberg results', async () => {
  const { live, tester } = await keys();
  const batch = (await (await tester.send('POST', '/v1/batches', { items: [{ html: 'x' }] }, { prefer: 'wait=60' })).json()) as {
    items: Array<{ url: string }>;
  };
  const accepted = (await (await tester.pdf({ html: 'x' }, { prefer: 'respond-async' })).json()) as { render_id: string };
  const ended = await tester.get(`/v1/renders/${accepted.render_id}`, { prefer: 'wait=60' });
  const urls = [batch.items[0]?.url, ((await ended.json()) as { url: string }).url];
  for (const url of urls) expect(await textOf(await fetch(url as string))).toEqual([expect.stringContaining('TEST')]);
  const form = new FormData();
  form.append('files', new Blob(['x']), 'index.html');
  const headers = { authorization: `Bearer ${tester.key}` };
  const converted = await fetch(`${app.url}/forms/chromium/convert/html`, { method: 'POST', body: form, headers });
  expect(await textOf(converted)).toEqual([expect.stringContaining('TEST')]);
  expect(await used(live)).toBe(0);
});

test('stores documents for a day at most', async () => {
  const { tester } = await keys();
  const { document_id, created_at, expires_at }: DocumentRecord = await tester.store({ html: 'x' });
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(DAY_MS);
  now += DAY_MS;
  await problem(await tester.get(`/v1/documents/${document_id}`), 410, 'document_expired');
});

test('keeps working when the allowance is used up, up to a daily number', async () => {
  const { live, tester, issued } = await keys('three');
  while ((await live.pdf({ html: 'x' })).ok);
  await problem(await live.pdf({ html: 'x' }), 402, 'quota_exceeded');
  const second = new Client(app.url, (await make(tester, {})).key);
  const replies = await Promise.all(Array.from({ length: PER_DAY + 3 }, (_, n) => (n % 2 ? tester : second).pdf({ html: 'x' })));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(PER_DAY);
  const refused = await problem(await tester.pdf({ html: 'x' }), 402, 'quota_exceeded');
  const tomorrow = new Date(Math.floor(now / DAY_MS + 1) * DAY_MS).toISOString();
  expect(refused).toMatchObject({ limit: PER_DAY, used: PER_DAY, resets_at: tomorrow });
  now = Date.parse(tomorrow);
  expect((await tester.pdf({ html: 'x' })).status).toBe(200);
  const { query } = app.services.database;
  const days = await query.selectFrom('usage_months').selectAll().where('month', 'like', 'test %').execute();
  expect(days.filter(({ month }) => month === `test ${tomorrow.slice(0, 10)}`)).toHaveLength(1);
  expect(issued.test).toBe(true);
});
