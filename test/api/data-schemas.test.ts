/** JSON Schemas of templates: checked when they are stored and when a template is rendered, by version. */
import { expect, test } from 'vitest';
import { type DryRunResult, type List, problem, type TemplateRecord, type VersionRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readPdfReply } from '../support/read-pdf.ts';

const { newClient } = await openApp({});
const [ada, bob] = [await newClient(), await newClient()];

type Whole = TemplateRecord & { schema: object | null };
const NAMED = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 5 } } };
const INVOICE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.com/invoice',
  type: 'object',
  required: ['customer', 'items'],
  additionalProperties: false,
  properties: {
    customer: { $ref: '#/$defs/customer' },
    items: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['price'], properties: { price: { type: 'number' } } },
    },
    status: { enum: ['open', 'paid'] },
    due: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[A-Z]{2}\\d+$' },
    'a/b~c': { const: 1 },
  },
  patternProperties: { '^x-': { type: 'string' } },
  $defs: { customer: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
};
const GOOD = {
  customer: { name: 'Ada' },
  items: [{ price: 1 }],
  status: 'paid',
  due: '2026-11-28',
  code: 'AB1',
  'x-note': 'fine',
};
const BAD = {
  customer: {},
  items: [{ price: 1 }, { price: '2' }],
  status: 'late',
  due: 'today',
  code: 'ab1',
  'a/b~c': 2,
  'x-n': 1,
  y: 1,
};
const WRONG = [
  { path: 'data.customer.name', pointer: '/customer/name', message: 'is required' },
  { path: 'data.y', pointer: '/y', message: 'is not allowed here' },
  { path: 'data.items[1].price', pointer: '/items/1/price', message: 'must be number' },
  { path: 'data.status', pointer: '/status', message: 'must be one of "open", "paid"' },
  { path: 'data.due', pointer: '/due', message: 'must match format "date"' },
  { path: 'data.code', pointer: '/code', message: expect.stringContaining('must match pattern') },
  { path: 'data.a/b~c', pointer: '/a~1b~0c', message: 'must be 1' },
  { path: 'data.x-n', pointer: '/x-n', message: 'must be string' },
];
const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);

test.each(['placeholders', 'liquid'])(
  'renders data that fits the schema, and refuses other data with each wrong value (%s)',
  async (engine) => {
    const { id } = await ada.template('<p>Dear {{customer.name}}', { schema: INVOICE, engine });
    for (const _ of [1, 2])
      expect((await readPdfReply(await ada.pdf({ template_id: id, data: GOOD }))).pages).toEqual(['Dear Ada']);
    const used = (await ada.usage()).documents.used;
    const refused = await problem(await ada.pdf({ template_id: id, data: BAD }), 422, 'data_invalid');
    expect((refused.errors ?? []).toSorted(byPath)).toEqual(WRONG.toSorted(byPath));
    expect(refused.detail).toMatch(/^data\..* \(and 7 more\)$/);
    const none = await problem(await ada.pdf({ template_id: id, store: true }), 422, 'data_invalid');
    expect(none.errors?.map(({ path }) => path)).toEqual(['data.customer', 'data.items']);
    await problem(await ada.pdf({ template_id: id, data: BAD, dry_run: true }), 422, 'data_invalid');
    await problem(await ada.send('POST', '/v1/image', { template_id: id, data: BAD }), 422, 'data_invalid');
    const parts = [{ html: 'x' }, { template_id: id, data: BAD }];
    const part = await problem(await ada.send('POST', '/v1/pdf/assemble', { parts }), 422, 'data_invalid');
    expect(part.detail).toContain('parts[1]: data');
    expect((await ada.usage()).documents.used).toBe(used);
    const dry = (await (await ada.pdf({ template_id: id, data: GOOD, dry_run: true })).json()) as DryRunResult;
    expect(dry.would_render).toBe(true);
  },
);

test('fails only the items of a batch whose data does not fit, and logs no values', async () => {
  const { id } = await ada.template('<p>{{name}}', { schema: NAMED });
  const { items = [] } = await ada.batch({
    defaults: { template_id: id },
    items: [{ data: { name: 'Ada' } }, { data: { name: 'secret-name' } }, {}],
  });
  expect(items.map(({ status, error }) => [status, error?.code])).toEqual([
    ['succeeded', undefined],
    ['failed', 'data_invalid'],
    ['failed', 'data_invalid'],
  ]);
  const logged = await (await ada.get(`/v1/requests?template_id=${id}`)).text();
  expect(logged).toContain('data_invalid');
  expect(logged).not.toContain('secret');
});

test('keeps the schema of each version', async () => {
  const { id } = await ada.template('<p>{{name}}', { schema: NAMED });
  const path = `/v1/templates/${id}`;
  await ada.send('PUT', path, { html: '<p>{{name}}!' });
  expect(await ada.json<Whole>(path)).toMatchObject({ version: 2, schema: NAMED });
  const changed = await ada.send('PATCH', path, { schema: { type: 'object' } }, { 'if-match': '"2"' });
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"3"']);
  const long = { name: 'longer than five' };
  expect((await ada.pdf({ template_id: id, data: long })).status).toBe(200);
  for (const suffix of ['@1', '@2']) await problem(await ada.pdf({ template_id: id + suffix, data: long }), 422, 'data_invalid');
  await ada.send('PATCH', path, { schema: {} });
  expect(await ada.json<Whole>(path)).toMatchObject({ version: 4, schema: null });
  expect(await ada.json<Whole>(`${path}/versions/1`)).toMatchObject({ version: 1, schema: NAMED });
  expect((await ada.pdf({ template_id: id, data: { name: 7 } })).status).toBe(200);
  await ada.send('PATCH', path, { published_version: 1 });
  await problem(await ada.pdf({ template_id: `${id}@published`, data: long }), 422, 'data_invalid');
  const { data } = await ada.json<List<VersionRecord>>(`${path}/versions`);
  const html = '<p>{{name}}!'.length;
  expect(data.map(({ bytes }) => bytes)).toEqual([
    html,
    html + 17,
    html + JSON.stringify(NAMED).length,
    html - 1 + JSON.stringify(NAMED).length,
  ]);
  expect(data[1]?.bytes).toBe(html + JSON.stringify({ type: 'object' }).length);
  await problem(await bob.send('PATCH', path, { schema: {} }), 404, 'not_found');
  const [listed] = (await ada.json<List<TemplateRecord>>('/v1/templates?limit=1')).data;
  expect(listed).not.toHaveProperty('schema');
});

test.each<[string, unknown, string]>([
  ['a list', [], 'schema'],
  ['a type that does not exist', { properties: { a: { type: 'text' } } }, 'schema.properties.a.type'],
  ['a keyword that does not exist', { properties: { a: { minimun: 1 } } }, 'schema.properties.a.minimun'],
  ['a wrong value of a keyword', { items: { minLength: -1 } }, 'schema.items.minLength'],
  ['another dialect', { $schema: 'http://json-schema.org/draft-07/schema#' }, 'schema.$schema'],
  ['a reference to another host', { properties: { a: { $ref: 'https://example.com/schema' } } }, 'schema.properties.a.$ref'],
  ['a reference to a file', { $ref: 'file:///etc/passwd' }, 'schema.$ref'],
  ['a lookahead', { properties: { a: { pattern: '^(?=a)' } } }, 'schema.properties.a.pattern'],
  ['a backreference', { anyOf: [{ pattern: '(a)\\1' }] }, 'schema.anyOf[0].pattern'],
  ['a lookahead in a name', { patternProperties: { '(?!a)': {} } }, 'schema.patternProperties.(?!a)'],
  ['a format that does not exist', { format: 'colour' }, 'schema.format'],
  ['a reference to nothing', { $ref: '#/$defs/missing' }, 'schema'],
  ['a reference to itself without end', { $ref: '#' }, 'schema'],
  ['65 KB', { description: 'x'.repeat(65_536) }, 'schema'],
])('refuses %s with the place', async (_, schema, path) => {
  const { id } = await ada.template('<p>x', { schema: NAMED });
  for (const [method, at] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['PATCH', `/${id}`],
  ] as const) {
    const body = method === 'PATCH' ? { schema } : { name: 'x', html: 'x', schema };
    const { errors } = await problem(await ada.send(method, `/v1/templates${at}`, body), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toContain(path);
  }
  expect(await ada.json<Whole>(`/v1/templates/${id}`)).toMatchObject({ version: 1, schema: NAMED });
});

test('warns about samples that break the schema, and stores them', async () => {
  const samples = { good: { name: 'Ada' }, long: { name: 'longer' }, none: {} };
  const created = await ada.template('<p>{{name}}', { schema: NAMED, samples });
  const long = { path: 'samples.long.name', message: 'must NOT have more than 5 characters' };
  const none = { path: 'samples.none.name', message: 'is required' };
  expect(created.warnings).toEqual([long, none]);
  const path = `/v1/templates/${created.id}`;
  expect(await ada.json(path)).toMatchObject({ samples });
  expect(await ada.json(path)).not.toHaveProperty('warnings');
  const warningsOf = async (method: string, body: object) =>
    ((await (await ada.send(method, path, body)).json()) as TemplateRecord).warnings;
  expect(await warningsOf('PATCH', { samples: { none: null } })).toEqual([long]);
  expect(await warningsOf('PUT', { html: 'x' })).toBeUndefined();
  expect(await warningsOf('PUT', { html: 'x', samples: { none: {} } })).toEqual([none]);
  expect(await warningsOf('PATCH', { schema: { type: 'object', maxProperties: 0 } })).toBeUndefined();
  expect(await warningsOf('PATCH', { schema: NAMED })).toEqual([none]);
  const headers = { 'idempotency-key': `warned-${created.id}` };
  const body = { name: 'x', html: 'x', schema: NAMED, samples: { none: {} } };
  for (const _ of [1, 2])
    expect(await (await ada.send('POST', '/v1/templates', body, headers)).json()).toMatchObject({ warnings: [none] });
});
