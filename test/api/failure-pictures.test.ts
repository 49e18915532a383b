/** Pictures of failed renders: kept only for accounts that want them, shown only to their key, and gone with the log entry. */
import { expect, test } from 'vitest';
import { bytesOf, type Client, type List, type LoggedRequest, type Problem, problem } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readImageHeader, readPng } from '../support/read-image.ts';

const DAY_MS = 86_400_000;
const RED = '<style>html { background: #f00 }</style><p>Waiting';
const FAILING = { html: RED, options: { waitForSelector: '#never', timeout: 2_000 } };

let now = Date.now();
const { app, newClient } = await openApp({ PLATEN_REQUEST_LOG_DAYS: '7' }, () => now);

/** A client of an account with pictures. */
async function newPictured(plan?: string): Promise<Client> {
  const client = await newClient(plan);
  expect(await (await client.send('PATCH', '/v1/account', { failure_pictures: true })).json()).toMatchObject({
    failure_pictures: true,
  });
  return client;
}

async function fail(client: Client, body: object = FAILING, path = '/v1/pdf'): Promise<LoggedRequest> {
  const { request_id } = (await (await client.send('POST', path, body)).json()) as Problem & { request_id: string };
  return client.json<LoggedRequest>(`/v1/requests/${request_id}`);
}

const pictureOf = (client: Client, { request_id: id }: Pick<LoggedRequest, 'request_id'>) =>
  client.get(`/v1/requests/${id}/picture`);

/** Draws the JPEG in a document, because there is no other decoder here. */
async function colorOf(client: Client, jpeg: Buffer): Promise<string> {
  const html = `<style>* { margin: 0 }</style><img src="data:image/jpeg;base64,${jpeg.toString('base64')}">`;
  const options = { type: 'png', fullPage: false, viewport: { width: 200, height: 150 } };
  return readPng(await bytesOf(await client.send('POST', '/v1/image', { html, options }))).colorAt(150, 120);
}

test.each(['/v1/pdf', '/v1/image'])('shows what the page showed when %s failed', async (path) => {
  const client = await newPictured();
  const logged = await fail(client, FAILING, path);
  expect(logged).toMatchObject({ status: 'failed', picture_url: `${app.url}/v1/requests/${logged.request_id}/picture` });
  const reply = await pictureOf(client, logged);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  const jpeg = await bytesOf(reply);
  expect(readImageHeader(jpeg).format).toBe('jpeg');
  expect(await colorOf(client, jpeg)).toMatch(/^#f[ef]0000ff$/);
  const head = await client.send('HEAD', `/v1/requests/${logged.request_id}/picture`);
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

test.each([
  ['render_gate_failed', '/v1/pdf', { html: `${RED}<script>console.error('x')</script>`, options: { failOnConsoleError: true } }],
  ['wait_failed', '/v1/pdf', { html: RED, options: { waitForFunction: '(() => { throw new Error("no") })()' } }],
  ['print_failed', '/v1/image', { html: RED, options: { selector: '#none' } }],
])('keeps a picture of %s', async (code, path, body) => {
  const client = await newPictured();
  const logged = await fail(client, body, path);
  expect([logged.code, (await pictureOf(client, logged)).status]).toEqual([code, 200]);
});

test('keeps pictures of batch items', async () => {
  const client = await newPictured();
  const { batch_id } = await client.batch({ items: [FAILING, { html: 'x' }] });
  const { data } = await client.json<List<LoggedRequest>>(`/v1/requests?batch_id=${batch_id}`);
  const pictures = data.map(({ status, picture_url }) => [status, picture_url !== undefined]).sort();
  expect(pictures).toEqual([
    ['failed', true],
    ['succeeded', false],
  ]);
  const failed = data.find(({ status }) => status === 'failed');
  expect((await pictureOf(client, failed as LoggedRequest)).status).toBe(200);
});

test('keeps none unless the account wants them, and shows them to no other key', async () => {
  const client = await newClient();
  expect(await client.json('/v1/account')).toMatchObject({ failure_pictures: false });
  const logged = await fail(client);
  expect(logged.picture_url).toBeUndefined();
  await problem(await pictureOf(client, logged), 404, 'not_found');
  const pictured = await newPictured();
  const shown = await fail(pictured);
  await problem(await pictureOf(client, shown), 404, 'not_found');
  await problem(await pictureOf(pictured, { request_id: 'req_none' }), 404, 'not_found');
  expect((await pictureOf(pictured, shown)).status).toBe(200);
});

test('has no picture of a page that does not answer, and no slot waits for it', async () => {
  const client = await newPictured();
  const logged = await fail(client, { html: '<script>for (;;);</script>', options: { timeout: 1_000 } });
  expect(logged).toMatchObject({ code: 'render_timeout' });
  expect(logged.picture_url).toBeUndefined();
  expect((await client.pdf({ html: 'next' })).status).toBe(200);
});

test('refuses the setting on plans that store nothing', async () => {
  const client = await newClient('nothing_kept');
  const { detail } = await problem(
    await client.send('PATCH', '/v1/account', { failure_pictures: true }),
    422,
    'storage_unavailable',
  );
  expect(detail).toContain('failure_pictures');
});

test('removes a picture with its entry, with the documents of the plan, and with the account', async () => {
  const [ofLog, ofPlan, ofAccount] = [await newPictured('growth'), await newPictured('free'), await newPictured()];
  await app.sweep.run();
  const stored = async () => {
    const all: string[] = [];
    for await (const names of app.services.blobs.names(Number.MAX_SAFE_INTEGER)) all.push(...names);
    return all;
  };
  const before = await stored();
  const pictures = () => app.services.database.query.selectFrom('failure_pictures').select('blob').execute();
  const logged = await fail(ofLog);
  const short = await fail(ofPlan);
  const account = await fail(ofAccount);
  for (const [client, entry] of [
    [ofLog, logged],
    [ofPlan, short],
    [ofAccount, account],
  ] as const)
    expect((await pictureOf(client, entry)).status).toBe(200);
  const { account_id } = await ofAccount.json<{ account_id: string }>('/v1/account');
  await app.services.accounts.delete(account_id);
  now += DAY_MS;
  await problem(await pictureOf(ofPlan, short), 404, 'not_found');
  expect((await pictureOf(ofLog, logged)).status).toBe(200);
  await app.sweep.run();
  expect((await stored()).length).toBe(before.length + 1);
  now += 7 * DAY_MS;
  await problem(await pictureOf(ofLog, logged), 404, 'not_found');
  await app.sweep.run();
  expect(await pictures()).toEqual([]);
  expect((await stored()).filter((name) => name.startsWith('pic_'))).toEqual([]);
});
