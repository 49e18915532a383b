/** What clients of Gotenberg rely on at its routes around a PDF: a row for each behaviour, with good and bad input. */
import { PDF } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Fields, formOf } from '../support/gotenberg-client.ts';
import { photo } from '../support/photos.ts';
import { PIXEL } from '../support/pixel.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readZip } from '../support/read-zip.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';

const site = await Receiver.start().then(closeAfterAll);
const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_OUTBOUND_ALLOW: site.address }).then(closeAfterAll);
const { key } = await service.createKey('growth');
const ada = new Client(service.url, key);

const pages = (...texts: string[]) =>
  `<!doctype html><html lang="en"><title>${texts[0]}</title>${texts.map((text, n) => `<h1 ${n ? 'style="break-before: page"' : ''}>${text}</h1>`).join('')}`;
const THREE = await ada.rendered({ html: pages('one', 'two', 'three'), options: { outline: true } });
const TWO = await ada.rendered({ html: pages('four', 'five'), options: { outline: true } });
const FORM = await ada.rendered({ html: '<input name="n" aria-label="n" value="Ada">', options: { forms: true } });
const CONFORMING = await ada.rendered({ html: pages('conforming'), options: { conformance: ['PDF/A-2a', 'PDF/UA-1'] } });
const file = (name: string, content: string | Uint8Array, type = '') =>
  new File([content as Uint8Array<ArrayBuffer>], name, { type });

/** What the site answers, by path. */
const FILES: Record<string, { name: string | undefined; content: Uint8Array }> = {
  '/three': { name: "attachment; filename*=UTF-8''%C3%BCber.pdf", content: THREE },
  '/two': { name: 'attachment; filename="two.pdf"', content: TWO },
  '/folder': { name: 'attachment; filename="..\\\\a/b/c.pdf"', content: TWO },
  '/dot': { name: 'attachment; filename=dot.png', content: PIXEL },
  '/note': { name: 'attachment; filename=note.txt', content: Buffer.from('note') },
  '/page': { name: 'attachment; filename=index.html', content: Buffer.from('<p>downloaded') },
  '/nameless': { name: undefined, content: TWO },
};
site.answer = (response) => {
  const path = response.req.url ?? '';
  const found = FILES[path];
  if (path === '/moved') return response.writeHead(302, { location: '/two' }).end();
  if (path === '/plain') return response.writeHead(200, { 'content-type': 'text/html' }).end('plain');
  if (!found) return response.writeHead(path.startsWith('/hook') ? 204 : 404).end();
  return response.writeHead(200, { ...(found.name && { 'content-disposition': found.name }) }).end(found.content);
};
const from = (path: string, more: object = {}) => ({ url: `http://${site.address}${path}`, ...more });
const downloads = (...all: object[]) => ({ downloadFrom: JSON.stringify(all) });

function post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${key}`;
  return fetch(`${service.url}/forms/${path}`, { method: 'POST', headers: { authorization, ...headers }, body: formOf(fields) });
}

type Check = (reply: Response) => Promise<void>;
type Row = [behaviour: string, path: string, fields: Fields, check: Check, headers?: Record<string, string>];

const pdf =
  (texts?: string[], look: (content: Buffer) => unknown = () => {}): Check =>
  async (reply) => {
    expect((await succeeded(reply)).headers.get('content-type')).toBe('application/pdf');
    const content = await bytesOf(reply);
    if (texts) expect((await readPdf(content)).pages.map((page) => page.replace(/\s/g, ''))).toEqual(texts);
    await look(content);
  };
const zip =
  (...names: string[]): Check =>
  async (reply) => {
    expect((await succeeded(reply)).headers.get('content-type')).toBe('application/zip');
    expect([...(await readZip(await bytesOf(reply))).keys()].toSorted()).toEqual(names.toSorted());
  };
const json =
  (expected: object): Check =>
  async (reply) => {
    expect((await succeeded(reply)).headers.get('content-type')).toBe('application/json');
    expect(await reply.json()).toMatchObject(expected);
  };
const named =
  (disposition: string, check: Check = pdf()): Check =>
  async (reply) => {
    expect(reply.headers.get('content-disposition')).toBe(disposition);
    await check(reply);
  };
const refused =
  (text: string, status = 400): Check =>
  async (reply) => {
    expect(await reply.text()).toContain(text);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'text/plain; charset=UTF-8']);
  };
const outline = (...titles: string[]) =>
  pdf(undefined, async (content) => expect((await readPdf(content)).outline).toEqual(titles));
const turned = (...turns: number[]) =>
  pdf(undefined, async (content) => expect((await PDF.load(content)).getPages().map(({ rotation }) => rotation)).toEqual(turns));
const protectedBy = (password: string) =>
  pdf(undefined, async (content) => {
    await expect(readFinished(content)).rejects.toThrow('No password given');
    await readFinished(content, password);
  });

const invalid = (field: string) => refused(`Invalid form data: form field '${field}' is invalid`);
const required = (field: string) => refused(`Invalid form data: form field '${field}' is required`);
const NO_PASSWORD = refused("Invalid form data: a 'userPassword' or 'ownerPassword' is required");
const NO_FILE = refused('Invalid form data: no form file found for extensions: [.pdf]');
const A = { 'a.pdf': THREE };
const BOTH = { 'b.pdf': TWO, 'ä.pdf': THREE };
const WRITTEN = {
  ...{ Author: 'Ada', Copyright: 'ACME', CreateDate: '2006-09-18T16:27:50-04:00', Creator: 'C', Keywords: ['a', 'b'] },
  ...{
    Marked: true,
    ModDate: '2006-09-18T16:27:50-04:00',
    PDFVersion: 1.7,
    Producer: 'P',
    Subject: 'S',
    Title: 'T',
    Trapped: 'Unknown',
  },
};
const EXIF_DATE = '2006:09:18 16:27:50-04:00';
const LONG = `${'ü'.repeat(246)}.ü`;
/** Its font is not embedded. */
const FOREIGN = await (async () => {
  const made = PDF.create();
  made.addPage({ width: 200, height: 200 }).drawText('foreign', { x: 20, y: 100, size: 12 });
  return made.save();
})();
const PHOTO = await ada.rendered({ html: `<img src="data:image/jpeg;base64,${photo('colour').toString('base64')}">` });

const ROWS: Row[] = [
  // All routes
  ['one result is a PDF with the name of its file', 'pdfengines/flatten', A, named('attachment; filename=a.pdf')],
  ['several are an archive, whose entries keep their names', 'pdfengines/flatten', BOTH, zip('b.pdf', 'ä.pdf')],
  ['the names of version 9', 'pdf/flatten', A, pdf(['one', 'two', 'three'])],
  ['a name for the result', 'pdf/flatten', A, named('attachment; filename=foo.pdf'), { 'gotenberg-output-filename': 'foo' }],
  [
    'a name for the archive',
    'pdf/flatten',
    BOTH,
    named('attachment; filename=foo.zip', zip('b.pdf', 'ä.pdf')),
    { 'gotenberg-output-filename': 'foo' },
  ],
  ['a path is a name', 'pdf/flatten', A, named('attachment; filename=foo.pdf'), { 'gotenberg-output-filename': '/tmp/foo' }],
  [
    'a path of Windows is a name',
    'pdf/flatten',
    A,
    named('attachment; filename=foo.pdf'),
    { 'gotenberg-output-filename': 'C:\\tmp\\foo' },
  ],
  [
    'long names of files with umlauts',
    'pdf/flatten',
    { files: [file(`${LONG}.pdf`, TWO), file('b.pdf', TWO)] },
    zip(`${LONG}.pdf`, 'b.pdf'),
  ],
  ['no PDF', 'pdfengines/flatten', {}, NO_FILE],
  ['a file that is no PDF', 'pdfengines/flatten', { 'a.txt': 'x' }, refused("form file 'a.txt'")],
  [
    'all faults',
    'pdfengines/split',
    {},
    refused(
      "Invalid form data: form field 'splitMode' is required\nform field 'splitSpan' is required\nno form file found for extensions: [.pdf]",
    ),
  ],
  ['an unknown field', 'pdf/flatten', { ...A, unheardOf: '1' }, refused("form field 'unheardOf' is unknown")],
  // downloadFrom
  [
    'downloads, with names of their own',
    'pdf/merge',
    downloads(from('/three'), from('/two')),
    pdf(['four', 'five', 'one', 'two', 'three']),
  ],
  ['downloads beside files', 'pdf/flatten', { ...A, ...downloads(from('/three')) }, zip('a.pdf', 'über.pdf')],
  ['a download whose name has folders', 'pdf/flatten', downloads(from('/folder')), named('attachment; filename=c.pdf')],
  ['a download that is redirected', 'pdf/flatten', downloads(from('/moved')), named('attachment; filename=two.pdf')],
  [
    'a download to embed',
    'pdf/embed',
    { ...A, ...downloads(from('/note', { embedded: true })) },
    pdf(undefined, async (content) =>
      expect((await readFinished(content)).attachments.map(({ name }) => name)).toEqual(['note.txt']),
    ),
  ],
  ['a download to embed, by its field', 'pdf/embed', { ...A, ...downloads(from('/note', { field: 'embedded' })) }, pdf()],
  ['a download to stamp', 'pdf/stamp', { ...A, stampSource: 'image', ...downloads(from('/dot', { field: 'stamp' })) }, pdf()],
  [
    'a download below pages',
    'pdf/watermark',
    { ...A, watermarkSource: 'pdf', ...downloads(from('/two', { field: 'watermark' })) },
    pdf(['fourone', 'fourtwo', 'fourthree']),
  ],
  ['a download to convert', 'chromium/convert/html', downloads(from('/page')), pdf(['downloaded'])],
  [
    'a download for a screenshot',
    'chromium/screenshot/html',
    downloads(from('/page')),
    async (reply) => expect((await succeeded(reply)).headers.get('content-type')).toBe('image/png'),
  ],
  ['downloads of every other route', 'pdf/metadata/read', downloads(from('/two')), json({ 'two.pdf': { Title: 'four' } })],
  ['no downloads', 'pdf/flatten', { ...A, downloadFrom: '[]' }, pdf()],
  [
    'a download without a name',
    'pdf/flatten',
    downloads(from('/nameless')),
    refused("form field 'downloadFrom[0].url' answered without a file name"),
  ],
  [
    'downloads that fail',
    'pdf/flatten',
    downloads(from('/no'), from('/two'), from('/nor')),
    refused(
      "form field 'downloadFrom[0].url' answered with status 404\nform field 'downloadFrom[2].url' answered with status 404",
    ),
  ],
  [
    'a download that the network policy forbids',
    'pdf/flatten',
    downloads({ url: 'http://127.0.0.2/a.pdf' }),
    refused('network policy', 403),
  ],
  ['a download of another kind of URL', 'pdf/flatten', downloads({ url: 'file:///etc/passwd' }), invalid('downloadFrom')],
  ['a download for no field', 'pdf/flatten', downloads(from('/two', { field: 'nowhere' })), invalid('downloadFrom')],
  [
    'a download with a header of the connection',
    'pdf/flatten',
    downloads(from('/two', { extraHttpHeaders: { Host: 'x' } })),
    invalid('downloadFrom'),
  ],
  ['downloads that are no list', 'pdf/flatten', { downloadFrom: 'x' }, invalid('downloadFrom')],
  // merge
  [
    'merge in the order of the names, numbers as such',
    'pdfengines/merge',
    { '10.pdf': THREE, '9.pdf': TWO },
    pdf(['four', 'five', 'one', 'two', 'three']),
  ],
  [
    'bookmarks of the whole',
    'pdf/merge',
    { ...BOTH, bookmarks: '[{"title":"All","page":1,"children":[{"title":"Four","page":4}]}]' },
    outline('All', '  Four'),
  ],
  ['bookmarks by file', 'pdf/merge', { ...BOTH, bookmarks: '{"b.pdf":[{"title":"B","page":2}]}' }, outline('B')],
  [
    'bookmarks of the parts',
    'pdf/merge',
    { ...BOTH, autoIndexBookmarks: 'true' },
    outline('one', 'two', 'three', 'four', 'five'),
  ],
  [
    'a bookmark for each part',
    'pdf/merge',
    { ...BOTH, titleBookmarks: 'true' },
    outline('one', '  one', '  two', '  three', 'four', '  four', '  five'),
  ],
  [
    'merge with fields of the other routes',
    'pdf/merge',
    { ...BOTH, rotateAngle: '90', rotatePages: '1', metadata: '{"Title":"M"}' },
    turned(90, 0, 0, 0, 0),
  ],
  ['merge nothing', 'pdf/merge', {}, NO_FILE],
  ['merge with a profile that is none', 'pdf/merge', { ...BOTH, pdfa: 'foo' }, invalid('pdfa')],
  ['merge with a flag that is none', 'pdf/merge', { ...BOTH, pdfua: 'foo' }, invalid('pdfua')],
  ['merge with metadata that are none', 'pdf/merge', { ...BOTH, metadata: 'foo' }, invalid('metadata')],
  // split
  ['split by intervals', 'pdfengines/split', { ...A, splitMode: 'intervals', splitSpan: '2' }, zip('a_0.pdf', 'a_1.pdf')],
  ['split by pages', 'pdfengines/split', { ...A, splitMode: 'pages', splitSpan: '2-' }, zip('a_0.pdf', 'a_1.pdf')],
  ['split by ranges', 'pdfengines/split', { ...A, splitMode: 'pages', splitSpan: '1,3' }, zip('a_0.pdf', 'a_1.pdf')],
  [
    'pages into one PDF',
    'pdfengines/split',
    { ...A, splitMode: 'pages', splitSpan: '2-', splitUnify: 'true' },
    named('attachment; filename=a.pdf', pdf(['two', 'three'])),
  ],
  [
    'pages to the end, as PDFtk writes them',
    'pdf/split',
    { ...A, splitMode: 'pages', splitSpan: '2-end', splitUnify: 'true' },
    pdf(['two', 'three']),
  ],
  [
    'pages to the end, as QPDF writes them',
    'pdf/split',
    { ...A, splitMode: 'pages', splitSpan: '2-z', splitUnify: 'true' },
    pdf(['two', 'three']),
  ],
  ['split several', 'pdf/split', { ...BOTH, splitMode: 'intervals', splitSpan: '2' }, zip('b_0.pdf', 'ä_0.pdf', 'ä_1.pdf')],
  [
    'split a conversion',
    'chromium/convert/html',
    { 'index.html': pages('x', 'y'), splitMode: 'intervals', splitSpan: '1' },
    zip('document_0.pdf', 'document_1.pdf'),
  ],
  ['split in no mode', 'pdf/split', { ...A, splitMode: 'foo', splitSpan: '2' }, invalid('splitMode')],
  ['split by no interval', 'pdf/split', { ...A, splitMode: 'intervals', splitSpan: 'foo' }, invalid('splitSpan')],
  ['split by no pages', 'pdf/split', { ...A, splitMode: 'pages', splitSpan: 'foo' }, invalid('splitSpan')],
  // rotate
  ['turn all pages', 'pdf/rotate', { ...A, rotateAngle: '90' }, turned(90, 90, 90)],
  ['turn some pages', 'pdf/rotate', { ...A, rotateAngle: '270', rotatePages: '1,3' }, turned(270, 0, 270)],
  ['another angle', 'pdf/rotate', { ...A, rotateAngle: '45' }, invalid('rotateAngle')],
  ['no angle', 'pdf/rotate', A, required('rotateAngle')],
  ['pages that are not there', 'pdf/rotate', { ...A, rotateAngle: '90', rotatePages: '9' }, invalid('rotatePages')],
  // watermark and stamp
  [
    'a text below',
    'pdf/watermark',
    { ...A, watermarkSource: 'text', watermarkExpression: 'DRAFT' },
    pdf(['DRAFTone', 'DRAFTtwo', 'DRAFTthree']),
  ],
  [
    'a text above some pages',
    'pdf/stamp',
    { ...A, stampSource: 'text', stampExpression: 'PAID', stampPages: '2-' },
    pdf(['one', 'twoPAID', 'threePAID']),
  ],
  [
    'options of pdfcpu',
    'pdf/watermark',
    {
      ...A,
      watermarkSource: 'text',
      watermarkExpression: 'S',
      watermarkOptions:
        '{"scale":"0.5 abs","rot":"45","fillcolor":"#FF0000","pos":"tl","offset":"10 -10","opacity":"0.5","points":"20","fontname":"Helvetica"}',
    },
    pdf(),
  ],
  [
    'an image by its name',
    'pdf/stamp',
    { ...A, stampSource: 'image', stampExpression: 'd.png', stamp: [file('d.png', PIXEL)] },
    pdf(),
  ],
  ['an image without its name', 'pdf/watermark', { ...A, watermarkSource: 'image', watermark: [file('d.png', PIXEL)] }, pdf()],
  [
    'the first page of a PDF',
    'pdf/stamp',
    { ...A, stampSource: 'pdf', stamp: [file('b.pdf', TWO)] },
    pdf(['onefour', 'twofour', 'threefour']),
  ],
  [
    'the plural of the file field',
    'pdf/watermark',
    { ...A, watermarkSource: 'pdf', watermarks: [file('b.pdf', TWO)] },
    pdf(['fourone', 'fourtwo', 'fourthree']),
  ],
  [
    'several in their order',
    'pdf/stamp',
    { ...A, stampSource: ['text', 'text'], stampExpression: ['X', 'Y'], stampPages: ['1', '1'] },
    pdf(['oneXY', 'two', 'three']),
  ],
  ['no source', 'pdf/watermark', A, required('watermarkSource')],
  ['another source', 'pdf/watermark', { ...A, watermarkSource: 'foo' }, invalid('watermarkSource')],
  ['no text', 'pdf/stamp', { ...A, stampSource: 'text' }, required('stampExpression')],
  [
    'no image',
    'pdf/watermark',
    { ...A, watermarkSource: 'image' },
    refused('Invalid form data: a watermark file is required for image or pdf source'),
  ],
  [
    'no PDF to draw',
    'pdf/stamp',
    { ...A, stampSource: 'pdf', stampExpression: 'b.pdf' },
    refused('Invalid form data: a stamp file is required for image or pdf source'),
  ],
  [
    'a path of the server',
    'pdf/stamp',
    { ...A, stampSource: 'image', stampExpression: '/etc/passwd', stamp: [file('d.png', PIXEL)] },
    invalid('stampExpression'),
  ],
  [
    'options that are none',
    'pdf/stamp',
    { ...A, stampSource: 'text', stampExpression: 'x', stampOptions: '{"op":"7"}' },
    invalid('stampOptions.op'),
  ],
  // metadata
  [
    'metadata of any name',
    'pdf/metadata/write',
    { ...A, metadata: JSON.stringify(WRITTEN) },
    async (reply) => {
      const written = await bytesOf(await succeeded(reply));
      await json({ 'w.pdf': { ...WRITTEN, CreateDate: EXIF_DATE, ModDate: EXIF_DATE } })(
        await post('pdf/metadata/read', { 'w.pdf': written }),
      );
    },
  ],
  [
    'metadata of XMP',
    'pdf/metadata/read',
    { 'c.pdf': CONFORMING },
    json({ 'c.pdf': { Title: 'conforming', Part: expect.anything() } }),
  ],
  ['metadata of several', 'pdf/metadata/read', BOTH, json({ 'b.pdf': { Title: 'four' }, 'ä.pdf': { Title: 'one' } })],
  [
    'a name that touches files',
    'pdf/metadata/write',
    { ...A, metadata: '{"System:FileName":"x"}' },
    refused("form field 'metadata.System:FileName'"),
  ],
  ['a name with a line break', 'pdf/metadata/write', { ...A, metadata: '{"a\\nb":"x"}' }, refused("form field 'metadata.a")],
  ['metadata that are no JSON', 'pdf/metadata/write', { ...A, metadata: 'foo' }, invalid('metadata')],
  ['no metadata', 'pdf/metadata/write', A, required('metadata')],
  // bookmarks
  [
    'write bookmarks',
    'pdf/bookmarks/write',
    { ...A, bookmarks: '[{"title":"A","page":3,"children":[{"title":"B","page":1}]}]' },
    outline('A', '  B'),
  ],
  [
    'read bookmarks',
    'pdf/bookmarks/read',
    { ...A, 'f.pdf': FORM },
    json({
      'a.pdf': [
        { title: 'one', page: 1 },
        { title: 'two', page: 2 },
        { title: 'three', page: 3 },
      ],
      'f.pdf': [],
    }),
  ],
  ['bookmarks that are none', 'pdf/bookmarks/write', { ...A, bookmarks: '5' }, invalid('bookmarks')],
  ['no bookmarks', 'pdf/bookmarks/write', A, required('bookmarks')],
  // flatten, encrypt, embed, convert, optimize
  ['fields become content', 'pdf/flatten', { 'f.pdf': FORM }, pdf(['Ada'])],
  ['a password', 'pdf/encrypt', { ...A, userPassword: 'u', ownerPassword: 'o' }, protectedBy('u')],
  [
    'the password of the owner alone',
    'pdf/encrypt',
    { ...A, ownerPassword: 'o', allowPrinting: 'false' },
    pdf(['one', 'two', 'three'], async (content) => expect((await readFinished(content)).permissions).not.toContain(4)),
  ],
  ['several with a password', 'pdf/encrypt', { ...BOTH, userPassword: 'u' }, zip('b.pdf', 'ä.pdf')],
  ['no password', 'pdf/encrypt', A, NO_PASSWORD],
  ['permissions without a password', 'pdf/encrypt', { ...A, allowPrinting: 'false' }, NO_PASSWORD],
  [
    'embed files',
    'pdf/embed',
    { ...A, embeds: [file('a.xml', '<a/>')], embedsMetadata: '{"a.xml":{"mimeType":"text/xml","relationship":"Data"}}' },
    pdf(undefined, (content) => expect(content.toString('latin1')).toContain('/Subtype /text#2fxml')),
  ],
  [
    'a relationship that is none',
    'pdf/embed',
    { ...A, embeds: [file('a.xml', '<a/>')], embedsMetadata: '{"a.xml":{"relationship":"Friend"}}' },
    refused("form field 'embedsMetadata.a.xml.relationship' is invalid"),
  ],
  ['nothing to embed', 'pdf/embed', A, required('embeds')],
  ['a PDF that conforms', 'pdf/convert', { 'c.pdf': CONFORMING, pdfa: 'PDF/A-2a', pdfua: 'true' }, pdf(['conforming'])],
  ['a PDF that is made to conform', 'pdf/convert', { ...A, pdfa: 'PDF/A-2b' }, pdf(['one', 'two', 'three'])],
  ['a PDF that cannot conform', 'pdf/convert', { 'f.pdf': FOREIGN, pdfa: 'PDF/A-2b' }, refused('font', 422)],
  ['a profile that is none', 'pdf/convert', { ...A, pdfa: 'foo' }, invalid('pdfa')],
  ['no profile', 'pdf/convert', A, refused("Invalid form data: either 'pdfa' or 'pdfua' form fields must be provided")],
  ['a profile and a password', 'pdf/merge', { ...BOTH, pdfa: 'PDF/A-2b', userPassword: 'u' }, invalid('userPassword')],
  [
    'photographs',
    'pdf/optimize',
    { 'p.pdf': PHOTO, imageQuality: '5' },
    pdf(undefined, (content) => expect(content.length).toBeLessThan(PHOTO.length)),
  ],
  ['photographs without a quality', 'pdf/optimize', { 'p.pdf': PHOTO }, pdf()],
  ['a quality that is none', 'pdf/optimize', { ...A, imageQuality: '500' }, invalid('imageQuality')],
  // screenshots and conversions
  [
    'an element of a screenshot',
    'chromium/screenshot/html',
    { 'index.html': '<p id="a">x', selector: '#a' },
    async (reply) => void (await succeeded(reply)),
  ],
  [
    'no element for a screenshot',
    'chromium/screenshot/html',
    { 'index.html': '<p>x', selector: '#a' },
    refused("The selector '#a' (selector) matched no element with a visible box"),
  ],
  [
    'an outline of a conversion',
    'chromium/convert/html',
    { 'index.html': pages('x', 'y'), generateDocumentOutline: 'true' },
    outline('x', 'y'),
  ],
  [
    'fields of all routes on a conversion',
    'chromium/convert/html',
    { 'index.html': pages('x', 'y'), rotateAngle: '90', metadata: '{"Title":"C"}', userPassword: 'u' },
    protectedBy('u'),
  ],
  [
    'SameSite in any case',
    'chromium/convert/url',
    { url: `http://${site.address}/plain`, cookies: '[{"name":"a","value":"b","sameSite":"lAx"}]' },
    pdf(),
  ],
  // stages
  [
    'stages',
    'pdf/pipe',
    { ...BOTH, stages: '[{"op":"merge"},{"op":"select","pages":"1,4"},{"op":"optimize"}]' },
    pdf(['one', 'four']),
  ],
  ['an unknown stage', 'pdf/pipe', { ...A, stages: '[{"op":"bless"}]' }, refused('names bless')],
  ['no stages', 'pdf/pipe', A, required('stages')],
];

test.each(ROWS)('%s', async (_, path, fields, check, headers) => {
  await check(await post(path, fields, headers));
});

test('extra headers of a download reach the server, but not another origin', async () => {
  const { downloadFrom } = downloads(from('/two', { extraHttpHeaders: { 'X-Foo': 'bar' } }));
  await succeeded(post('pdf/flatten', { downloadFrom }));
  expect(site.received.findLast(({ path }) => path === 'GET /two')?.headers['x-foo']).toBe('bar');
});

describe('webhooks', () => {
  const ROUTES: Array<[path: string, fields: Fields]> = [
    ...(['flatten', 'metadata/read', 'bookmarks/read'] as const).map((name): [string, Fields] => [`pdf/${name}`, A]),
    ['pdf/merge', BOTH],
    ['pdf/split', { ...A, splitMode: 'intervals', splitSpan: '1' }],
    ['pdf/rotate', { ...A, rotateAngle: '90' }],
    ['pdf/watermark', { ...A, watermarkSource: 'text', watermarkExpression: 'x' }],
    ['pdf/stamp', { ...A, stampSource: 'text', stampExpression: 'x' }],
    ['pdf/metadata/write', { ...A, metadata: '{"Title":"x"}' }],
    ['pdf/bookmarks/write', { ...A, bookmarks: '[{"title":"x","page":1}]' }],
    ['pdf/encrypt', { ...A, userPassword: 'x' }],
    ['pdf/embed', { ...A, embeds: [file('a.txt', 'a')] }],
    ['pdf/convert', { 'c.pdf': CONFORMING, pdfa: 'PDF/A-2a' }],
    ['pdf/optimize', { ...A, imageQuality: '50' }],
    ['pdf/pipe', { ...A, stages: '[{"op":"optimize"}]' }],
    ['chromium/convert/html', { 'index.html': 'x' }],
    ['chromium/screenshot/html', { 'index.html': 'x' }],
  ];

  test.each(ROUTES)('work on %s', async (path, fields) => {
    const hook = `/hook/${path}`;
    const headers = {
      'gotenberg-webhook-url': `http://${site.address}${hook}`,
      'gotenberg-webhook-error-url': `http://${site.address}/hook/error`,
    };
    const reply = await post(path, fields, { ...headers, 'gotenberg-trace': 'mine' });
    expect([reply.status, reply.headers.get('gotenberg-trace')]).toEqual([204, 'mine']);
    await eventually('the result has come', () => site.received.some((each) => each.path === `POST ${hook}`));
    expect(site.received.find((each) => each.path === `POST ${hook}`)?.headers['gotenberg-trace']).toBe('mine');
  });
});
