/** Sessions of the dashboard: a cookie stands for a key, for pages of this service only, and ends with the key. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';

const HOUR_MS = 3_600_000;
const OWN = { 'sec-fetch-site': 'same-origin' };

let now = Date.now();
const { app } = await openApp({}, () => now);
const { accounts, database } = app.services;

async function newKey(draft = {}): Promise<{ secret: string; keyId: string; accountId: string }> {
  const { id: accountId } = await accounts.createAccount('growth');
  const { secret, key } = await accounts.createKey(accountId, 'website', draft);
  return { secret, keyId: key.id, accountId };
}

const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(app.url + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'manual',
  });

const signIn = (secret: string, headers: Record<string, string> = {}) =>
  call('POST', '/v1/session', { ...OWN, ...headers, authorization: `Bearer ${secret}` });

/** Returns the value of the Cookie header of later requests. */
async function begin(secret: string, headers?: Record<string, string>): Promise<string> {
  const reply = await signIn(secret, headers);
  expect(reply.status, await reply.clone().text()).toBe(201);
  return (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const read = async (cookie: string, headers: Record<string, string> = OWN) =>
  (await call('GET', '/v1/session', { cookie, ...headers })).status;

test('signs in with a key, works as the key, and signs out', async () => {
  const { secret, keyId, accountId } = await newKey();
  const reply = await signIn(secret);
  expect(reply.headers.get('set-cookie')).toMatch(/^platen-session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  const about = { key_id: keyId, account_id: accountId, name: 'website', scopes: null, test: false, administrator: false };
  expect(await reply.json()).toEqual(about);
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(await (await call('GET', '/v1/session', { ...OWN, cookie })).json()).toEqual(about);
  const stored = await call('POST', '/v1/pdf', { ...OWN, cookie }, { html: 'x', store: true });
  expect(stored.status).toBe(201);
  const { document_id } = (await stored.json()) as { document_id: string };
  expect((await new Client(app.url, secret).get(`/v1/documents/${document_id}`)).status).toBe(200);
  const ended = await call('DELETE', '/v1/session', { ...OWN, cookie });
  expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
    204,
    'platen-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
  ]);
  expect(await read(cookie)).toBe(401);
});

test('stores and logs no id', async () => {
  const { secret } = await newKey();
  const [, id = ''] = (await begin(secret)).split('=');
  const rows = await database.query.selectFrom('sessions').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(id);
});

test('has the scopes of the key', async () => {
  const { secret } = await newKey({ scopes: ['documents'] });
  const cookie = await begin(secret);
  expect((await call('GET', '/v1/documents', { ...OWN, cookie })).status).toBe(200);
  await problem(await call('GET', '/v1/templates', { ...OWN, cookie }), 403, 'insufficient_scope');
  expect(await read(cookie)).toBe(200);
});

describe('ends', () => {
  test('twelve hours after its last use', async () => {
    const cookie = await begin((await newKey()).secret);
    for (const hours of [11, 11, 11]) {
      now += hours * HOUR_MS;
      expect(await read(cookie)).toBe(200);
    }
    now += 12 * HOUR_MS;
    expect(await read(cookie)).toBe(401);
    await accounts.sessions.removeEnded();
    const left = await database.query.selectFrom('sessions').where('ends_at', '<=', now).selectAll().execute();
    expect(left).toEqual([]);
  });

  test('with the key that was revoked', async () => {
    const { secret, keyId } = await newKey();
    const cookie = await begin(secret);
    await accounts.keys.revoke(undefined, keyId);
    expect(await read(cookie)).toBe(401);
  });

  test('with the secret that was replaced, at the end of its time', async () => {
    const { secret, keyId } = await newKey();
    const cookie = await begin(secret);
    const { secret: second } = await accounts.keys.rotate(undefined, keyId, HOUR_MS);
    expect(await read(cookie)).toBe(200);
    const later = await begin(second);
    now += HOUR_MS;
    expect([await read(cookie), await read(later)]).toEqual([401, 200]);
    await accounts.keys.rotate(undefined, keyId, 0);
    expect(await read(later)).toBe(401);
  });

  test('with the expiry of the key', async () => {
    const cookie = await begin((await newKey({ expiresInMs: HOUR_MS })).secret);
    now += HOUR_MS;
    expect(await read(cookie)).toBe(401);
  });

  test('with the account, and waits while that is suspended', async () => {
    const { secret, accountId } = await newKey();
    const cookie = await begin(secret);
    await accounts.update(accountId, { isSuspended: true });
    await problem(await call('GET', '/v1/session', { ...OWN, cookie }), 403, 'account_suspended');
    await accounts.update(accountId, { isSuspended: false });
    expect(await read(cookie)).toBe(200);
    await accounts.delete(accountId);
    expect(await read(cookie)).toBe(401);
  });

  test('when its owner signs out, also while the account is suspended', async () => {
    const { secret, accountId } = await newKey();
    const cookie = await begin(secret);
    await accounts.update(accountId, { isSuspended: true });
    const signedOut = await call('DELETE', '/v1/session', { ...OWN, cookie });
    expect([signedOut.status, signedOut.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    await accounts.update(accountId, { isSuspended: false });
    expect(await read(cookie)).toBe(401);
  });

  test('when the same browser signs in again, and when a key has begun fifty others', async () => {
    const { secret } = await newKey();
    const first = await begin(secret);
    const second = await begin(secret, { cookie: first });
    expect([await read(first), await read(second)]).toEqual([401, 200]);
    now += HOUR_MS;
    for (let i = 0; i < 50; i++) await begin(secret);
    expect(await read(second)).toBe(401);
  });
});

describe('refuses', () => {
  let secret = '';
  let cookie = '';
  beforeAll(async () => {
    ({ secret } = await newKey());
    cookie = await begin(secret);
  });
  const host = new URL(app.url).host;

  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a neighbouring host or port', { 'sec-fetch-site': 'same-site' }],
    ['a sandboxed page', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['another site that names the right origin', { 'sec-fetch-site': 'cross-site', origin: app.url }],
    ['values of two headers', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['an older browser, from another origin', { origin: 'https://evil.example' }],
    ['an older browser, from another port', { origin: 'http://127.0.0.1:1' }],
    ['an older browser, from a sandboxed page', { origin: 'null' }],
    ['an older browser, from a host that ends alike', { origin: `http://evil-${host}` }],
  ])('%s', async (_, headers) => {
    expect(await read(cookie, headers)).toBe(401);
    await problem(await call('POST', '/v1/pdf', { cookie, ...headers }, { html: 'x' }), 401, 'unauthorized');
    await problem(await call('DELETE', '/v1/session', { cookie, ...headers }), 401, 'unauthorized');
    await problem(await signIn(secret, { 'sec-fetch-site': 'cross-site', ...headers }), 401, 'unauthorized');
    expect(await read(cookie)).toBe(200);
  });

  test.each(['none', undefined])('a change with Sec-Fetch-Site %s and without Origin', async (site) => {
    const headers = { cookie, ...(site && { 'sec-fetch-site': site }) };
    await problem(await call('POST', '/v1/pdf', headers, { html: 'x' }), 401, 'unauthorized');
    expect(await read(cookie, headers)).toBe(200);
  });

  test.each(['script', 'serviceworker', 'sharedworker', 'audioworklet', 'style'])('what a page would run: %s', async (dest) => {
    expect(await read(cookie, { ...OWN, 'sec-fetch-dest': dest })).toBe(401);
    for (const shown of ['document', 'image', 'empty']) expect(await read(cookie, { ...OWN, 'sec-fetch-dest': shown })).toBe(200);
  });

  test('any other cookie', async () => {
    for (const given of ['platen-session=', 'platen-session=x', `platen-session=${'a'.repeat(43)}`, `x${cookie}`])
      expect(await read(given)).toBe(401);
    expect(await read(`a=b; ${cookie}; c=d`)).toBe(200);
    expect(await read(`${cookie}; ${cookie}`)).toBe(401);
    expect(await read(cookie, { ...OWN, origin: 'https://elsewhere.example' })).toBe(401); // a secure page has a secure cookie
  });

  test('it beside an Authorization header', async () => {
    for (const authorization of ['Bearer plt_x', 'Basic eDp4', ''])
      expect(await read(cookie, { ...OWN, authorization: authorization || 'x' })).toBe(401);
  });

  test('to begin a session with it, or with an id that the caller chooses', async () => {
    await problem(await call('POST', '/v1/session', { ...OWN, cookie }), 401, 'unauthorized');
    const chosen = `platen-session=${'a'.repeat(43)}`;
    const given = await begin(secret, { cookie: chosen });
    expect(given).not.toBe(chosen);
    expect(await read(chosen)).toBe(401);
  });
});

test('accepts an older browser that names the own origin', async () => {
  const cookie = await begin((await newKey()).secret);
  expect((await call('POST', '/v1/pdf', { cookie, origin: app.url }, { html: 'x' })).status).toBe(200);
});

test('keeps other pages from reading what the cookie gives access to', async () => {
  const { secret } = await newKey();
  const cookie = await begin(secret);
  const { document_id } = await new Client(app.url, secret).store({ html: 'x' });
  const { headers } = await call('GET', `/v1/documents/${document_id}`, { ...OWN, cookie, accept: 'text/html,*/*' });
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
});

test('records the use of the key', async () => {
  const { secret, keyId } = await newKey();
  const cookie = await begin(secret);
  await accounts.keyUse.flush();
  now += HOUR_MS;
  await read(cookie);
  await accounts.keyUse.flush();
  expect((await accounts.keys.find(keyId, keyId)).lastUsedAt).toBe(now);
});

describe('over HTTPS', () => {
  const origin = 'https://pdf.example.com';
  let to = '';
  let cookie = '';
  let setCookie = '';
  beforeAll(async () => {
    const secure = await openApp({ PLATEN_PUBLIC_URL: origin, PLATEN_GOTENBERG_ROUTES: 'on' });
    to = secure.app.url;
    const account = await secure.app.services.accounts.createAccount('growth');
    const { secret } = await secure.app.services.accounts.createKey(account.id);
    const headers = { ...OWN, origin, authorization: `Bearer ${secret}` };
    const begun = await fetch(`${to}/v1/session`, { method: 'POST', headers });
    setCookie = begun.headers.get('set-cookie') ?? '';
    cookie = setCookie.split(';')[0] ?? '';
  });
  const readWith = async (given: string) => (await fetch(`${to}/v1/session`, { headers: { ...OWN, cookie: given } })).status;

  test('has a cookie that no other host can set', async () => {
    expect(setCookie).toMatch(/^__Host-platen-session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect([await readWith(cookie), await readWith(cookie.replace('__Host-', ''))]).toEqual([200, 401]);
  });

  test('accepts an older browser by the public origin, which the host of a request may not be', async () => {
    const status = async (from: string) =>
      (await fetch(`${to}/v1/templates`, { method: 'POST', headers: { cookie, origin: from }, body: '{}' })).status;
    expect([await status(origin), await status('https://pdf.example.com.evil.example')]).toEqual([415, 401]);
  });

  test('counts for no route of Gotenberg', async () => {
    const form = new FormData();
    form.append('files', new Blob(['x']), 'index.html');
    const headers = { ...OWN, origin, cookie };
    const reply = await fetch(`${to}/forms/chromium/convert/html`, { method: 'POST', headers, body: form });
    expect(reply.status).toBe(401);
  });
});

test('is never sent to a document, which cannot reach the service either', async () => {
  const { secret } = await newKey();
  const cookie = await begin(secret);
  const rendered = await call('POST', '/v1/pdf', { ...OWN, cookie }, { url: `${app.url}/v1/session` });
  await problem(rendered, 403, 'forbidden_url');
});
