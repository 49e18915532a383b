/** `POST /v1/playground/pdf`: renders without a key in a separate browser with lower limits, without storage or charges. */
import { PNG } from 'pngjs';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';
import { browserProcesses, browserProcessesOfType, eventually, startService } from '../support/service.ts';
import { endless, image, Site, send } from '../support/site.ts';
import { smallPdf } from '../support/small-pdf.ts';
import { contentFiles } from '../support/stored.ts';
import { visitorAt } from '../support/visitor.ts';

const MAX_HTML = 524_288;
const MAX_ASSETS = 2_097_152;
const MAX_BODY = 4_194_304;
const MAX_REQUESTS = 50;
const MAX_NETWORK_BYTES = 10 * 1_048_576;

const site = await Site.start().then(closeAfterAll);
/** A site that only key holders may load from. */
const inner = await Site.start().then(closeAfterAll);
const service = await startService({
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '100000',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${inner.port}`,
  PLATEN_PLAYGROUND_OUTBOUND_ALLOW: `127.0.0.1:${site.port}`,
}).then(closeAfterAll);
const visitor = visitorAt(service.url);
await visitor.wakeUp();
afterAll(() => visitor?.leave());
beforeEach(() => {
  site.forget();
  inner.forget();
});

const textOf = async (response: Promise<Response>) => (await readPdfReply(await response)).pages[0];

test('draws pages of a result by an id that only its visitor knows', async () => {
  const reply = await visitor.pdf({ html: '<p>one<p style="break-before: page">two' });
  const id = reply.headers.get('platen-result') ?? '';
  expect(id).toMatch(/^pgr_[0-9A-Za-z]{22}$/);
  const draw = (path: string, init?: RequestInit) => fetch(`${service.url}/v1/playground/results/${path}.png`, init);
  const [first, second] = await Promise.all([draw(`${id}/pages/1`), draw(`${id}/pages/2`)]);
  expect(first.headers.get('content-type')).toBe('image/png');
  expect(first.headers.get('cache-control')).toBe('private, no-store');
  const drawn = PNG.sync.read(Buffer.from(await first.arrayBuffer()));
  expect(drawn.width).toBe(420);
  expect(Buffer.from(await second.arrayBuffer()).equals(PNG.sync.write(drawn))).toBe(false);
  expect((await draw(`${id}/pages/1`, { method: 'HEAD' })).status).toBe(200);
  for (const path of [`${id}/pages/3`, `${id}/pages/0`, `${id}/pages/1e0`, `pgr_${'0'.repeat(22)}/pages/1`, 'pgr_1/pages/1'])
    await problem(await draw(path), 404, 'not_found');
  await problem(await draw(`${id}/pages/1`, { headers: { accept: 'application/pdf' } }), 406, 'not_acceptable');
  const locked = await visitor.pdf({ html: '<p>secret', options: { password: 'abc' } });
  expect(locked.headers.get('platen-result')).toBeNull();
});

test('renders with files that come with the document, for this render only', async () => {
  const assets = { 'css/style.css': { content: Buffer.from('p::before { content: "styled " }').toString('base64') } };
  const link = '<link rel=stylesheet href=css/style.css>';
  expect(await textOf(visitor.pdf({ html: `${link}<p>one`, assets }))).toBe('styled one');
  expect(await textOf(visitor.pdf({ markdown: `${link}\n\ntwo`, assets }))).toBe('styled two');
  const template = { template: `${link}<p>{{name}}`, data: { name: 'three' } };
  expect(await textOf(visitor.pdf({ ...template, assets }))).toBe('styled three');
  const headerTemplate = `${link}<p style="font-size: 9px">head</p>`;
  expect(await textOf(visitor.pdf({ html: '<p>body', assets, options: { headerTemplate } }))).toContain('styled head');
  expect(await textOf(visitor.pdf({ html: `${link}<p>one` }))).toBe('one');
});

test('rejects files that are too large together, or have no usable path', async () => {
  const half = { content: Buffer.alloc(MAX_ASSETS / 2 + 1).toString('base64') };
  const tooLarge = await problem(await visitor.pdf({ html: 'x', assets: { a: half, b: half } }), 413, 'content_too_large');
  expect(tooLarge).toMatchObject({ limit: MAX_ASSETS, actual: MAX_ASSETS + 2 });
  expect(await textOf(visitor.pdf({ html: 'x', assets: { a: half } }))).toBe('x');
  const empty = { content: '' };
  const errors = [
    { path: 'assets.../up.css', message: expect.stringContaining('must be a relative path') },
    { path: 'assets', message: expect.stringContaining('cannot be combined with options.baseUrl') },
  ];
  const body = { html: 'x', assets: { '../up.css': empty }, options: { baseUrl: 'https://example.com/' } };
  expect((await problem(await visitor.pdf(body), 400, 'invalid_request')).errors).toEqual(errors);
});

test('renders Markdown, with the same limit for its text and its HTML', async () => {
  const text = await textOf(
    visitor.pdf({
      markdown: '# Terms\n\n- first\n- **second**',
      options: { addStyleTag: { content: 'h1::after { content: " of ACME" }' } },
    }),
  );
  expect(text).toMatch(/Terms of ACME.*first.*second/s);
  expect(text).not.toContain('**');
  await problem(await visitor.pdf({ markdown: 'x'.repeat(MAX_HTML + 1) }), 413, 'content_too_large');
  await problem(await visitor.pdf({ markdown: '<'.repeat(MAX_HTML / 2) }), 413, 'content_too_large');
  const refused = async (body: object) => (await problem(await visitor.pdf(body), 400, 'invalid_request')).errors;
  const combined = 'cannot be combined with markdown: send exactly one of html, markdown, template';
  expect(await refused({ markdown: '', template: '' })).toEqual([{ path: 'template', message: combined }]);
  expect(await refused({ markdown: '', data: {} })).toEqual([{ path: 'data', message: 'requires template' }]);
  expect(await refused({ markdown: 'a\0b' })).toMatchObject([{ path: 'markdown' }]);
  expect(await refused({})).toEqual([{ path: 'html', message: 'is required, or markdown or template in its place' }]);
});

test('prints on a letterhead that the visitor sends', async () => {
  const head = smallPdf([{ content: 'BT /F 12 Tf 20 100 Td (ACME Ltd) Tj ET' }]).toString('base64');
  const render = (letterhead: object) => visitor.pdf({ html: '<p>Dear Ada', options: { letterhead } });
  expect(await textOf(render({ file: head }))).toMatch(/ACME Ltd.*Dear Ada/s);
  const refused = async (letterhead: object) => {
    const { errors } = await problem(await render(letterhead), 400, 'invalid_request');
    return (errors as Array<{ path: string; message: string }>).map(({ path, message }) => `${path} ${message}`);
  };
  expect(await refused({ document_id: 'doc_0123456789ABCDEFGHIJKL' })).toEqual([
    'options.letterhead.document_id requires an API key, because documents belong to keys: send the PDF as file',
  ]);
  const damaged = Buffer.from('%PDF-1.7 and nothing else').toString('base64');
  expect(await refused({ file: damaged })).toEqual([
    'options.letterhead is damaged, is protected by a password, has hidden layers, or is not a PDF',
  ]);
});

describe('the playground browser', () => {
  test('starts for the first visitor next to that of key holders, and restarts after a crash', async () => {
    await using own = await startService({
      PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '100000',
      PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '100000',
    });
    const someone = visitorAt(own.url);
    onTestFinished(() => someone.leave());
    const [keyHolders, ...more] = await browserProcessesOfType(own, 'browser');
    expect(more).toEqual([]);
    await someone.wakeUp();
    expect(await textOf(someone.pdf({ html: '<p>first' }))).toBe('first');
    const theirs = (await browserProcessesOfType(own, 'browser')).filter((pid) => pid !== keyHolders);
    expect(theirs).toHaveLength(1);
    process.kill(theirs[0] ?? 0, 'SIGKILL');
    await someone.wakeUp();
    expect(await browserProcessesOfType(own, 'browser')).toContain(keyHolders);
    expect(await own.metric('platen_browser_crashes_total')).toBe(0);
    expect(await own.stop()).toBe(0);
    expect(await browserProcesses(own)).toEqual([]);
  });

  test('has a fresh context for every render', async () => {
    site.serve({
      '/mark.png': (request, response) => image(request, response.setHeader('set-cookie', 'mark=MARK; path=/')),
      '/kept.png': send('image/png', '', { 'cache-control': 'public, max-age=3600' }),
    });
    const plant = `<script>name = 'MARK'; history.pushState('MARK', '', '#MARK'); Object.prototype.mark = 'MARK';
      try { localStorage.mark = 'MARK' } catch {} try { document.cookie = 'mark=MARK' } catch {}</script>
      <img src="/mark.png"><img src="/kept.png">planted`;
    const look = `<p id=out></p><img src="/mark.png"><img src="/kept.png"><script>const found = [name, history.length, location.hash, {}.mark];
      try { found.push(localStorage.mark) } catch {} try { found.push(document.cookie) } catch {}
      out.textContent = 'looked ' + (JSON.stringify(found).includes('MARK') ? 'MARK' : history.length)</script>`;
    const options = { baseUrl: site.origin };
    expect(await textOf(visitor.pdf({ html: plant, options }))).toBe('planted');
    expect(await textOf(visitor.pdf({ html: look, options }))).toBe('looked 1');
    expect(site.requestsFor('/mark.png').map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
    expect(site.requestsFor('/kept.png')).toHaveLength(2);
  });
});

describe('renders', () => {
  test('HTML', async () => {
    const response = await visitor.pdf({ html: '<title>t</title><p>Grüße', options: { format: 'A5', landscape: true } });
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('platen-pages')).toBe('1');
    expect(response.headers.get('platen-warnings')).toBe('0');
    expect(response.headers.get('server-timing')).toMatch(/^queue;dur=[\d.]+, load;dur=[\d.]+, print;dur=[\d.]+, finish;dur=/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.has('platen-quota-remaining')).toBe(false);
    const { pages, sizes } = await readPdfReply(response);
    expect(pages).toEqual(['Grüße']);
    expect(sizes[0]?.width).toBeGreaterThan(sizes[0]?.height ?? 0);
  });

  test('renders a template with data', async () => {
    const body = { template: '<p>{{a.b}} {{missing}}{{{raw}}}', data: { a: { b: '<b>&' }, raw: '<i>{{a.b}}</i>' } };
    expect(await textOf(visitor.pdf(body))).toBe('<b>& {{a.b}}');
    expect(await textOf(visitor.pdf({ template: '<p>x{{y}}' }))).toBe('x');
  });

  test('renders a Liquid template, and another one of the same name', async () => {
    const engine = 'liquid';
    const data = { items: [1, 2, 3] };
    const one = { template: '<p>{% for i in items %}{{ i | times: 2 }};{% endfor %}', engine, data };
    expect(await textOf(visitor.pdf(one))).toBe('2;4;6;');
    expect(await textOf(visitor.pdf({ ...one, template: '<p>{{ items | join: "+" }}' }))).toBe('1+2+3');
    await problem(await visitor.pdf({ template: '{% if %}', engine }), 422, 'template_error');
  });

  test('renders with every finishing option', async () => {
    const options = { watermark: { text: 'DRAFT' }, metadata: { title: 'Mine' }, tagged: true };
    const read = await readPdfReply(await visitor.pdf({ html: '<p>x', options }));
    expect(read.pages[0]).toContain('DRAFT');
    expect(read.title).toBe('Mine');
    const locked = await visitor.pdf({ html: '<p>x', options: { password: 'secret' } });
    await expect(readPdf(await locked.arrayBuffer())).rejects.toThrow(/password/i);
  });

  test('returns a report if Accept names only JSON', async () => {
    const body = { html: `<p>x<img src="http://127.0.0.1:${inner.port}/a.png">` };
    const response = await visitor.pdf(body, { accept: 'application/json' });
    const { pdf, pages, report } = (await response.json()) as { pdf: string; pages: number; report: { warnings: unknown[] } };
    expect(pages).toBe(1);
    expect((await readPdf(Buffer.from(pdf, 'base64'))).pages).toEqual(['x']);
    expect(report.warnings).toMatchObject([{ kind: 'resource_refused' }]);
    await problem(await visitor.pdf(body, { accept: 'text/plain' }), 406, 'not_acceptable');
    await problem(await visitor.pdf({ ...body, options: { failOnWarning: ['resource_refused'] } }), 422, 'render_gate_failed');
  });
});

describe('refuses', () => {
  test.each([
    ['url', { url: 'https://example.com/' }],
    ['template_id', { template_id: 'tpl_0123456789ABCDEFGHIJKL' }],
    ['store', { store: true }],
    ['filename', { filename: 'x.pdf' }],
    ['reference', { reference: 'x' }],
    ['data', { data: {} }],
    ['engine', { engine: 'liquid' }],
    ['engine', { html: undefined, template: 'x', engine: 'mustache' }],
    ['data', { html: undefined, template: 'x', data: [] }],
    ['template', { template: 'x' }],
    ['template', { html: undefined, template: 'x\0' }],
    ['html', { html: undefined }],
    ['html', { html: 7 }],
    ['html', { html: 'x\ud800' }],
    ['options.formt', { options: { formt: 'A4' } }],
    ['options.margin', { options: { margin: '100in' } }],
    ['options.timeout', { options: { timeout: 10_001 } }],
    ['options.waitForTimeout', { options: { waitForTimeout: 10_001 } }],
  ])('%s', async (path, fields) => {
    const { errors } = await problem(await visitor.pdf({ html: '<p>x', ...fields }), 400, 'invalid_request');
    expect(errors?.map((error) => error.path)).toContain(path);
  });

  test('rejects HTML over 512 KB, before and after substitution', async () => {
    const most = `<p>x<!--${'é'.repeat((MAX_HTML - 12) / 2)}-->`; // The limit applies to bytes, not characters.
    expect(Buffer.byteLength(most)).toBeLessThanOrEqual(MAX_HTML);
    expect(await textOf(visitor.pdf({ html: most }))).toBe('x');
    const more = `${most}${'y'.repeat(MAX_HTML + 1 - Buffer.byteLength(most))}`;
    const sizes = { limit: MAX_HTML, actual: MAX_HTML + 1 };
    expect(await problem(await visitor.pdf({ html: more }), 413, 'content_too_large')).toMatchObject(sizes);
    expect(await problem(await visitor.pdf({ template: more }), 413, 'content_too_large')).toMatchObject(sizes);
    const data = { x: 'y'.repeat(MAX_HTML / 2) };
    for (const engine of ['placeholders', 'liquid']) {
      const doubled = await visitor.pdf({ template: 'z{{x}}{{x}}', engine, data });
      expect(await problem(doubled, 413, 'content_too_large')).toMatchObject(sizes);
    }
  });

  test('rejects a body that is too large', async () => {
    const body = JSON.stringify({ template: 'x', data: { x: 'y'.repeat(MAX_BODY) } });
    const problemBody = await problem(await visitor.pdf(body), 413, 'content_too_large');
    expect(problemBody).toMatchObject({ limit: MAX_BODY, actual: body.length });
  });

  test('ends a render that takes too long', async () => {
    const options = { timeout: 500, waitForFunction: 'false' };
    expect(await problem(await visitor.pdf({ html: 'x', options }), 504, 'render_timeout')).toMatchObject({ timeout_ms: 500 });
  });

  test('rejects pages of other sites by not answering their preflight', async () => {
    const preflight = await fetch(`${service.url}/v1/playground/pdf`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    await problem(preflight, 405, 'method_not_allowed');
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
      await problem(await visitor.pdf('{"html": "x"}', { 'content-type': type }), 415, 'unsupported_media_type');
  });
});

describe('network access of a document', () => {
  test('reaches only the public internet: neither allowed internal hosts nor the service itself', async () => {
    inner.serve({ '/a.png': image });
    const hosts = [`127.0.0.1:${inner.port}`, new URL(service.url).host, '169.254.169.254', `[::1]:${inner.port}`];
    const html = hosts.map((host) => `<img src="http://${host}/a.png">`).join('');
    const { report } = (await (await visitor.pdf({ html }, { accept: 'application/json' })).json()) as {
      report: { network: { contacted: string[]; refused: string[] } };
    };
    expect(report.network.contacted).toEqual([]);
    expect(report.network.refused).toHaveLength(hosts.length);
    expect(inner.requests).toEqual([]);
    const keyHolder = await new Client(service.url, service.key).pdf({ html: `<img src="${inner.origin}/a.png">` });
    expect((await readPdfReply(keyHolder)).images).toBe(1);
  });

  test('has stricter limits of requests and bytes than for key holders', async () => {
    site.serve({ '/a.png': image, '/endless.png': endless('image/png', '', Buffer.alloc(65_536, 1)) });
    const images = Array.from({ length: 3 * MAX_REQUESTS }, (_, n) => `<img src="${site.origin}/a.png?${n}">`).join('');
    expect((await visitor.pdf({ html: images })).status).toBe(200);
    expect(site.requestsFor('/a.png').length).toBeLessThanOrEqual(MAX_REQUESTS);
    const large = await visitor.pdf({ html: `<img src="${site.origin}/endless.png">` }, { accept: 'application/json' });
    const { report } = (await large.json()) as { report: { network: { bytes: number } } };
    expect(report.network.bytes).toBeGreaterThan(0);
    expect(report.network.bytes).toBeLessThan(2 * MAX_NETWORK_BYTES);
  });
});

test('stores and charges nothing, whatever is sent', async () => {
  const ada = new Client(service.url, service.key);
  const before = await ada.usage();
  const headers = { authorization: `Bearer ${service.key}`, 'idempotency-key': 'sent-twice' };
  const renders = await service.metric('platen_renders_total');
  expect(await textOf(visitor.pdf({ html: '<p>first-text' }, headers))).toBe('first-text');
  expect(await textOf(visitor.pdf({ html: '<p>two' }, headers))).toBe('two');
  expect(await ada.usage()).toEqual(before);
  expect(await service.metric('platen_renders_total')).toBe(renders);
  expect(await service.metric('platen_playground_renders_total', 'ok')).toBeGreaterThan(1);
  expect(await ada.json('/v1/documents')).toMatchObject({ data: [] });
  expect(await contentFiles(service.env)).toEqual([]);
  const lines = () =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('/v1/playground/pdf'));
  await eventually('the requests are in the log', () => lines().length > 1);
  for (const line of lines()) expect(line).not.toMatch(/key_id|Bearer|sent-twice|first-text/);
});

test('suggests for a field of other endpoints one that it has', async () => {
  const { errors } = await problem(
    await visitor.pdf({ url: 'http://a.test', template_id: 'x', store: true }),
    400,
    'invalid_request',
  );
  const names = 'use one of html, markdown, template, engine, data, assets, options';
  expect(errors).toEqual([
    { path: 'url', message: `there is no such field; ${names}` },
    { path: 'template_id', message: 'there is no such field; did you mean template?' },
    { path: 'store', message: `there is no such field; ${names}` },
  ]);
});

test('publishes its limits, and is described in the reference', async () => {
  const limits = {
    ...{ html_bytes: MAX_HTML, assets_bytes: MAX_ASSETS, timeout_ms: 10_000 },
    ...{ requests_per_minute: 100_000, seconds_per_minute: 100_000 },
  };
  expect(await (await fetch(`${service.url}/v1/playground`)).json()).toEqual({ enabled: true, limits });
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { security?: unknown } }>;
  };
  expect(paths['/v1/playground/pdf']?.post).toMatchObject({ summary: expect.any(String) });
  expect(paths['/v1/playground/pdf']?.post?.security).toEqual([]); // The route requires no key.
});

test('does not exist when it is switched off', async () => {
  await using off = await startService({ PLATEN_PLAYGROUND: 'off' });
  const nobody = visitorAt(off.url);
  await problem(await nobody.pdf({ html: 'x' }), 404, 'not_found');
  expect(await (await fetch(`${off.url}/v1/playground`)).json()).toMatchObject({ enabled: false });
  const page = await fetch(off.url, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([302, '/dashboard']);
  expect((await fetch(`${off.url}/edit`, { redirect: 'manual' })).status).toBe(200); // key holders edit templates
  expect((await fetch(`${off.url}/dashboard`)).status).toBe(200);
  const { paths } = (await (await fetch(`${off.url}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(paths)).not.toContain('/v1/playground/pdf');
  await nobody.leave();
});
