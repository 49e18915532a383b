/** Files of templates: versioned, served only to one render, and deleted with the template. */
import { describe, expect, test } from 'vitest';
import { problem, type TemplateRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { storedWith } from '../support/stored.ts';

const LIMIT = 5;

const limits = { PLATEN_MAX_ASSETS: String(LIMIT), PLATEN_MAX_ASSETS_MB: '1' };
const { app, env, newClient } = await openApp(limits, undefined, ({ services, ...config }) => ({
  ...config,
  services: { ...services, templates: { ...services.templates, maxTemplateBytes: 3_100_000 } },
}));
const ada = await newClient();

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** Returns a style sheet that prints a word. */
const css = (word: string) => `body::after { content: "${word}" }`;
const sheet = (word: string) => ({ 'css/print.css': { content: base64(css(word)) } });
const HTML = '<link rel="stylesheet" href="css/print.css"><p>{{name}}';
const textOf = async (reply: Response) => (await readPdfReply(reply)).pages.join();
const rendered = async (template_id: string, more: object = {}) =>
  textOf(await ada.pdf({ template_id, data: { name: 'Ada' }, ...more }));
const assetsOf = (id: string) =>
  ada.json<{ data: Array<{ path: string; type: string; bytes: number }> }>(`/v1/templates/${id}/assets`);
const put = (id: string, path: string, body: string | Uint8Array, type = 'text/css', by = ada) =>
  by.send('PUT', `/v1/templates/${id}/assets/${path}`, body, { 'content-type': type });

async function isStored(text: string): Promise<boolean> {
  return (await storedWith(env, text)).length > 0;
}

test('lists, returns, replaces and removes assets with the template, each time as a new version', async () => {
  const { template_id: id } = await ada.template(HTML, { assets: sheet('one') });
  expect(await rendered(id)).toContain('one');
  expect(await assetsOf(id)).toEqual({
    data: [{ path: 'css/print.css', type: 'text/css; charset=utf-8', bytes: css('one').length }],
  });
  const replaced = await put(id, 'css/print.css', css('two'));
  expect([replaced.status, ((await replaced.json()) as TemplateRecord).version]).toEqual([200, 2]);
  expect(await rendered(id)).toContain('two');
  await put(id, 'more%20files/x.txt', 'text', 'text/plain');
  expect((await assetsOf(id)).data.map(({ path }) => path)).toEqual(['css/print.css', 'more files/x.txt']);
  const fetched = await ada.get(`/v1/templates/${id}/assets/more%20files/x.txt`);
  expect([await fetched.text(), fetched.headers.get('content-disposition')]).toEqual(['text', 'attachment']);
  expect(((await (await ada.send('DELETE', `/v1/templates/${id}/assets/css/print.css`)).json()) as TemplateRecord).version).toBe(
    4,
  );
  expect(await rendered(id)).not.toContain('two');
  await problem(await ada.send('DELETE', `/v1/templates/${id}/assets/css/print.css`), 404, 'not_found');
});

test('lists and returns the files of an earlier version', async () => {
  const { template_id: id } = await ada.template(HTML, { assets: { ...sheet('one'), 'old.txt': { content: base64('old') } } });
  await ada.send('PATCH', `/v1/templates/${id}`, { assets: { ...sheet('second'), 'old.txt': null } });
  const files = `/v1/templates/${id}/assets`;
  const pathsOf = async (query: string) =>
    (await ada.json<{ data: Array<{ path: string }> }>(files + query)).data.map(({ path }) => path);
  expect(await pathsOf('?version=1')).toEqual(['css/print.css', 'old.txt']);
  expect(await pathsOf('?version=2')).toEqual(await pathsOf(''));
  expect(await (await ada.get(`${files}/css/print.css?version=1`)).text()).toContain('one');
  expect(await (await ada.get(`${files}/css/print.css`)).text()).toContain('second');
  expect(await (await ada.get(`${files}/old.txt?version=1`)).text()).toBe('old');
  await problem(await ada.get(`${files}/old.txt?version=2`), 404, 'not_found');
  await problem(await ada.get(`${files}?version=3`), 404, 'not_found');
  for (const version of ['0', '-1', '1.5', 'x', '', '9'.repeat(400)])
    await problem(await ada.get(`${files}?version=${version}`), 400, 'invalid_request');
});

test('keeps assets with new HTML, and replaces all of them with a new list, also an empty one', async () => {
  const { template_id: id } = await ada.template(HTML, { assets: sheet('kept') });
  const change = async (body: object) => expect((await ada.send('PUT', `/v1/templates/${id}`, body)).status).toBe(200);
  await change({ html: `${HTML}!` });
  expect(await rendered(id)).toContain('kept');
  await change({ html: HTML, assets: { 'other.css': { content: base64('x') } } });
  expect((await assetsOf(id)).data.map(({ path }) => path)).toEqual(['other.css']);
  await change({ html: HTML, assets: {} });
  expect((await assetsOf(id)).data).toEqual([]);
});

test('changes the text and some of the files in one version, of which nothing stays if it is refused', async () => {
  const assets = { ...sheet('one'), 'old.txt': { content: base64('old') }, 'kept.txt': { content: base64('kept') } };
  const { template_id: id } = await ada.template(HTML, { assets });
  const path = `/v1/templates/${id}`;
  const html = `{% assign x = "${'two'}" %}${HTML}{{ x }}`;
  const changes = { html, engine: 'liquid', assets: { ...sheet('second'), './old.txt': null, 'missing.txt': null } };
  const change = (body: object, version: number) => ada.send('PATCH', path, body, { 'if-match': `"${version}"` });
  const changed = await change(changes, 1);
  expect([changed.status, changed.headers.get('etag'), await changed.json()]).toMatchObject([
    200,
    '"2"',
    { version: 2, engine: 'liquid', placeholders: ['name'] },
  ]);
  expect((await assetsOf(id)).data.map((asset) => asset.path)).toEqual(['css/print.css', 'kept.txt']);
  expect(await rendered(id)).toMatch(/Adatwo\s*second/);
  expect(await ada.json(`${path}/versions`)).toMatchObject({ data: [{ version: 2 }, { version: 1 }] });
  const isSame = async () => {
    expect(await ada.json(path)).toMatchObject({ version: 2, html, engine: 'liquid' });
    expect((await assetsOf(id)).data.map((asset) => asset.path)).toEqual(['css/print.css', 'kept.txt']);
  };
  await problem(
    await change({ html: 'late', assets: { 'late.txt': { content: base64('refused late') } } }, 1),
    412,
    'version_conflict',
  );
  const broken = { html: '{% if %}', assets: { 'broken.txt': { content: base64('refused broken') } } };
  await problem(await change(broken, 2), 422, 'template_error');
  const many = Object.fromEntries(Array.from({ length: LIMIT }, (_, n) => [`${n}.txt`, { content: base64(`refused ${n}`) }]));
  await problem(await change({ html: 'many', assets: many }, 2), 413, 'content_too_large');
  await isSame();
  for (const text of ['refused late', 'refused broken', 'refused 1']) expect(await isStored(text)).toBe(false);
  expect((await change({ assets: { 'kept.txt': null } }, 2)).status).toBe(200);
  expect(await ada.json(path)).toMatchObject({ version: 3, html, engine: 'liquid' });
  await problem(await (await newClient()).send('PATCH', path, { html: 'theirs' }), 404, 'not_found');
});

test.each([
  [{ engine: 'liquid' }, 'engine'],
  [{ html: 5 }, 'html'],
  [{ assets: { 'a.css': 'text' } }, 'assets.a.css'],
  [{ assets: { 'a.css': { content: '%' } } }, 'assets.a.css.content'],
  [{ assets: { '../a.css': { content: '' } } }, 'assets.../a.css'],
  [{ html: 'x', published_version: 1 }, 'published_version'],
])('refuses the change %j', async (change, path) => {
  const { template_id: id } = await ada.template(HTML);
  const { errors } = await problem(await ada.send('PATCH', `/v1/templates/${id}`, change), 400, 'invalid_request');
  expect(errors).toMatchObject([{ path }]);
});

test('accepts a form', async () => {
  const form = new FormData();
  form.append('name', 'invoice');
  form.append('html', HTML);
  form.append('engine', 'liquid');
  form.append('files', new Blob([css('formed')]), 'css/print.css');
  const reply = await fetch(`${app.url}/v1/templates`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${ada.key}` },
  });
  expect(reply.status, await reply.clone().text()).toBe(201);
  const made = (await reply.json()) as TemplateRecord;
  expect(made).toMatchObject({ name: 'invoice', engine: 'liquid' });
  expect(await rendered(made.template_id)).toContain('formed');
});

test('lets a file of the request replace one at its path, and keeps the others', async () => {
  const { template_id: id } = await ada.template(`${HTML}<link rel="stylesheet" href="b.css">`, {
    assets: { ...sheet('stored'), 'b.css': { content: base64('p::before { content: "beside" }') } },
  });
  const text = await rendered(id, { assets: sheet('sent') });
  expect(text).toContain('sent');
  expect(text).toContain('beside');
  expect(text).not.toContain('stored');
  expect(await rendered(id)).toContain('stored');
  const { errors } = await problem(
    await ada.pdf({ template_id: id, options: { baseUrl: 'https://example.com/' } }),
    400,
    'invalid_request',
  );
  expect(errors).toMatchObject([{ path: 'options.baseUrl' }]);
});

test('provides assets to images, batches and dry runs', async () => {
  const { template_id } = await ada.template(HTML, { assets: sheet('everywhere') });
  const { items } = await ada.batch({ items: [{ template_id }] });
  expect(await textOf(await fetch(items[0]?.url ?? ''))).toContain('everywhere');
  const image = await ada.send('POST', '/v1/image', { template_id, options: { failOnResourceError: true } });
  expect(image.status).toBe(200);
});

describe('cannot be read', () => {
  test('by another key, neither by name nor by a document', async () => {
    const { template_id: id } = await ada.template(HTML, { assets: sheet('private') });
    const other = await newClient();
    await problem(await other.get(`/v1/templates/${id}/assets`), 404, 'not_found');
    await problem(await other.get(`/v1/templates/${id}/assets/css/print.css`), 404, 'not_found');
    await problem(await put(id, 'css/print.css', 'x', 'text/css', other), 404, 'not_found');
    await problem(await other.send('DELETE', `/v1/templates/${id}/assets/css/print.css`), 404, 'not_found');
    expect(await textOf(await other.pdf({ html: HTML, assets: { 'x.css': { content: '' } } }))).not.toContain('private');
  });

  test('by a later render of the same key without the template or with another, or in the playground', async () => {
    const { template_id } = await ada.template(HTML, { assets: sheet('earlier') });
    expect(await rendered(template_id)).toContain('earlier');
    const another = await ada.template(HTML, { assets: { 'a.css': { content: '' } } });
    expect(await rendered(another.template_id)).not.toContain('earlier');
    expect(await textOf(await ada.pdf({ html: HTML }))).not.toContain('earlier');
    const headers = { 'content-type': 'application/json' };
    const played = await fetch(`${app.url}/v1/playground/pdf`, { method: 'POST', headers, body: JSON.stringify({ html: HTML }) });
    expect(await textOf(played)).not.toContain('earlier');
  });
});

describe('limits', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.txt`, { content: 'eA==' }]));

  test('the number and bytes of files', async () => {
    await problem(
      await ada.send('POST', '/v1/templates', { name: 'x', html: 'x', assets: many(LIMIT + 1) }),
      400,
      'invalid_request',
    );
    const { template_id: id } = await ada.template('x', { assets: many(LIMIT) });
    expect(await problem(await put(id, 'one-more', 'x'), 413, 'content_too_large')).toMatchObject({ limit: LIMIT });
    expect((await put(id, '0.txt', 'y')).status).toBe(200);
    await problem(await put(id, '0.txt', 'x'.repeat(1_048_577)), 413, 'content_too_large');
    await problem(await put(id, '0.txt', 'x'.repeat(1_048_575)), 413, 'content_too_large');
  });

  test.each(['..%2Fx', 'a//b', '%5Cx', '.', 'x%00'])('rejects a file at %s', async (path) => {
    const { template_id: id } = await ada.template('x');
    expect([400, 404]).toContain((await put(id, path, 'x')).status);
    expect((await assetsOf(id)).data).toEqual([]);
  });

  test('the bytes of all templates of a key, removing old versions first', async () => {
    const busy = await newClient();
    const big = (n: number) => Buffer.alloc(1_000_000, n);
    const { template_id: id } = await busy.template('x');
    for (let n = 0; n < 8; n++) expect((await put(id, 'x', big(n), 'image/png', busy)).status).toBe(200);
    const { data } = await busy.json<{ data: object[] }>(`/v1/templates/${id}/versions?limit=100`);
    expect(data).toHaveLength(4); // The limit leaves space for three earlier versions.
    for (let n = 0; n < 2; n++) await put((await busy.template('x')).template_id, 'x', big(n), 'image/png', busy);
    const refused = await busy.send('POST', '/v1/templates', {
      name: 'x',
      html: 'x',
      assets: { x: { content: big(9).toString('base64') } },
    });
    await problem(refused, 422, 'template_limit');
  });
});

test('removes deleted files from the disk, except those of a version', async () => {
  const marks = ['mark-one', 'mark-two'].map((mark) => `${mark}-${Date.now()}`);
  const [first = '', second = ''] = marks;
  const { template_id: id } = await ada.template(HTML, { assets: { a: { content: base64(first) } } });
  await put(id, 'a', second);
  expect([await isStored(first), await isStored(second)]).toEqual([true, true]);
  await ada.send('DELETE', `/v1/templates/${id}`);
  expect([await isStored(first), await isStored(second)]).toEqual([false, false]);
});

test('leaves nothing after a rejection, and keeps files in use during a sweep', async () => {
  const mark = `refused-${Date.now()}`;
  const body = { name: 'x', html: '{% nothing %}', engine: 'liquid', assets: { a: { content: base64(mark) } } };
  await problem(await ada.send('POST', '/v1/templates', body), 422, 'template_error');
  expect(await isStored(mark)).toBe(false);
  const { template_id } = await ada.template(HTML, { assets: sheet('swept') });
  await app.sweep.run();
  expect(await rendered(template_id)).toContain('swept');
});

test('rejects a form whose request is not an object, however long it is', async () => {
  const form = new FormData();
  form.set('request', JSON.stringify('a'.repeat(1_000_000)));
  form.set('name', 'x');
  const reply = await fetch(`${app.url}/v1/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.key}` },
    body: form,
  });
  await problem(reply, 400, 'invalid_request');
});
