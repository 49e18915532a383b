/** Options and files of an account: used by all of its renders, behind what a request or a template says, and by nobody else. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Client, type DryRunResult, problem, type Render, succeeded } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readFinished } from '../support/read-finished.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';

const { app, newClient } = await openApp({ PLATEN_MAX_ASSETS_MB: '1' });
const { accounts } = app.services;

let ada: Client;
let sibling: Client;
let accountId: string;
beforeEach(async () => {
  accountId = (await accounts.createAccount('growth')).id;
  const make = async () => new Client(app.url, (await accounts.createKey(accountId)).secret);
  ada = await make();
  sibling = await make();
});

interface AccountRecord {
  options: object | null;
  assets: Array<{ path: string; type: string; bytes: number }>;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const change = (body: object, by = ada) => by.send('PATCH', '/v1/account', body);
const set = async (body: object, by = ada) => (await succeeded(change(body, by))).json() as Promise<AccountRecord>;
const read = async (pdf: Buffer | ArrayBuffer) => readPdf(pdf);
const paper = async (body: object, by = ada) => millimetresOf(await read(await by.rendered({ html: '<p>x', ...body })))[0];
const A4 = [210, 297];
const A6 = [105, 148];

test('are not changed by who has read an earlier state and says so', async () => {
  const read = await ada.get('/v1/account');
  const tag = read.headers.get('etag') ?? '';
  const changeIf = (etag: string, body: object) => ada.send('PATCH', '/v1/account', body, { 'if-match': etag });
  await set({ assets: { 'a.css': { content: '' } } }, sibling);
  for (const body of [{ options: { format: 'A6' } }, { assets: null }, { auto_store: true }])
    await problem(await changeIf(tag, body), 412, 'version_conflict');
  expect(await ada.json('/v1/account')).toMatchObject({ options: null, assets: [{ path: 'a.css' }], auto_store: false });
  const now = (await ada.get('/v1/account')).headers.get('etag') ?? '';
  const [one, other] = await Promise.all(['A5', 'A6'].map((format) => changeIf(now, { options: { format } })));
  expect([one?.status, other?.status].toSorted()).toEqual([200, 412]);
  const won = one?.ok ? one : other;
  expect((await ada.get('/v1/account')).headers.get('etag')).toBe(won?.headers.get('etag'));
  expect((await changeIf('*', { options: null })).status).toBe(200);
  await problem(await changeIf('abc', { options: null }), 400, 'invalid_request');
});

describe('options', () => {
  test('are used by every render of the account that leaves them out, and by no other account', async () => {
    expect(await set({ options: { format: 'A6', margin: '5mm', tagged: null } })).toMatchObject({
      options: { format: 'A6', margin: '5mm' },
    });
    expect(await sibling.json('/v1/account')).toMatchObject({ options: { format: 'A6', margin: '5mm' }, assets: [] });
    const { template_id } = await ada.template('<p>{{x}}');
    for (const body of [{}, { options: {} }, { html: undefined, markdown: '# x' }, { html: undefined, template_id }])
      expect(await paper(body)).toEqual(A6);
    expect(await paper({}, sibling)).toEqual(A6);
    expect(await paper({}, await newClient())).toEqual(A4);
    const raw = await ada.send('POST', '/v1/pdf?landscape=true', '<p>x', { 'content-type': 'text/html' });
    expect(millimetresOf(await read(await raw.arrayBuffer()))[0]).toEqual([148, 105]);
    const parts = [{ html: 'x' }, { html: 'y', options: { format: 'A5' } }];
    const assembled = await succeeded(ada.send('POST', '/v1/pdf/assemble', { parts }));
    expect(millimetresOf(await read(await assembled.arrayBuffer()))).toEqual([A6, [148, 210]]);
    const given = await succeeded(ada.send('POST', '/v1/pdf/assemble', { parts, options: { format: 'A4' } }));
    expect(millimetresOf(await read(await given.arrayBuffer()))).toEqual([A4, [148, 210]]);
    const later = await ada.ended((await (await ada.pdf({ html: 'x' }, { prefer: 'respond-async' })).json()) as Render);
    const stored = await ada.get(`/v1/documents/${later.document_id}`);
    expect(millimetresOf(await read(await stored.arrayBuffer()))[0]).toEqual(A6);
    expect(await set({ options: null })).toMatchObject({ options: null });
    expect(await paper({})).toEqual(A4);
  });

  test('of a whole are those of an assembly', async () => {
    await set({ options: { timeout: 20_000, metadata: { author: 'Ada' } } });
    const parts = [{ html: 'x' }, { html: 'y' }];
    const assembled = await succeeded(ada.send('POST', '/v1/pdf/assemble', { parts }));
    expect((await readFinished(Buffer.from(await assembled.arrayBuffer()))).info).toMatchObject({ Author: 'Ada' });
    await set({ options: null });
  });

  test('give way to those of a request, which switches one off with null', async () => {
    await set({ options: { format: 'A6', landscape: true, headerTemplate: '<b>head</b>', singlePage: false } });
    expect(await paper({ options: { format: 'A5' } })).toEqual([210, 148]);
    expect(await paper({ options: { format: null } })).toEqual([297, 210]);
    expect(await paper({ options: { width: '2in', height: '5in', landscape: null } })).toEqual([50.8, 127]);
    const text = async (options: object) => (await read(await ada.rendered({ html: '<p>x', options }))).pages.join();
    expect(await text({})).toContain('head');
    expect(await text({ headerTemplate: null })).toBe('x');
    expect(await text({ header: '<i>mine</i>', margin: '20mm' })).not.toContain('head');
    await set({ options: { width: '2in', height: '5in' } });
    expect(await paper({ options: { width: '3in' } })).toEqual([76.2, 127]);
    expect(await paper({ options: { format: 'A6' } })).toEqual(A6);
  });

  test('are behind the defaults of a batch', async () => {
    await set({ options: { format: 'A6' } });
    const items = [{ html: 'a' }, { html: 'b', options: { format: null } }, { html: 'c', options: { format: 'A5' } }];
    const sizes = async (body: object) => {
      const { items } = await ada.batch(body);
      const documents = await Promise.all(items.map(({ document_id }) => ada.get(`/v1/documents/${document_id}`)));
      return Promise.all(documents.map(async (each) => millimetresOf(await read(await each.arrayBuffer()))[0]));
    };
    expect(await sizes({ items })).toEqual([A6, A4, [148, 210]]);
    expect(await sizes({ items, defaults: { options: { scale: 1 } } })).toEqual([A6, A4, [148, 210]]);
    expect(await sizes({ items: items.slice(0, 1), defaults: { options: { width: '2in', height: '2in' } } })).toEqual([
      [50.8, 50.8],
    ]);
    expect(await sizes({ items: items.slice(0, 1), defaults: { options: { format: null } } })).toEqual([A4]);
  });

  test('that an image does not have are left out there', async () => {
    await set({ options: { format: 'A6', viewport: { width: 300, height: 200 } } });
    const image = await succeeded(ada.send('POST', '/v1/image', { html: 'x' }));
    const bytes = Buffer.from(await image.arrayBuffer());
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([300, 200]);
  });

  test('are validated like those of a request, and change nothing if they are wrong', async () => {
    await set({ options: { format: 'A6' } });
    for (const [options, path] of [
      [{ format: 'A99' }, 'options.format'],
      [{ formt: 'A4' }, 'options.formt'],
      [{ scale: 9 }, 'options.scale'],
      [{ format: 'A4', width: '1cm', height: '1cm' }, 'options.format'],
      [{ margin: { top: 'x' } }, 'options.margin.top'],
      [{ password: 'secret' }, 'options.password'],
      [{ cookies: [] }, 'options.cookies'],
      [{ baseUrl: 'https://example.com' }, 'options.baseUrl'],
      [{ headerTemplate: 'x'.repeat(70_000) }, 'options'],
      ['A4', 'options'],
      [[], 'options'],
    ] as const) {
      const { errors } = await problem(await change({ options }), 400, 'invalid_request');
      expect(errors).toContainEqual(expect.objectContaining({ path }));
    }
    await problem(await change({ options: { format: 'A5' }, assets: { '../x': { content: '' } } }), 400, 'invalid_request');
    expect(await ada.json('/v1/account')).toMatchObject({ options: { format: 'A6' }, assets: [] });
    const scoped = new Client(app.url, (await accounts.createKey(accountId, '', { scopes: ['render'] })).secret);
    await problem(await change({ options: null }, scoped), 403, 'insufficient_scope');
    expect(await paper({}, scoped)).toEqual(A6);
  });
});

async function isStored(blob: string): Promise<boolean> {
  const content = await app.services.blobs.read(blob);
  content?.destroy();
  return content !== undefined;
}

describe('files', () => {
  const html = '<link rel="stylesheet" href="css/a.css"><p>text';
  const css = (text: string) => ({ content: base64(`p::after { content: " ${text}" }`) });
  const textOf = async (body: object, by = ada) => (await read(await by.rendered(body))).pages.join();

  test('are found by all documents of the account, behind those of a template and a request', async () => {
    const account = await set({ assets: { 'css/a.css': css('account'), 'logo.svg': { content: base64('<svg/>') } } });
    expect(account.assets).toMatchObject([
      { path: 'css/a.css', type: 'text/css; charset=utf-8', bytes: 32 },
      { path: 'logo.svg', type: 'image/svg+xml' },
    ]);
    expect(await textOf({ html })).toBe('text account');
    expect(await textOf({ html }, sibling)).toBe('text account');
    expect(await textOf({ html }, await newClient())).toBe('text');
    expect(await textOf({ html, assets: { 'css/a.css': css('request') } })).toBe('text request');
    const own = await ada.template(html, { assets: { 'css/a.css': css('template') } });
    expect(await textOf({ template_id: own.id })).toBe('text template');
    const plain = await ada.template(html);
    expect(await textOf({ template_id: plain.id, assets: { 'other.css': css('x') } })).toBe('text account');
    const report = await ada.report({ html, options: { baseUrl: 'http://127.0.0.1:9/' } });
    expect(report.warnings.map(({ kind }) => kind)).toContain('resource_failed');
    const dry = await succeeded(ada.pdf({ html, dry_run: true }));
    expect((await dry.json()) as DryRunResult).toMatchObject({ would_render: true });
    const playground = await fetch(`${app.url}/v1/playground/pdf`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ html }),
    });
    expect((await read(await playground.arrayBuffer())).pages).toEqual(['text']);
  });

  test('are replaced as a whole, counted as stored, and removed with their content', async () => {
    const before = (await ada.usage()).storage.bytes;
    await set({ assets: { 'css/a.css': css('one'), 'b.css': css('b') } });
    expect((await ada.usage()).storage.bytes).toBe(before + 54);
    const blobs = async () => (await app.services.accountAssets.list(accountId)).map(({ blob }) => blob);
    const [first = ''] = await blobs();
    expect(await isStored(first)).toBe(true);
    expect((await set({ assets: { 'css/a.css': css('two') } })).assets).toHaveLength(1);
    expect(await textOf({ html })).toBe('text two');
    expect(await isStored(first)).toBe(false);
    expect((await set({ auto_store: false })).assets).toHaveLength(1);
    expect((await set({ assets: null })).assets).toEqual([]);
    expect(await textOf({ html })).toBe('text');
    expect((await ada.usage()).storage.bytes).toBe(before);
  });

  test('can be replaced by several keys while documents use them', async () => {
    await set({ assets: { 'css/a.css': css('n0') } });
    const write = async (by: Client) => {
      for (let n = 0; n < 15; n++) await set({ assets: { 'css/a.css': css(`n${n}`), [`${n}.css`]: css('more') } }, by);
    };
    const texts: string[] = [];
    const render = async () => {
      for (let n = 0; n < 15; n++) texts.push(await textOf({ html }));
    };
    await Promise.all([write(ada), write(sibling), render(), render()]);
    for (const text of texts) expect(text).toMatch(/^text n\d+$/);
    expect(await ada.json('/v1/account')).toMatchObject({ assets: [{ path: '14.css' }, { path: 'css/a.css' }] });
    const [{ blob = '' } = {}] = await app.services.accountAssets.list(accountId);
    expect(await isStored(blob)).toBe(true);
  });

  test('have the limits of template files and of the plan', async () => {
    const { errors } = await problem(await change({ assets: { a: { content: '*' } } }), 400, 'invalid_request');
    expect(errors).toMatchObject([{ path: 'assets.a.content' }]);
    const large = { content: Buffer.alloc(1_500_000).toString('base64') };
    const { code } = (await (await change({ assets: { large } })).json()) as { code: string };
    expect(code).toBe('content_too_large');
    expect(await ada.json('/v1/account')).toMatchObject({ assets: [] });
  });
});
