/** Texts that are not UTF-8: every way in says how to convert them, and the command that it names does so. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Client, type Problem } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';

const folder = await makeFolder();
const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on' }).then(closeAfterAll);
const client = new Client(service.url, service.key);

const LATIN = Buffer.from('<p>Grüße', 'latin1');
const QUOTED = Buffer.from('<p>\x93Gr\xfc\xdfe\x94', 'latin1');
const HTML = { 'content-type': 'text/html' };

function formOf(parts: Record<string, Uint8Array | string>, files: Record<string, Uint8Array> = {}): FormData {
  const form = new FormData();
  for (const [name, content] of Object.entries(parts)) form.append(name, new Blob([content as string]), `${name}.txt`);
  for (const [name, content] of Object.entries(files)) form.append('files', new Blob([content as Buffer<ArrayBuffer>]), name);
  return form;
}

async function sendForm(path: string, form: FormData): Promise<{ status: number; text: string }> {
  const reply = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  return { status: reply.status, text: await reply.text() };
}

test.each([
  ['ISO-8859-1', 'text/html', 'in.html', LATIN],
  ['WINDOWS-1252', 'text/html', 'in.html', QUOTED],
  ['ISO-8859-15', 'text/html', 'in.html', Buffer.from('<meta charset="iso-8859-15"><p>Grüße', 'latin1')],
  ['ISO-8859-2', 'text/html', 'in.html', Buffer.from('<meta content="text/html; charset=iso-8859-2"><p>Grüße', 'latin1')],
  ['UTF-16', 'text/html', 'in.html', Buffer.from('\ufeff<p>Grüße', 'utf16le')],
  ['UTF-16LE', 'text/html', 'in.html', Buffer.from('<p>Grüße', 'utf16le')],
  ['ISO-8859-1', 'text/markdown', 'in.md', LATIN],
  ['ISO-8859-1', 'application/json', 'in.json', Buffer.from('{"html": "<p>Grüße"}', 'latin1')],
])('names the command that converts %s as %s', async (encoding, type, file, body) => {
  const reply = await client.send('POST', '/v1/pdf', body, { 'content-type': type });
  const { status, detail } = (await reply.json()) as Problem;
  expect([status, detail]).toEqual([400, expect.stringContaining('the body is not valid UTF-8; convert it: ')]);
  const command = /iconv -f .*/.exec(detail)?.[0] ?? '';
  expect(command).toBe(`iconv -f ${encoding} -t UTF-8 ${file} > utf8${file.slice(2)}`);
  await writeFile(join(folder, file), body);
  execFileSync('sh', ['-c', command], { cwd: folder });
  const converted = execFileSync('cat', [`utf8${file.slice(2)}`], { cwd: folder });
  const printed = await readPdfReply(await client.send('POST', '/v1/pdf', converted, { 'content-type': type }));
  expect(printed.pages).toEqual([expect.stringContaining('Grüße')]);
});

describe('a Content-Type', () => {
  test.each(['iso-8859-1', 'windows-1252', 'utf-16', 'shift_jis'])(
    'with charset=%s says how to convert the body',
    async (charset) => {
      for (const type of ['text/html', 'text/markdown', 'application/json']) {
        const reply = await client.send('POST', '/v1/pdf', '{"html": "x"}', { 'content-type': `${type}; charset="${charset}"` });
        const { status, detail } = (await reply.json()) as Problem;
        expect([status, detail]).toEqual([415, expect.stringContaining(`iconv -f ${charset.toUpperCase()} -t UTF-8 in.`)]);
      }
    },
  );

  test('with a word that is no charset is refused without a command', async () => {
    const reply = await client.send('POST', '/v1/pdf', '<p>x', { 'content-type': 'text/html; charset=$(id)' });
    const { status, detail } = (await reply.json()) as Problem;
    expect([status, detail]).toEqual([415, 'send the body in UTF-8, and the Content-Type without another charset']);
  });
});

test('names the part or the file of a form', async () => {
  const command = 'is not valid UTF-8; convert it: iconv -f ISO-8859-1 -t UTF-8';
  for (const path of ['/v1/pdf', '/v1/image', '/v1/templates']) {
    const { status, text } = await sendForm(path, formOf({ ...(path === '/v1/templates' && { name: 'x' }), html: LATIN }));
    expect([status, JSON.parse(text).errors], path).toEqual([400, [{ path: 'html', message: `${command} html.txt > utf8.txt` }]]);
  }
  const request = await sendForm('/v1/pdf', formOf({ request: Buffer.from('{"html": "ü"}', 'latin1') }));
  expect([request.status, request.text]).toEqual([400, expect.stringContaining(`the body ${command} in.json`)]);
  const page = await sendForm('/forms/chromium/convert/html', formOf({}, { 'index.html': LATIN }));
  expect([page.status, page.text]).toEqual([400, expect.stringContaining(`${command} index.html`)]);
  const index = Buffer.from('{{ toHTML "my text.md" }}');
  const markdown = await sendForm('/forms/chromium/convert/markdown', formOf({}, { 'index.html': index, 'my text.md': LATIN }));
  expect([markdown.status, markdown.text]).toEqual([400, expect.stringContaining(`${command} 'my text.md'`)]);
});

test('accepts UTF-8 with and without a charset, whatever the markup declares', async () => {
  const body = '<meta charset="iso-8859-1"><p>Grüße';
  for (const headers of [HTML, { 'content-type': 'text/html; charset=UTF-8' }, { 'content-type': 'text/html;charset="utf8"' }])
    expect((await readPdfReply(await client.send('POST', '/v1/pdf', body, { ...headers }))).pages).toEqual(['Grüße']);
});
