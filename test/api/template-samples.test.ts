/** Sample data that is stored with a template: set, changed one by one, limited, and removed with its template. */
import { expect, test } from 'vitest';
import { problem, type TemplateRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { rowsOf } from '../support/stored.ts';

const { env, newClient } = await openApp({}, undefined, ({ services, ...config }) => ({
  ...config,
  services: { ...services, templates: { ...services.templates, maxTemplateBytes: 2_500_000 } },
}));
const [ada, bob] = [await newClient(), await newClient()];

type Samples = Record<string, unknown>;
const samplesOf = async (id: string) => (await ada.json<{ samples: Samples }>(`/v1/templates/${id}`)).samples;
const patch = (id: string, samples: Samples, headers: Record<string, string> = {}, client = ada) =>
  client.send('PATCH', `/v1/templates/${id}`, { samples }, headers);
const named = (count: number, from = 0) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${from + n}`, { n }]));

test('stores samples with a template, and returns them only with the template itself', async () => {
  const samples = { short: { customer: { name: 'Ada', phone: null } }, 'Ünïcode 名前': { items: [1, 'two', [3.5]] } };
  const created = await ada.template('<p>{{customer.name}}', { samples });
  expect(created).not.toHaveProperty('samples');
  expect(await samplesOf(created.id)).toEqual(samples);
  const { data } = await ada.json<{ data: TemplateRecord[] }>('/v1/templates');
  expect(data.find(({ id }) => id === created.id)).toEqual(created);
  await ada.send('PUT', `/v1/templates/${created.id}`, { html: '<p>new' });
  expect(await samplesOf(created.id)).toEqual(samples);
  await ada.send('PUT', `/v1/templates/${created.id}`, { html: '<p>new', samples: { only: {} } });
  expect(await samplesOf(created.id)).toEqual({ only: {} });
  expect((await ada.json<{ samples: Samples }>(`/v1/templates/${created.id}/versions/1`)).samples).toEqual({ only: {} });
  await ada.send('PUT', `/v1/templates/${created.id}`, { html: '<p>new', samples: {} });
  expect(await samplesOf(created.id)).toEqual({});
});

test('adds, replaces, renames and removes samples without a new version', async () => {
  const { id } = await ada.template('<p>x', { samples: { a: { n: 1 }, b: { n: 2 } } });
  const changed = await patch(id, { b: { n: 3 }, c: { n: 4 }, missing: null });
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"1"']);
  expect(await samplesOf(id)).toEqual({ a: { n: 1 }, b: { n: 3 }, c: { n: 4 } });
  await patch(id, { a: null, renamed: { n: 1 } });
  expect(await samplesOf(id)).toEqual({ b: { n: 3 }, c: { n: 4 }, renamed: { n: 1 } });
  expect((await patch(id, {})).status).toBe(200);
  const both = await ada.send('PATCH', `/v1/templates/${id}`, { samples: { d: {} }, name: 'renamed' });
  expect(await both.json()).toMatchObject({ version: 2, name: 'renamed' });
  expect(Object.keys(await samplesOf(id))).toEqual(['b', 'c', 'd', 'renamed']);
  await problem(await patch(id, { e: {} }, { 'if-match': '"1"' }), 412, 'version_conflict');
  await problem(await patch(id, { e: {} }, {}, bob), 404, 'not_found');
  expect(Object.keys(await samplesOf(id))).toEqual(['b', 'c', 'd', 'renamed']);
});

test('keeps the samples of two people who store different ones at once', async () => {
  const { id } = await ada.template('<p>x');
  await Promise.all(Array.from({ length: 10 }, (_, n) => patch(id, named(1, n))));
  expect(Object.keys(await samplesOf(id)).sort()).toEqual(Object.keys(named(10)).sort());
});

test('keeps names that objects have by themselves', async () => {
  const { id } = await ada.template('<p>x');
  await ada.send('PATCH', `/v1/templates/${id}`, '{"samples": {"__proto__": {"a": 1}, "constructor": {"b": {"__proto__": 2}}}}');
  const text = await (await ada.get(`/v1/templates/${id}`)).text();
  expect(text).toContain('"samples":{"__proto__":{"a":1},"constructor":{"b":{"__proto__":2}}}');
});

test.each<[string, unknown, string]>([
  ['a list', [], 'samples'],
  ['a text', 'x', 'samples'],
  ['data that is a list', { a: [] }, 'samples.a'],
  ['data that is a text', { a: 'x' }, 'samples.a'],
  ['an empty name', { '': {} }, 'samples.'],
  ['a long name', { ['n'.repeat(41)]: {} }, `samples.${'n'.repeat(41)}`],
  ['a control character in a name', { 'a\n': {} }, 'samples.a\n'],
  ['a bracket in a name', { 'a[': {} }, 'samples.a['],
  ['too many', named(21), 'samples'],
])('refuses %s', async (_, samples, path) => {
  const { id } = await ada.template('<p>x', { samples: { kept: {} } });
  for (const [method, at] of [
    ['POST', ''],
    ['PUT', `/${id}`],
    ['PATCH', `/${id}`],
  ] as const) {
    const body = method === 'PATCH' ? { samples } : { name: 'x', html: 'x', samples };
    const { errors } = await problem(await ada.send(method, `/v1/templates${at}`, body), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toEqual([path]);
  }
  expect(await samplesOf(id)).toEqual({ kept: {} });
});

test('limits the number and the size of the samples of a template, and of a key', async () => {
  const { id } = await ada.template('<p>x', { samples: named(20) });
  await problem(await patch(id, { another: {} }), 400, 'invalid_request');
  expect((await patch(id, { another: {}, s0: null })).status).toBe(200);
  const large = { text: 'ä'.repeat(490_000) };
  const tooLarge = await problem(await patch(id, { s1: large, s2: large }), 413, 'content_too_large');
  expect(tooLarge).toMatchObject({ limit: 1_000_000 });
  expect((await patch(id, { s1: large })).status).toBe(200);
  await ada.template('<p>x', { samples: { large } });
  await problem(await ada.send('POST', '/v1/templates', { name: 'x', html: 'x', samples: { large } }), 422, 'template_limit');
});

test('forgets samples with their template', async () => {
  const { id } = await bob.template('<p>x', { samples: { secret: { word: 'rhododendron' } } });
  await problem(await ada.send('DELETE', `/v1/templates/${id}`), 404, 'not_found');
  expect((await bob.json<{ samples: Samples }>(`/v1/templates/${id}`)).samples).toHaveProperty('secret');
  expect((await bob.send('DELETE', `/v1/templates/${id}`)).status).toBe(204);
  await problem(await bob.get(`/v1/templates/${id}`), 404, 'not_found');
  expect(await rowsOf(env, `select name from template_samples where template_id = '${id}'`)).toEqual([]);
});
