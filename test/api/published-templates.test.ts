/** Templates by version: a render names a version, the current one or the published one, and what is published stays. */
import { expect, test } from 'vitest';
import { type DryRunResult, type List, problem, type TemplateRecord, type VersionRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';

const MAX_BYTES = 1_000_000;
const { newClient } = await openApp({}, undefined, ({ services, ...config }) => ({
  ...config,
  services: { ...services, templates: { ...services.templates, maxTemplateBytes: MAX_BYTES } },
}));
const [ada, bob] = [await newClient(), await newClient()];

const base64 = (text: string) => Buffer.from(text).toString('base64');
const textOf = async (template_id: string, client = ada) =>
  (await readPdfReply(await client.pdf({ template_id, data: { x: 'x' } }))).pages.join();
const put = async (id: string, body: object, client = ada) => {
  const reply = await client.send('PUT', `/v1/templates/${id}`, body);
  expect(reply.status, await reply.clone().text()).toBe(200);
};
const publish = (id: string, published_version: unknown, headers: Record<string, string> = {}, client = ada) =>
  client.send('PATCH', `/v1/templates/${id}`, { published_version }, headers);
const versionsOf = async (id: string, client = ada) =>
  (await client.json<List<VersionRecord>>(`/v1/templates/${id}/versions?limit=100`)).data;

/** A template with three versions, each with a file and an engine of its own. */
async function threeVersions(): Promise<string> {
  const html = (word: string) => `<link rel="stylesheet" href="a.css"><p>${word} {{x}}`;
  const files = (word: string) => ({ 'a.css': { content: base64(`p::after { content: " ${word}" }`) } });
  const { id } = await ada.template(html('one'), { assets: files('first') });
  await put(id, { html: html('two'), engine: 'liquid', assets: files('second') });
  await put(id, { html: html('three'), engine: 'placeholders', assets: files('third') });
  return id;
}

test('renders each version with its HTML, engine and files, however often and in whatever order', async () => {
  const id = await threeVersions();
  const texts = {
    '@1': 'one x first',
    '@2': 'two x second',
    '@3': 'three x third',
    '@latest': 'three x third',
    '': 'three x third',
  };
  for (const round of [1, 2])
    for (const [suffix, text] of Object.entries(texts)) expect([round, await textOf(id + suffix)]).toEqual([round, text]);
  await put(id, { html: 'four', assets: {} });
  expect([await textOf(`${id}@3`), await textOf(`${id}@latest`), await textOf(id)]).toEqual(['three x third', 'four', 'four']);
});

test('renders the published version until another one is published', async () => {
  const id = await threeVersions();
  const none = await problem(await ada.pdf({ template_id: `${id}@published` }), 404, 'not_found');
  expect(none.detail).toContain('template_id: no version of the template is published');
  const published = await publish(id, 2);
  expect([published.status, published.headers.get('etag')]).toEqual([200, '"3"']);
  expect(await published.json()).toMatchObject({ version: 3, published_version: 2 });
  expect(await textOf(`${id}@published`)).toBe('two x second');
  expect((await versionsOf(id)).map(({ version, published }) => [version, published])).toEqual([
    [3, false],
    [2, true],
    [1, false],
  ]);
  await publish(id, 3);
  expect(await textOf(`${id}@published`)).toBe('three x third');
  await put(id, { html: 'four' });
  expect([await textOf(`${id}@published`), await textOf(id)]).toEqual(['three x third', 'four']);
  expect(await ada.json<TemplateRecord>(`/v1/templates/${id}`)).toMatchObject({ version: 4, published_version: 3 });
  expect(await (await publish(id, null)).json()).toMatchObject({ published_version: null });
  await problem(await ada.pdf({ template_id: `${id}@published` }), 404, 'not_found');
});

test('names a version wherever a template is rendered, and keeps the plain id', async () => {
  const id = await threeVersions();
  await publish(id, 1);
  const pinned = { template_id: `${id}@published`, data: { x: 'x' } };
  const stored = await ada.store({ ...pinned, template_id: `${id}@2` });
  expect(stored.template_id).toBe(id);
  const read = async (documentId: string | null = '') =>
    (await readPdf(await (await ada.get(`/v1/documents/${documentId}`)).arrayBuffer())).pages.join();
  const { items = [] } = await ada.batch({
    defaults: pinned,
    items: [{}, { template_id: `${id}@2` }, { template_id: `${id}@77` }],
  });
  expect(items[2]).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
  expect([await read(items[0]?.document_id), await read(items[1]?.document_id)]).toEqual(['one x first', 'two x second']);
  const parts = [pinned, { ...pinned, template_id: `${id}@2` }];
  const { pages } = await readPdfReply(await ada.send('POST', '/v1/pdf/assemble', { parts }));
  expect(pages).toEqual(['one x first', 'two x second']);
  const missing = await ada.send('POST', '/v1/pdf/assemble', { parts: [pinned, { template_id: `${id}@99` }] });
  expect((await problem(missing, 404, 'not_found')).detail).toContain('parts[1]');
  expect((await ada.send('POST', '/v1/image', pinned)).headers.get('content-type')).toBe('image/png');
  const dry = (await (await ada.pdf({ ...pinned, dry_run: true })).json()) as DryRunResult;
  expect(dry.template).toEqual({ template_id: id, version: 1, missing: [], unused: [] });
  const { data } = await ada.json<List<object>>(`/v1/requests?template_id=${id}`);
  expect(data).toContainEqual(expect.objectContaining({ template_id: id, template_version: 2, document_id: stored.document_id }));
});

test('repeats the reply to the same version only', async () => {
  const id = await threeVersions();
  const headers = { 'idempotency-key': `once-${id}` };
  const first = await readPdfReply(await ada.pdf({ template_id: `${id}@1`, data: { x: 'x' } }, headers));
  expect(first.pages).toEqual(['one x first']);
  await problem(await ada.pdf({ template_id: `${id}@2`, data: { x: 'x' } }, headers), 422, 'idempotency_mismatch');
});

test('keeps a published version beyond the last 20, and forgets it when it is not published any more', async () => {
  const { id } = await ada.template('<p>1', { assets: { 'a.txt': { content: base64('file of 1') } } });
  await publish(id, 1);
  for (let n = 2; n <= 23; n++) await put(id, { html: `<p>${n}` });
  expect((await versionsOf(id)).map(({ version }) => version)).toEqual([...Array.from({ length: 21 }, (_, n) => 23 - n), 1]);
  expect(await textOf(`${id}@published`)).toBe('1');
  const gone = await problem(await ada.pdf({ template_id: `${id}@2` }), 404, 'not_found');
  expect(gone.detail).toContain('version 2 of the template is not stored');
  await problem(await publish(id, 2), 400, 'invalid_request');
  expect(await textOf(`${id}@published`)).toBe('1');
  await publish(id, 23);
  expect((await versionsOf(id)).map(({ version }) => version)).not.toContain(1);
  await problem(await ada.pdf({ template_id: `${id}@1` }), 404, 'not_found');
});

test('counts a published version towards the limit of bytes, so that it cannot fill the disk', async () => {
  const client = await newClient();
  const html = (part: number) => 'x'.repeat(part * MAX_BYTES);
  const { id } = await client.template(html(0.7));
  await publish(id, 1, {}, client);
  await problem(await client.send('PUT', `/v1/templates/${id}`, { html: html(0.4) }), 422, 'template_limit');
  await put(id, { html: html(0.2) }, client);
  for (let n = 0; n < 6; n++) await put(id, { html: html(0.25) }, client);
  // 0.7 are published; the others together may have as much as the limit again.
  expect((await versionsOf(id, client)).map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 1]);
  await problem(await publish(id, 99, {}, client), 400, 'invalid_request');
  await publish(id, null, {}, client);
  expect((await versionsOf(id, client)).map(({ version }) => version)).toEqual([8, 7, 6, 5, 4]);
});

test.each(['@', '@0', '@-1', '@1.0', '@1e3', '@01', '@Latest', '@ 7', '@7@7', '@9999999999', '@latest '])(
  'refuses the suffix %s',
  async (suffix) => {
    const { errors } = await problem(
      await ada.pdf({ template_id: `tpl_0123456789ABCDEFGHIJKL${suffix}` }),
      400,
      'invalid_request',
    );
    expect(errors).toEqual([{ path: 'template_id', message: expect.stringContaining('@published') }]);
  },
);

test.each([0, -1, 1.5, '1', 'latest', 2 ** 31, {}])('refuses %j as a published version', async (version) => {
  const { id } = await ada.template('<p>x');
  const { errors } = await problem(await publish(id, version), 400, 'invalid_request');
  expect(errors?.[0]?.path).toBe('published_version');
});

test('publishes only in the version that was expected, alone, and only for the owner', async () => {
  const id = await threeVersions();
  await problem(await publish(id, 1, { 'if-match': '"2"' }), 412, 'version_conflict');
  expect((await ada.json<TemplateRecord>(`/v1/templates/${id}`)).published_version).toBeNull();
  expect((await publish(id, 1, { 'if-match': '"3"' })).status).toBe(200);
  await problem(await ada.send('PATCH', `/v1/templates/${id}`, { published_version: 1, name: 'x' }), 400, 'invalid_request');
  await problem(await publish(id, 2, {}, bob), 404, 'not_found');
  for (const suffix of ['@1', '@published', '@latest', '@99'])
    await problem(await bob.pdf({ template_id: id + suffix }), 404, 'not_found');
  const unknown = 'tpl_0123456789ABCDEFGHIJKL';
  const details = await Promise.all(
    [id, unknown].map(
      async (each) => (await problem(await bob.pdf({ template_id: `${each}@published` }), 404, 'not_found')).detail,
    ),
  );
  expect(details[0]).toBe(details[1]);
});

test('publishes a version or forgets it when both are tried at once, never half', async () => {
  const { id } = await ada.template('<p>1');
  for (let n = 2; n <= 21; n++) await put(id, { html: `<p>${n}` });
  const [published] = await Promise.all([publish(id, 1), put(id, { html: '<p>22' })]);
  const { published_version } = await ada.json<TemplateRecord>(`/v1/templates/${id}`);
  expect(published_version).toBe(published.status === 200 ? 1 : null);
  if (published_version) expect(await textOf(`${id}@published`)).toBe('1');
  expect((await ada.send('DELETE', `/v1/templates/${id}`)).status).toBe(204);
  await problem(await ada.pdf({ template_id: `${id}@1` }), 404, 'not_found');
});
