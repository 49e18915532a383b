/** Metadata of documents, templates and batches: stored as sent, usable as a filter, and deleted with its object. */
import { describe, expect, test } from 'vitest';
import { Client, type DocumentRecord, type List, problem, type TemplateRecord } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { rowsOf } from '../support/stored.ts';

const service = await sharedService();
const ada = new Client(service.url, service.key);
const bob = new Client(service.url, (await service.createKey()).key);

const html = '<p>x';
type WithMetadata = { metadata: Record<string, string> };
const ids = async (client: Client, query: string) =>
  (await client.json<List<DocumentRecord>>(`/v1/documents?${query}`)).data.map(({ document_id }) => document_id);
const errorsOf = async (reply: Promise<Response>) => (await problem(await reply, 400, 'invalid_request')).errors;

describe('documents', () => {
  test('have it in their record, next to the properties of the PDF', async () => {
    const metadata = { order: '1234', 'customer no.': 'ä"\\%_', empty: '' };
    const { document_id } = await ada.store({ html, metadata, options: { metadata: { title: 'Invoice' } } });
    expect(await ada.json(`/v1/documents/${document_id}`)).toMatchObject({ metadata });
    expect(await readPdfReply(await ada.get(`/v1/documents/${document_id}`))).toMatchObject({ title: 'Invoice' });
  });

  test('have an empty one by default', async () => {
    expect(await ada.store({ html })).toMatchObject({ metadata: {} });
    expect(await ada.store({ html, metadata: null })).toMatchObject({ metadata: {} });
  });

  test('are found by it only if every pair matches completely and in its case', async () => {
    const made: string[] = [];
    for (const metadata of [
      { kind: 'a', n: '1' },
      { kind: 'a', n: '2' },
      { kind: 'b', n: '2' },
    ])
      made.push((await ada.store({ html, metadata, filename: `${metadata.kind}.pdf` })).document_id);
    expect(await ids(ada, 'metadata[kind]=a')).toEqual([made[1], made[0]]);
    expect(await ids(ada, 'metadata%5Bkind%5D=a&metadata[n]=2')).toEqual([made[1]]);
    expect(await ids(ada, 'metadata[n]=2&q=b.pdf')).toEqual([made[2]]);
    expect(await ids(ada, `metadata[n]=2&q=${made[1]}`)).toEqual([made[1]]);
    expect(await ids(ada, 'metadata[kind]=A')).toEqual([]);
    expect(await ids(ada, 'metadata[kind]=')).toEqual([]);
    expect(await ids(bob, 'metadata[kind]=a')).toEqual([]);
  });

  test('are listed page by page', async () => {
    for (const n of ['1', '2', '3']) await ada.store({ html, metadata: { paged: 'yes', n } });
    const first = await ada.json<List<DocumentRecord & WithMetadata>>('/v1/documents?metadata[paged]=yes&limit=2');
    const rest = await ada.json<List<DocumentRecord & WithMetadata>>(
      `/v1/documents?metadata[paged]=yes&limit=2&cursor=${first.next_cursor}`,
    );
    expect([...first.data, ...rest.data].map(({ metadata }) => metadata.n)).toEqual(['3', '2', '1']);
    expect([first.has_more, rest.has_more]).toEqual([true, false]);
  });

  test('accept it with a raw body, next to the option of the same name', async () => {
    const query = new URLSearchParams({ 'metadata[order]': '7', metadata: '{"title":"Raw"}', store: 'true' });
    const reply = await ada.send('POST', `/v1/pdf?${query}`, html, { 'content-type': 'text/html' });
    const { document_id, metadata } = (await reply.json()) as DocumentRecord & WithMetadata;
    expect(metadata).toEqual({ order: '7' });
    expect(await readPdfReply(await ada.get(`/v1/documents/${document_id}`))).toMatchObject({ title: 'Raw' });
  });

  test('leave nothing of it behind when they are deleted', async () => {
    const { document_id } = await ada.store({ html, metadata: { secret: 'to be forgotten' } });
    expect((await ada.send('DELETE', `/v1/documents/${document_id}`)).status).toBe(204);
    const query = (statement: string) => rowsOf(service.env, statement);
    expect(await query(`select metadata from documents where id = '${document_id}'`)).toEqual([{ metadata: null }]);
    expect(await query(`select 1 from metadata_index where object_id = '${document_id}'`)).toEqual([]);
  });
});

test('keep that of templates until it is replaced, in all versions', async () => {
  const { template_id } = await ada.template(html, { metadata: { team: 'billing' } });
  const listed = async (query: string) =>
    (await ada.json<List<TemplateRecord & WithMetadata>>(`/v1/templates?${query}`)).data.map(({ metadata }) => metadata);
  expect((await (await ada.send('PUT', `/v1/templates/${template_id}`, { html: '<p>y' })).json()) as object).toMatchObject({
    ...{ version: 2, metadata: { team: 'billing' } },
  });
  expect(await listed('metadata[team]=billing')).toEqual([{ team: 'billing' }]);
  await ada.send('PUT', `/v1/templates/${template_id}`, { html: '<p>z', metadata: { team: 'sales' } });
  expect(await listed('metadata[team]=billing')).toEqual([]);
  expect(await listed('metadata[team]=sales')).toEqual([{ team: 'sales' }]);
  expect(await ada.json(`/v1/templates/${template_id}/versions/1`)).toMatchObject({ metadata: { team: 'sales' } });
  await ada.send('DELETE', `/v1/templates/${template_id}`);
  expect(await listed('metadata[team]=sales')).toEqual([]);
});

test('merge that of items and defaults, and batches have their own', async () => {
  const body = {
    items: [{ html }, { html, metadata: { n: '2', run: 'own' } }],
    defaults: { metadata: { run: 'monthly' } },
    metadata: { month: '2026-11' },
  };
  const batch = await ada.batch(body);
  expect(batch).toMatchObject({ metadata: { month: '2026-11' }, succeeded: 2 });
  expect(batch.items[0]?.document_id).not.toBe(batch.items[1]?.document_id);
  const documents = await Promise.all(batch.items.map(({ document_id: id }) => ada.json<WithMetadata>(`/v1/documents/${id}`)));
  expect(documents.map(({ metadata }) => metadata)).toEqual([{ run: 'monthly' }, { run: 'own', n: '2' }]);
  const listed = await ada.json<List<{ batch_id: string }>>('/v1/batches?metadata[month]=2026-11');
  expect(listed.data.map(({ batch_id }) => batch_id)).toEqual([batch.batch_id]);
  expect((await bob.json<List<object>>('/v1/batches?metadata[month]=2026-11')).data).toEqual([]);
});

describe('400', () => {
  const long = 'x'.repeat(501);
  test.each([
    [{ order: 1 }, 'metadata.order', 'must be a string of at most 500 characters'],
    [{ order: null }, 'metadata.order', 'must be a string of at most 500 characters, not null'],
    [{ order: long }, 'metadata.order', 'must have at most 500 characters, and has 501'],
    [{ ['y'.repeat(41)]: '' }, `metadata.${'y'.repeat(40)}`, 'must have a name of 1 to 40 characters'],
    [{ 'a[b]': '' }, 'metadata.a[b]', 'without brackets'],
    [{ a: '\ud800' }, 'metadata.a', 'half of a surrogate pair'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, ''])), 'metadata', 'must have at most 20 members'],
    [['order'], 'metadata', 'must be an object of strings'],
  ])('%j', async (metadata, path, message) => {
    for (const [address, body] of Object.entries({
      pdf: { html },
      templates: { html, name: 'x' },
      batches: { items: [{ html }] },
    }))
      expect(await errorsOf(ada.send('POST', `/v1/${address}`, { ...body, metadata }))).toContainEqual(
        expect.objectContaining({ path, message: expect.stringContaining(message) }),
      );
  });

  test('counts characters, not surrogate halves', async () => {
    await ada.template(html, { metadata: { ['😀'.repeat(40)]: '😀'.repeat(500) } });
  });

  test.each([
    ['metadata=x', 'metadata', 'must be sent as metadata[NAME]=VALUE'],
    ['metadata[a]=1&metadata[a]=2', 'metadata[a]', 'is sent more than once'],
    ['metadata[]=1', 'metadata[]', 'cannot be the name of metadata'],
    ['meta[a]=1', 'meta[a]', 'there is no such parameter'],
  ])('rejects ?%s', async (query, path, message) => {
    for (const list of ['documents', 'templates', 'batches'])
      expect(await errorsOf(ada.get(`/v1/${list}?${query}`))).toMatchObject([
        { path, message: expect.stringContaining(message) },
      ]);
  });
});
