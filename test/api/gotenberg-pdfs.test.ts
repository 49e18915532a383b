/** The routes of Gotenberg for PDFs that exist, and what conversions do after their print: each with good and bad input. */
import { PDF } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { type Fields, GotenbergClient, refusal } from '../support/gotenberg-client.ts';
import { HIDING_PLACES } from '../support/hidden-texts.ts';
import { openPdf } from '../support/open-pdf.ts';
import { photo } from '../support/photos.ts';
import { PIXEL } from '../support/pixel.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { readBookmarks } from '../support/read-bookmarks.ts';
import { readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readSignature } from '../support/read-signature.ts';
import { readZip } from '../support/read-zip.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';

const receiver = await Receiver.start().then(closeAfterAll);
const service = await startService({
  PLATEN_CONCURRENCY: '2',
  PLATEN_GOTENBERG_ROUTES: 'on',
  PLATEN_OUTBOUND_ALLOW: receiver.address,
}).then(closeAfterAll);
const { key } = await service.createKey('growth');
const ada = new Client(service.url, key);
const gotenberg = new GotenbergClient(service.url, key);

const engine = (route: string, fields: Fields, headers?: Record<string, string>) =>
  gotenberg.post(`pdfengines/${route}`, fields, headers);
const changed = async (route: string, fields: Fields) => bytesOf(await succeeded(engine(route, fields)));
const archived = async (reply: Promise<Response>) => {
  const response = await succeeded(reply);
  expect(response.headers.get('content-type')).toBe('application/zip');
  return readZip(await bytesOf(response));
};
const refused = (route: string, fields: Fields, code = 400) => refusal(engine(route, fields), code);
const converted = (fields: Fields) => gotenberg.post('chromium/convert/html', fields);
const textsOf = async (pdf: Uint8Array) => (await readPdf(pdf)).pages.map((page) => page.replace(/\s+/g, ' ').trim());
const turnsOf = async (pdf: Uint8Array) => (await PDF.load(pdf)).getPages().map(({ rotation }) => rotation);
/** Where a text is on the first page, and its width, in points from the lower left corner. */
async function placeOf(pdf: Uint8Array, text: string): Promise<{ x: number; y: number; width: number }> {
  await using opened = await openPdf(pdf);
  const { items } = await (await opened.document.getPage(1)).getTextContent();
  const item = items.find((each) => 'str' in each && each.str.includes(text)) as
    | { transform: number[]; width: number }
    | undefined;
  const [, , , , x = 0, y = 0] = item?.transform ?? [];
  return { x, y, width: item?.width ?? 0 };
}
const file = (name: string, content: string | Uint8Array, type = '') =>
  new File([content as Uint8Array<ArrayBuffer>], name, { type });

async function storeCertificate(): Promise<string> {
  const body = { name: 'test', pkcs12: pkcs12Of(await issue('Ada'), [], 'x'), password: 'x' };
  const reply = await ada.send('POST', '/v1/certificates', body);
  return ((await reply.json()) as { certificate_id: string }).certificate_id;
}

const pagesHtml = (...texts: string[]) =>
  `<!doctype html><html lang="en"><title>${texts[0]}</title>${texts.map((text, n) => `<h1 ${n ? 'style="break-before: page"' : ''}>${text}</h1>`).join('')}`;
const THREE = await ada.rendered({ html: pagesHtml('one', 'two', 'three'), options: { outline: true } });
const TWO = await ada.rendered({ html: pagesHtml('four', 'five'), options: { outline: true } });
const NOT_EMBEDDED = HIDING_PLACES['shown text']?.('nothing') as Buffer;
const FORM = await ada.rendered({ html: '<input name="n" aria-label="n" value="Ada">', options: { forms: true } });

describe('all routes', () => {
  const ROUTES: ReadonlyArray<[route: string, fields: Fields]> = [
    ['split', { splitMode: 'intervals', splitSpan: '3' }],
    ['rotate', { rotateAngle: '90' }],
    ['watermark', { watermarkSource: 'text', watermarkExpression: 'x' }],
    ['stamp', { stampSource: 'text', stampExpression: 'x' }],
    ['metadata/write', { metadata: '{"Title":"x"}' }],
    ['bookmarks/write', { bookmarks: '[{"title":"x","page":1}]' }],
    ['flatten', {}],
    ['encrypt', { userPassword: 'x' }],
    ['embed', { embeds: [file('a.txt', 'a')] }],
    ['optimize', { imageQuality: '50' }],
    ['stamp/bulk', { stamps: '[{"source":"text","expression":"x"}]' }],
    ['redact', { regions: '[{"page":1,"x":0,"y":0,"width":9,"height":9}]' }],
    ['remediate', { profile: 'PDF/A-2b' }],
  ];

  test.each(ROUTES)('%s answers a PDF, or an archive of several, under the names of versions 8 and 9', async (route, fields) => {
    const one = await succeeded(
      gotenberg.post(`pdf/${route}`, { 'a.pdf': THREE, ...fields }, { 'gotenberg-output-filename': 'out' }),
    );
    expect(one.headers.get('content-type')).toBe('application/pdf');
    expect(one.headers.get('content-disposition')).toBe('attachment; filename=out.pdf');
    const before = await ada.usage();
    const reply = engine(route, { 'b.pdf': TWO, 'ä.pdf': THREE, ...fields }, { 'gotenberg-output-filename': 'C:\\out\\all' });
    const names = [...(await archived(reply)).keys()];
    const stems = route === 'split' ? ['ä_0.pdf', 'b_0.pdf'] : ['ä.pdf', 'b.pdf'];
    expect(names).toEqual(stems);
    expect((await reply).headers.get('content-disposition')).toBe('attachment; filename=all.zip');
    expect((await ada.usage()).documents).toEqual(before.documents);
  });

  test('name what is wrong: files, required fields and all faults at once', async () => {
    expect(await refused('rotate', { rotateAngle: '90' })).toBe('Invalid form data: no form file found for extensions: [.pdf]');
    expect(await refused('rotate', {})).toBe(
      "Invalid form data: form field 'rotateAngle' is required\nno form file found for extensions: [.pdf]",
    );
    expect(await refused('rotate', { rotateAngle: '45' })).toMatch(
      /^Invalid form data: form field 'rotateAngle' is invalid .*\nno form file found for extensions: \[\.pdf\]$/,
    );
    expect(await refused('flatten', { 'a.txt': 'x', 'b.pdf': TWO })).toContain("form file 'a.txt' must have the extension .pdf");
    expect(await refused('flatten', { 'a\0.pdf': TWO })).toContain('has a name with a control character');
    expect(await refused('flatten', { 'a.pdf': 'x', 'b.pdf': TWO })).toBe(
      "Invalid form data: form file 'a.pdf' is damaged, or not a PDF",
    );
    expect(await refused('flatten', { files: [file('a.pdf', TWO), file('x/a.pdf', TWO)] })).toContain(
      "form file 'a.pdf' is the name of another file",
    );
    expect(await refused('flatten', { 'a.pdf': TWO, unheardOf: '1' })).toContain("form field 'unheardOf' is unknown");
    await succeeded(engine('flatten', { 'a.pdf': TWO, rotateAngle: '90' })); // a field of another route
  });

  test('send their result to a webhook', async () => {
    const headers = {
      'gotenberg-webhook-url': `http://${receiver.address}/rotated`,
      'gotenberg-webhook-error-url': `http://${receiver.address}/errors`,
    };
    const received = (path: string) => receiver.received.filter((each) => each.path === path);
    const fields = { 'a.pdf': TWO, 'b.pdf': TWO, rotateAngle: '90' };
    expect((await engine('rotate', fields, headers)).status).toBe(204);
    await eventually('the result', () => received('POST /rotated').length > 0);
    expect(received('POST /rotated')[0]?.headers['content-type']).toBe('application/zip');
    await engine('rotate', { ...fields, rotatePages: '9' }, headers);
    await eventually('the error', () => received('POST /errors').length > 0);
    expect(JSON.parse(received('POST /errors')[0]?.body ?? '')).toEqual({
      status: 400,
      message: "Invalid form data: form field 'rotatePages' is invalid: names page 9, but the document has 2 pages",
    });
  });
});

test('a webhook gets its result before the reply, if the operator wants it so', async () => {
  const settings = { PLATEN_GOTENBERG_ROUTES: 'on', PLATEN_GOTENBERG_WEBHOOKS: 'sync', PLATEN_OUTBOUND_ALLOW: receiver.address };
  await using waiting = await startService(settings);
  const { key: own } = await waiting.createKey('growth');
  const headers = {
    'gotenberg-webhook-url': `http://${receiver.address}/at-once`,
    'gotenberg-webhook-error-url': `http://${receiver.address}/fault`,
  };
  const sent = async (fields: Fields) => {
    const reply = await new GotenbergClient(waiting.url, own).post('pdfengines/rotate', fields, headers);
    return [reply.status, receiver.received.at(-1)?.path];
  };
  expect(await sent({ 'a.pdf': TWO, rotateAngle: '90' })).toEqual([204, 'POST /at-once']);
  expect(await sent({ 'a.pdf': TWO, rotateAngle: '90', rotatePages: '9' })).toEqual([204, 'POST /fault']);
});

describe('merge', () => {
  const files = { '2.pdf': TWO, '1.pdf': THREE };

  test('writes bookmarks of the whole, of files, of parts and of titles', async () => {
    const outline = async (fields: Fields) => (await readPdf(await changed('merge', { ...files, ...fields }))).outline;
    expect(await outline({})).toEqual(['1', '  one', '  two', '  three', '2', '  four', '  five']);
    expect(await outline({ autoIndexBookmarks: 'true' })).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(await outline({ titleBookmarks: 'true' })).toEqual(['one', '  one', '  two', '  three', 'four', '  four', '  five']);
    const own = JSON.stringify({ '2.pdf': [{ title: 'B', page: 2, children: null }], '1.pdf': [{ title: 'A', page: 1 }] });
    expect(await readBookmarks(await changed('merge', { ...files, bookmarks: own }))).toMatchObject([
      { title: 'A', page: 1 },
      { title: 'B', page: 5 },
    ]);
    const ofOne = { bookmarks: JSON.stringify({ '2.pdf': [{ title: 'B', page: 1 }] }) };
    expect(await outline(ofOne)).toEqual(['B']);
    expect(await outline({ ...ofOne, autoIndexBookmarks: 'true' })).toEqual(['one', 'two', 'three', 'B']);
    const whole = JSON.stringify([{ title: 'All', page: 1, children: [{ title: 'Four', page: 4 }] }]);
    expect(await outline({ bookmarks: whole })).toEqual(['All', '  Four']);
    expect(await refused('merge', { ...files, bookmarks: '[{"title":"x","page":6}]' })).toContain(
      "form field 'bookmarks[0].page' leads to page 6, but the document has 5 pages",
    );
    expect(await refused('merge', { ...files, bookmarks: '[{"title":5,"page":1}]' })).toContain(
      "form field 'bookmarks[0].title' is invalid: must be",
    );
  });

  test('applies the fields of the other routes, but those of splitting', async () => {
    const fields = {
      ...{ rotateAngle: '90', rotatePages: '1', stampSource: 'text', stampExpression: 'PAID', stampPages: '2-end' },
      ...{ metadata: '{"Title":"Both"}', embeds: [file('a.txt', 'a')], flatten: 'true', imageQuality: '80', splitMode: 'pages' },
    };
    const pdf = await changed('merge', { ...files, '3.pdf': FORM, ...fields });
    const read = await readPdf(pdf);
    expect(read.title).toBe('Both');
    expect((await textsOf(pdf)).map((page) => page.includes('PAID'))).toEqual([false, true, true, true, true, true]);
    expect(await turnsOf(pdf)).toEqual([90, 0, 0, 0, 0, 0]);
    expect((await readFinished(pdf)).attachments).toMatchObject([{ name: 'a.txt' }]);
    expect(await readFields(pdf)).toEqual([]);
  });
});

describe('split', () => {
  const split = (fields: Fields) => archived(engine('split', { 'a.pdf': THREE, ...fields }));

  test('by intervals and by pages', async () => {
    const byTwo = await split({ splitMode: 'intervals', splitSpan: '2' });
    expect([...byTwo.keys()]).toEqual(['a_0.pdf', 'a_1.pdf']);
    expect(await textsOf(byTwo.get('a_0.pdf') as Buffer)).toEqual(['one', 'two']);
    for (const span of ['2-', '2-end', '2,3']) {
      const pages = await split({ splitMode: 'pages', splitSpan: span });
      expect(await Promise.all([...pages.values()].map(textsOf))).toEqual([['two'], ['three']]);
    }
    const unified = await changed('split', { 'a.pdf': THREE, splitMode: 'pages', splitSpan: '1,3', splitUnify: 'true' });
    expect(await textsOf(unified)).toEqual(['one', 'three']);
    const secret = await split({ splitMode: 'pages', splitSpan: '1-2', userPassword: 'open' });
    for (const part of secret.values()) expect((await PDF.load(part, { credentials: 'open' })).getPageCount()).toBe(1);
    await expect(readPdf(secret.get('a_1.pdf') as Buffer)).rejects.toThrow(/password/i);
  });

  test('refuses what it cannot do', async () => {
    const split = (fields: Fields) => refused('split', { 'a.pdf': THREE, ...fields });
    expect(await split({ splitSpan: '1' })).toBe("Invalid form data: form field 'splitMode' is required");
    expect(await split({ splitMode: 'pages' })).toBe("Invalid form data: form field 'splitSpan' is required");
    expect(await split({ splitMode: 'halves', splitSpan: '1' })).toContain(
      "'splitMode' is invalid (got 'halves', resulting to wrong value, expected either 'intervals' or 'pages')",
    );
    expect(await split({ splitMode: 'intervals', splitSpan: '0' })).toContain("'splitSpan' is invalid: must be a whole number");
    expect(await split({ splitMode: 'pages', splitSpan: 'x' })).toContain("'splitSpan' is invalid: must be pages such as");
    expect(await split({ splitMode: 'pages', splitSpan: '7' })).toContain("'splitSpan' is invalid: names page 7");
  });
});

describe('rotate', () => {
  test('turns pages, and refuses other angles', async () => {
    const turned = async (fields: Fields) => turnsOf(await changed('rotate', { 'a.pdf': THREE, ...fields }));
    expect(await turned({ rotateAngle: '90' })).toEqual([90, 90, 90]);
    expect(await turned({ rotateAngle: '270', rotatePages: '2' })).toEqual([0, 270, 0]);
    expect(await refused('rotate', { 'a.pdf': THREE, rotateAngle: '45' })).toContain(
      "'rotateAngle' is invalid (got '45', resulting to wrong value, expected either '90', '180', '270' or '0')",
    );
    expect(await refused('rotate', { 'a.pdf': THREE, rotateAngle: '90', rotatePages: 'x' })).toContain(
      "'rotatePages' is invalid: must be pages",
    );
  });
});

describe('stamp/bulk', () => {
  const bulk = (stamps: unknown, more: Fields = {}): Fields => ({ 'a.pdf': THREE, stamps: JSON.stringify(stamps), ...more });

  test('draws the stamps of its list, and names what is wrong', async () => {
    const stamps = [
      { source: 'text', expression: 'CONFIDENTIAL', pages: '1', options: { rot: '0', scale: '0.5 abs', points: '40' } },
      { source: 'image', file: 'dot.png', pages: '2', options: { pos: 'br', scale: '0.2 abs' } },
      { source: 'pdf', file: 'seal.pdf', pages: '3', options: null },
    ];
    const pdf = await changed('stamp/bulk', bulk(stamps, { stamp: [file('seal.pdf', TWO), file('dot.png', PIXEL)] }));
    expect(await textsOf(pdf)).toEqual([expect.stringMatching(/one.*CONFIDENTIAL/), 'two', expect.stringMatching(/three.*four/)]);
    expect((await readPdf(pdf)).images).toBe(1);
    expect(await refused('stamp/bulk', bulk(stamps.slice(1)))).toBe(
      'Invalid form data: bulk stamp entry 0 requires an uploaded stamp file for image or pdf source',
    );
    expect(await refused('stamp/bulk', bulk([]))).toBe("Invalid form data: form field 'stamps' is required");
    expect(await refused('stamp/bulk', bulk(Array(51).fill({ source: 'text', expression: 'x' })))).toBe(
      "Invalid form data: form field 'stamps' makes 51 changes of a PDF; at most 50 are possible",
    );
    expect(await refused('stamp/bulk', bulk([{ source: 'text' }]))).toContain("form field 'stampExpression' is required");
    expect(await refused('stamp/bulk', bulk([{ source: 'html', expression: 'x' }]))).toContain(
      "form field 'stamps' is invalid (got 'html', resulting to wrong value",
    );
  });
});

describe('redact, sign and remediate', () => {
  test('do what the stages of the same names do', async () => {
    const { x, y, width } = await placeOf(THREE, 'one');
    const regions = JSON.stringify([{ page: 1, x: x - 2, y: y - 2, width: width + 4, height: 30 }]);
    const redacted = await changed('redact', { 'a.pdf': THREE, regions });
    expect(await textsOf(redacted)).toEqual(['', 'two', 'three']);
    const archive = await changed('remediate', { 'a.pdf': redacted, profile: 'PDF/A-2b' });
    expect((await readFinished(archive)).xmp).toContain('pdfaid:part');
    const signed = await changed('sign', { 'a.pdf': archive, certificate: await storeCertificate(), pades: 'true' });
    expect(await readSignature(Buffer.from(signed))).toMatchObject({ coversAll: true, isValid: true });
  });

  test('name their fields in errors', async () => {
    expect(await refused('redact', { 'a.pdf': THREE, regions: '[{"page":4,"x":0,"y":0,"width":1,"height":1}]' })).toContain(
      "form field 'regions[0].page' is invalid: names page 4",
    );
    expect(await refused('redact', { 'a.pdf': THREE })).toBe("Invalid form data: form field 'regions' is required");
    expect(await refused('remediate', { 'a.pdf': THREE, profile: 'PDF/A-9' })).toContain(
      "form field 'profile' is invalid: must be one of",
    );
    expect(await refused('sign', { 'a.pdf': THREE, certificate: 'cert.pem' }, 404)).toContain('certificate');
  });
});

describe('watermark and stamp', () => {
  test('draw a text, an image and a page, several times', async () => {
    const fields = {
      stampSource: ['text', 'image', 'pdf'],
      stampExpression: ['Page %p of %P', 'dot.png', 'seal.pdf'],
      stampPages: ['1', '2', '3'],
      stampOptions: [
        '{"scale":"1 abs","points":"20","rotation":"0","position":"tl","fillcolor":"1 0 0"}',
        '',
        '{"opacity":"0.5"}',
      ],
      stamp: [file('dot.png', PIXEL), file('seal.pdf', TWO)],
    };
    const pdf = await changed('stamp', { 'a.pdf': THREE, ...fields });
    const read = await readPdf(pdf);
    expect(await textsOf(pdf)).toEqual([expect.stringContaining('Page 1 of 3'), 'two', expect.stringContaining('four')]);
    expect(read.images).toBe(1);
    expect(read.fills).toContain('#ff0000');
  });

  test('are placed by position, offset and scale', async () => {
    const place = async (options: object) => {
      const stampOptions = JSON.stringify({ rotation: '0', ...options });
      const fields = { stampSource: 'text', stampExpression: 'MARK', stampPages: '1', stampOptions };
      return placeOf(await changed('stamp', { 'a.pdf': TWO, ...fields }), 'MARK');
    };
    const topLeft = await place({ scale: '1 abs', position: 'tl' });
    const moved = await place({ scale: '1 abs', position: 'tl', offset: '10 -20' });
    expect(moved.x - topLeft.x).toBeCloseTo(10, 0);
    expect(moved.y - topLeft.y).toBeCloseTo(-20, 0);
    expect((await place({ scale: '2 abs', position: 'tl' })).width).toBeCloseTo(2 * topLeft.width, 0);
    const half = await place({ scale: '0.5 rel' });
    expect(half.width / 595).toBeCloseTo(0.5, 1);
    expect((await place({ scale: '1 abs', pos: 'br' })).x).toBeGreaterThan(topLeft.x + 300);
  });

  test('refuse what they cannot draw', async () => {
    const stamp = (fields: Fields) => refused('stamp', { 'a.pdf': THREE, stampSource: 'text', stampExpression: 'x', ...fields });
    expect(await refused('watermark', { 'a.pdf': THREE })).toBe("Invalid form data: form field 'watermarkSource' is required");
    expect(await refused('stamp', { 'a.pdf': THREE, stampSource: 'text' })).toContain("'stampExpression' is required");
    expect(await stamp({ stampSource: 'image', stampExpression: '/etc/passwd', stamp: [file('a.png', PIXEL)] })).toContain(
      "'stampExpression' is invalid: must be the name of a file",
    );
    expect(await stamp({ stampSource: 'image', stampExpression: 'a.png', stamp: [file('a.png', 'x')] })).toContain(
      "'stampExpression'",
    );
    expect(await stamp({ stampSource: 'pdf', stampExpression: 'b.pdf', stamp: [file('b.pdf', '%PDF-')] })).toContain(
      "'stampExpression' is damaged",
    );
    expect(await stamp({ stampOptions: '{"op":"7"}' })).toContain("'stampOptions.op' is invalid: must be");
    expect(await stamp({ stampOptions: '{"scale":"big"}' })).toContain("'stampOptions' is invalid: has a scale that is not");
    expect(await stamp({ stampOptions: '{"pos":"up"}' })).toContain("'stampOptions.pos' is invalid: must be one of");
    expect(await stamp({ stampPages: '9' })).toContain("'stampPages' is invalid: names page 9");
  });
});

describe('metadata', () => {
  test('is written under any name, and read by file', async () => {
    const metadata = JSON.stringify({
      ...{ Title: 'New', Keywords: ['a', 'b'], Copyright: 'ACME', Marked: true, Trapped: 'Unknown' },
      ...{ 'XMP-dc:Description': 'About', 'My Name': 'Ada' },
      CreateDate: '2006:09:18 16:27:50-04:00',
    });
    const written = await changed('metadata/write', { 'a.pdf': THREE, metadata });
    const reply = await succeeded(engine('metadata/read', { 'a.pdf': written, 'b.pdf': TWO }));
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(await reply.json()).toMatchObject({
      'a.pdf': {
        ...{ Title: 'New', Keywords: ['a', 'b'], Copyright: 'ACME', Marked: true, Trapped: 'Unknown', PageCount: 3 },
        ...{ Subject: 'About', 'My Name': 'Ada' },
        CreateDate: '2006:09:18 16:27:50-04:00',
      },
      'b.pdf': { Title: 'four' },
    });
  });

  test('refuses names that would touch files, and no metadata', async () => {
    const write = (metadata: string) => refused('metadata/write', { 'a.pdf': THREE, metadata });
    expect(await write('{"System:FileName":"x"}')).toContain("form field 'metadata.System:FileName' is not a name");
    expect(await write('{"a\\nb":"x"}')).toContain("form field 'metadata.a");
    expect(await write('{"CreateDate":"today"}')).toContain("form field 'metadata.CreateDate' is invalid: must be a time");
    expect(await write('no')).toContain(
      "form field 'metadata' is invalid (got 'no', resulting to unmarshal metadata: invalid character 'o' in literal null (expecting 'u'))",
    );
    expect(await refused('metadata/write', { 'a.pdf': THREE })).toBe("Invalid form data: form field 'metadata' is required");
    expect(await refused('metadata/read', { 'a.pdf': 'x' })).toContain("form file 'a.pdf' is damaged");
  });
});

describe('bookmarks', () => {
  test('are written to all files or to those that are named, and read', async () => {
    const files = { 'a.pdf': THREE, 'b.pdf': TWO };
    const named = JSON.stringify({ 'a.pdf': [{ title: 'A', page: 3, children: [{ title: 'B', page: 1 }] }] });
    const written = await archived(engine('bookmarks/write', { ...files, bookmarks: named }));
    const again: Fields = Object.fromEntries(written);
    const plain = await ada.rendered({ html: '<p>x' });
    expect(await (await succeeded(engine('bookmarks/read', { ...again, 'c.pdf': plain }))).json()).toEqual({
      'a.pdf': [{ title: 'A', page: 3, children: [{ title: 'B', page: 1 }] }],
      'b.pdf': [
        { title: 'four', page: 1 },
        { title: 'five', page: 2 },
      ],
      'c.pdf': [],
    });
  });

  test('must be a list or lists by files, with pages that exist', async () => {
    const write = (bookmarks: string) => refused('bookmarks/write', { 'a.pdf': TWO, bookmarks });
    expect(await write('5')).toContain("'bookmarks' is invalid: must be an object");
    expect(await write('[{"title":"x"}]')).toContain("form field 'bookmarks[0]");
    expect(await write('{"a.pdf":[{"title":"x","page":9}]}')).toContain("form field 'bookmarks' leads to page 9");
    expect(await refused('bookmarks/write', { 'a.pdf': TWO })).toContain("'bookmarks' is required");
    expect(await refused('bookmarks/read', {})).toContain('no form file found');
  });
});

describe('flatten, encrypt, embed, optimize and convert', () => {
  test('flatten makes fields content', async () => {
    expect(await readFields(FORM)).toHaveLength(1);
    const pdf = await changed('flatten', { 'a.pdf': FORM });
    expect(await readFields(pdf)).toEqual([]);
    expect(await textsOf(pdf)).toEqual(['Ada']);
  });

  test('encrypt protects with a password, or restricts with that of the owner alone', async () => {
    const secret = await changed('encrypt', { 'a.pdf': TWO, userPassword: 'open', allowCopying: 'false' });
    await expect(readPdf(secret)).rejects.toThrow(/password/i);
    expect((await PDF.load(secret, { credentials: 'open' })).getPermissions()).toMatchObject({ copy: false, print: true });
    const owned = await PDF.load(await changed('encrypt', { 'a.pdf': TWO, ownerPassword: 'own', allowPrinting: 'false' }));
    expect([owned.isAuthenticated, owned.getPermissions().print]).toEqual([true, false]);
    expect(await refused('encrypt', { 'a.pdf': TWO, allowPrinting: 'false' })).toBe(
      "Invalid form data: a 'userPassword' or 'ownerPassword' is required",
    );
    expect(await refused('encrypt', { 'a.pdf': secret, userPassword: 'x' })).toBe(
      "Invalid form data: form file 'a.pdf' is protected by a password",
    );
    expect(await refused('encrypt', { 'a.pdf': TWO, userPassword: '\u0007' })).toContain(
      "form field 'userPassword' is invalid: must have",
    );
  });

  test('embed attaches files with their types and relationships', async () => {
    const embedsMetadata = JSON.stringify({ 'a.xml': { mimeType: 'text/xml', relationship: 'Data' } });
    const pdf = await changed('embed', { 'a.pdf': TWO, embeds: [file('a.xml', '<a/>'), file('b.txt', 'b')], embedsMetadata });
    expect((await readFinished(pdf)).attachments).toMatchObject([{ name: 'a.xml' }, { name: 'b.txt' }]);
    expect(await changed('embed', { 'a.pdf': pdf, embeds: [file('c.txt', 'c')] }).then(readFinished)).toMatchObject({
      attachments: [{ name: 'a.xml' }, { name: 'b.txt' }, { name: 'c.txt' }],
    });
    expect(await refused('embed', { 'a.pdf': TWO })).toBe("Invalid form data: form field 'embeds' is required");
    expect(await refused('embed', { 'a.pdf': pdf, embeds: [file('b.txt', 'b')] })).toContain(
      "form file 'b.txt' is the name of a file",
    );
    const wrong = JSON.stringify({ 'a.xml': { relationship: 'Friend' } });
    expect(await refused('embed', { 'a.pdf': TWO, embeds: [file('a.xml', 'x')], embedsMetadata: wrong })).toContain(
      "form field 'embedsMetadata.a.xml.relationship' is invalid: must be one of",
    );
  });

  test('optimize encodes photographs again, and changes nothing else', async () => {
    const html = `<p>text<img src="data:image/jpeg;base64,${photo('colour').toString('base64')}">`;
    const pdf = await ada.rendered({ html });
    const optimized = (quality: string) => changed('optimize', { 'a.pdf': pdf, imageQuality: quality });
    const [low, high] = [await optimized('5'), await optimized('100')];
    expect(low.length).toBeLessThan(high.length - 300);
    expect(await readPdf(low)).toMatchObject({ pages: ['text'], images: 1 });
    expect(await refused('optimize', { 'a.pdf': pdf, imageQuality: '101' })).toContain(
      "form field 'imageQuality' is invalid: must be",
    );
    expect(await refused('optimize', { 'a.pdf': pdf, imageQuality: 'best' })).toContain(
      "form field 'imageQuality' is invalid (got 'best', resulting to strconv.ParseFloat: parsing \"best\": invalid syntax)",
    );
    expect((await changed('optimize', { 'a.pdf': pdf })).length).toBeLessThan(high.length);
  });

  test('convert returns what conforms as it is, makes others conform, and refuses the rest', async () => {
    const html = '<html lang="en"><title>Report</title><h1>Report';
    const archive = await ada.rendered({ html, options: { conformance: ['PDF/A-2b', 'PDF/UA-1'] } });
    const same = await changed('convert', { 'a.pdf': archive, pdfa: 'PDF/A-2b', pdfua: 'true' });
    expect(Buffer.from(same).equals(Buffer.from(archive))).toBe(true);
    for (const pdfa of ['PDF/A-1b', 'PDF/A-2b']) {
      const { xmp } = await readFinished(await changed('convert', { 'a.pdf': TWO, pdfa }));
      expect(xmp).toContain(`<pdfaid:part>${pdfa[6]}</pdfaid:part>`);
    }
    expect(await refused('convert', { 'a.pdf': NOT_EMBEDDED, pdfa: 'PDF/A-2b' }, 422)).toMatch(/^font_not_embedded: /);
    expect(await refused('convert', { 'a.pdf': TWO })).toContain("either 'pdfa' or 'pdfua'");
    expect(await refused('convert', { 'a.pdf': TWO, pdfa: 'PDF/A-9' })).toContain("'pdfa' is invalid: must be one of PDF/A-1b");
    const halves = { 'a.pdf': THREE, splitMode: 'intervals', splitSpan: '2', pdfa: 'PDF/A-3b', embeds: [file('a.txt', 'a')] };
    for (const part of (await archived(engine('split', halves))).values())
      expect((await readFinished(Buffer.from(part))).xmp).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(await refused('split', { ...halves, pdfa: 'PDF/A-1b' })).toContain("'embeds' is invalid: cannot be combined with");
    const merged = { 'a.pdf': archive, 'b.pdf': NOT_EMBEDDED, pdfa: 'PDF/A-2b' };
    expect(await refused('merge', merged, 422)).toMatch(/^\w+: /);
  });
});

describe('stages', () => {
  const pipe = (stages: object[], fields: Fields = { 'a.pdf': THREE }) =>
    gotenberg.post('pdf/pipe', { ...fields, stages: JSON.stringify(stages) });
  const piped = async (stages: object[], fields?: Fields) => bytesOf(await succeeded(pipe(stages, fields)));

  test('run in their order', async () => {
    const stages = [
      { op: 'merge' },
      { op: 'select', pages: '2-' },
      { op: 'stamp-text', text: 'DRAFT', x: 72, y: 72, fontSize: 24, color: '#ff0000', opacity: 0, pages: '1' },
      { op: 'stamp-image', image: 'dot.png', width: 50, pages: '2' },
      { op: 'stamp-pdf', source: 'seal.pdf', scale: 0.5, pages: '3' },
      { op: 'optimize' },
    ];
    const files = { 'b.pdf': TWO, 'a.pdf': THREE, 'dot.png': PIXEL, 'seal.pdf': TWO };
    const pdf = await piped(stages, files);
    const read = await readPdf(pdf);
    expect(await textsOf(pdf)).toEqual([expect.stringMatching(/two.*DRAFT/), 'three', 'fourfour', 'five']);
    expect([read.images, read.outline]).toEqual([1, ['two', 'three', 'four', 'five']]);
    const draft = await placeOf(pdf, 'DRAFT');
    expect(draft.x).toBeCloseTo(72, 0);
    expect(Math.abs(draft.y - 72)).toBeLessThan(10);
  });

  test('fill and flatten forms, split, and check what they cannot repair', async () => {
    const filled = [{ op: 'set-form', fields: { n: 'Grace' } }, { op: 'flatten-form' }];
    const pdf = await piped(filled, { 'a.pdf': FORM });
    expect([await textsOf(pdf), await readFields(pdf)]).toEqual([['Grace'], []]);
    const parts = await archived(pipe([{ op: 'split', ranges: ['1', '2-3'] }]));
    expect([...parts.keys()]).toEqual(['a_0.pdf', 'a_1.pdf']);
    const remediate = { op: 'remediate', profile: 'PDF/A-2b' };
    expect(await refusal(pipe([remediate], { 'a.pdf': NOT_EMBEDDED }), 422)).toMatch(/^font_not_embedded: /);
    expect((await readFinished(await piped([remediate, { op: 'select', pages: '1' }]))).xmp).toContain('pdfaid:part');
  });

  test('work on conversions', async () => {
    const before = (await ada.usage()).documents.used;
    const stages = JSON.stringify([
      { op: 'stamp-text', text: 'COPY' },
      { op: 'split', every: 1 },
    ]);
    const parts = await archived(converted({ 'index.html': pagesHtml('one', 'two'), stages }));
    expect(await Promise.all([...parts.values()].map(textsOf))).toEqual([['oneCOPY'], ['twoCOPY']]);
    expect((await ada.usage()).documents.used).toBe(before + 1);
    const archive = JSON.stringify([{ op: 'remediate', profile: 'PDF/A-2b' }]);
    const printed = await bytesOf(await succeeded(converted({ 'index.html': '<title>A</title><h1>A', stages: archive })));
    await succeeded(engine('convert', { 'a.pdf': printed, pdfa: 'PDF/A-2b' }));
    const other = JSON.stringify([{ op: 'remediate', profile: 'PDF/A-9' }]);
    expect(await refusal(converted({ 'index.html': 'x', stages: other }), 400)).toContain(
      "'stages[0].profile' is invalid: must be one of",
    );
  });

  test('redact regions that are measured from the lower left corner, and sign with a stored certificate', async () => {
    const { x, y, width } = await placeOf(THREE, 'one');
    const region = { page: 1, x: x - 2, y: y - 2, width: width + 4, height: 30 };
    const certificate = await storeCertificate();
    const pdf = await piped([
      { op: 'redact', regions: [region] },
      { op: 'remediate', profile: 'PDF/A-2b' },
      { op: 'sign', certificate, reason: 'Approved', pades: true },
    ]);
    expect(await textsOf(pdf)).toEqual(['', 'two', 'three']);
    expect(await readSignature(Buffer.from(pdf))).toMatchObject({ coversAll: true, isValid: true });
    expect((await readFinished(pdf)).xmp).toContain('pdfaid:part');
    expect(await refusal(pipe([{ op: 'redact', regions: [{ ...region, page: 4 }] }]), 400)).toContain(
      "'stages[0].regions[0].page' is invalid: names page 4",
    );
    expect(await refusal(pipe([{ op: 'sign', certificate: 'cert.pem', key: 'key.pem' }]), 400)).toContain(
      "'stages[0].key' is not supported by sign",
    );
  });

  test('extract the text or the attachments into files', async () => {
    const named = async (reply: Response) => [
      await (await succeeded(reply)).text(),
      reply.headers.get('content-type'),
      reply.headers.get('content-disposition'),
    ];
    const plain = 'text/plain; charset=UTF-8';
    expect(await named(await pipe([{ op: 'extract-text' }]))).toEqual([
      'one\n\ftwo\n\fthree',
      plain,
      'attachment; filename=a.txt',
    ]);
    const chosen = await gotenberg.post(
      'pdf/extract-text',
      { 'a.pdf': THREE, pages: '3, 1' },
      { 'gotenberg-output-filename': 'x' },
    );
    expect(await named(chosen)).toEqual(['three\n\fone', plain, 'attachment; filename=x.txt']);
    const several = await succeeded(
      pipe([{ op: 'select', pages: '1' }, { op: 'extract-text' }], { 'a.pdf': THREE, 'b.pdf': TWO }),
    );
    expect([...(await readZip(await bytesOf(several))).keys()]).toEqual(['a.txt', 'b.txt']);
    const tagged = await ada.rendered({ html: '<h1>Fruit</h1><ul><li>Pear</ul>', options: { tagged: true } });
    expect(await named(await gotenberg.post('pdf/extract-text', { 'a.pdf': tagged, format: 'markdown' }))).toEqual([
      '# Fruit\n\n- Pear\n',
      'text/markdown; charset=UTF-8',
      'attachment; filename=a.md',
    ]);
    const attachments = ['a.xml', 'b.txt'].map((name) => ({
      name,
      content: Buffer.from(name).toString('base64'),
      relationship: 'Data',
    }));
    const holding = { 'a.pdf': await ada.rendered({ html: '<p>x', options: { attachments } }) };
    expect(await named(await gotenberg.post('pdf/extract-attachments', { ...holding, name: 'b.txt' }))).toEqual([
      'b.txt',
      'application/octet-stream',
      'attachment; filename=b.txt',
    ]);
    const all = await readZip(await bytesOf(await succeeded(pipe([{ op: 'extract-attachments' }], holding))));
    expect([...all].map(([name, content]) => [name, String(content)])).toEqual([
      ['a.xml', 'a.xml'],
      ['b.txt', 'b.txt'],
    ]);
    expect(await (await succeeded(gotenberg.post('pdf/attachments', holding))).json()).toMatchObject({
      'a.pdf': [
        { name: 'a.xml', relationship: 'Data' },
        { name: 'b.txt', relationship: 'Data' },
      ],
    });
    const refusedText = async (stages: object[], fields?: Fields) => refusal(pipe(stages, fields), 400);
    expect(await refusedText([{ op: 'extract-text', format: 'html' }])).toContain(
      "'stages[0].format' is invalid: must be one of",
    );
    expect(await refusedText([{ op: 'extract-text', annotations: true }])).toContain("'stages[0].annotations' is not supported");
    expect(await refusedText([{ op: 'extract-text', pages: '9' }])).toContain("'stages[0].pages' is invalid: names page 9");
    expect(await refusedText([{ op: 'extract-text' }, { op: 'optimize' }])).toContain('must be the last stage: extract-text');
    expect(await refusedText([{ op: 'extract-attachments', name: 'c' }], holding)).toContain(
      "'stages[0].name' is invalid: names none of the 2 attachments of the PDF",
    );
    const form = { 'index.html': '<p>x', stages: JSON.stringify([{ op: 'extract-text' }]) };
    expect(await refusal(gotenberg.post('chromium/convert/html', form), 400)).toContain(
      "'stages[0].op' is invalid: names a stage",
    );
  });

  test('are refused by their names', async () => {
    const refusedStages = (stages: object[]) => refusal(pipe(stages), 400);
    expect(await refusedStages([{ op: 'compose' }, { op: 'optimize' }, { op: 'extract' }])).toMatch(
      /'stages\[0\]\.op' is invalid: names compose; .*'stages\[2\]\.op' is invalid: names extract;/s,
    );
    expect(await refusedStages([{ op: 'optimize' }, { op: 'merge' }])).toContain(
      "'stages[1]' is invalid: must be the first stage: merge",
    );
    expect(await refusedStages([{ op: 'split', every: 1 }, { op: 'optimize' }])).toContain(
      "'stages[0]' is invalid: must be the last stage: split",
    );
    expect(await refusedStages([{ op: 'stamp-text' }])).toContain("'stages[0].text' is required");
    expect(await refusedStages([{ op: 'redact', regions: [{ pge: 1 }] }])).toContain(
      "'stages[0].regions[0].pge' is unknown; did you mean stages[0].regions[0].page?",
    );
    expect(await refusedStages([{ op: 'select', page: '1' }])).toContain("'stages[0].page' is not supported by select");
    expect(await refusedStages([{ op: 'select', pages: '9' }])).toContain("'stages[0].pages' is invalid: names page 9");
    expect(await refusedStages([{ op: 'remediate', profile: 'PDF/A-9' }])).toContain("'stages[0].profile' is invalid: must be");
    expect(await refusedStages([{ op: 'stamp-image' }])).toContain("'stages[0].image' is required");
    expect(await refusedStages([{ op: 'stamp-text', text: 'x', fontSize: 'big' }])).toContain(
      "'stages[0].fontSize' is invalid: must be",
    );
    expect(await refusal(gotenberg.post('pdf/pipe', { 'a.pdf': THREE }), 400)).toContain("'stages' is required");
    expect(await refusal(gotenberg.post('pdf/pipe', { 'a.pdf': THREE, stages: '{' }), 400)).toContain(
      "'stages' is invalid (got '{', resulting to unmarshal stages: it is not JSON)",
    );
  });
});

describe('conversions', () => {
  const html = pagesHtml('one', 'two', 'three');

  test('are split, turned, marked and protected after the print, for one document', async () => {
    const before = (await ada.usage()).documents.used;
    const reply = converted({
      'index.html': html,
      splitMode: 'intervals',
      splitSpan: '2',
      rotateAngle: '90',
      userPassword: 'open',
    });
    const parts = await archived(reply);
    expect([...parts.keys()]).toEqual(['document_0.pdf', 'document_1.pdf']);
    const opened = await PDF.load(parts.get('document_1.pdf') as Buffer, { credentials: 'open' });
    const page = opened.getPages()[0];
    expect([opened.getPageCount(), page?.rotation, page?.extractText().text.trim()]).toEqual([1, 90, 'three']);
    expect((await ada.usage()).documents.used).toBe(before + 1);
    const marked = await bytesOf(
      await succeeded(
        converted({
          ...{ 'index.html': html, watermarkSource: 'pdf', watermarkExpression: 'w.pdf', watermark: [file('w.pdf', TWO)] },
          ...{ stampSource: 'text', stampExpression: 'PAID', bookmarks: '[{"title":"B","page":2}]', metadata: '{"Title":"T"}' },
        }),
      ),
    );
    const read = await readPdf(marked);
    expect([read.title, read.outline]).toEqual(['T', ['B']]);
    expect((await textsOf(marked)).every((text) => /four.*PAID/.test(text))).toBe(true);
  });

  test('take the defaults that clients send for nothing', async () => {
    const defaults = {
      ...{ bookmarks: '[]', rotateAngle: '0', rotatePages: '', splitMode: '', splitSpan: '', splitUnify: 'false', stages: '[]' },
      ...{ optimizeImages: 'false', imageQuality: '75', flatten: 'false', watermarkSource: '', watermarkOptions: 'null' },
    };
    const reply = await succeeded(converted({ 'index.html': html, generateDocumentOutline: 'true', ...defaults }));
    expect(await readPdf(await bytesOf(reply))).toMatchObject({ outline: ['one', 'two', 'three'] });
    const merged = await changed('merge', { 'a.pdf': THREE, ...defaults });
    expect((await readPdf(merged)).outline).toEqual(['one', 'two', 'three']);
  });

  test('are made once for an Idempotency-Key', async () => {
    const before = (await ada.usage()).documents.used;
    const send = async () => {
      const fields = { 'index.html': html, splitMode: 'intervals', splitSpan: '1' };
      const headers = { 'idempotency-key': 'split-1', 'gotenberg-output-filename': 'parts' };
      const reply = await succeeded(gotenberg.post('chromium/convert/html', fields, headers));
      return [reply.headers.get('content-type'), reply.headers.get('content-disposition'), await bytesOf(reply)];
    };
    const first = await send();
    expect(first.slice(0, 2)).toEqual(['application/zip', 'attachment; filename=parts.zip']);
    expect(await send()).toEqual(first);
    expect((await ada.usage()).documents.used).toBe(before + 1);
  });

  test('with pdfa conform after the steps as well', async () => {
    const fields = { 'index.html': html, pdfa: 'PDF/A-2b' };
    const parts = await archived(converted({ ...fields, splitMode: 'intervals', splitSpan: '1', splitUnify: 'false' }));
    for (const part of parts.values()) await succeeded(engine('convert', { 'a.pdf': part, pdfa: 'PDF/A-2b' }));
  });

  test('name the fields of what they cannot do, and are then not charged', async () => {
    const before = (await ada.usage()).documents.used;
    const wrong = (fields: Fields) => refusal(converted({ 'index.html': html, ...fields }), 400);
    expect(await wrong({ rotateAngle: '90', rotatePages: '9' })).toContain("form field 'rotatePages' is invalid: names page 9");
    expect(await wrong({ splitMode: 'pages', splitSpan: '5' })).toContain("form field 'splitSpan' is invalid: names page 5");
    expect(await wrong({ imageQuality: '500' })).toContain("form field 'imageQuality' is invalid: must be");
    expect(await wrong({ rotateAngle: '90', waitForExpression: 'nothing.here' })).toMatch(
      /^waitForExpression threw an exception/,
    );
    expect(await wrong({ rotateAngle: '90', nativePageRanges: '8' })).toMatch(
      /^(?:Invalid form data: )?.*nativePageRanges.* no page 8/,
    );
    const loud = { 'index.html': '<script>throw new Error("no")</script>', failOnConsoleExceptions: 'true', rotateAngle: '90' };
    expect(await refusal(converted(loud), 409)).toMatch(/^Chromium console exceptions:\n.*Error: no/);
    expect((await ada.usage()).documents.used).toBe(before);
  });
});
