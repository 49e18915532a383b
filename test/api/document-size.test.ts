/** Documents that are too large because of inline pictures: every way in names files beside the document as the way out. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { Client, type Problem, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';

const LIMIT = 5_242_880;
const WAY_OUT = /data: URLs count, files do not: send them in assets/;
/** Gotenberg's forms have no assets. */
const WAY_OUT_OF_FORMS = /data: URLs count, files do not: send them in the form field 'files'/;

/** A picture of four megabytes that no format makes smaller, so that its base64 exceeds the limit. */
const picture = PNG.sync.write(Object.assign(new PNG({ width: 1_000, height: 1_000 }), { data: randomBytes(4_000_000) }));
const inline = `<img src="data:image/png;base64,${picture.toString('base64')}">`;

const { folder, failure } = setUpCli();
const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on' }).then(closeAfterAll);
const client = new Client(service.url, service.key);

async function tooLarge(reply: Response): Promise<void> {
  const { code, limit, detail } = (await reply.json()) as Problem;
  expect([reply.status, code, limit, detail.slice(-300)]).toEqual([
    413,
    'content_too_large',
    LIMIT,
    expect.stringMatching(WAY_OUT),
  ]);
}

test.each([
  ['HTML', '/v1/pdf', { html: inline }],
  ['HTML in a dry run', '/v1/pdf', { html: inline, dry_run: true }],
  ['HTML of an image', '/v1/image', { html: inline }],
  ['Markdown', '/v1/pdf', { markdown: `![](data:image/png;base64,${picture.toString('base64')})` }],
  ['Markdown that becomes larger', '/v1/pdf', { markdown: '&'.repeat(1_100_000) }],
  ['a template', '/v1/templates', { name: 'large', html: inline }],
])('%s', async (_, path, body) => {
  await tooLarge(await client.send('POST', path, body));
});

test('a raw body', async () => {
  for (const type of ['text/html', 'text/markdown'])
    await tooLarge(await client.send('POST', '/v1/pdf', inline, { 'content-type': type }));
});

test.each([
  ['placeholders', '{{{logo}}}'],
  ['placeholders', '{{logo}}'],
  ['liquid', '{{ logo | raw }}'],
])('data of a template with the engine %s in %s', async (engine, html) => {
  const { template_id } = await client.template(`<p>Logo${html}`, { engine });
  const body = { template_id, data: { logo: inline } };
  await tooLarge(await client.send('POST', '/v1/pdf', body));
  await tooLarge(await client.send('POST', '/v1/pdf', { ...body, dry_run: true }));
});

test('data that Liquid has no memory to escape', async () => {
  const { template_id } = await client.template('<p>Logo<img src="{{ logo }}">', { engine: 'liquid' });
  const refused = await problem(await client.pdf({ template_id, data: { logo: inline } }), 422, 'template_error');
  expect(refused.detail).toMatch(/^the template uses too much memory; send large pictures and fonts as assets/);
});

test('an item of a batch', async () => {
  const { template_id } = await client.template('<p>Logo{{{logo}}}');
  const items = [{ html: inline }, { template_id, data: { logo: inline } }];
  const { items: results } = await client.batch({ items });
  for (const { error } of results)
    expect(error).toMatchObject({ code: 'content_too_large', detail: expect.stringMatching(WAY_OUT) });
});

test('a form of Gotenberg', async () => {
  const send = async (path: string, files: Record<string, string>) => {
    const form = new FormData();
    for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content]), name);
    const headers = { authorization: `Bearer ${service.key}` };
    const reply = await fetch(`${service.url}/forms/chromium/convert/${path}`, { method: 'POST', headers, body: form });
    expect([reply.status, await reply.text()]).toEqual([413, expect.stringMatching(WAY_OUT_OF_FORMS)]);
  };
  await send('html', { 'index.html': inline });
  await send('markdown', { 'index.html': '{{ toHTML "a.md" }}{{ toHTML "a.md" }}', 'a.md': 'x'.repeat(3_000_000) });
  await send('markdown', { 'index.html': '{{ toHTML "a.md" }}', 'a.md': '&'.repeat(1_100_000) });
});

test('the command line', async () => {
  const [page, template, data] = [join(folder, 'large.html'), join(folder, 'template.html'), join(folder, 'data.json')];
  await writeFile(page, inline);
  await writeFile(template, '{{{logo}}}');
  await writeFile(data, JSON.stringify({ logo: inline }));
  expect((await failure(['render', page])).stderr).toMatch(WAY_OUT);
  expect((await failure(['render', template, '--data', data])).stderr).toMatch(WAY_OUT);
});

test('the same pictures are printed as files', async () => {
  const assets = Object.fromEntries(['a.png', 'b.png'].map((name) => [name, { content: picture.toString('base64') }]));
  const pdf = await readPdfReply(await client.pdf({ html: '<p>Two<img src=a.png width=99><img src=b.png width=99>', assets }));
  expect(pdf).toMatchObject({ pages: ['Two'], images: 2 });
});

test('a document of the playground, which takes no files, is not sent to them', async () => {
  const body = JSON.stringify({ html: 'x'.repeat(600_000) });
  const reply = await fetch(`${service.url}/v1/playground/pdf`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect([reply.status, ((await reply.json()) as Problem).detail]).toEqual([
    413,
    'html has 600000 bytes; at most 524288 are allowed',
  ]);
});
