/** The routes of Gotenberg: forms as its clients send them, their results, and rejected fields. */
import { PDF, PdfArray, PdfDict, PdfName, PdfString } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/deadline.ts';
import type { ServiceError, Subject } from '../../src/errors.ts';
import { errorMessage } from '../../src/gotenberg/errors.ts';
import { translateError } from '../../src/gotenberg/field-names.ts';
import { namingOption } from '../../src/render/steps/name-option.ts';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Fields, formOf, GotenbergClient, refusal } from '../support/gotenberg-client.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { openPdf } from '../support/open-pdf.ts';
import { PIXEL } from '../support/pixel.ts';
import { readFinished } from '../support/read-finished.ts';
import { readImageHeader } from '../support/read-image.ts';
import { readPdf } from '../support/read-pdf.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';
import { Site, status } from '../support/site.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const site = await Site.start({
  '/page': (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Of a site</h1>'),
  '/frame': ({ url = '' }, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(`<img src="http://127.0.0.2:${url.split('?')[1]}/a.png">`),
  '/hosts': ({ url = '' }, response) => {
    const images = ['x.localhost', 'b.shop.localhost', 'c.shop.localhost'].map(
      (host, index) => `<img src="http://${host}:${url.split('?')[1]}/${'abc'[index]}.png">`,
    );
    response.writeHead(200, { 'content-type': 'text/html' }).end(images.join(''));
  },
  '/gone': status(404),
  '/report': (_request, response) => void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7'),
}).then(closeAfterAll);
/** A site at another address. */
const other = await Site.start({ '/a.png': status(404), '/b.png': status(404) }, '127.0.0.2').then(closeAfterAll);
const receiver = await Receiver.start().then(closeAfterAll);
const service = await startService({
  PLATEN_CONCURRENCY: '2',
  PLATEN_GOTENBERG_ROUTES: 'on',
  PLATEN_OUTBOUND_ALLOW: `127.0.0.1:${site.port} 127.0.0.2:${other.port} ${receiver.address}`,
}).then(closeAfterAll);
const ada = new Client(service.url, (await service.createKey('hundred')).key);

/** Returns the claims that the validator finds in a PDF. */
async function claimsOf(bytes: Buffer): Promise<string[]> {
  const report = await ada.send('POST', '/v1/pdf/validate', bytes, { 'content-type': 'application/pdf' });
  return ((await report.json()) as { profiles?: string[] }).profiles ?? [];
}

/** Returns the entries of the information dictionary as pdf.js reads it. */
async function informationOf(bytes: Buffer): Promise<object> {
  await using opened = await openPdf(bytes);
  const info = (await opened.document.getMetadata()).info as { Custom?: Iterable<[string, unknown]> };
  return { ...info, ...Object.fromEntries(info.Custom ?? []) };
}

const client = new GotenbergClient(service.url, ada.key);
const post = (path: string, fields: Fields, headers?: Record<string, string>) => client.post(path, fields, headers);

function send(body: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${ada.key}` };
  return fetch(`${service.url}/forms/chromium/convert/html`, { method: 'POST', headers, body });
}

const html = (fields: Fields, headers?: Record<string, string>) => post('chromium/convert/html', fields, headers);

async function good(reply: Promise<Response>): Promise<Response> {
  const response = await succeeded(reply);
  return response;
}

const pdf = async (reply: Promise<Response>) => readPdf(await bytesOf(await good(reply)));

describe('convert', () => {
  test('applies the profiles pdfa and pdfua, and rejects a document that violates them', async () => {
    const document = '<html lang="en"><title>Report</title><h1>Report';
    // Clients send false for what they do not ask for, and any program calls itself the producer.
    const given = { pdfa: 'PDF/A-3b', pdfua: 'true', generateTaggedPdf: 'false', metadata: '{"Producer":"Mine"}' };
    const bytes = await bytesOf(await good(html({ 'index.html': document, ...given })));
    expect(await claimsOf(bytes)).toEqual(['PDF/A-3b', 'PDF/UA-1']);
    expect(await informationOf(bytes)).toMatchObject({ Producer: 'Mine' });
    const image = `<h1>Report</h1><img src="data:image/png;base64,${Buffer.from(PIXEL).toString('base64')}">`;
    const poor = await refusal(html({ 'index.html': image.repeat(2), pdfua: 'true' }), 422);
    expect(poor).toMatch(/^title_missing: The document has no title\. \w+: .*language/);
    expect(poor.match(/alternate_text_missing:/g)).toHaveLength(1);
    expect(await refusal(html({ 'index.html': document, pdfa: 'PDF/A-9' }), 400)).toMatch(
      /pdfa\b.* must be one of PDF\/A-1b, PDF\/A-2b/,
    );
    const untitled = document.replace(/<title>.*<\/title>/, '');
    const others = { metadata: '{"Title":"Mine","Copyright":"Ada"}', embeds: [new File(['<a/>'], 'a.xml')] };
    const described = await bytesOf(await good(html({ 'index.html': untitled, pdfa: 'PDF/A-3b', pdfua: 'true', ...others })));
    expect(await claimsOf(described)).toEqual(['PDF/A-3b', 'PDF/UA-1']);
    expect(await informationOf(described)).toMatchObject({ Title: 'Mine', Copyright: 'Ada' });
    const old = { 'index.html': document, pdfa: 'PDF/A-1b', pdfua: 'true' };
    const { xmp } = await readFinished(await bytesOf(await good(html(old))));
    expect(xmp).toMatch(/<pdfaid:part>1<.*<pdfuaid:part>1</s);
    expect(await claimsOf(await bytesOf(await good(html({ 'index.html': document, pdfua: 'false' }))))).toEqual([]);
  });

  test('prints a page with files, header and footer as Gotenberg does', async () => {
    const response = await good(
      html(
        {
          'index.html': '<link rel=stylesheet href=style.css><h1>Invoice</h1><img src=logo.png>',
          'style.css': 'h1 { color: #c00000 } body { background: #00c000 }',
          'logo.png': PIXEL,
          'header.html': '<html><body><span style="font-size: 12px">Head</span></body></html>',
          'footer.html': '<html><body><span style="font-size: 12px" class="pageNumber"></span></body></html>',
        },
        { 'gotenberg-output-filename': 'march', 'gotenberg-trace': 'trace-1' },
      ),
    );
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=march.pdf');
    expect(response.headers.get('gotenberg-trace')).toBe('trace-1');
    const read = await readPdf(await bytesOf(response));
    expect(read.sizes).toEqual([{ width: 612, height: 792 }]);
    expect(read.images).toBe(1);
    expect(read.fills).toContain('#c00000');
    expect(read.fills).not.toContain('#00c000');
    expect(read.pages[0]).toContain('Invoice');
    expect(read.pages[0]).toMatch(/Head.*1$|Head.*1 |1.*Head/);
  });

  test('applies fields under the names of versions 8 and 9', async () => {
    const common = { paperWidth: '100mm', paperHeight: '5', marginTop: '0', marginLeft: '0', waitDelay: '10ms', scale: '1.0' };
    const markup = '<h1>One</h1><h1 style="break-before: page">Two</h1><h1 style="break-before: page">Three</h1>';
    const metadata = JSON.stringify({ Title: 'Named', Author: 'Ada' });
    const eight = {
      nativePageRanges: '2-3',
      generateDocumentOutline: 'true',
      generateTaggedPdf: 'true',
      pdfua: 'false',
      metadata,
    };
    const read = await pdf(html({ 'index.html': markup, landscape: 'true', ...common, ...eight }));
    expect(read).toMatchObject({ pages: ['Two', 'Three'], title: 'Named', tagged: true });
    expect(read.outline).toContain('Two');
    expect(read.sizes[0]?.width).toBe(360);
    expect(read.sizes[0]?.height).toBeCloseTo((100 / 25.4) * 72, 0);
    const nine = { nativePages: '1', nativeTaggedPdf: 'true', paperSize: 'A5' };
    expect(await pdf(html({ 'index.html': markup, ...nine }))).toMatchObject({ pages: ['One'], tagged: true });
  });

  test.each<[Fields, width: number, height: number]>([
    [{ paperWidth: '8.267716535433071', paperHeight: '70.5pc', marginTop: '0.39370078740157483' }, 595.3, 846],
    [{ paperWidth: '5.', paperHeight: '.5in', marginTop: '1.5pt', marginBottom: '0.7pc' }, 360, 36],
  ])('accepts lengths with many digits and in every unit: %j', async (fields, width, height) => {
    const { sizes } = await pdf(html({ 'index.html': 'x', ...fields }));
    expect(sizes[0]?.width).toBeCloseTo(width, 0);
    expect(sizes[0]?.height).toBeCloseTo(height, 0);
  });

  test('headers and footers print without what they would load from the network', async () => {
    const url = 'https://cdn.invalid/a,b.png?c=(1)';
    const styles = `<link rel=stylesheet href="${url}"><style>@import "${url}"; i { background: url(${url}) }</style>`;
    const head = `${styles}<img src='${url}' alt='"'><img srcset="${url} 2x"><b style="background: url('${url}'); font-size: 12px">Head</b>`;
    const fields = { 'header.html': head, 'footer.html': `<a href="${url}" style="font-size: 12px">Foot</a>`, marginTop: '2' };
    expect((await pdf(html({ 'index.html': 'Text', ...fields }))).pages[0]).toMatch(/^(?=.*Head)(?=.*Text)(?=.*Foot)/);
  });

  test('turns a single page as other pages, and bookmarks need no tags that were asked for', async () => {
    const fields = { singlePage: 'true', landscape: 'true', generateTaggedPdf: 'false', generateDocumentOutline: 'true' };
    const read = await pdf(html({ 'index.html': '<h1>One</h1>', ...fields }));
    expect(read).toMatchObject({ sizes: [{ width: 792 }], outline: ['One'] });
    const table = `<table>${'<td><div style="width: 160px">Cell</div>'.repeat(11)}<td>Last</table>`;
    const wide = await pdf(html({ 'index.html': table, ...fields }));
    expect(wide.pages).toEqual([expect.stringContaining('Last')]);
    const places = wide.placed[0]?.map(({ x }) => x) ?? [];
    expect(Math.max(...places)).toBeLessThan(792);
    const narrow = { paperWidth: '3', paperHeight: '4', singlePage: 'true' };
    expect((await pdf(html({ 'index.html': 'x', ...narrow }))).sizes[0]?.width).toBe(216);
  });

  test.each([
    ['../a', 'a.pdf'],
    ['C:\\tmp\\x.pdf', 'x.pdf.pdf'],
    ['invoices/7', '7.pdf'],
    ['n'.repeat(250), `${'n'.repeat(250)}.pdf`],
  ])('names the result by the last part of %s', async (name, filename) => {
    const response = await good(html({ 'index.html': 'x' }, { 'gotenberg-output-filename': name }));
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${filename}`);
  });

  test('waits for a script', async () => {
    const markup = '<p id=a>early</p><script>setTimeout(() => { a.textContent = "late"; window.status = "done" }, 50)</script>';
    const waits = { waitForExpression: "a.textContent === 'late'", waitWindowStatus: 'done', waitForSelector: '#a' };
    expect((await pdf(html({ 'index.html': markup, ...waits }))).pages).toEqual(['late']);
  });

  test('prints a URL', async () => {
    const fields = {
      url: `http://127.0.0.1:${site.port}/page`,
      cookies: JSON.stringify([{ name: 'a', value: '1', domain: `127.0.0.1:${site.port}` }]),
    };
    const headers = { extraHttpHeaders: '{"X-Mine": "yes"}', userAgent: 'Test/1' };
    expect((await pdf(post('chromium/convert/url', { ...fields, ...headers }))).pages).toEqual(['Of a site']);
    expect(site.requests.at(-1)?.headers).toMatchObject({ cookie: 'a=1', 'x-mine': 'yes', 'user-agent': 'Test/1' });
  });

  test('sends headers with a scope, and cookies with a domain, to other addresses of a page', async () => {
    const page = `<img src="http://127.0.0.2:${other.port}/a.png"><img src="http://127.0.0.2:${other.port}/b.png">`;
    const secrets = {
      extraHttpHeaders: JSON.stringify({ 'X-Mine': `yes;scope=^http://127\\.0\\.0\\.[2-9]:\\d+/(a|c)\\.png$` }),
      cookies: JSON.stringify([
        { name: 'n', value: '1', domain: '127.0.0.2', sameSite: 'lax' },
        { name: 'o', value: '2', domain: '127.0.0.3' },
      ]),
    };
    await good(html({ 'index.html': page, ...secrets }));
    const received = () => other.requests.map(({ path, headers }) => [path, headers['x-mine'], headers.cookie]).sort();
    expect(received()).toEqual([
      ['/a.png', 'yes', 'n=1'],
      ['/b.png', undefined, 'n=1'],
    ]);

    other.forget();
    await good(post('chromium/convert/url', { url: `http://127.0.0.1:${site.port}/frame?${other.port}`, ...secrets }));
    expect(received()).toEqual([['/a.png', 'yes', undefined]]); // as another site, it gets no cookie that is Lax
    expect(site.requests.at(-1)?.headers).not.toHaveProperty('x-mine');
    expect(site.requests.at(-1)?.headers).not.toHaveProperty('cookie');
  });

  test('sends cookies with a domain to other hosts of the same site, on any port', async () => {
    site.forget();
    const cookies = JSON.stringify([
      { name: 'one', value: '1', domain: 'B.shop.localhost' },
      { name: 'all', value: '2', domain: '.shop.localhost', sameSite: 'lax' },
    ]);
    await good(post('chromium/convert/url', { url: `${site.as('a.shop.localhost')}/hosts?${site.port}`, cookies }));
    const received = site.requests.map(({ path, headers }) => [path.split('?')[0], headers.cookie]).sort();
    expect(received).toEqual([
      ['/a.png', undefined],
      ['/b.png', 'one=1; all=2'],
      ['/c.png', 'all=2'],
      ['/hosts', 'all=2'],
    ]);
  });

  test('draws a text under the content or an image over it', async () => {
    const mark = {
      watermarkSource: 'text',
      watermarkExpression: 'DRAFT',
      watermarkOptions: '{"opacity":0.5,"rot":"30","fillcolor":"1 0 0"}',
    };
    const pages = '<p>One</p><p style="break-before: page">Two</p>';
    const drawn = await pdf(html({ 'index.html': pages, ...mark, watermarkPages: '2' }));
    expect(drawn.pages).toEqual(['One', expect.stringMatching(/^(?=.*DRAFT)(?=.*Two)/)]);
    const form = formOf({ 'index.html': pages, stampSource: 'image', stampExpression: 'seal.png' });
    form.append('stamp', new Blob([PIXEL]), 'seal.png');
    const stamped = await pdf(send(form));
    expect(stamped).toMatchObject({ pages: ['One', 'Two'], images: 2 });
  });

  test('makes an invoice', async () => {
    const sale = SALES.plain as Sale;
    const form = formOf({ 'index.html': invoiceHtml(sale), facturxConformanceLevel: 'EN 16931', facturxDocumentType: 'INVOICE' });
    form.append('facturxXml', new Blob([invoiceXml(sale, 'EN 16931')]), 'mine.xml');
    const bytes = await bytesOf(await good(send(form)));
    expect(await claimsOf(bytes)).toEqual(['PDF/A-3b']);
    expect((await readFinished(bytes)).attachments).toMatchObject([{ name: 'factur-x.xml' }]);
  });

  test('says what attached files are', async () => {
    const form = formOf({ 'index.html': 'x', embedsMetadata: '{"data.csv":{"mimeType":"text/csv","relationship":"Source"}}' });
    form.append('embeds', new Blob(['a,b']), 'data.csv');
    const text = unpackedText(await bytesOf(await good(send(form))));
    expect(text).toMatch(/\/AFRelationship\s*\/Source/);
    expect(text).toMatch(/\/Subtype\s*\/text#2[Ff]csv/);
  });

  test('writes metadata under any name', async () => {
    const metadata = JSON.stringify({
      Title: 'Named',
      Copyright: '© 2026 Ada',
      Marked: true,
      Trapped: 'True',
      Producer: 'Mine',
      Tags: ['a', 'b'],
      author: ['Ada', 'Grace'],
      CreateDate: '2006:09:18 16:27:50-04:00',
    });
    const expected = { Copyright: '© 2026 Ada', Marked: 'true', Tags: 'a, b', Author: 'Ada, Grace', Trapped: { name: 'True' } };
    const page = await bytesOf(await good(html({ 'index.html': 'x', metadata })));
    const info = await informationOf(page);
    expect(info).toMatchObject({ Title: 'Named', Producer: 'Mine', ...expected });
    expect(info).toMatchObject({ CreationDate: expect.stringMatching(/^D:20060918(?:162750-04|202750)/) });
    expect(page.toString('utf8')).toContain('<pdfx:Copyright>© 2026 Ada</pdfx:Copyright>');
    const merged = await bytesOf(await good(post('pdfengines/merge', { '1.pdf': page, metadata })));
    expect(await informationOf(merged)).toMatchObject({ Title: 'Named', Producer: 'Mine', ...expected });
  });

  test('empty values and null mean nothing, as clients in Go send them', async () => {
    const empty = { cookies: '[]', extraHttpHeaders: '{}', metadata: '{}', failOnResourceHttpStatusCodes: '[]' };
    await good(html({ 'index.html': 'x', ...empty }));
    const nothing = Object.fromEntries([...Object.keys(empty), 'failOnHttpStatusCodes'].map((name) => [name, 'null']));
    await good(html({ 'index.html': 'x', ...nothing }));
    await good(post('chromium/convert/markdown', { 'index.html': '{{ toHTML "a.md" }}', 'a.md': '# x', ...nothing }));
    await good(post('chromium/screenshot/html', { 'index.html': 'x', ...nothing }));
    await good(post('chromium/convert/url', { url: `http://127.0.0.1:${site.port}/gone`, ...nothing }));
  });

  test('members of a cookie that Gotenberg does not know are ignored, and case does not matter', async () => {
    const known = { Name: 'b', value: '2', domain: '127.0.0.1', path: '/page' };
    const cookies = JSON.stringify([{ ...known, http_only: true, same_site: 'Strict', hostOnly: 1 }]);
    await good(post('chromium/convert/url', { url: `http://127.0.0.1:${site.port}/page`, cookies }));
    expect(site.requests.at(-1)?.headers.cookie).toBe('b=2');
  });

  test('fields that only other routes read are ignored', async () => {
    const screenshot = { width: '300', height: '200', clip: 'true', format: 'webp', quality: '50', optimizeForSpeed: 'true' };
    await good(html({ 'index.html': 'x', ...screenshot, merge: 'true', autoIndexBookmarks: 'true', url: 'http://x.y' }));
    const print = {
      paperWidth: '5.830000in',
      scale: '0.750000',
      landscape: 'true',
      metadata: '{"Copyright":"x"}',
      pdfa: 'PDF/A-1b',
    };
    const form = formOf({ 'index.html': 'x', ...print, splitMode: 'intervals', splitSpan: '1', flatten: 'true' });
    form.append('embeds', new Blob(['<a/>']), 'a.xml');
    const headers = { authorization: `Bearer ${ada.key}` };
    const shot = await good(fetch(`${service.url}/forms/chromium/screenshot/html`, { method: 'POST', headers, body: form }));
    expect(readImageHeader(await bytesOf(shot)).format).toBe('png');
    const one = await bytesOf(await good(html({ 'index.html': 'x' })));
    await good(post('pdfengines/merge', { 'a.pdf': one, ...screenshot, paperWidth: '5', skipNetworkIdleEvent: 'false' }));
  });

  test('inserts Markdown into a page', async () => {
    const page = '<body><p>Before</p>{{ toHTML "text.md" }}<hr>{{ toHTML "other.md" }}{{ toHTML "other.md" }}</body>';
    const fields = { 'index.html': page, 'text.md': '# A *title*', 'other.md': '- one' };
    expect((await pdf(post('chromium/convert/markdown', fields))).pages[0]).toMatch(/Before A title.*one/);
    const convert = (files: Fields) => post('chromium/convert/markdown', { 'index.html': page, ...files });
    expect(await refusal(convert({ 'text.md': 'x' }), 400)).toBe("Markdown file(s) not found: 'other.md'");
    expect(await refusal(convert({ 'third.md': 'x' }), 400)).toBe("Markdown file(s) not found: 'text.md'; 'other.md'");
    const others = Array.from({ length: 30 }, (_, index) => `{{ toHTML "${index}.md" }}`).join('');
    expect(await refusal(convert({ 'index.html': others, 'text.md': 'x' }), 400)).toMatch(/'18.md'; '19.md'; and 10 more$/);
    expect(await refusal(post('chromium/convert/markdown', { 'index.html': page }), 400)).toContain('[.md]');
  });

  test('applies a password and attachments', async () => {
    const withData = (fields: Fields) => {
      const body = formOf({ 'index.html': 'x', ...fields });
      body.append('embeds', new Blob(['a,b']), 'data.csv');
      const headers = { authorization: `Bearer ${ada.key}` };
      return fetch(`${service.url}/forms/chromium/convert/html`, { method: 'POST', headers, body });
    };
    const { attachments } = await readFinished(await bytesOf(await good(withData({}))));
    expect(attachments).toMatchObject([{ name: 'data.csv', content: Buffer.from('a,b') }]);
    const response = await good(withData({ userPassword: 'open', allowPrinting: 'false' }));
    await expect(readPdf(await bytesOf(response))).rejects.toThrow(/password/i);
  });

  test('charges a document, once for an Idempotency-Key', async () => {
    const { documents: before } = await ada.usage();
    const send = () =>
      html({ 'index.html': '<p>once' }, { 'idempotency-key': 'gotenberg-1', 'gotenberg-output-filename': 'kept' });
    const [first, second] = [await good(send()), await good(send())];
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('content-disposition')).toBe('attachment; filename=kept.pdf');
    expect(Buffer.compare(await bytesOf(first), await bytesOf(second))).toBe(0);
    expect((await ada.usage()).documents.used).toBe(before.used + 1);
    await refusal(html({ 'index.html': '<p>other' }, { 'idempotency-key': 'gotenberg-1' }), 422);
  });
});

describe('screenshot', () => {
  const shot = async (fields: Fields) => readImageHeader(await bytesOf(await good(post('chromium/screenshot/html', fields))));

  test('captures the document or its window', async () => {
    const page = { 'index.html': '<!doctype html><body style="margin: 0; height: 900px">' };
    expect(await shot(page)).toEqual({ format: 'png', width: 800, height: 900 });
    expect(await shot({ ...page, width: '300', height: '200', clip: 'true', format: 'jpeg', quality: '50' })).toEqual({
      ...{ format: 'jpeg', width: 300, height: 200 },
    });
    expect(await shot({ ...page, format: 'webp', optimizeForSpeed: 'true', omitBackground: 'true' })).toMatchObject({
      format: 'webp',
    });
  });

  test('captures the element of a selector', async () => {
    const page = { 'index.html': '<p>Before</p><div id="chart" style="width: 30px; height: 20px"></div>' };
    expect(await shot({ ...page, selector: '#chart' })).toEqual({ format: 'png', width: 30, height: 20 });
    expect(await refusal(post('chromium/screenshot/html', { ...page, selector: '#none' }), 400)).toContain(
      "The selector '#none' (selector) matched no element with a visible box",
    );
  });

  test('captures a URL and Markdown, with filenames', async () => {
    const fields = { url: `http://127.0.0.1:${site.port}/page` };
    const response = await good(post('chromium/screenshot/url', fields, { 'gotenberg-output-filename': 'shot' }));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=shot.png');
    await good(post('chromium/screenshot/markdown', { 'index.html': '{{ toHTML "a.md" }}', 'a.md': '# x' }));
  });

  test('replays a screenshot for an Idempotency-Key with auto_store', async () => {
    await good(ada.send('PATCH', '/v1/account', { auto_store: true }));
    const again = () => good(post('chromium/screenshot/html', { 'index.html': '<p>' }, { 'idempotency-key': 'screenshot-1' }));
    const [first, second] = [await again(), await again()];
    await good(ada.send('PATCH', '/v1/account', { auto_store: false }));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect([first, second].map(({ headers }) => headers.get('content-type'))).toEqual(['image/png', 'image/png']);
    expect(second.headers.get('content-disposition')).toMatch(/\.png$/);
    expect(Buffer.compare(await bytesOf(first), await bytesOf(second))).toBe(0);
  });
});

/** Adds a signature field in an object stream, as other programs write it. */
async function withSignature(file: Buffer): Promise<Uint8Array> {
  const pdf = await PDF.load(file);
  const signature = pdf.register(PdfDict.of({ Type: PdfName.of('Sig'), Contents: PdfString.fromHex('00') }));
  const field = pdf.register(PdfDict.of({ FT: PdfName.of('Sig'), T: PdfString.fromString('by'), V: signature }));
  pdf.context.catalog.getDict().set('AcroForm', PdfDict.of({ Fields: PdfArray.of(field) }));
  return await pdf.save({ useXRefStream: true });
}

describe('merge', () => {
  const one = async (text: string) => bytesOf(await good(html({ 'index.html': `<h1>${text}</h1>` })));

  test('merges in the order of the names without a charge, at both paths', async () => {
    const [first, second] = [await one('First'), await one('Second')];
    const { documents: before } = await ada.usage();
    const files = { '10.pdf': second, '2.pdf': first };
    for (const path of ['pdfengines/merge', 'pdf/merge'])
      expect(await pdf(post(path, files))).toMatchObject({ pages: ['First', 'Second'], outline: ['2', '10'] });
    expect((await ada.usage()).documents).toEqual(before);
  });

  test('writes metadata, attachments and a password', async () => {
    const files = { '1.pdf': await one('First'), '2.pdf': await one('Second') };
    const merged = (fields: Fields) => {
      const body = formOf({ ...files, ...fields });
      body.append('embeds', new Blob(['a,b']), 'data.csv');
      const headers = { authorization: `Bearer ${ada.key}` };
      return fetch(`${service.url}/forms/pdfengines/merge`, { method: 'POST', headers, body });
    };
    const metadata = JSON.stringify({ Title: 'Both', Author: 'Ada', Keywords: ['a', 'b'], CreationDate: '2026-01-31T12:00:00Z' });
    const bytes = await bytesOf(await good(merged({ metadata, flatten: 'true' })));
    expect(await readPdf(bytes)).toMatchObject({ pages: ['First', 'Second'], outline: ['1', '2'], title: 'Both' });
    expect((await readFinished(bytes)).attachments).toMatchObject([{ name: 'data.csv', content: Buffer.from('a,b') }]);
    const pdf = await PDF.load(bytes);
    expect([pdf.getAuthor(), pdf.getKeywords(), pdf.getCreationDate()]).toEqual([
      'Ada',
      ['a,', 'b'],
      new Date('2026-01-31T12:00:00Z'),
    ]);
    const secret = await bytesOf(await good(merged({ userPassword: 'open', ownerPassword: 'own', allowCopying: 'false' })));
    await expect(readPdf(secret)).rejects.toThrow(/password/i);
    const opened = await PDF.load(secret, { credentials: 'open' });
    expect(opened.getPageCount()).toBe(2);
    expect(opened.getPermissions()).toMatchObject({ copy: false, print: true, printHighQuality: true });
    expect(await refusal(merged({ metadata: '{"ModDate": 5}' }), 400)).toContain(
      "form field 'metadata.ModDate' is invalid: must be",
    );
    expect(await refusal(merged({ embedsMetadata: '{"data.csv":{"relationship":"Friend"}}' }), 400)).toContain(
      "form field 'embedsMetadata.data.csv.relationship' is invalid: must be one of",
    );
    expect(await refusal(merged({ userPassword: '\u0007' }), 400)).toContain(
      "form field 'userPassword' is invalid: must have at least one",
    );
  });

  test('names files that cannot be merged', async () => {
    const secret = await bytesOf(await good(html({ 'index.html': 'x', userPassword: 'open' })));
    const merge = (fields: Fields) => refusal(post('pdfengines/merge', fields), 400);
    expect(await merge({ 'a.pdf': 'not a PDF' })).toContain("form file 'a.pdf' is damaged, or not a PDF");
    expect(await merge({ 'a.pdf': secret })).toContain("'a.pdf' is protected by a password");
    const signed = Buffer.from(await withSignature(await one('Signed')));
    expect(await merge({ 'a.pdf': await one('First'), 'b.pdf': signed })).toContain(
      "'b.pdf' is signed, and a change would break its signature",
    );
    expect(await merge({ 'a.txt': 'x' })).toContain("form file 'a.txt' must have the extension .pdf");
    expect(await merge({})).toContain('no form file found for extensions: [.pdf]');
    expect(await merge({ facturxConformanceLevel: 'BASIC', 'a.pdf': secret })).toContain(
      "'facturxConformanceLevel' is not supported",
    );
  });
});

/** What Go says about the beginnings of texts that are not JSON. */
const BAD_JSON = [
  "invalid character 'o' in literal false (expecting 'a')",
  "invalid character ' ' in literal true (expecting 'e')",
  "invalid character '!' in literal null (expecting 'l')",
  'unexpected end of JSON input',
  'it is not JSON',
  "invalid character '?' looking for beginning of value",
];

describe('refusals', () => {
  test.each<[Fields, string]>([
    [{ splitMode: 'pages' }, "form field 'splitSpan' is required"],
    [{ stages: '[{"op":"compose"}]' }, "form field 'stages[0].op' is invalid: names compose; this server supports merge, select"],
    [{ resetFormFields: 'true' }, "form field 'resetFormFields' is not supported by this server"],
    [{ downloadFrom: '[{"url":"ftp://x"}]' }, "form field 'downloadFrom' is invalid: has an entry without a URL"],
    [{ paperwidth: '5' }, "form field 'paperwidth' is unknown to this route; did you mean paperWidth?"],
    [{ nothingLikeIt: '5' }, "form field 'nothingLikeIt' is unknown to this route"],
    [{ pdfa: 'PDF/A-9' }, "form field 'pdfa' is invalid: must be one of PDF/A-1b, PDF/A-2b"],
    [{ pdfa: 'PDF/A-1b', userPassword: 'x' }, "form field 'userPassword' is invalid: cannot be combined with pdfa"],
    [{ pdfa: 'PDF/A-2b', userPassword: 'x' }, "form field 'userPassword' is invalid: cannot be combined with pdfa"],
    [{ cookies: '[{"name":"a","value":"1"}]' }, "form field 'cookies' is invalid: must have a domain"],
    [{ cookies: '[{"name":"a b","value":"1","domain":"x.y"}]' }, "form field 'cookies[0].name' is not a valid cookie name"],
    [{ cookies: '[{"name":"a","value":"1","domain":"not a host"}]' }, "form field 'cookies[0].domain' is invalid: must be"],
    [{ extraHttpHeaders: '{"X-Mine":"yes"}' }, "form field 'extraHttpHeaders.X-Mine' is invalid: has no scope"],
    [
      { extraHttpHeaders: '{"A":"b;scope=x","X-N":5}' },
      "form field 'extraHttpHeaders' is invalid: has a value for X-N that is not a text",
    ],
    [
      { extraHttpHeaders: '{"X-Mine":"yes;scope=(a"}' },
      "form field 'extraHttpHeaders' is invalid: has a scope for X-Mine that is not a regular expression",
    ],
    [
      { extraHttpHeaders: '{"X-Mine":"yes;scope=(a{1000}){1000}"}' },
      "form field 'extraHttpHeaders' is invalid: has a scope for X-Mine that repeats with {n}",
    ],
    [{ extraHttpHeaders: '{"Host":"a;scope=x"}' }, "form field 'extraHttpHeaders.Host' is invalid: cannot be set"],
    [
      { extraHttpHeaders: `{"X-Mine":"yes;scope=${'x'.repeat(501)}"}` },
      "form field 'extraHttpHeaders' is invalid: has scopes of 501 characters",
    ],
    [{ watermarkSource: 'text' }, "form field 'watermarkExpression' is required"],
    [{ watermarkSource: 'pdf', watermarkExpression: 'a.pdf' }, 'a watermark file is required for image or pdf source'],
    [{ stampSource: 'image', stampExpression: 'a.png' }, 'a stamp file is required for image or pdf source'],
    [
      { watermarkSource: 'text', watermarkExpression: 'x', watermarkOptions: '{"border":"5"}' },
      "form field 'watermarkOptions' is invalid: names border",
    ],
    [{ facturxConformanceLevel: 'EN 16931' }, "form field 'facturxXml' is required"],
    [
      { watermarkSource: 'text', watermarkExpression: 'x', watermarkOptions: '{"rotation":500}' },
      "form field 'watermarkOptions.rotation' is invalid: must be a number of degrees",
    ],
    [
      { stampSource: 'text', stampExpression: 'x', stampOptions: '{"rot":500}' },
      "form field 'stampOptions.rot' is invalid: must be a number of degrees",
    ],
    [{ stampSource: 'text', stampExpression: 'x', stampPages: 'a' }, "form field 'stampPages' is invalid: must be page ranges"],
    [
      { stampSource: 'text', stampExpression: 'x'.repeat(201) },
      "form field 'stampExpression' is invalid: must be a string of 1 to 200",
    ],
    [{ metadata: '{"System:FileName":"x"}' }, "form field 'metadata.System:FileName' is not a name"],
    [
      { metadata: '{"Copyright":{"year":2026}}' },
      "form field 'metadata' is invalid: has a value for Copyright that is not a text",
    ],
    [{ metadata: '{"Trapped":"Bogus"}' }, "form field 'metadata.Trapped' is invalid: must be True, False or Unknown"],
    [{ metadata: '{"CreateDate":"today"}' }, "form field 'metadata.CreateDate' is invalid: must be a time such as"],
    [
      { pdfua: 'true', allowPrinting: 'true', allowCopying: 'false' },
      "form field 'allowCopying' is invalid: cannot be combined with pdfua",
    ],
    [{ marginRight: '5', marginLeft: '5' }, "form field 'marginLeft' leaves no room between left and right"],
    [{ marginTop: '5', marginBottom: '6' }, "form field 'marginTop' leaves no room between top and bottom"],
    [{ marginLeft: '0', paperHeight: '0.5' }, "form field 'paperHeight' leaves no room between top and bottom"],
    [{ waitForSelector: 'h1[' }, "form field 'waitForSelector' is not a CSS selector"],
    [{ waitWindowStatus: 'x'.repeat(10_000) }, "form field 'waitWindowStatus' is invalid: must be a JavaScript expression"],
    [{ waitDelay: '99s' }, "form field 'waitDelay' is invalid: must be less than PLATEN_RENDER_TIMEOUT_MS, the 30000 ms"],
    [
      { paperSize: 'A5', paperWidth: '5' },
      "form field 'paperSize' is invalid: cannot be combined with paperWidth or paperHeight: send paperSize, or paperWidth and paperHeight",
    ],
    [{ paperWidth: 'wide' }, "form field 'paperWidth' is invalid: must be a number of inches"],
    [{ paperWidth: '999' }, "form field 'paperWidth' is invalid: must be from 1px to 200in"],
    [{ scale: '7' }, "form field 'scale' is invalid: must be a number from 0.1 to 2"],
    [
      { landscape: 'yes' },
      "form field 'landscape' is invalid (got 'yes', resulting to strconv.ParseBool: parsing \"yes\": invalid syntax)",
    ],
    [{ waitDelay: '5' }, "form field 'waitDelay' is invalid (got '5', resulting to time: invalid duration \"5\")"],
    [{ nativePageRanges: 'a' }, "form field 'nativePageRanges' is invalid: must be page ranges"],
    [
      { emulatedMediaFeatures: '{"prefers-reduced-motion":"no-preference"}' },
      "form field 'emulatedMediaFeatures' is invalid: names prefers-reduced-motion",
    ],
    [{ scale: 'x' }, "form field 'scale' is invalid (got 'x', resulting to strconv.ParseFloat: parsing \"x\": invalid syntax)"],
    ...['foo', 'tru', 'nul!', '', '[', '?'].map((given, index): [Fields, string] => [
      { metadata: `${given} ` },
      `form field 'metadata' is invalid (got '${given} ', resulting to unmarshal metadata: ${BAD_JSON[index]})`,
    ]),
    [
      { emulatedMediaFeatures: '[{"name":"hover","value":"none"}]' },
      "form field 'emulatedMediaFeatures' is invalid: names hover",
    ],
    [{ cookies: 'no' }, "form field 'cookies' is invalid: must be JSON"],
    ...(
      [
        ['emulatedMediaFeatures', '[{"name":{"toString":1}}]', 'name'],
        ['emulatedMediaFeatures', '[{"name":"prefers-color-scheme","value":{}}]', 'prefers-color-scheme'],
        ['ignoreResourceHttpStatusDomains', '[{"toString":1}]', 'a domain'],
        ['embedsMetadata', '{"a.txt":{"mimeType":["text/plain"]}}', 'mimeType'],
        ['watermarkOptions', '{"rot":{"toString":1}}', 'rot'],
        ['stages', '[{"op":{"toString":1}}]', 'op'],
      ] as const
    ).map(([field, given, name]): [Fields, string] => [
      { [field]: given },
      `form field '${field}' is invalid: has a value for ${name} that is not a text`,
    ]),
    [
      { stages: '[{"op":"remediate","profile":{"toString":1}}]' },
      "form field 'stages[0].profile' is invalid: must be the name of a profile",
    ],
    [{ failOnHttpStatusCodes: '[1000]' }, "form field 'failOnHttpStatusCodes' is invalid: must be a list of HTTP statuses"],
  ])('%j', async (fields, message) => {
    expect(await refusal(html({ 'index.html': 'x', ...fields }), 400)).toContain(`Invalid form data: ${message}`);
  });

  test('requires a page or a URL', async () => {
    expect(await refusal(html({ 'other.html': 'x' }), 400)).toBe(
      "Invalid form data: form file 'index.html' is required: send a file with this name",
    );
    expect(await refusal(post('chromium/convert/url', {}), 400)).toBe("Invalid form data: form field 'url' is required");
    const named = html({ 'index.html': 'x' }, { 'gotenberg-output-filename': 'a/..' });
    expect(await refusal(named, 400)).toContain("Invalid 'Gotenberg-Output-Filename' header");
  });

  test('names what is missing beside what is wrong', async () => {
    const scale = `Invalid form data: form field 'scale' is invalid (got 'x', resulting to strconv.ParseFloat: parsing "x": invalid syntax)`;
    const page = "form file 'index.html' is required: send a file with this name";
    const wrong = (source: string, fields: Fields = {}) =>
      refusal(post(`chromium/convert/${source}`, { scale: 'x', ...fields }), 400);
    expect(await wrong('html')).toBe(`${scale}\n${page}`);
    expect(await wrong('html', { 'index.html': 'x' })).toBe(scale);
    expect(await wrong('markdown')).toBe(`${scale}\n${page}\nno form file found for extensions: [.md]`);
    expect(await wrong('markdown', { 'index.html': 'x', 'a.md': 'x' })).toBe(scale);
    expect(await wrong('url')).toBe(`${scale}\nform field 'url' is required`);
    expect(await wrong('html', { downloadFrom: `[{"url":"http://127.0.0.1:${site.port}/page"}]` })).toBe(scale);
  });

  test('returns the statuses of Gotenberg for pages that fail', async () => {
    const url = (address: string, fields: Fields = {}) => post('chromium/convert/url', { url: address, ...fields });
    const gone = `http://127.0.0.1:${site.port}/gone`;
    expect(await refusal(url(gone), 409)).toBe('Invalid HTTP status code from the main page: 404');
    expect(await refusal(url(`http://127.0.0.1:${site.port}/report`), 400)).toBe(
      'the server at url answered with application/pdf, not with HTML',
    );
    await good(url(gone, { failOnHttpStatusCodes: '[]' }));
    await good(url(gone, { failOnHttpStatusCodes: '[599,403]', failOnResourceHttpStatusCodes: '[404]' }));
    await refusal(url(gone, { failOnHttpStatusCodes: '[404]' }), 409);
    await refusal(url(gone, { failOnHttpStatusCodes: '[499]' }), 409);
    await refusal(url(`http://127.0.0.1:${site.port}/page`, { failOnHttpStatusCodes: '[200]' }), 409);
    await refusal(url('http://127.0.0.1:9/'), 403);
    const throws = (text: string) => `<script>throw new Error("${text}")</script>`;
    const loud = { 'index.html': throws('one') + throws('two'), failOnConsoleExceptions: 'true' };
    for (const route of ['convert', 'screenshot']) {
      const thrown = await refusal(post(`chromium/${route}/html`, loud), 409);
      expect(thrown).toMatch(/^Chromium console exceptions:\n.*Error: one.*\n.*Error: two[^\n]*$/);
    }
    await good(html({ ...loud, failOnConsoleExceptions: 'false' }));
    const parts = `<link rel=stylesheet href="http://10.0.0.1/a.css?v=1"><img src=none.png><img src="http://no.invalid/x">`;
    const lost = await refusal(html({ 'index.html': parts, failOnResourceLoadingFailed: 'true' }), 409);
    expect(lost.split('\n').toSorted()).toEqual([
      'Chromium failed to load resources:',
      expect.stringMatching(/^resource Image: net::ERR_FILE_NOT_FOUND \(none\.png: .*send the file in the form field 'files'\)$/),
      'resource Other: net::ERR_NAME_NOT_RESOLVED (http://no.invalid/x)',
      'resource Stylesheet: net::ERR_ACCESS_DENIED (http://10.0.0.1/a.css?v=1)',
    ]);
    const missing = {
      'index.html': `<img src="http://127.0.0.1:${site.port}/none.png">`,
      failOnResourceHttpStatusCodes: '[499]',
    };
    expect(await refusal(html(missing), 409)).toMatch(
      /^Invalid HTTP status code from resources:\nhttp.*none\.png - 404: Not Found$/,
    );
    await good(html({ ...missing, ignoreResourceHttpStatusDomains: '["127.0.0.1"]' }));
    await refusal(html({ ...missing, ignoreResourceHttpStatusDomains: '["example.com", "0.0.1"]' }), 409);
    expect(await refusal(html({ 'index.html': 'x', omitBackground: 'true' }), 400)).toBe(
      'omitBackground requires printBackground set to true',
    );
    expect(await refusal(url('file:///etc/passwd'), 400)).toMatch(/^file:\/\/ URLs are not accepted on this route/);
    await good(html({ ...missing, failOnResourceHttpStatusCodes: '[599,403]' }));
    const thrown = await refusal(html({ 'index.html': 'x', waitForExpression: 'nothing.here' }), 400);
    expect(thrown).toMatch(/^waitForExpression threw an exception/);
    expect(await refusal(html({ 'index.html': 'x', nativePageRanges: '8' }), 400)).toContain(
      'nativePageRanges: there is no page 8',
    );
  });

  test('names the setting of the time limit, which is no field', async () => {
    const timeOut = async (wait: Subject | undefined, values: Array<[name: string, value: unknown]> = []) => {
      using deadline = new Deadline(1);
      const never = new Promise<never>(() => {});
      const late = wait === undefined ? never : deadline.awaiting(wait, '{option}', never);
      const error: unknown = await namingOption(deadline.race(late)).catch((reason: unknown) => reason);
      return errorMessage(translateError({ values: new Map(values), aliases: new Map() }, error) as ServiceError);
    };
    expect(await timeOut(undefined)).toContain('Raise PLATEN_RENDER_TIMEOUT_MS or simplify the document');
    expect(await timeOut('waited_function', [['waitWindowStatus', 'x']])).toContain('still waiting for waitWindowStatus');
  });

  test('requires a form', async () => {
    const reply = ada.send('POST', '/forms/chromium/convert/html', { html: 'x' });
    expect(await refusal(reply, 415)).toContain('send multipart/form-data');
    await refusal(ada.send('POST', '/forms/chromium/convert/html'), 415);
  });
});

describe('credentials', () => {
  const as = (headers: Record<string, string>, base = service) =>
    fetch(`${base.url}/forms/chromium/convert/html`, { method: 'POST', headers, body: formOf({ 'index.html': 'x' }) });
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test('accepts a key as Bearer token, password, user name or X-Api-Key', async () => {
    for (const headers of [basic(`anyone:${ada.key}`), basic(`${ada.key}:`), { 'x-api-key': ada.key }]) await good(as(headers));
    for (const headers of [{}, basic('anyone:secret'), { 'x-api-key': 'plt_x' }, { authorization: 'Bearer plt_x' }]) {
      const refused = await as(headers);
      expect(refused.headers.get('www-authenticate')).toContain('Basic');
      expect(refused.status).toBe(401);
    }
    await problem(await fetch(`${service.url}/v1/usage`, { headers: basic(`anyone:${ada.key}`) }), 401, 'unauthorized');
  });

  test('a refusal names all ways to send the key', async () => {
    expect(await refusal(as({}), 401)).toMatch(/Bearer .* Basic .* X-Api-Key/);
  });

  test('uses the default key for requests without credentials, but only if the routes are on', async () => {
    await using other = await startService({ PLATEN_GOTENBERG_KEY: ada.key });
    expect((await as({}, other)).status).toBe(404);
    expect((await fetch(`${other.url}/version`)).status).toBe(404);
  });

  test('refuses web pages of other sites, unless they know a key', async () => {
    await using first = await startService();
    const { key, env } = first;
    await first.stop();
    const settings = { PLATEN_DATA_DIR: env.PLATEN_DATA_DIR ?? '', PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_GOTENBERG_KEY: key };
    await using other = await startService(settings, { firstKey: key });
    const statusFor = async (headers: Record<string, string>) => (await as(headers, other)).status;
    for (const own of [{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }, { origin: other.url }])
      expect(await statusFor(own), JSON.stringify(own)).toBe(200);
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://example.com' };
    for (const foreign of [crossSite, { origin: 'http://example.com' }, { origin: 'null' }]) {
      expect(await refusal(as(foreign, other), 401)).toContain('another site');
      expect(await statusFor({ ...foreign, ...basic(`any:${key}`) })).toBe(401);
      expect(await statusFor({ ...foreign, authorization: `Bearer ${key}` })).toBe(200);
      expect(await statusFor({ ...foreign, 'x-api-key': key })).toBe(200);
    }
  });
});

describe('webhooks', () => {
  const requestsFor = (path: string) => receiver.received.filter((each) => each.path === path);

  test('uploads a result and sends an event', async () => {
    const response = await html(
      { 'index.html': '<p>by webhook' },
      {
        'gotenberg-webhook-url': `http://${receiver.address}/result`,
        'gotenberg-webhook-method': 'put',
        'gotenberg-webhook-events-url': `http://${receiver.address}/events`,
        'gotenberg-webhook-extra-http-headers': '{"X-Secret": "s3", "User-Agent": "Mine/1"}',
        'gotenberg-output-filename': 'sent',
        'gotenberg-trace': 'trace-2',
      },
    );
    expect(response.status).toBe(204);
    await eventually('the event', () => requestsFor('POST /events').length > 0);
    const [result] = requestsFor('PUT /result');
    expect(result?.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename=sent.pdf',
      ...{ 'gotenberg-trace': 'trace-2', 'x-correlation-id': 'trace-2' },
      'x-secret': 's3',
      'user-agent': 'Mine/1',
    });
    expect(result?.body).toMatch(/^%PDF-/);
    expect(JSON.parse(requestsFor('POST /events')[0]?.body ?? '')).toMatchObject({
      event: 'webhook.success',
      correlationId: 'trace-2',
    });
    expect(requestsFor('POST /events')[0]?.headers['user-agent']).toBe('Mine/1');
  });

  test('sends an error with its status', async () => {
    const response = await post(
      'chromium/convert/url',
      { url: `http://127.0.0.1:${site.port}/gone` },
      {
        'gotenberg-webhook-url': `http://${receiver.address}/none`,
        'gotenberg-webhook-error-url': `http://${receiver.address}/errors`,
        'gotenberg-webhook-extra-http-headers': 'null',
      },
    );
    expect(response.status).toBe(204);
    await eventually('the error', () => requestsFor('POST /errors').length > 0);
    expect(JSON.parse(requestsFor('POST /errors')[0]?.body ?? '')).toEqual({
      status: 409,
      message: 'Invalid HTTP status code from the main page: 404',
    });
    expect(requestsFor('POST /errors')[0]?.headers['user-agent']).toBe('Platen');
    expect(requestsFor('POST /none')).toEqual([]);
  });

  test('sends nothing to a blocked URL, and reports that to the error URL', async () => {
    await html(
      { 'index.html': 'x' },
      { 'gotenberg-webhook-url': `${service.url}/v1/usage`, 'gotenberg-webhook-error-url': `http://${receiver.address}/refused` },
    );
    await eventually('the error', () => requestsFor('POST /refused').length > 0);
    expect(JSON.parse(requestsFor('POST /refused')[0]?.body ?? '')).toMatchObject({ status: 500 });
  });

  test('names invalid headers', async () => {
    const url = `http://${receiver.address}/x`;
    for (const [headers, message] of [
      [{ 'gotenberg-webhook-url': url }, "Invalid 'Gotenberg-Webhook-Events-Url' header"],
      [{ 'gotenberg-webhook-events-url': url }, "Invalid 'Gotenberg-Webhook-Url' header"],
      [{ 'gotenberg-webhook-url': 'ftp://x', 'gotenberg-webhook-error-url': url }, "Invalid 'Gotenberg-Webhook-Url' header"],
      [
        { 'gotenberg-webhook-url': url, 'gotenberg-webhook-error-url': url, 'gotenberg-webhook-method': 'GET' },
        'must be one of POST',
      ],
      [
        {
          'gotenberg-webhook-url': url,
          'gotenberg-webhook-error-url': url,
          'gotenberg-webhook-extra-http-headers': '{"Host":"x"}',
        },
        'cannot set Host',
      ],
    ] as const)
      expect(await refusal(html({ 'index.html': 'x' }, headers), 400)).toContain(message);
  });
});

test('routes of Gotenberg that this server does not have get the same kind of error', async () => {
  for (const path of ['pdfengines/unheard-of', 'libreoffice/convert']) {
    const text = await refusal(post(path, { 'a.pdf': 'x' }, { 'gotenberg-trace': 'trace-3' }), 404);
    expect(text).toMatch(/^there is no endpoint at this URL; of the routes of Gotenberg, .* \/forms\/pdfengines\/\{merge,.*\}$/);
  }
  const headers = { 'gotenberg-trace': 'trace-3' };
  const unknown = await fetch(`${service.url}/forms`, { headers });
  expect([unknown.status, unknown.headers.get('gotenberg-trace')]).toEqual([404, 'trace-3']);
  const response = fetch(`${service.url}/forms/chromium/convert/html`);
  expect(await refusal(response, 405)).toBe('use POST');
  expect((await response).headers.get('allow')).toBe('POST');
  expect(
    (await fetch(`${service.url}//forms/chromium/convert/html`, { method: 'POST', headers })).headers.get('gotenberg-trace'),
  ).toBe('trace-3');
  await problem(await fetch(`${service.url}/formsx`, { headers }), 404, 'not_found');
});

test('serves health and version without a key', async () => {
  const health = await fetch(`${service.url}/health`);
  expect(await health.json()).toMatchObject({ status: 'up', details: { chromium: { status: 'up' } } });
  expect((await fetch(`${service.url}/health`, { method: 'HEAD' })).status).toBe(200);
  const traced = await fetch(`${service.url}/version`, { headers: { 'x-correlation-id': 'trace-4' } });
  expect(['gotenberg-trace', 'x-correlation-id'].map((name) => traced.headers.get(name))).toEqual(['trace-4', 'trace-4']);
  expect(await (await fetch(`${service.url}/version`)).text()).toMatch(/^8\.\d+\.\d+\+platen/);
});
