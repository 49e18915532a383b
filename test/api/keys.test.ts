/** Keys that manage keys: each has its own resources and no more rights than granted, and rotation breaks nothing. */
import { describe, expect, test } from 'vitest';
import { type ApiKey, Client, type List, problem } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { eventually } from '../support/service.ts';

type Issued = ApiKey & { key: string };

let now = Date.now();

const { app, newClient } = await openApp({}, () => now);
const accountId = (await app.services.accounts.createAccount('growth')).id;

const as = (key: string) => new Client(app.url, key);
const client = async (account = accountId) => as((await app.services.accounts.createKey(account)).secret);
const ada = await client();

async function make(by: Client, body: object = {}): Promise<Issued> {
  const reply = await by.send('POST', '/v1/keys', body);
  expect(reply.status, await reply.clone().text()).toBe(201);
  return (await reply.json()) as Issued;
}

const keysOf = async (by: Client) => (await by.json<List<ApiKey>>('/v1/keys')).data;
const status = async (by: Client) => (await by.get('/v1/documents')).status;

test('shows a key once; it works and shares the allowance of its account', async () => {
  now += 1; // The new key needs a later creation time, because lists start with the newest.
  const reply = await ada.send('POST', '/v1/keys', { name: 'website' });
  const { key, ...record } = (await reply.json()) as Issued;
  expect(key).toMatch(/^plt_[0-9A-Za-z]{38}$/);
  expect(record).toMatchObject({ name: 'website', hint: key.slice(0, 8), scopes: null, test: false, revoked_at: null });
  expect(reply.headers.get('location')).toBe(`${app.url}/v1/keys/${record.key_id}`);
  expect(await ada.json(`/v1/keys/${record.key_id}`)).toEqual(record);
  expect((await keysOf(ada)).map(({ key_id }) => key_id)).toEqual([record.key_id, record.made_by]);
  expect(JSON.stringify(await keysOf(ada))).not.toContain(key);
  const { used } = (await ada.usage()).documents;
  expect((await as(key).pdf({ html: 'x' })).status).toBe(200);
  expect((await ada.usage()).documents.used).toBe(used + 1);
});

test('hides the resources of one key from another', async () => {
  const child = as((await make(ada)).key);
  const { document_id } = await ada.store({ html: 'x' });
  const { template_id } = await child.template('<p>x');
  await problem(await child.get(`/v1/documents/${document_id}`), 404, 'not_found');
  await problem(await ada.get(`/v1/templates/${template_id}`), 404, 'not_found');
});

describe('scopes', () => {
  const requests = {
    render: ['POST', '/v1/pdf', { html: 'x' }],
    documents: ['GET', '/v1/documents'],
    templates: ['GET', '/v1/templates'],
    webhooks: ['GET', '/v1/webhooks/secret'],
    account: ['GET', '/v1/usage'],
    keys: ['GET', '/v1/keys'],
  } as const;

  test.each(Object.keys(requests))('%s alone permits what it names, and nothing else', async (scope) => {
    const scoped = as((await make(ada, { scopes: [scope] })).key);
    for (const [name, [method, path, body]] of Object.entries(requests)) {
      const reply = await scoped.send(method, path, body);
      if (name === scope) expect(reply.status).toBe(200);
      else expect(await problem(reply, 403, 'insufficient_scope')).toMatchObject({ required_scope: name });
    }
  });

  test('the render scope permits images, batches and asynchronous renders', async () => {
    const scoped = as((await make(ada, { scopes: ['render'] })).key);
    await problem(await scoped.get('/v1/renders/rnd_0'), 404, 'not_found');
    expect((await scoped.send('POST', '/v1/image', { html: 'x' })).status).toBe(200);
    expect((await scoped.get('/v1/batches')).status).toBe(200);
  });

  test('rejects a request without the scope before reading the body', async () => {
    const scoped = as((await make(ada, { scopes: ['documents'] })).key);
    await problem(await scoped.send('POST', '/v1/pdf', '{ no JSON'), 403, 'insufficient_scope');
  });

  test('a key cannot grant more scopes than it has', async () => {
    const admin = as((await make(ada, { scopes: ['keys', 'render'] })).key);
    expect(await make(admin)).toMatchObject({ scopes: ['keys', 'render'] });
    expect(await make(admin, { scopes: ['render', 'render'] })).toMatchObject({ scopes: ['render'] });
    const refused = await problem(await admin.send('POST', '/v1/keys', { scopes: ['documents'] }), 403, 'insufficient_scope');
    expect(refused).toMatchObject({ required_scope: 'documents' });
  });

  test('all scopes together permit everything', async () => {
    const all = as((await make(ada, { scopes: Object.keys(requests) })).key);
    for (const [method, path, body] of Object.values(requests)) expect((await all.send(method, path, body)).status).toBe(200);
  });
});

describe('rotation', () => {
  test('keeps the old secret valid for a day, and accepts the new one at once', async () => {
    const { key, key_id } = await make(ada);
    const { document_id } = await as(key).store({ html: 'x' });
    const rotated = (await (await ada.send('POST', `/v1/keys/${key_id}/rotate`)).json()) as Issued;
    expect(rotated).toMatchObject({ key_id, previous_secret_expires_at: new Date(now + 86_400_000).toISOString() });
    expect((await as(rotated.key).get(`/v1/documents/${document_id}`)).status).toBe(200);
    expect(await status(as(key))).toBe(200);
    now += 86_400_000;
    expect([await status(as(key)), await status(as(rotated.key))]).toEqual([401, 200]);
  });

  test('ends the validity of the earlier secret at another rotation', async () => {
    const first = await make(ada);
    const rotate = async (by: string, body?: object) =>
      (await (await as(by).send('POST', `/v1/keys/${first.key_id}/rotate`, body)).json()) as Issued;
    const second = await rotate(first.key);
    const third = await rotate(first.key, { expires_in: 60 });
    const states = async () => Promise.all([first, second, third].map(({ key }) => status(as(key))));
    expect(await states()).toEqual([401, 200, 200]);
    const fourth = await rotate(third.key, { expires_in: 0 });
    expect([...(await states()), await status(as(fourth.key))]).toEqual([401, 401, 401, 200]);
  });

  test.each([-1, 1.5, 2_592_001, '60'])('returns 400 for expires_in %j', async (expires_in) => {
    const { key_id } = await make(ada);
    const { errors } = await problem(await ada.send('POST', `/v1/keys/${key_id}/rotate`, { expires_in }), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'expires_in' }]);
  });
});

test('revokes a key with all keys made by it and its old secret', async () => {
  const parent = await make(ada);
  const child = await make(as(parent.key));
  const grandchild = await make(as(child.key), { scopes: ['render', 'documents'] });
  const rotated = (await (await ada.send('POST', `/v1/keys/${child.key_id}/rotate`)).json()) as Issued;
  expect((await keysOf(as(parent.key))).map(({ key_id }) => key_id).sort()).toEqual(
    [parent, child, grandchild].map(({ key_id }) => key_id).sort(),
  );
  expect((await ada.send('DELETE', `/v1/keys/${child.key_id}`)).status).toBe(204);
  const states = await Promise.all([parent, child, grandchild, rotated].map(({ key }) => status(as(key))));
  expect(states).toEqual([200, 401, 401, 401]);
  expect((await keysOf(as(parent.key))).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
  expect((await ada.send('DELETE', `/v1/keys/${child.key_id}`)).status).toBe(204);
  await problem(await ada.send('POST', `/v1/keys/${child.key_id}/rotate`), 404, 'not_found');
});

test('returns 404 for keys of others, even of the same account, and for the key that made it', async () => {
  const sibling = await client();
  const stranger = await newClient();
  const parent = await make(ada);
  const child = as((await make(as(parent.key))).key);
  for (const by of [sibling, stranger, child]) {
    const path = `/v1/keys/${parent.key_id}`;
    await problem(await by.get(path), 404, 'not_found');
    await problem(await by.send('POST', `${path}/rotate`), 404, 'not_found');
    await problem(await by.send('DELETE', path), 404, 'not_found');
    expect((await keysOf(by)).map(({ key_id }) => key_id)).not.toContain(parent.key_id);
  }
  expect(await status(as(parent.key))).toBe(200);
});

test('returns 400 for invalid names and scopes', async () => {
  for (const [body, path] of [
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['admin'] }, 'scopes[0]'],
    [{ scope: 'render' }, 'scope'],
  ] as const)
    expect((await problem(await ada.send('POST', '/v1/keys', body), 400, 'invalid_request')).errors).toMatchObject([{ path }]);
});

describe('expiry', () => {
  test('ends a key like one that never existed, and neither rotation nor another key prolongs it', async () => {
    const short = await make(ada, { expires_in: 3_600 });
    expect(Date.parse(short.expires_at ?? '')).toBe(now + 3_600_000);
    const by = as(short.key);
    expect(Date.parse((await make(by)).expires_at ?? '')).toBe(now + 3_600_000);
    const longer = await problem(await by.send('POST', '/v1/keys', { expires_in: 3_601 }), 400, 'invalid_request');
    expect(longer.errors).toEqual([{ path: 'expires_in', message: expect.stringContaining('at most 3600') }]);
    const rotated = (await (await by.send('POST', `/v1/keys/${short.key_id}/rotate`)).json()) as Issued;
    expect(rotated.expires_at).toBe(short.expires_at);
    now += 3_599_999;
    expect([await status(by), await status(as(rotated.key))]).toEqual([200, 200]);
    now += 1;
    const unknown = await problem(await as(`plt_${'x'.repeat(38)}`).get('/v1/documents'), 401, 'unauthorized');
    for (const each of [by, as(rotated.key)]) {
      const { request_id: _, ...refused } = await problem(await each.get('/v1/documents'), 401, 'unauthorized');
      expect(unknown).toMatchObject(refused);
    }
    expect((await keysOf(ada)).find(({ key_id }) => key_id === short.key_id)).toMatchObject({ revoked_at: null });
    await problem(await ada.send('POST', `/v1/keys/${short.key_id}/rotate`), 404, 'not_found');
  });

  test.each([0, 1.5, -1, '60', 315_360_001])('is not %s seconds', async (expires_in) => {
    const { errors } = await problem(await ada.send('POST', '/v1/keys', { expires_in }), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'expires_in' }]);
  });
});

test('shows when a key was last used, to the minute', async () => {
  const { key, key_id, last_used_at } = await make(ada);
  expect(last_used_at).toBeNull();
  const lastUse = async () => (await ada.json<ApiKey>(`/v1/keys/${key_id}`)).last_used_at;
  const use = () => status(as(key)).then(() => app.services.accounts.keyUse.flush());
  const begun = now;
  await use();
  expect(await lastUse()).toBe(new Date(begun).toISOString());
  now = begun + 59_999;
  await use();
  expect(await lastUse()).toBe(new Date(begun).toISOString());
  now = begun + 60_000;
  await use();
  expect(await lastUse()).toBe(new Date(now).toISOString());
});

test('records the use of a key without being asked to', async () => {
  const { key, key_id } = await make(ada);
  await status(as(key));
  await eventually('it is recorded', async () => (await ada.json<ApiKey>(`/v1/keys/${key_id}`)).last_used_at !== null);
});

test('returns 422 for more keys than an account may have or make in a day', async () => {
  const { id } = await app.services.accounts.createAccount('growth');
  const owner = await client(id);
  for (let n = 0; n < 99; n++) await app.services.accounts.createKey(id);
  const refused = await problem(await owner.send('POST', '/v1/keys', {}), 422, 'key_limit');
  expect(refused).toMatchObject({ limit: 100 });
  const [one] = (await app.services.accounts.keys.all()).filter((key) => key.accountId === id).slice(-1);
  await app.services.accounts.keys.revoke(undefined, one?.id ?? '');
  await problem(await owner.send('POST', '/v1/keys', {}), 422, 'key_limit');
  now += 86_400_000;
  await make(owner);
});
