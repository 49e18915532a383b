/** What administrators may do about accounts and keys, who is one, and what the audit log keeps of it. */
import { expect, test } from 'vitest';
import type { AdminAccount, AdminFailure, AuditEntry, FailedWebhook } from '../../clients/typescript/src/api.ts';
import { type ApiKey, Client, type List, problem, type UsageRecord } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openApp } from '../support/open-app.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { rowsOf } from '../support/stored.ts';

type Issued = ApiKey & { key: string };

const DAY_MS = 86_400_000;
const SECRET = 'not-for-administrators-93d1';

const receiver = await Receiver.start((response) => response.writeHead(410).end()).then(closeAfterAll);
let now = Date.now();
const { app, env, newClient } = await openApp({ PLATEN_OUTBOUND_ALLOW: receiver.address, PLATEN_AUDIT_LOG_DAYS: '2' }, () => now);
const { accounts } = app.services;
const administrators = await accounts.createAccount('growth');
const { secret, key: ownKey } = await accounts.createKey(administrators.id, '', { isAdministrator: true });
const admin = new Client(app.url, secret);

const listOf = async <T>(path: string, by = admin) => (await by.json<List<T>>(path)).data;
const audit = (query: string) => listOf<AuditEntry>(`/v1/admin/audit?${query}`);

/** Sends a request that must succeed, and returns its JSON. */
async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const reply = await admin.send(method, path, body);
  const text = await reply.text();
  expect(reply.ok, text).toBe(true);
  return (text && JSON.parse(text)) as T;
}

const makeAccount = (body: object = {}) => send<AdminAccount>('POST', '/v1/admin/accounts', body);
const makeKey = (id: string, body: object = {}) => send<Issued>('POST', `/v1/admin/accounts/${id}/keys`, body);

const ROUTES = [
  ['GET', '/v1/admin/plans'],
  ['GET', '/v1/admin/accounts'],
  ['POST', '/v1/admin/accounts'],
  ['GET', `/v1/admin/accounts/${administrators.id}`],
  ['PATCH', `/v1/admin/accounts/${administrators.id}`],
  ['DELETE', `/v1/admin/accounts/${administrators.id}`],
  ['GET', `/v1/admin/accounts/${administrators.id}/usage`],
  ['GET', `/v1/admin/accounts/${administrators.id}/keys`],
  ['POST', `/v1/admin/accounts/${administrators.id}/keys`],
  ['DELETE', `/v1/admin/keys/${ownKey.id}`],
  ['GET', '/v1/admin/state'],
  ['GET', '/v1/admin/errors'],
  ['GET', '/v1/admin/webhooks'],
  ['POST', '/v1/admin/webhooks/msg_x/retry'],
  ['GET', '/v1/admin/audit'],
] as const;

test('refuses keys that the command line has not made administrators, whatever their scopes', async () => {
  const operator = await accounts.createKey(administrators.id, '', { isOperator: true });
  const made = (await (await admin.send('POST', '/v1/keys', {})).json()) as Issued;
  const forAccount = await makeKey(administrators.id);
  expect([made, forAccount].map(({ administrator }) => administrator)).toEqual([false, false]);
  for (const key of [operator.secret, made.key, forAccount.key])
    for (const [method, path] of ROUTES) {
      const refused = await problem(await new Client(app.url, key).send(method, path), 403, 'insufficient_scope');
      expect(refused.detail).toContain('platen keys create --administrator');
    }
  for (const [method, path] of ROUTES)
    await problem(await new Client(app.url, 'plt_none').send(method, path), 401, 'unauthorized');
});

test('gives the mark to no other key', async () => {
  for (const path of ['/v1/keys', `/v1/admin/accounts/${administrators.id}/keys`]) {
    const refused = await problem(await admin.send('POST', path, { administrator: true }), 400, 'invalid_request');
    expect(refused.errors).toMatchObject([{ path: 'administrator' }]);
  }
});

test('keeps the mark of a key that is rotated', async () => {
  const { secret: old, key } = await accounts.createKey(administrators.id, '', { isAdministrator: true });
  const { key: fresh } = (await (
    await new Client(app.url, old).send('POST', `/v1/keys/${key.id}/rotate`, { expires_in: 0 })
  ).json()) as Issued;
  expect((await new Client(app.url, fresh).get('/v1/admin/state')).status).toBe(200);
  await problem(await new Client(app.url, old).get('/v1/admin/state'), 401, 'unauthorized');
});

test('tells a key whether it is an administrator', async () => {
  expect(await admin.json(`/v1/keys/${ownKey.id}`)).toMatchObject({ administrator: true });
  const begun = await admin.send('POST', '/v1/session');
  expect(await begun.json()).toMatchObject({ key_id: ownKey.id, administrator: true });
  const other = await (await newClient()).send('POST', '/v1/session');
  expect(await other.json()).toMatchObject({ administrator: false });
});

test('creates, finds, renames, suspends, resumes and deletes accounts', async () => {
  now += 1;
  const created = await admin.send('POST', '/v1/admin/accounts', { name: 'Überland GmbH', plan: 'starter' });
  expect(created.status).toBe(201);
  const account = (await created.json()) as AdminAccount;
  const path = `/v1/admin/accounts/${account.account_id}`;
  expect(created.headers.get('location')).toBe(app.url + path);
  expect(account).toMatchObject({ name: 'Überland GmbH', plan: 'starter', state: 'active' });
  expect(await admin.json(path)).toEqual(account);
  expect(await listOf('/v1/admin/accounts?limit=1')).toEqual([account]);
  for (const query of ['name=%C3%BCBERLAND', 'name=gmbh+%C3%BCber', 'name=gmbh&state=active'])
    expect(await listOf(`/v1/admin/accounts?${query}`), query).toEqual([account]);
  for (const query of ['name=gmbh+x', 'name=gmbh&state=deleted'])
    expect(await listOf(`/v1/admin/accounts?${query}`), query).toEqual([]);

  const { key } = await makeKey(account.id);
  const customer = new Client(app.url, key);
  expect(await send('PATCH', path, { name: 'Überland AG', plan: 'growth' })).toMatchObject({ plan: 'growth' });
  expect(await send('PATCH', path, { suspended: true })).toMatchObject({ name: 'Überland AG', state: 'suspended' });
  await problem(await customer.get('/v1/documents'), 403, 'account_suspended');
  expect(await listOf('/v1/admin/accounts?state=suspended')).toMatchObject([{ id: account.id }]);
  await send('PATCH', path, { suspended: false });
  expect((await customer.get('/v1/documents')).status).toBe(200);
  await send('DELETE', path);
  await problem(await customer.get('/v1/documents'), 401, 'unauthorized');
  expect(await admin.json(path)).toMatchObject({ name: '', state: 'deleted' });
  await problem(await admin.send('DELETE', path), 404, 'not_found');
  await problem(await admin.send('PATCH', path, { name: 'x' }), 404, 'not_found');
  await problem(await admin.send('POST', `${path}/keys`, {}), 404, 'not_found');
});

test('lists accounts page by page', async () => {
  const made = [];
  for (let n = 0; n < 3; n++) {
    now += 1;
    made.unshift((await makeAccount({ name: `paged ${n}` })).id);
  }
  const first = await admin.json<List<AdminAccount>>('/v1/admin/accounts?name=paged&limit=2');
  const second = await listOf<AdminAccount>(`/v1/admin/accounts?name=paged&limit=2&cursor=${first.next_cursor}`);
  expect([...first.data, ...second].map(({ id }) => id)).toEqual(made);
});

test.each([
  [{ plan: 'no-such-plan' }, 'plan'],
  [{ name: 7 }, 'name'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ name: '\ud800' }, 'name'],
  [{ nmae: 'x' }, 'nmae'],
])('refuses %o, and names the field', async (body, path) => {
  const target = `/v1/admin/accounts/${administrators.id}`;
  for (const reply of [await admin.send('POST', '/v1/admin/accounts', body), await admin.send('PATCH', target, body)])
    expect((await problem(reply, 400, 'invalid_request')).errors).toMatchObject([{ path }]);
});

test.each(['accounts?state=x', 'audit?action=x', 'audit?created_after=x', 'errors?x=1', 'webhooks?limit=0'])(
  'refuses %s',
  async (path) => {
    await problem(await admin.get(`/v1/admin/${path}`), 400, 'invalid_request');
  },
);

test('keeps administrators from shutting themselves out', async () => {
  const path = `/v1/admin/accounts/${administrators.id}`;
  await problem(await admin.send('PATCH', path, { suspended: true }), 400, 'invalid_request');
  await problem(await admin.send('DELETE', path), 400, 'invalid_request');
  expect(await admin.json(path)).toMatchObject({ state: 'active' });
});

test('makes keys of an account, shows their secrets once, and revokes them', async () => {
  const { id } = await makeAccount();
  const { key, ...record } = await makeKey(id, { name: 'website', scopes: ['render'], expires_in: 3_600 });
  expect(record).toMatchObject({ name: 'website', scopes: ['render'], test: false, made_by: null });
  const website = new Client(app.url, key);
  expect((await website.pdf({ html: 'x' })).status).toBe(200);
  await problem(await website.get('/v1/documents'), 403, 'insufficient_scope');
  const keys = await listOf<ApiKey>(`/v1/admin/accounts/${id}/keys`);
  expect(keys).toMatchObject([{ key_id: record.key_id, name: 'website' }]);
  expect(JSON.stringify(keys)).not.toContain(key);
  expect((await listOf<ApiKey>('/v1/keys')).map(({ key_id }) => key_id)).not.toContain(record.key_id);
  await send('DELETE', `/v1/admin/keys/${record.key_id}`);
  await problem(await website.pdf({ html: 'x' }), 401, 'unauthorized');
  await problem(await admin.send('DELETE', '/v1/admin/keys/key_none'), 404, 'not_found');
  await problem(await admin.get('/v1/admin/accounts/acc_none/keys'), 404, 'not_found');
});

test('shows the usage of an account by month, and the plans', async () => {
  const { id } = await makeAccount({ plan: 'starter' });
  const customer = new Client(app.url, (await makeKey(id)).key);
  await customer.rendered({ html: 'x' });
  expect(await admin.json<UsageRecord>(`/v1/admin/accounts/${id}/usage`)).toEqual(await customer.usage());
  const past = await admin.json<UsageRecord>(`/v1/admin/accounts/${id}/usage?month=2020-02`);
  expect([past.documents, past.daily.length]).toEqual([{ used: 0 }, 29]);
  await problem(await admin.get('/v1/admin/accounts/acc_none/usage'), 404, 'not_found');
  const plans = await listOf<{ name: string }>('/v1/admin/plans');
  expect(plans).toMatchObject([...app.services.plans.names].map((name) => ({ name })));
});

test('shows the state of the service', async () => {
  expect(await admin.json('/v1/admin/state')).toMatchObject({
    ...{ running: 0, waiting: 0, waiting_items: 0, failed_webhooks: 0, browsers: expect.any(Number) },
    ...{ version: expect.any(String), disk_free_bytes: expect.any(Number) },
  });
});

test('lists what failed in all accounts, without anything of the documents', async () => {
  const { id } = await makeAccount({ name: 'failing' });
  const { key, key_id } = await makeKey(id);
  const html = `<p>${SECRET}<img src="https://${SECRET}.invalid/x.png">`;
  const body = { html, options: { failOnResourceError: true }, filename: `${SECRET}.pdf` };
  const client = new Client(app.url, key);
  const refused = await problem(await client.pdf(body), 422, 'render_gate_failed');
  await client.pdf({ template_id: `tpl_${SECRET}`, data: { text: SECRET } });
  const invalid = await problem(await client.pdf({ html, options: { scale: SECRET, [SECRET]: 1 } }), 400, 'invalid_request');
  const failures = await listOf<AdminFailure>(`/v1/admin/errors?account_id=${id}`);
  expect(failures).toHaveLength(3);
  const any = { account_id: id, key_id, endpoint: '/v1/pdf', message: expect.any(String), created_at: expect.any(String) };
  const byId = (wanted: string) => failures.find((each) => each.id === wanted);
  expect(byId(invalid.request_id)).toEqual({
    ...any,
    ...{ id: invalid.request_id, code: 'invalid_request', cause: { fields: ['options', 'options.scale'] } },
  });
  expect(byId(refused.request_id)).toEqual({
    ...any,
    ...{ id: refused.request_id, code: 'render_gate_failed', cause: { gate: 'failOnResourceError' } },
  });
  expect(JSON.stringify(failures)).not.toContain(SECRET);
  expect(await listOf(`/v1/admin/errors?account_id=${id}&code=render_gate_failed`)).toHaveLength(1);
  expect(await listOf('/v1/admin/errors?account_id=acc_none')).toEqual([]);
  expect((await listOf<AdminFailure>('/v1/admin/errors')).map((each) => each.id)).toContain(refused.request_id);
});

test('lists webhooks that were given up, without URLs and payloads, and sends them again', async () => {
  const { id } = await makeAccount();
  const { key, key_id } = await makeKey(id);
  const sent = await new Client(app.url, key).send('POST', '/v1/webhooks/test', { url: `${receiver.url}/${SECRET}` });
  const { delivery_id } = (await sent.json()) as { delivery_id: string };
  const failed = () => listOf<FailedWebhook>(`/v1/admin/webhooks?account_id=${id}`);
  await eventually('it is given up', async () => (await failed()).length === 1);
  expect(await failed()).toEqual([
    {
      ...{ id: delivery_id, account_id: id, key_id, type: 'webhook.test', host: receiver.address, attempts: 1 },
      ...{ response_status: 410, last_attempt_at: expect.any(String), created_at: expect.any(String) },
    },
  ]);
  expect(await admin.json('/v1/admin/state')).toMatchObject({ failed_webhooks: 1 });
  receiver.answer = (response) => response.writeHead(204).end();
  const before = receiver.received.length;
  await send('POST', `/v1/admin/webhooks/${delivery_id}/retry`);
  await eventually('it arrives', () => receiver.received.length === before + 1);
  expect(receiver.ids.at(-1)).toBe(delivery_id);
  expect(await failed()).toEqual([]);
  await problem(await admin.send('POST', `/v1/admin/webhooks/${delivery_id}/retry`), 404, 'not_found');
  expect(await audit(`object_id=${delivery_id}`)).toMatchObject([
    { action: 'webhook.resent', actor: ownKey.id, account_id: id, changes: {} },
  ]);
});

test('records who changed what, over the API and on the command line, without secrets', async () => {
  const { id } = await makeAccount({ name: 'Ada', plan: 'starter' });
  now += 1;
  await send('PATCH', `/v1/admin/accounts/${id}`, { name: 'Ada Ltd', plan: 'starter' });
  now += 1;
  await accounts.update(id, { plan: 'growth' });
  now += 1;
  const made = await makeKey(id, { name: 'website', scopes: ['render', 'keys'] });
  now += 1;
  const child = (await (await new Client(app.url, made.key).send('POST', '/v1/keys', {})).json()) as Issued;
  now += 1;
  await new Client(app.url, made.key).send('POST', `/v1/keys/${child.key_id}/rotate`, {});
  now += 1;
  await send('DELETE', `/v1/admin/keys/${made.key_id}`);
  now += 1;
  await send('PATCH', `/v1/admin/accounts/${id}`, { suspended: true });
  const entries = await audit(`account_id=${id}`);
  const [suspended, ...others] = entries;
  expect(suspended).toMatchObject({ changes: { suspended: { before: false, after: true } } });
  const revoked = others.splice(0, 2);
  expect(new Set(revoked.map(({ object_id }) => object_id))).toEqual(new Set([made.key_id, child.key_id]));
  expect(revoked).toMatchObject(revoked.map(() => ({ action: 'key.revoked', actor: ownKey.id })));
  expect(others).toMatchObject([
    { action: 'key.rotated', actor: made.key_id, object_id: child.key_id, changes: {} },
    { action: 'key.created', actor: made.key_id, object_id: child.key_id },
    {
      ...{ action: 'key.created', actor: ownKey.id, object_id: made.key_id },
      changes: { name: { after: 'website' }, scopes: { after: ['render', 'keys'] }, administrator: { after: false } },
    },
    { action: 'account.changed', actor: 'command line', changes: { plan: { before: 'starter', after: 'growth' } } },
    { action: 'account.changed', actor: ownKey.id, changes: { name: { before: 'Ada', after: 'Ada Ltd' } } },
    { action: 'account.created', actor: ownKey.id, changes: { name: { after: 'Ada' }, plan: { after: 'starter' } } },
  ]);
  expect(others.at(-2)?.changes).toEqual({ name: { before: 'Ada', after: 'Ada Ltd' } });
  expect(JSON.stringify(entries)).not.toContain('plt_');
  expect(await audit(`account_id=${id}&action=key.rotated`)).toHaveLength(1);
  expect(await audit(`account_id=${id}&actor=${made.key_id}`)).toHaveLength(2);
  const after = new Date(now - 1).toISOString();
  expect(await audit(`account_id=${id}&created_after=${after}`)).toEqual([suspended]);
});

test('does not record a change that is refused or changes nothing', async () => {
  const { id } = await makeAccount({ name: 'same', plan: 'starter' });
  await send('PATCH', `/v1/admin/accounts/${id}`, { name: 'same', plan: 'starter', suspended: false });
  await admin.send('PATCH', `/v1/admin/accounts/${id}`, { plan: 'no-such-plan' });
  await admin.send('DELETE', '/v1/admin/keys/key_none');
  expect(await audit(`account_id=${id}`)).toHaveLength(1);
});

test('forgets the names of a deleted account and its keys, and keeps the other entries', async () => {
  const { id } = await makeAccount({ name: SECRET, plan: 'starter' });
  await makeKey(id, { name: SECRET });
  await send('DELETE', `/v1/admin/accounts/${id}`);
  await app.sweep.run();
  const entries = await audit(`account_id=${id}`);
  expect(entries.map(({ action }) => action).toSorted()).toEqual(['account.created', 'account.deleted', 'key.created']);
  expect(entries.find(({ action }) => action === 'account.created')?.changes).toEqual({ plan: { after: 'starter' } });
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});

test('removes entries after their time', async () => {
  const { id } = await makeAccount({ plan: 'starter' });
  now += 3 * DAY_MS;
  expect(await audit(`account_id=${id}`)).toEqual([]);
  await app.sweep.run();
  const [{ entries } = {}] = await rowsOf(env, 'select count(*) as entries from audit_entries');
  expect(Number(entries)).toBe(0);
});
