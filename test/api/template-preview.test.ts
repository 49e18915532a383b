/** Previews of templates that are being written: what they look like, and what they do not cost. */
import { expect, test } from 'vitest';
import { Client, problem, succeeded } from '../support/client.ts';
import { openApp } from '../support/open-app.ts';
import { millimetresOf, readPdf } from '../support/read-pdf.ts';

let now = Date.now();
const { app, newClient } = await openApp({ PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '1' }, () => now);
const PATH = '/v1/templates/preview';
const MINUTE_MS = 60_000;

const css = (text: string) => Buffer.from(`p::before { content: "${text} " }`).toString('base64');

/** What was rendered before is forgotten. */
function preview(by: Client, body: object): Promise<Response> {
  now += MINUTE_MS;
  return by.send('POST', PATH, body);
}

async function read(by: Client, body: object) {
  const response = await succeeded(preview(by, body));
  return readPdf(Buffer.from(await response.arrayBuffer()));
}

test('shows the text with the files of its template and the defaults of its account, and charges nothing', async () => {
  const ada = await newClient();
  await succeeded(
    ada.send('PATCH', '/v1/account', { options: { format: 'A6' }, assets: { 'own.css': { content: css('account') } } }),
  );
  await ada.template('<i>{{ name }}</i>', { name: 'greeting', engine: 'liquid' });
  const assets = { 'template.css': { content: css('template') } };
  const { id } = await ada.template('<p>stored', { engine: 'liquid', assets });
  const before = await ada.usage();
  const html = "<link rel=stylesheet href=own.css><p>{% render 'greeting', name: name %}";
  const data = { name: 'Ada' };
  const shown = await read(ada, { html, engine: 'liquid', data });
  expect(shown.pages).toEqual(['account Ada']);
  expect(millimetresOf(shown)).toEqual([[105, 148]]);
  const changed = `<link rel=stylesheet href=template.css><p>${'{{ name }}'}`;
  expect((await read(ada, { template_id: id, html: changed, engine: 'liquid', data })).pages).toEqual(['template Ada']);
  await succeeded(
    ada.send('PUT', `/v1/templates/${id}`, { html: '<p>stored', assets: { 'template.css': { content: css('new') } } }),
  );
  expect((await read(ada, { template_id: id, html: changed, engine: 'liquid', data })).pages).toEqual(['new Ada']);
  const sent = { 'template.css': { content: css('unsaved') } };
  const withSent = { template_id: id, html: changed, engine: 'liquid', data, assets: sent };
  expect((await read(ada, withSent)).pages).toEqual(['unsaved Ada']);
  const without = { ...withSent, assets: { './template.css': null } };
  expect((await read(ada, without)).pages).toEqual(['Ada']);
  expect((await read(ada, { template_id: `${id}@1`, html: changed, engine: 'liquid', data })).pages).toEqual(['template Ada']);
  expect((await read(ada, { template_id: id, html: '<p>{{name}}', data, options: { format: 'A5' } })).pages).toEqual(['Ada']);
  const bare = await read(ada, { template_id: id, html: '<p>x', options: { format: null } });
  expect(millimetresOf(bare)).toEqual([[210, 297]]);
  expect(await ada.usage()).toEqual(before);
  expect(await ada.json('/v1/documents')).toMatchObject({ data: [] });
  expect(await ada.json('/v1/requests')).toMatchObject({ data: [] });
});

test('sends the report with the PDF on request', async () => {
  const ada = await newClient();
  now += MINUTE_MS;
  const response = await ada.send(
    'POST',
    PATH,
    { html: '<title>x</title><img src=/missing.png>' },
    { accept: 'application/json' },
  );
  expect(await (await succeeded(response)).json()).toMatchObject({ pages: 1, report: { warning_count: 1 } });
});

test('checks the data by the schema of the template', async () => {
  const ada = await newClient();
  const schema = { type: 'object', required: ['name'] };
  const { id } = await ada.template('<p>{{name}}', { schema });
  const { errors } = await problem(await preview(ada, { template_id: id, html: '<p>{{name}}', data: {} }), 422, 'data_invalid');
  expect(JSON.stringify(errors)).toContain('name');
  await succeeded(preview(ada, { html: '<p>{{name}}', data: {} }));
});

test('names the line of a mistake, and the fields that are wrong', async () => {
  const ada = await newClient();
  const { line } = await problem(await preview(ada, { html: '\n{% if %}', engine: 'liquid' }), 422, 'template_error');
  expect(line).toBe(2);
  const bad = await problem(await preview(ada, { html: 'x', options: { format: 'x', margin: 'x' } }), 400, 'invalid_request');
  expect(bad.errors?.map(({ path }) => path)).toEqual(['options.margin', 'options.format']);
  const signed = await problem(
    await preview(ada, { html: 'x', options: { signature: { certificate: 'crt_x' } } }),
    400,
    'invalid_request',
  );
  expect(signed.errors?.map(({ path }) => path)).toContain('options.signature');
  await problem(await preview(ada, { html: 'x'.repeat(524_289) }), 413, 'content_too_large');
  await problem(await preview(ada, { html: '{{{x}}}', data: { x: 'x'.repeat(5_300_000) } }), 413, 'content_too_large');
});

test('uses no files of a template that another key does not share, and needs the right scope', async () => {
  const ada = await newClient();
  const bob = await newClient();
  const { id } = await ada.template('<p>x', { visibility: 'account' });
  await problem(await preview(bob, { template_id: id, html: 'x' }), 404, 'not_found');
  await problem(await preview(bob, { template_id: 'tpl_x', html: 'x' }), 404, 'not_found');
  await problem(await preview(ada, { template_id: `${id}@2`, html: 'x' }), 404, 'not_found');
  const { id: accountId } = await app.services.accounts.createAccount('growth');
  const { secret } = await app.services.accounts.keys.create(accountId, { name: '', scopes: ['render'], isTest: false });
  await problem(await preview(new Client(app.url, secret), { html: 'x' }), 403, 'insufficient_scope');
});

test('marks the previews of a test key', async () => {
  const { id } = await app.services.accounts.createAccount('growth');
  const { secret } = await app.services.accounts.keys.create(id, { name: '', scopes: null, isTest: true });
  expect((await read(new Client(app.url, secret), { html: '<p>x' })).pages.join()).toMatch(/test/i);
});

test('is refused when the account has used its time, and again allowed later', async () => {
  const ada = await newClient();
  await succeeded(preview(ada, { html: '<script>for (const end = Date.now() + 1500; Date.now() < end;);</script>' }));
  await problem(await ada.send('POST', PATH, { html: 'x' }), 429, 'rate_limited');
  const bob = await newClient();
  await succeeded(bob.send('POST', PATH, { html: 'x' }));
  await succeeded(preview(ada, { html: 'x' }));
});

test('counts the time in which a text is filled, also if that fails', async () => {
  const ada = await newClient();
  const endless = '{% for a in (1..10000) %}{% for b in (1..10000) %}{% assign c = a %}{% endfor %}{% endfor %}';
  await problem(await preview(ada, { html: endless, engine: 'liquid' }), 422, 'template_error');
  await problem(await ada.send('POST', PATH, { html: '<p>next' }), 429, 'rate_limited');
});

test('leaves out default times that are longer than a preview may take', async () => {
  const ada = await newClient();
  const options = { timeout: 30_000, resourceTimeout: 20_000, waitForTimeout: 15_000 };
  await succeeded(ada.send('PATCH', '/v1/account', { options }));
  expect((await read(ada, { html: '<p>shown' })).pages).toEqual(['shown']);
  const sent = { html: '<p>x', options: { timeout: 30_000 } };
  expect(await problem(await preview(ada, sent), 400, 'invalid_request')).toMatchObject({
    errors: [{ path: 'options.timeout' }],
  });
});

test('is not offered where the playground is switched off', async () => {
  const off = await openApp({ PLATEN_PLAYGROUND: 'off' });
  const { detail } = await problem(await (await off.newClient()).send('POST', PATH, { html: 'x' }), 404, 'not_found');
  expect(detail).toContain('without a charge');
});
