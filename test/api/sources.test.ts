/** Request bodies other than JSON: raw bodies with parameters, Markdown, forms and compressed bodies. */
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, type DocumentRecord, problem } from '../support/client.ts';
import { PIXEL } from '../support/pixel.ts';
import { readImageHeader, readPng } from '../support/read-image.ts';
import { millimetresOf, readPdf, readPdfReply } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, service.key);

const HTML = { 'content-type': 'text/html' };
const MARKDOWN = { 'content-type': 'text/markdown; charset=utf-8' };

type Parameters = Record<string, string> | string;

/** Sends a raw body with parameters in the URL. */
function raw(
  body: string | Uint8Array,
  parameters: Parameters = {},
  headers: object = HTML,
  path = '/v1/pdf',
): Promise<Response> {
  return client.send('POST', `${path}?${new URLSearchParams(parameters)}`, body, { ...headers });
}

const rawImage = (body: string | Uint8Array, parameters: Parameters = {}, headers: object = HTML) =>
  raw(body, parameters, headers, '/v1/image');

const errorsOf = async (reply: Promise<Response>) => (await problem(await reply, 400, 'invalid_request')).errors;

describe('a raw body', () => {
  test('renders HTML with parameters of every type', async () => {
    const reply = await raw('<style>body { margin: 0 }</style><p>Grüße</p>', {
      format: 'Letter',
      landscape: 'true',
      margin: '2cm',
      scale: '0.8',
      metadata: '{"title": "Of parameters"}',
      failOnWarning: 'resource_failed, content_clipped',
      waitForSelector: '[id], p',
      filename: 'raw.pdf',
    });
    expect(reply.headers.get('content-disposition'), await reply.clone().text()).toContain('raw.pdf');
    const pdf = await readPdfReply(reply);
    expect(pdf).toMatchObject({ pages: ['Grüße'], title: 'Of parameters' });
    expect(millimetresOf(pdf)).toEqual([[279.4, 215.9]]);
    expect(pdf.firstText?.x).toBeCloseTo((2 / 2.54) * 72, 0);
  });

  test('is stored on request', async () => {
    const reply = await raw('# Hello', { store: 'true' }, MARKDOWN);
    expect(reply.status).toBe(201);
    expect((await reply.json()) as DocumentRecord).toMatchObject({ source: 'markdown', pages: 1 });
  });

  test.each([
    ['formt', 'A4', 'formt', 'there is no such parameter; did you mean format?'],
    ['margin', '{"topp": 1}', 'margin.topp', 'there is no such field; did you mean margin.top?'],
    ['url', 'https://example.com/', 'url', 'there is no such parameter'],
    ['landscape', 'yes', 'landscape', 'must be true or false'],
    ['scale', '9', 'scale', 'must be a number from 0.1 to 2'],
    ['margin', '2 ells', 'margin', 'must be a length'],
    ['viewport', 'wide', 'viewport', 'must be an object {width, height, deviceScaleFactor}'],
    ['stylesheet', 'p {}', 'stylesheet', 'requires markdown'],
    ['__proto__', 'x', '__proto__', 'there is no such parameter'],
  ])('rejects %s=%s', async (name, value, path, message) => {
    expect(await errorsOf(raw('<p>x', { [name]: value }))).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  test('rejects parameters that are sent twice, or with a JSON body', async () => {
    expect(await errorsOf(raw('<p>x', 'scale=1&scale=2'))).toEqual([{ path: 'scale', message: 'is sent more than once' }]);
    const json = client.send('POST', '/v1/pdf?format=A4', { html: 'x' });
    const message = 'there is no such parameter with a JSON body; send options.format in the body';
    expect(await errorsOf(json)).toEqual([{ path: 'format', message }]);
  });

  test('rejects a body that is not UTF-8 or too large', async () => {
    await problem(await raw('<p>x', {}, { 'content-type': 'text/html; charset=iso-8859-1' }), 415, 'unsupported_media_type');
    expect(await errorsOf(raw(Buffer.from([0x3c, 0xff])))).toEqual([
      { path: '', message: expect.stringMatching(/^the body is not valid UTF-8; convert it: iconv -f/) },
    ]);
    expect(await problem(await raw(Buffer.alloc(5_242_881, 0x61)), 413, 'content_too_large')).toMatchObject({ limit: 5_242_880 });
  });

  test('becomes an image, with its parameters', async () => {
    const reply = await rawImage('<!doctype html><body style="background: red">', {
      type: 'webp',
      quality: '60',
      deviceScaleFactor: '2',
      viewport: '{"width": 50, "height": 40}',
      filename: 'raw.webp',
    });
    expect(reply.headers.get('content-disposition'), await reply.clone().text()).toContain('raw.webp');
    expect(readImageHeader(await bytesOf(reply))).toEqual({ format: 'webp', width: 100, height: 80 });
    const markdown = await rawImage(
      gzipSync('# x'),
      { stylesheet: 'body { background: lime }' },
      { ...MARKDOWN, 'content-encoding': 'gzip' },
    );
    expect(readPng(await bytesOf(markdown)).colorAt(799, 0)).toBe('#00ff00ff');
    expect(await (await rawImage('<p>x', { dry_run: 'true' })).json()).toMatchObject({ dry_run: true });
  });

  test.each([
    ['fulPage', 'true', 'there is no such parameter; did you mean fullPage?'],
    ['format', 'A5', 'is an option for PDFs, not for images; use type'],
    ['webhook_url', 'https://example.com/', 'requires the header Prefer: respond-async, or deliver_to'],
    ['quality', '101', 'must be a whole number from 0 to 100'],
  ])('rejects the parameter %s=%s for an image', async (name, value, message) => {
    const path = name.replace(/\[.*/, '');
    expect(await errorsOf(rawImage('<p>x', { type: 'jpeg', [name]: value }))).toEqual([{ path, message }]);
    expect(await errorsOf(client.send('POST', `/v1/image?${name}=${value}`, { html: 'x' }))).toHaveLength(1);
  });

  test('of an image can have an Idempotency-Key', async () => {
    const headers = { ...HTML, 'idempotency-key': 'raw-image' };
    const first = await bytesOf(await rawImage('<p>x', { quality: '1', type: 'jpeg' }, headers));
    const again = await rawImage('<p>x', { quality: '1', type: 'jpeg' }, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await bytesOf(again)).toEqual(first);
    await problem(await rawImage('<p>x', { quality: '2', type: 'jpeg' }, headers), 422, 'idempotency_mismatch');
  });

  test('is accepted only by these routes', async () => {
    await problem(await client.send('POST', '/v1/templates', '<p>x', HTML), 415, 'unsupported_media_type');
    for (const path of ['/v1/pdf', '/v1/image']) {
      const { detail } = await problem(await raw('x', {}, { 'content-type': 'text/plain' }, path), 415, 'unsupported_media_type');
      expect(detail).toContain('send application/json, text/html, multipart/form-data, or text/markdown');
    }
  });

  test('includes type, parameters and body in the Idempotency-Key', async () => {
    const named = (name: string) => ({ 'idempotency-key': name });
    const first = await bytesOf(await raw('*x*', { scale: '1' }, { ...MARKDOWN, ...named('raw') }));
    const again = await raw('*x*', { scale: '1' }, { ...MARKDOWN, ...named('raw') });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await bytesOf(again)).toEqual(first);
    for (const [parameters, type] of [
      [{ scale: '2' }, MARKDOWN],
      [{ scale: '1' }, HTML],
    ] as const)
      await problem(await raw('*x*', parameters, { ...type, ...named('raw') }), 422, 'idempotency_mismatch');
  });
});

describe('markdown', () => {
  test('becomes a document with a title, tables and the default style sheet', async () => {
    const markdown = '# Report of *May*\n\n| Item | Sum |\n|---|--:|\n| Tea | 45 |\n\n<p style="color: red">HTML</p>';
    const pdf = await readPdfReply(await client.pdf({ markdown }));
    expect(pdf).toMatchObject({ pages: ['Report of May Item Sum Tea 45 HTML'], title: 'Report of May' });
    expect(pdf.fills).toContain('#ff0000');
    expect(pdf.firstText?.x).toBeCloseTo((2 / 2.54) * 72, 0);
  });

  test('uses a given style sheet in place of the default', async () => {
    const pdf = await readPdfReply(await client.pdf({ markdown: '# Red', stylesheet: 'h1 { color: #c00000 }' }));
    expect(pdf.fills).toContain('#c00000');
    expect(pdf.firstText?.x).toBeLessThan(40);
  });

  test.each([{}, { landscape: true }, { singlePage: true }])(
    'keeps a picture that is taller than the page on one page with the text around it, with %j',
    async (options) => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="510" height="1810"><path d="M0 0h510v1810H0z"/></svg>';
      const markdown = `# Notes\n\n![Screen](data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')})\n\nAfter the picture.`;
      expect((await readPdfReply(await client.pdf({ markdown, options }))).pages).toEqual(['Notes After the picture.']);
    },
  );

  test('indents tasks below others', async () => {
    const markdown = '- plain\n- [ ] open\n    - [x] nested\n\n* [ ] loose\n\n    second paragraph\n\n    * [x] inner';
    const { placed } = await readPdfReply(await client.pdf({ markdown }));
    const leftOf = (text: string) => placed[0]?.find((each) => each.text.includes(text))?.x ?? Number.NaN;
    const [item, second] = [leftOf('plain'), leftOf('second')];
    expect(leftOf('☐')).toBeLessThan(item);
    expect(leftOf('☑')).toBeGreaterThan(item);
    expect(second).toBeCloseTo(item, 0);
  });

  test('counts as one of the sources, and has a limit', async () => {
    expect(await errorsOf(client.pdf({ markdown: 'x', html: 'x' }))).toEqual([
      { path: 'markdown', message: 'cannot be combined with html: send exactly one of html, markdown, url, template_id' },
    ]);
    const large = await problem(await client.pdf({ markdown: 'a'.repeat(5_242_881) }), 413, 'content_too_large');
    expect(large).toMatchObject({ limit: 5_242_880, actual: 5_242_881 });
    await problem(await client.pdf({ markdown: '&'.repeat(1_100_000) }), 413, 'content_too_large');
  });

  test('is read from a batch item or from the defaults', async () => {
    const defaults = { markdown: '# Default', stylesheet: '@page { size: A5 }' };
    const reply = await client.send(
      'POST',
      '/v1/batches',
      { defaults, items: [{ reference: null, markdown: null }, { markdown: '# Own', options: null }, { html: '<p>Other' }] },
      { prefer: 'wait=60' },
    );
    const { items } = (await reply.json()) as { items: Array<{ status: string; document_id: string }> };
    const texts = await Promise.all(
      items.map(async ({ document_id: id }) => readPdfReply(await client.get(`/v1/documents/${id}`))),
    );
    expect(texts.map(({ pages }) => pages[0])).toEqual(['Default', 'Own', 'Other']);
    expect(texts.map((pdf) => millimetresOf(pdf)[0]?.[0])).toEqual([148, 148, 210]);
  });
});

describe('compressed bodies', () => {
  const packed = (body: Uint8Array, coding: string, type = 'application/json') =>
    client.pdf(body, { 'content-type': type, 'content-encoding': coding });

  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
  ])('%s', async (coding, pack) => {
    expect((await readPdfReply(await packed(pack('{"html": "<p>packed"}'), coding))).pages).toEqual(['packed']);
    expect((await readPdfReply(await packed(pack('<p>packed'), coding, 'text/html'))).pages).toEqual(['packed']);
  });

  test.each(['br', 'zstd', 'gzip, gzip', 'compress'])('%s is rejected with the supported encodings', async (coding) => {
    const reply = await packed(Buffer.from('x'), coding);
    expect(reply.headers.get('accept-encoding')).toBe('gzip, deflate');
    await problem(reply, 415, 'unsupported_media_type');
  });

  test.each([
    ['not packed', Buffer.from('{"html": "x"}')],
    ['cut off', gzipSync('{"html": "x"}').subarray(0, -12)],
  ])('%s', async (_, body) => {
    expect(await errorsOf(packed(body, 'gzip'))).toEqual([{ path: 'Content-Encoding', message: expect.any(String) }]);
  });

  test('limits the decompressed bytes without keeping them in memory', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20));
    expect(bomb.length).toBeLessThan(1_000_000);
    await problem(await packed(bomb, 'gzip'), 413, 'content_too_large');
    const page = await problem(await packed(bomb, 'gzip', 'text/html'), 413, 'content_too_large');
    expect(page).toMatchObject({ limit: 5_242_880 });
    await eventually('all is given back', async () => (await service.metric('platen_request_memory_bytes')) === 0);
  });

  test('does not read forever if blocks decompress to nothing', async () => {
    const nothing = gzipSync('');
    const body = Buffer.concat(Array.from({ length: 400_000 }, () => nothing));
    await problem(await packed(body, 'gzip', 'text/html'), 413, 'content_too_large');
  });

  test.each([
    ['a form of a million parts', 'multipart/form-data; boundary=b', '--b'.concat('\r\n--b'.repeat(1_000_000))],
    ['a part without a name', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
    [
      'a list of ten million words',
      'multipart/form-data; boundary=b',
      `--b\r\ncontent-disposition: form-data; name=html\r\n\r\nx\r\n--b\r\ncontent-disposition: form-data; name=failOnWarning\r\n\r\n${','.repeat(10_000_000)}\r\n--b--\r\n`,
    ],
  ])('rejects %s, and keeps serving', async (_, type, body) => {
    await problem(await packed(gzipSync(body), 'gzip', type), 400, 'invalid_request');
    expect((await readPdfReply(await raw('<p>on'))).pages).toEqual(['on']);
  });

  test('compares decompressed bytes for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'packed' };
    const body = '{"html": "<p>once"}';
    await readPdfReply(await client.pdf(body, headers));
    const again = await client.pdf(gzipSync(body), { ...headers, 'content-encoding': 'gzip' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('a form', () => {
  const PRINT_CSS = 'p { color: #00a000 }';
  const page = '<link rel=stylesheet href="css/print.css"><p>of a form<img src="logo.png">';

  function formOf(fields: Record<string, string>, files: Record<string, string | Uint8Array> = {}): FormData {
    const form = new FormData();
    for (const [name, text] of Object.entries(fields)) form.append(name, text);
    for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content as string]), path);
    return form;
  }

  const send = (form: FormData, headers: Record<string, string> = {}, path = '/v1/pdf') =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, ...headers },
      body: form,
    });

  const files = { 'css/print.css': PRINT_CSS, 'logo.png': PIXEL };

  test('accepts a document, options and files', async () => {
    const reply = await send(formOf({ html: page, format: 'A5', margin: '1cm', metadata: '{"title": "Form"}' }, files));
    expect(reply.headers.get('platen-warnings')).toBe('0');
    const pdf = await readPdfReply(reply);
    expect(pdf).toMatchObject({ pages: ['of a form'], images: 1, title: 'Form' });
    expect(pdf.fills).toContain('#00a000');
    expect(millimetresOf(pdf)).toEqual([[148, 210]]);
  });

  test('accepts a JSON request with the document in it or in its own part', async () => {
    const request = JSON.stringify({ html: page, options: { format: 'A6' } });
    const pdf = await readPdfReply(await send(formOf({ request }, files)));
    expect(pdf).toMatchObject({ pages: ['of a form'], images: 1 });
    expect(millimetresOf(pdf)).toEqual([[105, 148]]);
    const beside = await send(formOf({ request: '{"options": {"format": "A6"}}', markdown: '# Beside ![](logo.png)' }, files));
    expect(await readPdf(await bytesOf(beside))).toMatchObject({ pages: ['Beside'], images: 1 });
  });

  test.each([
    ['an unknown part', formOf({ html: 'x', formt: 'A4' }), 'formt'],
    ['an option beside a request', formOf({ request: '{"html": "x"}', format: 'A4' }), 'format'],
    ['a wrong value', formOf({ html: 'x', scale: '9' }), 'scale'],
    ['a wrong value in a request', formOf({ request: '{"html": "x", "options": {"scale": 9}}' }), 'options.scale'],
    ['no document', formOf({}, files), 'html'],
    ['a path that leads out', formOf({ html: 'x' }, { '../x.png': PIXEL }), 'files: ../x.png'],
  ])('%s', async (_, form, path) => {
    expect((await errorsOf(send(form)))?.map((error) => error.path)).toEqual([path]);
  });

  test('becomes an image, with options as fields or in a request', async () => {
    const red = '<!doctype html><link rel=stylesheet href="css/red.css">';
    const css = { 'css/red.css': 'body { background: red }' };
    const shown = readPng(
      await bytesOf(await send(formOf({ html: red, viewport: '{"width": 40, "height": 30}' }, css), {}, '/v1/image')),
    );
    expect([shown.width, shown.height, shown.colorAt(5, 5)]).toEqual([40, 30, '#ff0000ff']);
    const request = JSON.stringify({ html: red, options: { type: 'jpeg', selector: 'html' } });
    expect(readImageHeader(await bytesOf(await send(formOf({ request }, css), {}, '/v1/image')))).toMatchObject({
      format: 'jpeg',
    });
    const invoice = formOf({ html: 'x', invoice: '<x/>', invoice_profile: 'EN 16931' });
    expect(await errorsOf(send(invoice, {}, '/v1/image'))).toEqual([
      { path: 'invoice', message: 'is an option for PDFs, not for images' },
    ]);
  });

  test('names the parts that files and invoices belong to', async () => {
    const stray = formOf({ html: 'x' });
    stray.append('logo', new Blob([PIXEL]), 'logo.png');
    const message = 'there is no such parameter; send files beside the document in parts named files';
    expect(await errorsOf(send(stray))).toEqual([{ path: 'logo', message }]);
    expect(await errorsOf(send(formOf({ html: 'x', invoice: '<x/>' })))).toEqual([
      { path: 'invoice_profile', message: expect.stringMatching(/^is required with an XML file: one of MINIMUM/) },
    ]);
  });

  test('rejects a body that is no form', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x'])
      expect(await errorsOf(client.pdf('--y\r\n\r\nz', { 'content-type': type }))).toEqual([
        { path: expect.any(String), message: expect.any(String) },
      ]);
  });

  test('compares parts, but not boundaries, for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'form' };
    const first = await bytesOf(await send(formOf({ html: page }, files), headers));
    const again = await send(formOf({ html: page }, files), headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await bytesOf(again)).toEqual(first);
    const other = await send(formOf({ html: page }, { ...files, 'logo.png': PRINT_CSS }), headers);
    await problem(other, 422, 'idempotency_mismatch');
  });
});
