/** Templates that are shared in an account: all its keys read and render them, only their own key changes them, and nobody else sees them. */
import { describe, expect, test } from 'vitest';
import { type Batch, Client, type List, problem, succeeded, type TemplateRecord, type VersionRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readPdf } from '../support/read-pdf.ts';

let now = Date.now();

const { app } = await openApp({}, () => now);
const { accounts } = app.services;
const newAccount = async () => (await accounts.createAccount('growth')).id;
const newClient = async (account: string, draft = {}) =>
  new Client(app.url, (await accounts.createKey(account, '', draft)).secret);

const account = await newAccount();
const ada = await newClient(account);
const sibling = await newClient(account);
const stranger = await newClient(await newAccount());

const shared = await ada.template('<p>Dear {{name}}<link rel="stylesheet" href="a.css">', {
  name: 'letter',
  visibility: 'account',
  metadata: { kind: 'letter' },
  assets: { 'a.css': { content: Buffer.from('p { color: red }').toString('base64') } },
});
const hidden = await ada.template('<p>Secret', { name: 'hidden' });
const path = `/v1/templates/${shared.id}`;

const list = async (by: Client, query = '') => (await by.json<List<TemplateRecord>>(`/v1/templates${query}`)).data;
const textOf = async (by: Client, body: object) => (await readPdf(await by.rendered(body))).pages.join();

async function listByPages(by: Client, query: string): Promise<TemplateRecord[]> {
  const seen: TemplateRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: List<TemplateRecord> = await by.json(`/v1/templates?limit=3${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.data);
    cursor = page.next_cursor;
  }
  return seen;
}

test('stays with its key by default', async () => {
  expect(hidden).toMatchObject({ visibility: 'key', owned: true });
  expect(shared).toMatchObject({ visibility: 'account', owned: true });
});

describe('another key of the account', () => {
  test('reads the template, its versions and its files', async () => {
    expect(await sibling.json(path)).toMatchObject({
      id: shared.id,
      visibility: 'account',
      owned: false,
      html: expect.any(String),
    });
    expect((await sibling.json<List<VersionRecord>>(`${path}/versions`)).data).toHaveLength(1);
    expect(await sibling.json(`${path}/versions/1`)).toMatchObject({ name: 'letter', owned: false, visibility: 'account' });
    expect(await sibling.json(`${path}/assets`)).toMatchObject({ data: [{ path: 'a.css' }] });
    expect(await (await sibling.get(`${path}/assets/a.css`)).text()).toBe('p { color: red }');
  });

  test('renders it in every way, charged to the account', async () => {
    const body = { template_id: shared.id, data: { name: 'Ada' } };
    expect(await textOf(sibling, body)).toBe('Dear Ada');
    expect((await sibling.send('POST', '/v1/image', body)).status).toBe(200);
    const dry = await succeeded(sibling.pdf({ ...body, dry_run: true }));
    expect(await dry.json()).toMatchObject({ would_render: true, template: { template_id: shared.id, missing: [] } });
    expect((await sibling.batch({ items: [body] })) satisfies Batch).toMatchObject({ succeeded: 1 });
    const parts = [{ ...body }, { html: 'second' }];
    const assembled = await succeeded(sibling.send('POST', '/v1/pdf/assemble', { parts }));
    expect((await readPdf(await assembled.arrayBuffer())).pages).toEqual(['Dear Ada', 'second']);
  });

  test('cannot change or delete it', async () => {
    const changes: Array<[string, string, unknown?]> = [
      ['PUT', path, { html: '<p>stolen' }],
      ['PUT', path, { html: '<p>stolen', visibility: 'key' }],
      ['PATCH', path, { name: 'stolen' }],
      ['PATCH', path, { visibility: 'key' }],
      ['DELETE', path],
      ['DELETE', `${path}/assets/a.css`],
    ];
    for (const [method, url, body] of changes) {
      await problem(await sibling.send(method, url, body), 403, 'not_owner');
      await problem(await sibling.send(method, url, body, { 'if-match': '"1"' }), 403, 'not_owner');
    }
    const css = { 'content-type': 'text/css' };
    await problem(await sibling.send('PUT', `${path}/assets/a.css`, 'p {}', css), 403, 'not_owner');
    expect(await ada.json(path)).toMatchObject({ name: 'letter', version: 1, visibility: 'account' });
  });

  test('does not see what is not shared', async () => {
    await problem(await sibling.get(`/v1/templates/${hidden.id}`), 404, 'not_found');
    await problem(await sibling.send('DELETE', `/v1/templates/${hidden.id}`), 404, 'not_found');
    await problem(await sibling.pdf({ template_id: hidden.id }), 404, 'not_found');
  });
});

test('a key of another account finds nothing in any way, as for an unknown id', async () => {
  const unknown = 'tpl_0123456789ABCDEFGHIJKL';
  for (const [method, suffix, body] of [
    ['GET', ''],
    ['GET', '/versions'],
    ['GET', '/versions/1'],
    ['GET', '/assets'],
    ['GET', '/assets/a.css'],
    ['PUT', '', { html: '<p>' }],
    ['PATCH', '', { visibility: 'key' }],
    ['DELETE', ''],
    ['DELETE', '/assets/a.css'],
  ] as const) {
    const found = await problem(await stranger.send(method, path + suffix, body), 404, 'not_found');
    const missing = await problem(await stranger.send(method, `/v1/templates/${unknown}${suffix}`, body), 404, 'not_found');
    expect(found.detail).toBe(missing.detail);
  }
  const body = { template_id: shared.id };
  await problem(await stranger.pdf(body), 404, 'not_found');
  await problem(await stranger.pdf({ ...body, dry_run: true }), 404, 'not_found');
  await problem(await stranger.send('POST', '/v1/image', body), 404, 'not_found');
  await problem(await stranger.send('POST', '/v1/pdf/assemble', { parts: [body] }), 404, 'not_found');
  const batch = await stranger.batch({ items: [body] });
  expect(batch.items[0]).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
  for (const query of ['', '?owned=false', '?metadata[kind]=letter']) expect(await list(stranger, query)).toEqual([]);
});

describe('lists', () => {
  test('have own and shared templates, marked, with a filter', async () => {
    const own = await sibling.template('<p>own', { name: 'own', metadata: { kind: 'letter' } });
    expect((await list(sibling)).map(({ id, owned }) => [id, owned])).toEqual(
      expect.arrayContaining([
        [own.id, true],
        [shared.id, false],
      ]),
    );
    expect(await list(sibling, '?owned=true')).toMatchObject([{ id: own.id }]);
    expect(await list(sibling, '?owned=false')).toMatchObject([{ id: shared.id, visibility: 'account' }]);
    expect(await list(stranger, '?name=a')).toEqual([]);
    expect(await list(ada, '?owned=false')).toEqual([]);
    expect((await list(ada)).map(({ id }) => id).sort()).toEqual([shared.id, hidden.id].sort());
    expect((await list(sibling, '?metadata[kind]=letter')).map(({ id }) => id).sort()).toEqual([shared.id, own.id].sort());
    expect(await list(sibling, '?metadata[kind]=other')).toEqual([]);
    await problem(await sibling.get('/v1/templates?owned=yes'), 400, 'invalid_request');
  });

  test('have every template once, the newest first, page by page', async () => {
    const everyone = await newAccount();
    const [first, second] = [await newClient(everyone), await newClient(everyone)];
    const made: string[] = [];
    for (let n = 0; n < 17; n++) {
      now += n % 3; // some at the same time
      const owner = n % 4 ? first : second;
      made.push((await owner.template(`<p>${n}`, { visibility: n % 5 ? 'account' : 'key', metadata: { of: `${n % 2}` } })).id);
    }
    const visible = (n: number) => n % 5 !== 0 || n % 4 !== 0;
    for (const [query, matches] of [
      ['', visible],
      ['&metadata[of]=1', (n: number) => visible(n) && n % 2 === 1],
      ['&owned=false', (n: number) => visible(n) && n % 4 === 0],
    ] as const) {
      const seen = await listByPages(first, query);
      expect(seen.map(({ id }) => id).sort()).toEqual(made.filter((_, n) => matches(n)).sort());
      expect(seen.map(({ created_at }) => created_at)).toEqual(
        seen
          .map(({ created_at }) => created_at)
          .sort()
          .reverse(),
      );
    }
  });
});

test('is no longer read or rendered by others once it is not shared', async () => {
  const template = await ada.template('<p>{{x}}', { visibility: 'account' });
  const body = { template_id: template.id, data: { x: 'y' } };
  expect(await textOf(sibling, body)).toBe('y'); // its parsed form is now in the cache
  const changed = await succeeded(ada.send('PATCH', `/v1/templates/${template.id}`, { visibility: 'key' }));
  expect(await changed.json()).toMatchObject({ version: 2, visibility: 'key' });
  await problem(await sibling.pdf(body), 404, 'not_found');
  await problem(await sibling.get(`/v1/templates/${template.id}`), 404, 'not_found');
  expect(await textOf(ada, body)).toBe('y');
  await succeeded(ada.send('PUT', `/v1/templates/${template.id}`, { html: '<p>new {{x}}', visibility: 'account' }));
  expect(await textOf(sibling, body)).toBe('new y');
  await succeeded(ada.send('PUT', `/v1/templates/${template.id}`, { html: '<p>newer {{x}}' }));
  expect(await textOf(sibling, body)).toBe('newer y');
});

test('requires the scopes of templates and of renders from every key', async () => {
  const renders = await newClient(account, { scopes: ['render'] });
  await problem(await renders.get(path), 403, 'insufficient_scope');
  expect(await textOf(renders, { template_id: shared.id, data: { name: 'Bob' } })).toBe('Dear Bob');
  const edits = await newClient(account, { scopes: ['templates'] });
  await succeeded(edits.get(path));
  await problem(await edits.pdf({ template_id: shared.id }), 403, 'insufficient_scope');
});

test('stays shared after its key is revoked', async () => {
  const owner = await accounts.createKey(account);
  const { id } = await new Client(app.url, owner.secret).template('<p>stays', { visibility: 'account' });
  await accounts.keys.revoke(undefined, owner.key.id);
  expect(await textOf(sibling, { template_id: id })).toBe('stays');
  await problem(await sibling.send('DELETE', `/v1/templates/${id}`), 403, 'not_owner');
});
