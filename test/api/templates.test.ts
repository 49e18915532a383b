/** Templates through HTTP, grouped by status: stored, rendered by id, and changed without changes to calling code. */
import { describe, expect, test } from 'vitest';
import { Client, type List, problem, succeeded, type TemplateRecord, type VersionRecord } from '../support/client.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const ada = new Client(service.url, service.key);
const bob = new Client(service.url, (await service.createKey()).key);

async function textOf(body: object, client = ada): Promise<string> {
  const response = await succeeded(client.pdf(body));
  const { pages } = await readPdf(await response.arrayBuffer());
  return pages.join('\n');
}

const unknownId = 'tpl_0123456789ABCDEFGHIJKL';

describe('201 and 200', () => {
  test('stores a template and returns it', async () => {
    const response = await ada.send('POST', '/v1/templates', { name: 'invoice', html: '<h1>{{ customer.name }}</h1>{{{note}}}' });
    expect(response.status).toBe(201);
    const template = (await response.json()) as TemplateRecord;
    expect(template).toMatchObject({
      name: 'invoice',
      engine: 'placeholders',
      version: 1,
      placeholders: ['customer.name', 'note'],
    });
    expect(template.template_id).toMatch(/^tpl_[0-9A-Za-z]{22}$/);
    expect(template.id).toBe(template.template_id);
    expect(template.created_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(response.headers.get('location')).toBe(`${service.url}/v1/templates/${template.template_id}`);
    expect(await ada.json(`/v1/templates/${template.template_id}`)).toEqual({
      ...template,
      html: '<h1>{{ customer.name }}</h1>{{{note}}}',
      samples: {},
      schema: null,
    });
  });

  test('renders a template by id, escaped and raw, in one pass, with missing values empty', async () => {
    const { template_id } = await ada.template('<p>[{{a.b}}] [{{{c}}}] [{{missing.path}}] [{{n}}] [{{braces}}]');
    const data = { a: { b: '<i>x & y</i>' }, c: '<b>bold</b> {{n}}', n: 12.5, braces: '{{n}} {{{c}}}' };
    expect(await textOf({ template_id, data })).toBe('[<i>x & y</i>] [bold {{n}}] [] [12.5] [{{n}} {{{c}}}]');
  });

  test('renders every placeholder empty without data', async () => {
    const { template_id } = await ada.template('<p>[{{a}}]');
    expect(await textOf({ template_id })).toBe('[]');
  });

  test('accepts options, store and filename with a template', async () => {
    const { template_id } = await ada.template('<p>{{x}}');
    const document = await ada.store({ template_id, data: { x: 'stored' }, options: { format: 'A6' }, filename: 'x.pdf' });
    expect(document).toMatchObject({ source: 'template', template_id, filename: 'x.pdf', pages: 1 });
    const pdf = await readPdf(await (await ada.get(`/v1/documents/${document.document_id}`)).arrayBuffer());
    expect(pdf.pages[0]).toBe('stored');
    expect(millimetresOf(pdf)).toEqual([[105, 148]]);
  });

  test('uses a new version from the next render', async () => {
    const template = await ada.template('<p>one {{x}}');
    const before = { template_id: template.template_id, data: { x: 'x' } };
    expect(await textOf(before)).toBe('one x');
    const response = await ada.send('PUT', `/v1/templates/${template.template_id}`, { html: '<p>two {{x}} {{y}}' });
    expect(response.status).toBe(200);
    const after = (await response.json()) as TemplateRecord;
    expect(after).toMatchObject({ name: 'test', engine: 'placeholders', version: 2, placeholders: ['x', 'y'] });
    expect(after.created_at).toBe(template.created_at);
    expect(await textOf(before)).toBe('two x');
    const renamed = await ada.send('PUT', `/v1/templates/${template.template_id}`, {
      name: 'n',
      html: '<p>{{z}}',
      engine: 'liquid',
    });
    expect(await renamed.json()).toMatchObject({ name: 'n', engine: 'liquid', version: 3, placeholders: ['z'] });
    expect(await textOf({ ...before, data: { z: 'three' } })).toBe('three');
  });

  test('returns earlier versions, which can be restored', async () => {
    const { template_id } = await ada.template('<p>one {{x}}');
    const at = `/v1/templates/${template_id}`;
    await ada.send('PUT', at, { html: '<p>two', name: 'second', engine: 'liquid' });
    await ada.send('PUT', at, { html: '<p>three €' });
    const { data, has_more } = await ada.json<List<VersionRecord>>(`${at}/versions`);
    expect(data).toMatchObject([
      { version: 3, name: 'second', engine: 'liquid', bytes: 12 },
      { version: 2, name: 'second', engine: 'liquid', bytes: 6 },
      { version: 1, name: 'test', engine: 'placeholders', bytes: 12 },
    ]);
    expect(has_more).toBe(false);
    const first = await ada.json<TemplateRecord>(`${at}/versions/1`);
    expect(first).toMatchObject({ template_id, version: 1, name: 'test', html: '<p>one {{x}}', placeholders: ['x'] });
    expect(first.updated_at).toBe(data[2]?.updated_at);
    expect(await ada.json(`${at}/versions/3`)).toEqual(await ada.json(at));
    await ada.send('PUT', at, { html: first.html, engine: first.engine });
    expect(await textOf({ template_id, data: { x: 'again' } })).toBe('one again');
    const rest = await ada.json<List<VersionRecord>>(`${at}/versions?limit=2`);
    expect(rest.data.map(({ version }) => version)).toEqual([4, 3]);
    const last = await ada.json<List<VersionRecord>>(`${at}/versions?limit=2&cursor=${rest.next_cursor}`);
    expect(last.data.map(({ version }) => version)).toEqual([2, 1]);
    expect(last.next_cursor).toBeNull();
  });

  test('keeps the last 20 versions, within the limit of bytes', async () => {
    await using own = await startService({ PLATEN_MAX_TEMPLATES_MB: '64' });
    const client = new Client(own.url, own.key);
    const [small, large] = [await client.template('<p>0'), await client.template('<p>0')];
    const versions = async ({ template_id }: TemplateRecord) => {
      const { data } = await client.json<List<VersionRecord>>(`/v1/templates/${template_id}/versions?limit=100`);
      return data.map(({ version }) => version);
    };
    const put = async ({ template_id }: TemplateRecord, html: string) =>
      expect((await client.send('PUT', `/v1/templates/${template_id}`, { html })).status).toBe(200);
    for (let n = 2; n <= 23; n++) await put(small, `<p>${n}`);
    expect(await versions(small)).toEqual(Array.from({ length: 21 }, (_, n) => 23 - n));
    await problem(await client.get(`/v1/templates/${small.template_id}/versions/2`), 404, 'not_found');
    // 13 versions of 5 MB exceed 64 MB. The oldest versions of the key are deleted first, which are those of the small template.
    for (let n = 2; n <= 15; n++) await put(large, `${'x'.repeat(5_242_800)}${n}`);
    expect(await versions(small)).toEqual([23]);
    expect(await versions(large)).toEqual(Array.from({ length: 13 }, (_, n) => 15 - n));
  });

  test('supports loops, conditions and filters in a Liquid template', async () => {
    const html =
      '{% for i in items %}<p>{{ i.name | upcase }} {{ i.price | money: "EUR", "en" }}{% if i.sold %} sold{% endif %}</p>{% endfor %}';
    const { template_id, placeholders } = await ada.template(html, { engine: 'liquid' });
    expect(placeholders.join(' ')).toContain('items');
    const items = [
      { name: '<tea>', price: 1234.5, sold: true },
      { name: 'cup', price: 3 },
    ];
    expect((await textOf({ template_id, data: { items } })).replace(/\s+/g, ' ')).toBe('<TEA> €1,234.50 sold CUP €3.00');
  });

  test('keeps the engines apart for equal HTML', async () => {
    const { template_id } = await ada.template('<p>{{#if x}}{{ x }}{{/if}}');
    expect(await textOf({ template_id, data: { x: 'as it is' } })).toBe('{{#if x}}as it is{{/if}}');
  });

  test('lists templates newest first, paged, and stable while others are added', async () => {
    const lister = new Client(service.url, (await service.createKey()).key);
    for (let n = 1; n <= 5; n++) await lister.template(`<p>${n}`, { name: `t${n}` });
    const first = await lister.json<List<TemplateRecord>>('/v1/templates?limit=2');
    expect(first.data.map(({ name }) => name)).toEqual(['t5', 't4']);
    expect(first.has_more).toBe(true);
    await lister.template('<p>6', { name: 't6' });
    const second = await lister.json<List<TemplateRecord>>(`/v1/templates?limit=3&cursor=${first.next_cursor}`);
    expect(second.data.map(({ name }) => name)).toEqual(['t3', 't2', 't1']);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect(second.data[0]).not.toHaveProperty('html');
  });

  test('allows templates in every plan, also without storage', async () => {
    const client = new Client(service.url, (await service.createKey('nothing_kept')).key);
    const { template_id } = await client.template('<p>{{x}}');
    expect(await textOf({ template_id, data: { x: 'fine' } }, client)).toBe('fine');
  });

  test('renders a document exactly at the limit after substitution', async () => {
    const { template_id } = await ada.template('<p>end</p><!--{{x}}-->');
    const x = 'x'.repeat(5_242_880 - '<p>end</p><!---->'.length);
    expect(await textOf({ template_id, data: { x } })).toBe('end');
  });
});

test('deletes a template with 204', async () => {
  const { template_id } = await ada.template('<p>{{x}}');
  const path = `/v1/templates/${template_id}`;
  expect((await ada.send('DELETE', path)).status).toBe(204);
  await problem(await ada.get(path), 404, 'not_found');
  await problem(await ada.send('DELETE', path), 404, 'not_found');
  await problem(await ada.pdf({ template_id, data: { x: 1 } }), 404, 'not_found');
});

describe('400', () => {
  test.each([
    ['no name', { html: 'x' }, 'name'],
    ['an empty name', { name: '', html: 'x' }, 'name'],
    ['no html', { name: 'x' }, 'html'],
    ['html that is no text', { name: 'x', html: 1 }, 'html'],
    ['a NUL in it', { name: 'x', html: 'a\0' }, 'html'],
    ['half a surrogate pair', '{"name": "x", "html": "\\ud800"}', 'html'],
    ['an unknown engine', { name: 'x', html: 'x', engine: 'mustache' }, 'engine'],
    ['an unknown field', { name: 'x', html: 'x', enginee: 'liquid' }, 'enginee'],
    ['no object', [], ''],
  ])('%s', async (_name, body, path) => {
    const { errors } = await problem(await ada.send('POST', '/v1/templates', body), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toContain(path);
  });

  test.each([
    ['html and template_id', { html: 'x', template_id: unknownId }, 'template_id'],
    ['neither', { options: {} }, 'html'],
    ['data without a template', { html: 'x', data: {} }, 'data'],
    ['data that is a list', { template_id: unknownId, data: [] }, 'data'],
    ['data that is a text', { template_id: unknownId, data: 'x' }, 'data'],
    ['an id that is no text', { template_id: 7 }, 'template_id'],
  ])('rejects a render with %s', async (_name, body, path) => {
    const { errors } = await problem(await ada.pdf(body), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toContain(path);
  });

  test('rejects data with more values than a document could print', async () => {
    const { template_id } = await ada.template('<p>{{x}}');
    const response = await ada.pdf(`{"template_id": "${template_id}", "data": {"x": [${'[],'.repeat(500_000)}0]}}`);
    expect((await problem(response, 400, 'invalid_json')).detail).toContain('500000 values');
    const inText = JSON.stringify({ template_id, data: { x: '[{,}]\\"'.repeat(200_000) } });
    expect((await ada.pdf(inText)).status).toBe(200);
  });

  test('rejects data that puts NUL or half a surrogate pair into the document', async () => {
    const { template_id } = await ada.template('<p>{{x}}');
    for (const x of ['\\u0000', '\\ud800']) {
      const response = await ada.pdf(`{"template_id": "${template_id}", "data": {"x": "${x}"}}`);
      expect((await problem(response, 400, 'invalid_request')).errors?.[0]?.path).toBe('data');
    }
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['limits=1', 'limits'],
  ])('rejects a list with ?%s', async (query, path) => {
    const { errors } = await problem(await ada.get(`/v1/templates?${query}`), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toEqual([path]);
  });
});

test('returns 401 for every request without a key', async () => {
  const nobody = new Client(service.url, 'nothing');
  for (const [method, path] of [
    ['POST', '/v1/templates'],
    ['GET', '/v1/templates'],
    ['GET', `/v1/templates/${unknownId}`],
    ['GET', `/v1/templates/${unknownId}/versions`],
    ['GET', `/v1/templates/${unknownId}/versions/1`],
    ['PUT', `/v1/templates/${unknownId}`],
    ['DELETE', `/v1/templates/${unknownId}`],
  ] as const)
    await problem(await nobody.send(method, path), 401, 'unauthorized');
});

test('returns the same 404 for a template of another key and an unknown one', async () => {
  const { template_id } = await ada.template('<p>secret');
  const problemsFor = async (id: string) =>
    Promise.all(
      [
        bob.get(`/v1/templates/${id}`),
        bob.get(`/v1/templates/${id}/versions`),
        bob.get(`/v1/templates/${id}/versions/1`),
        bob.send('PUT', `/v1/templates/${id}`, { html: 'x' }),
        bob.send('DELETE', `/v1/templates/${id}`),
        bob.pdf({ template_id: id }),
        bob.pdf({ template_id: id, store: true }),
      ].map(async (response) => {
        const { request_id: _, ...rest } = await problem(await response, 404, 'not_found');
        return rest;
      }),
    );
  expect(await problemsFor(template_id)).toEqual(await problemsFor(unknownId));
  expect(await bob.json<List<TemplateRecord>>('/v1/templates')).toEqual({ data: [], has_more: false, next_cursor: null });
  expect(await textOf({ template_id })).toBe('secret');
});

test('renames a template without its HTML, and keeps its files', async () => {
  const assets = { 'a.css': { content: '' } };
  const created = await ada.template('<p>{{x}}', { name: 'before', assets, metadata: { team: 'a' } });
  const path = `/v1/templates/${created.template_id}`;
  const renamed = await ada.send('PATCH', path, { name: 'after' }, { 'if-match': '"1"' });
  expect(renamed.headers.get('etag')).toBe('"2"');
  const same = { engine: 'placeholders', placeholders: ['x'], metadata: { team: 'a' } };
  expect(await renamed.json()).toMatchObject({ ...same, name: 'after', version: 2 });
  expect(await ada.json(path)).toMatchObject({ name: 'after', html: '<p>{{x}}' });
  expect((await ada.json<List<{ path: string }>>(`${path}/assets`)).data).toMatchObject([{ path: 'a.css' }]);
  await problem(await ada.send('PATCH', path, { name: 'late' }, { 'if-match': '"1"' }), 412, 'version_conflict');
  const tagged = await ada.send('PATCH', path, { metadata: { team: 'b' } });
  expect(await tagged.json()).toMatchObject({ name: 'after', metadata: { team: 'b' }, version: 3 });
  expect((await ada.json<List<TemplateRecord>>('/v1/templates?metadata[team]=b')).data).toHaveLength(1);
  for (const body of [{}, { name: '' }, { html: null }])
    await problem(await ada.send('PATCH', path, body), 400, 'invalid_request');
  await problem(await bob.send('PATCH', path, { name: 'theirs' }), 404, 'not_found');
});

describe('412', () => {
  const html = (version: number) => ({ html: `<p>version ${version}` });

  test('lets only one of two people who read the same version replace it', async () => {
    const { id } = await ada.template('<p>version 1');
    const etag = (await ada.get(`/v1/templates/${id}`)).headers.get('etag') ?? '';
    const change = (version: number, headers: Record<string, string>) =>
      ada.send('PUT', `/v1/templates/${id}`, html(version), headers);
    const replies = await Promise.all([2, 3, 4, 5].map((version) => change(version, { 'if-match': etag })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const winner = (await ada.get(`/v1/templates/${id}`)).headers.get('etag');
    expect(replies.find(({ ok }) => ok)?.headers.get('etag')).toBe(winner);
    for (const reply of replies.filter(({ ok }) => !ok)) {
      expect(reply.headers.get('etag')).toBeNull();
      expect(await problem(reply, 412, 'version_conflict')).toMatchObject({ version: 2 });
    }
    expect((await ada.json<TemplateRecord>(`/v1/templates/${id}`)).version).toBe(2);

    // A reverse proxy that compresses weakens the tag; `*` and no header at all replace any version.
    for (const headers of [{ 'if-match': `"7", W/${winner}` }, { 'if-match': '*' }, {}] as Array<Record<string, string>>)
      expect((await change(9, headers)).status).toBe(200);
    expect((await ada.json<TemplateRecord>(`/v1/templates/${id}`)).version).toBe(5);
  });

  test('keeps a template and its files that another has changed since', async () => {
    const created = await ada.send('POST', '/v1/templates', { name: 'files', html: 'x', assets: { 'a.css': { content: '' } } });
    const { id } = (await created.json()) as TemplateRecord;
    const old = { 'if-match': created.headers.get('etag') ?? '' };
    const added = await ada.send('PUT', `/v1/templates/${id}/assets/b.css`, 'p {}', { ...old, 'content-type': 'text/css' });
    expect([added.status, added.headers.get('etag')]).toEqual([200, '"2"']);
    for (const [method, path] of [
      ['DELETE', ''],
      ['DELETE', '/assets/a.css'],
      ['PUT', '/assets/a.css'],
    ])
      await problem(
        await ada.send(`${method}`, `/v1/templates/${id}${path}`, method === 'PUT' ? 'p {}' : undefined, old),
        412,
        'version_conflict',
      );
    const assets = await ada.json<{ data: Array<{ path: string; bytes: number }> }>(`/v1/templates/${id}/assets`);
    expect(assets.data.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['a.css', 0],
      ['b.css', 4],
    ]);
    const current = { 'if-match': added.headers.get('etag') ?? '' };
    expect((await ada.send('DELETE', `/v1/templates/${id}`, undefined, current)).status).toBe(204);
  });

  test.each(['3', '"3', 'version 3', '"3" "4"'])('does not ignore the malformed If-Match %s', async (value) => {
    const { id } = await ada.template('x');
    const reply = await ada.send('PUT', `/v1/templates/${id}`, { html: 'y' }, { 'if-match': value });
    expect((await problem(reply, 400, 'invalid_request')).errors).toEqual([
      { path: 'If-Match', message: 'must be the ETag of what you read, with its quotes, such as "3"; or *' },
    ]);
    expect((await ada.json<TemplateRecord>(`/v1/templates/${id}`)).version).toBe(1);
  });
});

test('returns 405 with the allowed methods', async () => {
  const { template_id } = await ada.template('x');
  const response = await ada.send('POST', `/v1/templates/${template_id}`, {});
  expect(response.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH, PUT');
  await problem(response, 405, 'method_not_allowed');
});

describe('413', () => {
  test('rejects a template over the limit', async () => {
    const response = await ada.send('POST', '/v1/templates', { name: 'x', html: 'x'.repeat(5_242_881) });
    expect(await problem(response, 413, 'content_too_large')).toMatchObject({ limit: 5_242_880, actual: 5_242_881 });
  });

  test('rejects a small template with large data, with the size after substitution', async () => {
    const { template_id } = await ada.template('<p>{{{x}}}{{{x}}}');
    const response = await ada.pdf({ template_id, data: { x: 'ü'.repeat(2_000_000) } });
    expect(await problem(response, 413, 'content_too_large')).toMatchObject({ limit: 5_242_880, actual: 8_000_003 });
  });

  test('rejects a million placeholders of a megabyte each', async () => {
    const { template_id } = await ada.template('{{x}}'.repeat(1_000_000));
    const response = await ada.pdf({ template_id, data: { x: 'x'.repeat(1_000_000) } });
    expect(await problem(response, 413, 'content_too_large')).toMatchObject({ limit: 5_242_880, actual: 1_000_000_000_000 });
  });

  test('rejects a Liquid template whose loop writes too much', async () => {
    const { template_id } = await ada.template('{% for i in (1..200) %}{{ x }}{% endfor %}', { engine: 'liquid' });
    await problem(await ada.pdf({ template_id, data: { x: 'x'.repeat(100_000) } }), 413, 'content_too_large');
  });
});

describe('422', () => {
  test('rejects more templates or bytes than a key may have', async () => {
    await using own = await startService({ PLATEN_MAX_TEMPLATES: '2', PLATEN_MAX_TEMPLATES_MB: '64' });
    const client = new Client(own.url, own.key);
    const { template_id } = await client.template('one');
    await client.template('two');
    const response = await client.send('POST', '/v1/templates', { name: 'x', html: 'three' });
    expect(await problem(response, 422, 'template_limit')).toMatchObject({ limit: 2 });
    expect((await client.send('PUT', `/v1/templates/${template_id}`, { html: 'still' })).status).toBe(200);
    expect((await client.send('DELETE', `/v1/templates/${template_id}`)).status).toBe(204);
    await client.template('three');
    await new Client(own.url, (await own.createKey()).key).template('other keys have room');
  });

  test('rejects more distinct paths than can be listed', async () => {
    const html = Array.from({ length: 600_000 }, (_, n) => `{{${n.toString(36)}}}`).join('');
    await problem(await ada.send('POST', '/v1/templates', { name: 'x', html }), 422, 'template_error');
  });

  test('names line and column of a fault in a Liquid template', async () => {
    const html = '<p>one</p>\n  {{ x | nothing_like_this }}';
    const response = await ada.send('POST', '/v1/templates', { name: 'x', html, engine: 'liquid' });
    expect(await problem(response, 422, 'template_error')).toMatchObject({ line: 2 });
    const unclosed = await ada.send('POST', '/v1/templates', { name: 'x', html: '\n\n{% if x %}', engine: 'liquid' });
    expect(await problem(unclosed, 422, 'template_error')).toMatchObject({ line: 3, column: 1 });
  });

  test('ends a Liquid template that never ends, and serves others meanwhile', async () => {
    const html = '{% for i in (1..3000) %}{% for j in (1..3000) %}{% for k in (1..3000) %}{% endfor %}{% endfor %}{% endfor %}';
    const { template_id } = await ada.template(html, { engine: 'liquid' });
    const endless = ada.pdf({ template_id });
    expect((await bob.pdf({ html: '<p>neighbour' })).status).toBe(200);
    await problem(await endless, 422, 'template_error');
  });
});

test('finds templates by words of their names, in any order and case, also with metadata', async () => {
  const client = new Client(service.url, (await service.createKey()).key);
  for (const [name, kind] of [
    ['Ärzte-Rechnung 100%', 'bill'],
    ['RECHNUNG ärzte', 'letter'],
    ['Rechnung', 'bill'],
  ])
    await client.template('x', { name, metadata: { kind } });
  const namesOf = async (query: string) =>
    (await client.json<List<TemplateRecord>>(`/v1/templates?${query}`)).data.map(({ name }) => name);
  expect(await namesOf('name=rechnung%20ÄRZTE')).toEqual(['RECHNUNG ärzte', 'Ärzte-Rechnung 100%']);
  expect(await namesOf('name=100%25')).toEqual(['Ärzte-Rechnung 100%']);
  expect(await namesOf('name=rechnung&metadata[kind]=bill')).toEqual(['Rechnung', 'Ärzte-Rechnung 100%']);
  expect(await namesOf('name=ärzte&metadata[kind]=bill')).toEqual(['Ärzte-Rechnung 100%']);
  expect(await namesOf('name=ärzte&owned=false')).toEqual([]);
  expect(await namesOf('name=')).toHaveLength(3);
  const page = await client.json<List<TemplateRecord>>('/v1/templates?name=rechnung&limit=2');
  expect(page).toMatchObject({ data: [{ name: 'Rechnung' }, { name: 'RECHNUNG ärzte' }], has_more: true });
  const next = await client.json<List<TemplateRecord>>(`/v1/templates?name=rechnung&limit=2&cursor=${page.next_cursor}`);
  expect(next).toMatchObject({ data: [{ name: 'Ärzte-Rechnung 100%' }], has_more: false });
});
