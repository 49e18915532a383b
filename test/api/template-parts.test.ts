/** Templates that use others by name: which one a name means, what of their keys and versions is used, and what a failure tells. */
import { describe, expect, test } from 'vitest';
import type { Principal } from '../../src/accounts/accounts.ts';
import { TemplateParts } from '../../src/templates/parts.ts';
import { type Batch, Client, type DryRunResult, problem, succeeded, type TemplateRecord } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { readPdf } from '../support/read-pdf.ts';

let now = Date.now();

const { app, newClient } = await openApp({}, () => now);
const { accounts } = app.services;

/** Two keys of one account. */
async function newKeys(plan = 'growth'): Promise<[Client, Client]> {
  const { id } = await accounts.createAccount(plan);
  const make = async () => new Client(app.url, (await accounts.createKey(id)).secret);
  return [await make(), await make()];
}

async function store(by: Client, name: string, html: string, more: object = {}): Promise<TemplateRecord> {
  now += 1; // the oldest of two with the same name is used
  return by.template(html, { name, engine: 'liquid', ...more });
}

const put = (by: Client, { id }: TemplateRecord, html: string) => succeeded(by.send('PUT', `/v1/templates/${id}`, { html }));
const textOf = async (by: Client, { id }: TemplateRecord, data: object = {}) =>
  (await readPdf(await by.rendered({ template_id: id, data }))).pages.join('|');
const failure = async (by: Client, { id }: TemplateRecord) =>
  (await problem(await by.pdf({ template_id: id }), 422, 'template_error')).detail as string;

test('renders the published version of a part, and says that none is published', async () => {
  const [ada, bob] = await newKeys();
  const address = await store(ada, 'address', '<p>first', { visibility: 'account' });
  await put(ada, address, '<p>second');
  const letter = await store(bob, 'letter', "{% render 'address@published' %} {% render 'address' %}");
  expect(await failure(bob, letter)).toContain('letter > address@published: no version of the template is published');
  await succeeded(ada.send('PATCH', `/v1/templates/${address.id}`, { published_version: 1 }));
  expect(await textOf(bob, letter)).toBe('first second');
  await succeeded(ada.send('PATCH', `/v1/templates/${address.id}`, { published_version: 2 }));
  expect(await textOf(bob, letter)).toBe('second second');
});

test('renders a letter from its layout and parts, with the files of all of them', async () => {
  const [ada] = await newKeys();
  const css = (text: string) => ({ content: Buffer.from(text).toString('base64') });
  await store(ada, 'address', '<p>{{ to.name }}, {{ to.city }}</p>', {
    assets: { 'a.css': css('p::after { content: " from a.css" }') },
  });
  await store(
    ada,
    'frame',
    '<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css">{% block body %}{% endblock %}',
    {
      assets: { 'b.css': css('p::before { content: "b.css " }'), 'c.css': css('p { display: none }') },
    },
  );
  const letter = await store(
    ada,
    'letter',
    '{% layout "frame" %}{% block body %}{% render "address" with customer as to %}<link rel="stylesheet" href="c.css">{% endblock %}',
    { assets: { 'c.css': css('p { color: red }') } },
  );
  expect(await textOf(ada, letter, { customer: { name: 'A & B', city: 'Ulm' } })).toBe('b.css A & B, Ulm from a.css');
  const image = await succeeded(ada.send('POST', '/v1/image', { template_id: letter.id }));
  expect(image.headers.get('content-type')).toBe('image/png');
  const batch = await ada.batch({
    items: [{ template_id: letter.id }, { template_id: letter.id, data: { customer: { name: 'x' } } }],
  });
  expect(batch.succeeded).toBe(2);
});

describe('a name', () => {
  test('means a template of the key, then a shared one, then none; and of two the oldest', async () => {
    const [ada, bob] = await newKeys();
    const letter = await store(ada, 'letter', '{% render "part" %}', { visibility: 'account' });
    expect(await failure(ada, letter)).toBe('letter > part: there is no template of this name, or it belongs to another key');
    const hidden = await store(bob, 'part', 'hidden');
    await store(await newClient(), 'part', 'of a stranger', { visibility: 'account' });
    expect(await failure(ada, letter)).toContain('there is no template of this name');
    await succeeded(bob.send('PATCH', `/v1/templates/${hidden.id}`, { visibility: 'account' }));
    await store(bob, 'part', 'newer', { visibility: 'account' });
    expect(await textOf(ada, letter)).toBe('hidden');
    const own = await store(ada, 'part', 'own');
    await store(ada, 'part', 'newer own');
    expect(await textOf(ada, letter)).toBe('own');
    expect(await textOf(bob, letter)).toBe('hidden');
    expect((await ada.send('DELETE', `/v1/templates/${own.id}`)).status).toBe(204);
    expect(await textOf(ada, letter)).toBe('newer own');
  });

  test('with a version means that version, also of a shared template', async () => {
    const [ada, bob] = await newKeys();
    const part = await store(ada, 'part', 'one', { visibility: 'account' });
    const letter = await store(bob, 'letter', '{% render "part@1" %} {% render "part" %} {% render "part@latest" %}');
    expect(await textOf(bob, letter)).toBe('one one one');
    await put(ada, part, 'two');
    expect(await textOf(bob, letter)).toBe('one two two');
    const missing = await store(bob, 'missing', '{% render "part@3" %}');
    expect(await failure(bob, missing)).toBe('missing > part@3: this version is not stored');
    await succeeded(ada.send('PATCH', `/v1/templates/${part.id}`, { visibility: 'key' }));
    expect(await failure(bob, letter)).toContain('letter > part@1: there is no template of this name');
  });

  test('of another engine, in a cycle, or of what is named in text only', async () => {
    const [ada] = await newKeys();
    await ada.template('<p>', { name: 'plain' });
    expect(await failure(ada, await store(ada, 'letter', '{% render "plain" %}'))).toBe(
      'letter > plain: the template has another engine than liquid',
    );
    await store(ada, 'a', '{% render "b" %}');
    await store(ada, 'b', '{% layout "a" %}');
    const { used } = (await ada.usage()).documents;
    expect(await failure(ada, await store(ada, 'start', '{% render "a" %}'))).toBe(
      'start > a > b > a: a template cannot contain itself',
    );
    expect(await textOf(ada, await store(ada, 'text', 'Say render "nothing" {% raw %}{% render "b" %}{% endraw %}'))).toBe(
      'Say render "nothing" {% render "b" %}',
    );
    expect((await ada.usage()).documents.used).toBe(used + 1);
  });
});

test('uses changed parts at once, and reads again what changes while it is read', async () => {
  const [ada, bob] = await newKeys();
  const part = await store(ada, 'part', '1');
  const common = await store(bob, 'common', '1', { visibility: 'account' });
  const letter = await store(ada, 'letter', '{% render "part" %} {% render "part@1" %} {% render "common" %}');
  expect(await textOf(ada, letter)).toBe('1 1 1');
  await put(ada, part, '2');
  expect(await textOf(ada, letter)).toBe('2 1 1');

  const reader = (await accounts.authenticate(ada.key)) as Principal;
  const { database, templates } = app.services;
  /** Reads the parts, and changes something after the first of them was found. */
  const readDuring = async (change: () => Promise<unknown>, asOf?: number) => {
    const { version, html } = await templates.find(reader, letter.id);
    let changed: Promise<unknown> | undefined;
    const query = database.query.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        changed ??= change();
        await changed;
        return result;
      },
    });
    const root = { templateId: letter.id, version, html, isPinned: false };
    const found = await new TemplateParts({ ...database, query }).read({ ...reader, asOf }, root);
    return found?.parts.map((each) => ('html' in each ? each.html : each.problem));
  };
  expect(await readDuring(async () => {})).toEqual(['2', '1', '1']);
  expect(await readDuring(() => put(ada, part, '3'))).toBeUndefined();
  expect(await readDuring(() => put(bob, common, '2'))).toBeUndefined();
  expect(await readDuring(() => put(ada, letter, letter.html ?? '{% render "part" %}'))).toBeUndefined();
  await put(ada, letter, '{% render "part" %}{% render "common" %}');
  expect(await readDuring(() => store(ada, 'common', 'own'))).toBeUndefined();
  expect(await readDuring(async () => {})).toEqual(['3', 'own']);
  const then = now;
  now += 1;
  expect(await readDuring(() => put(ada, part, '4'), then)).toEqual(['3', 'own']);
});

test('a dry run sees what parts read', async () => {
  const [ada] = await newKeys();
  await store(ada, 'frame', '{{ company.name }}{% block body %}{% endblock %}');
  const letter = await store(
    ada,
    'letter',
    '{% layout "frame" %}{% block body %}{% render "row" for rows as row %}{% endblock %}',
  );
  await store(ada, 'row', '{{ row.price }}');
  const data = { rows: [{ price: 1 }], other: 1 };
  const dry = await succeeded(ada.pdf({ template_id: letter.id, data, dry_run: true }));
  expect(((await dry.json()) as DryRunResult).template).toMatchObject({ missing: ['company.name'], unused: ['other'] });
  const broken = await store(ada, 'broken', '{% render "nothing" %}');
  await problem(await ada.pdf({ template_id: broken.id, dry_run: true }), 422, 'template_error');
});

test('parts have no more bytes together than one template', async () => {
  const [ada] = await newKeys();
  const large = 'x'.repeat(3_000_000);
  await store(ada, 'a', `{% comment %}${large}{% endcomment %}a`);
  await store(ada, 'b', `{% comment %}${large}{% endcomment %}b`);
  expect(await textOf(ada, await store(ada, 'one', '{% render "a" %}'))).toBe('a');
  expect(await failure(ada, await store(ada, 'two', '{% render "a" %}{% render "b" %}'))).toContain(
    'more than 5242880 bytes together',
  );
});

test('the playground has no templates to use', async () => {
  const [ada] = await newKeys();
  await store(ada, 'part', 'secret', { visibility: 'account' });
  const reply = await fetch(`${app.url}/v1/playground/pdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ template: `{% render "part" %}`, engine: 'liquid' }),
  });
  await problem(reply, 422, 'template_error');
});

test('a batch renders all items with the templates as they were when it was sent', async () => {
  const [ada, bob] = await newKeys('narrow'); // two items are rendered at once
  const part = await store(bob, 'part', 'v1', { visibility: 'account' });
  const css = { 'a.css': { content: Buffer.from('p::after { content: " a1" }').toString('base64') } };
  const letter = await store(ada, 'letter', '<link rel=stylesheet href=a.css><p>{{ n }} {% render "part" %}', { assets: css });
  const plain = await ada.template('<p>{{n}} p1');
  now += 1;
  const slow = ['one', 'two'].map((html) => ({ html, options: { waitForTimeout: 2_000 } }));
  const items = [...slow, { template_id: letter.id, data: { n: 1 } }, { template_id: plain.id, data: { n: 2 } }];
  const sent = await ada.send('POST', '/v1/batches', { items });
  expect(sent.status).toBe(202);
  const { batch_id } = (await sent.json()) as Batch;
  now += 1;
  await put(bob, part, 'v2');
  await put(ada, letter, '{{ n }} newer');
  await put(ada, plain, '{{n}} newer');
  now += 1;
  await put(ada, plain, '{{n}} newest');
  const ended = (await (await ada.get(`/v1/batches/${batch_id}`, { prefer: 'wait=60' })).json()) as Batch;
  expect(ended).toMatchObject({ status: 'completed', succeeded: 4 });
  const documents = ended.items.slice(2).map(({ document_id }) => ada.get(`/v1/documents/${document_id}`));
  const pdfs = await Promise.all(documents.map(async (reply) => readPdf(await (await reply).arrayBuffer())));
  expect(pdfs.map(({ pages }) => pages.join())).toEqual(['1 v1 a1', '2 p1']);
  expect(await textOf(ada, letter, { n: 3 })).toBe('3 newer');
});
