/** `POST /v1/pdf/assemble`: parts, steps and errors, checked with pdf.js. */
import { PDF, PdfName, PdfStream } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { StepSchema } from '../../src/render/request/schemas/assembly-schema.ts';
import { bytesOf, Client, type DocumentRecord, problem, type Render, type Report, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { readBookmarks, readLinks } from '../support/read-bookmarks.ts';
import { readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readZip } from '../support/read-zip.ts';
import { startService } from '../support/service.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const service = await startService({}).then(closeAfterAll);
const newClient = async (plan: string) => new Client(service.url, (await service.createKey(plan)).key);
const client = await newClient('growth');

const send = (body: object, by = client) => by.send('POST', '/v1/pdf/assemble', body);
const assembled = async (body: object, by = client) => bytesOf(await succeeded(send(body, by)));
const errorsOf = async (body: object) => {
  const { errors } = await problem(await send(body), 400, 'invalid_request');
  return (errors as Array<{ path: string; message: string }>).map(({ path, message }) => `${path}: ${message}`);
};
const droppedBy = async (body: object) => {
  const reply = await succeeded(client.send('POST', '/v1/pdf/assemble', body, { accept: 'application/json' }));
  return ((await reply.json()) as { report: Report }).report.dropped ?? [];
};
const used = async (by = client) => (await by.usage()).documents.used;
const textsOf = async (pdf: Uint8Array) => (await readPdf(pdf)).pages.map((page) => page.replace(/\s+/g, ' ').trim());
const base64 = (pdf: Uint8Array) => Buffer.from(pdf).toString('base64');

const pagesHtml = (...texts: string[]) =>
  `<!doctype html><html lang="en"><title>${texts[0]}</title>${texts.map((text, n) => `<h1 id="h${n}" ${n ? 'style="break-before: page"' : ''}>${text}</h1>`).join('')}`;
const FIVE = await client.rendered({ html: pagesHtml('one', 'two', 'three', 'four', 'five'), options: { outline: true } });
const file = base64(FIVE);

describe('parts', () => {
  test('have the metadata of the whole, which options beside them give', async () => {
    const options = { metadata: { author: 'Ada', title: 'Both', custom: { Department: 'Sales' } } };
    const pdf = await assembled({ parts: [{ html: '<title>one</title>a' }, { html: 'b' }], options });
    expect((await readFinished(pdf)).info).toMatchObject({
      Author: 'Ada',
      Title: 'Both',
      Custom: new Map([['Department', 'Sales']]),
    });
    expect((await readPdf(pdf)).outline).toEqual(['one', '2']);
    const own = (metadata: object) => droppedBy({ parts: [{ html: 'a' }, { html: 'b', options: { metadata } }] });
    expect(await own({ author: 'Ada' })).toMatchObject([{ what: 'metadata', part: 1 }]);
    expect(await own({ title: 'Second' })).toEqual([]);
    expect(await errorsOf({ parts: [{ html: 'a' }, { html: 'b' }], options: { metadata: { creationDate: 'x' } } })).toEqual([
      expect.stringMatching(/^options\.metadata\.creationDate: /),
    ]);
  });

  test('of every kind are put together in their order', async () => {
    const { template_id } = await client.template('<p>Dear {{name}}');
    const { document_id } = await client.store({ html: '<p>stored' });
    const before = await used();
    const pdf = await assembled({
      parts: [
        { html: '<p>html' },
        { markdown: '# markdown' },
        { template_id, data: { name: 'Ada' } },
        { document_id },
        { file, pages: '5, 1-2' },
      ],
    });
    expect(await textsOf(pdf)).toEqual(['html', 'markdown', 'Dear Ada', 'stored', 'five', 'one', 'two']);
    expect(await used()).toBe(before + 3);
  });

  test('are files of a form, which documents can refer to as well', async () => {
    const form = new FormData();
    form.set('request', JSON.stringify({ parts: [{ file: 'five.pdf', pages: 'last' }, { html: '<p>see<img src="dot.png">' }] }));
    form.append('files', new Blob([new Uint8Array(FIVE)]), 'five.pdf');
    form.append('files', new Blob([Buffer.from(PIXEL_URL.split(',')[1] as string, 'base64')]), 'dot.png');
    const reply = await fetch(`${client.url}/v1/pdf/assemble`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}` },
      body: form,
    });
    const read = await readPdf(await bytesOf(await succeeded(reply)));
    expect(read.pages).toEqual(['five', 'see']);
    expect(read.images).toBe(1);
    expect(read.outline).toEqual(['five', '  five', expect.stringMatching(/^\S+$/)]);
  });

  test('take the options of the request, and of their own', async () => {
    const { sizes } = await readPdf(
      await assembled({ parts: [{ html: 'a' }, { html: 'b', options: { format: 'A6' } }], options: { format: 'A5' } }),
    );
    expect(sizes.map(({ width }) => Math.round(width))).toEqual([420, 298]);
  });

  test.each([
    ['1-3, 7-', { missing: 7 }],
    ['2-', [2, 3, 4, 5]],
    ['-2', [1, 2]],
    ['odd', [1, 3, 5]],
    ['even, !4', [2]],
    ['!4', [1, 2, 3, 5]],
    ['last, first', [5, 1]],
    ['3-last', [3, 4, 5]],
    ['3, 3', [3]],
    ['6', { missing: 6 }],
    ['4-9', { missing: 9 }],
  ])('are chosen by pages: %s', async (pages, expected) => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    if (Array.isArray(expected))
      expect(await textsOf(await assembled({ parts: [{ file, pages }] }))).toEqual(expected.map((n) => names[n - 1]));
    else
      expect(await errorsOf({ parts: [{ file, pages }] })).toEqual([
        `parts[0].pages: names page ${expected.missing}, but the document has 5 pages`,
      ]);
  });

  test('keep bookmarks, links, fields and tags of the pages that stay', async () => {
    const html = `${pagesHtml('one', 'two', 'three')}<p><a href="#h0">to one</a> <a href="#h1">to two</a> <input name="n" aria-label="n" value="v">`;
    const whole = base64(await client.rendered({ html, options: { outline: true, forms: true } }));
    const pdf = await assembled({ parts: [{ file: whole, pages: '2-3' }] });
    expect((await readPdf(pdf)).outline).toEqual(['two', 'three']);
    expect(await readLinks(pdf)).toEqual([[], [1]]);
    expect((await readFields(pdf)).map(({ name, page }) => [name, page])).toEqual([['n', 2]]);
    const { tagged, pages } = await readPdf(pdf);
    expect({ tagged, text: pages.join(' ') }).toMatchObject({ tagged: true, text: expect.stringMatching(/^two/) });
    expect(await readFields(await assembled({ parts: [{ file: whole, pages: '1' }] }))).toEqual([]);
  });

  test('keep their fields, attachments and page labels beside others', async () => {
    const numbered =
      '<style>body { counter-reset: page 6 }</style><input name="n" aria-label="n"><p style="break-before: page">b';
    const attach = (text: string) => [{ name: 'a.txt', type: 'text/plain', content: base64(Buffer.from(text)) }];
    const partWith = async (text: string) =>
      base64(await client.rendered({ html: numbered, options: { forms: true, attachments: attach(text) } }));
    const parts = [{ file: await partWith('hi') }, { file: await partWith('ho') }, { html: '<p>last' }];
    const pdf = await assembled({ parts });
    expect((await readFields(pdf)).map(({ name, page }) => [name, page])).toEqual([
      ['n', 1],
      ['n_2', 3],
    ]);
    const { attachments } = await readFinished(pdf);
    expect(attachments.map(({ name, content }) => [name, Buffer.from(content).toString()])).toEqual([
      ['a-2.txt', 'ho'],
      ['a.txt', 'hi'],
    ]);
  });

  test('attach the files of options for all of them once', async () => {
    const options = { attachments: [{ name: 'a.txt', content: base64(Buffer.from('hi')) }] };
    const { attachments } = await readFinished(await assembled({ parts: [{ html: 'a' }, { html: 'b' }], options }));
    expect(attachments.map(({ name }) => name)).toEqual(['a.txt']);
  });

  test('that are protected need their password', async () => {
    const secret = base64(await client.rendered({ html: '<p>x', options: { password: 'secret' } }));
    expect(await errorsOf({ parts: [{ file }, { file: secret }] })).toEqual([
      'parts[1]: is protected by a password: send it as password',
    ]);
    expect(await errorsOf({ parts: [{ file: secret, password: 'wrong' }] })).toEqual([
      'parts[0].password: does not open the PDF',
    ]);
    expect(await textsOf(await assembled({ parts: [{ file: secret, password: 'secret' }] }))).toEqual(['x']);
  });

  test('of another key do not exist, and nothing is charged', async () => {
    const other = await newClient('growth');
    const { document_id } = await other.store({ html: '<p>theirs' });
    const before = await used();
    const { detail } = await problem(await send({ parts: [{ html: 'mine' }, { document_id }] }), 404, 'not_found');
    expect(detail).toMatch(/^parts\[1\]: /);
    expect(await used()).toBe(before);
  });
});

describe('steps', () => {
  test('select and rotate pages', async () => {
    const pdf = await assembled({
      parts: [{ file }],
      steps: [{ select: { pages: '4-5, 1' } }, { rotate: { angle: 90, pages: '1' } }, { rotate: { angle: 270, pages: 'odd' } }],
    });
    expect(await textsOf(pdf)).toEqual(['four', 'five', 'one']);
    const loaded = await PDF.load(pdf);
    expect(loaded.getPages().map(({ rotation }) => rotation)).toEqual([0, 0, 270]);
  });

  test('stamp pages with a text in any script, with the numbers of the pages', async () => {
    const text = '{{page}} of {{pages}}: {{title}} {{part_page}}/{{part_pages}} مرحبا';
    const pdf = await assembled({
      parts: [{ file, pages: '1-2', title: 'A & B' }, { html: '<title>Terms</title><p>terms' }],
      steps: [{ stamp: { text, font_size: 9, position: 'bottom-right', offset: { x: '-1cm', y: '-1cm' }, pages: '!1' } }],
    });
    const { placed, sizes } = await readPdf(pdf);
    const stamps = placed.map((all) =>
      all
        .filter(({ y }) => y > 700)
        .map((each) => each.text)
        .join(''),
    );
    expect(stamps[0]).toBe('');
    expect(stamps[1]).toContain('2 of 3: A & B 2/2');
    expect(stamps[2]).toContain('3 of 3: Terms 1/1');
    const { x, y } = placed[1]?.find((each) => each.y > 700) ?? { x: 0, y: 0 };
    const [{ width, height } = { width: 0, height: 0 }] = sizes;
    expect(height - y).toBeGreaterThan(28);
    expect(height - y).toBeLessThan(28.4 + 9 * 1.2);
    expect(x).toBeGreaterThan(width / 2);
  });

  test('withdraw what a PDF claims where they may break it, and say so', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1>';
    const options = { conformance: ['PDF/A-2a', 'PDF/UA-1'] };
    const own = base64(await client.rendered({ html, options }));
    const { document_id } = await client.store({ html, options });
    const claimsAfter = async (step: object) => {
      const body = { parts: [{ document_id }], steps: [step] };
      const reply = await client.send('POST', '/v1/pdf/assemble', body, { accept: 'application/json' });
      const { pdf, report } = (await reply.json()) as { pdf: string; report: { dropped?: Array<{ what: string }> } };
      const { xmp } = await readFinished(Buffer.from(pdf, 'base64'));
      return [xmp.includes('pdfaid:part'), xmp.includes('pdfuaid:part'), report.dropped?.map(({ what }) => what) ?? []];
    };
    expect(await claimsAfter({ stamp: { text: 'PAID' } })).toEqual([true, true, []]);
    expect(await claimsAfter({ metadata: { author: 'Ada' } })).toEqual([true, true, []]);
    expect(await claimsAfter({ letterhead: { file: own } })).toEqual([false, true, ['the claim of PDF/A']]);
    expect(await claimsAfter({ flatten: {} })).toEqual([false, false, ['the claim of PDF/A', 'the claim of PDF/UA']]);
  });

  test('that may break a profile that a part is asked for are refused', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1>';
    const body = (steps: object[], conformance: string) => ({
      parts: [{ html: 'a' }, { html, options: { conformance } }],
      steps,
    });
    const letterhead = { letterhead: { file } };
    expect(await errorsOf(body([{ select: {} }, letterhead, { flatten: {} }], 'PDF/UA-1'))).toEqual([
      'steps[2].flatten: may break PDF/UA, which parts[1].options.conformance asks for: leave one of them out, or end with the step conform',
    ]);
    expect(await errorsOf(body([letterhead, { stamp: { file } }], 'PDF/A-2b'))).toEqual([
      expect.stringMatching(/^steps\[0\]\.letterhead: may break PDF\/A/),
      expect.stringMatching(/^steps\[1\]\.stamp: may break PDF\/A/),
    ]);
    const kept = { parts: [{ html, options: { conformance: 'PDF/A-2b' } }], steps: [{ stamp: { text: 'PAID' } }] };
    expect((await readFinished(await assembled(kept))).xmp).toContain('pdfaid:part');
    const again = [{ flatten: {} }, { conform: { profile: 'PDF/A-2b' } }];
    expect((await readFinished(await assembled({ ...kept, steps: again }))).xmp).toContain('pdfaid:part');
  });

  test('claims of parts that the whole cannot have are reported', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1>';
    const claiming = { html, options: { conformance: ['PDF/A-2a', 'PDF/UA-1'] } };
    const accessible = { html, options: { conformance: 'PDF/UA-1' } };
    expect(await droppedBy({ parts: [claiming, accessible] })).toMatchObject([{ what: 'the claim of PDF/A', part: 1 }]);
    expect(await droppedBy({ parts: [{ html }, accessible] })).toMatchObject([{ what: 'the claim of PDF/UA', part: 0 }]);
    const foreign = { file: base64(await client.rendered(accessible)) };
    expect(await droppedBy({ parts: [accessible, foreign] })).toMatchObject([
      { what: 'the claim of PDF/UA', why: expect.stringContaining('not printed here'), part: 1 },
    ]);
    expect(await droppedBy({ parts: [accessible, accessible] })).toEqual([]);
    expect(await droppedBy({ parts: [{ html }, { html }] })).toEqual([]);
    const basic = { html, options: { conformance: 'PDF/A-2b' } };
    expect(await droppedBy({ parts: [basic, claiming] })).toEqual([
      { what: 'the claim of PDF/UA', why: 'this part does not claim it', part: 0 },
      { what: 'the claim of PDF/A-2a', why: 'the parts claim different profiles, and the whole PDF/A-2b', part: 1 },
    ]);
  });

  test('claims that the step conform makes again are not reported', async () => {
    const html = '<!doctype html><html lang="en"><title>t</title><h1>t</h1>';
    const parts = [{ html, options: { conformance: 'PDF/A-2b' } }, { html }];
    expect(await droppedBy({ parts })).toMatchObject([{ what: 'the claim of PDF/A' }]);
    expect(await droppedBy({ parts, steps: [{ conform: { profile: 'PDF/A-2b' } }] })).toEqual([]);
  });

  test('draw images, markup and PDFs over and under pages', async () => {
    const pdf = await assembled({
      parts: [{ file, pages: '1' }],
      steps: [
        { watermark: { image: PIXEL_URL, opacity: 0.3 } },
        { stamp: { html: '<b style="color: #ff0000">PAID</b>', position: 'top-right' } },
        { stamp: { file, position: 'bottom-left', scale: 0.1 } },
      ],
    });
    const { images, pages } = await readPdf(pdf);
    expect(images).toBe(1);
    expect(pages[0]).toMatch(/one/);
    expect(pages[0]).toMatch(/PAID/);
    expect(pages[0]?.match(/one/g)).toHaveLength(2);
  });

  test('put pages on a letterhead', async () => {
    const letterhead = base64(await client.rendered({ html: pagesHtml('HEAD', 'NEXT') }));
    const pdf = await assembled({ parts: [{ file, pages: '1-3' }], steps: [{ letterhead: { file: letterhead } }] });
    expect(await textsOf(pdf)).toEqual([
      expect.stringMatching(/HEAD.*one/),
      expect.stringMatching(/NEXT.*two/),
      expect.stringMatching(/NEXT.*three/),
    ]);
  });

  test('give parts on a letterhead the room that it needs', async () => {
    const letterhead = { file: base64(await client.rendered({ html: '<p>HEAD' })), margin: '60mm 25mm 30mm' };
    const parts = [{ html: '<p style="margin: 0">a' }, { html: '<p style="margin: 0">b', options: { margin: 0 } }];
    const { placed } = await readPdf(await assembled({ parts, steps: [{ letterhead }] }));
    const [a, b] = ['a', 'b'].map((wanted) => placed.flat().find(({ text }) => text === wanted));
    expect([a, b].map((each) => [Math.ceil(each?.x ?? 0), (each?.y ?? 0) > 170])).toEqual([
      [77, true],
      [6, false],
    ]);
    expect(await errorsOf({ parts: [{ file }], steps: [{ letterhead }] })).toEqual([
      'steps[0].letterhead.margin: is for parts that are rendered, of which there are none',
    ]);
  });

  test('a stored document that was given no filename has its own title as its bookmark', async () => {
    const store = async (body: object) =>
      (await (await client.send('POST', '/v1/pdf', { store: true, ...body })).json()) as DocumentRecord;
    const ids = await Promise.all([
      store({ html: '<title>Own</title><p>a' }),
      store({ html: '<p>b', filename: 'Named.pdf' }),
      store({ html: '<p>c' }),
    ]);
    const whole = await assembled({ parts: ids.map(({ id }) => ({ document_id: id })) });
    expect((await readPdf(whole)).outline).toEqual(['Own', 'Named', '3']);
  });

  test('write bookmarks', async () => {
    const parts = [
      { file, pages: '1-2', title: 'First' },
      { file, pages: '3', title: 'Second' },
    ];
    const outlineOf = async (bookmarks: object) => (await readPdf(await assembled({ parts, steps: [{ bookmarks }] }))).outline;
    expect((await readPdf(await assembled({ parts }))).outline).toEqual(['First', '  one', '  two', 'Second', '  three']);
    expect(await outlineOf({ mode: 'none' })).toEqual([]);
    const items = [{ title: 'All', page: 1, children: [{ title: 'Three', page: 3 }] }];
    expect(await outlineOf({ items })).toEqual(['All', '  Three']);
    expect(await readBookmarks(await assembled({ parts, steps: [{ bookmarks: { items } }] }))).toMatchObject([
      { title: 'All', page: 1, below: [{ title: 'Three', page: 3 }] },
    ]);
    expect(await outlineOf({ mode: 'keep' })).toEqual(['one', 'two', 'three']);
    expect(await outlineOf({ mode: 'parts' })).toEqual(['First', '  one', '  two', 'Second', '  three']);
    const ofPart = (page: number) => [{ bookmarks: { items: [{ title: 'Own', page, part: 1 }] } }];
    expect(await readBookmarks(await assembled({ parts, steps: ofPart(1) }))).toMatchObject([{ title: 'Own', page: 3 }]);
    const kept = (item: object, mode = 'keep') => ({ mode, items: [{ title: 'Own', page: 1, ...item }] });
    expect(await outlineOf(kept({ part: 1 }))).toEqual(['one', 'two', 'Own']);
    expect(await outlineOf(kept({ part: 0 }))).toEqual(['Own', 'three']);
    expect(await errorsOf({ parts, steps: [{ bookmarks: kept({}) }] })).toEqual([
      'steps[0].bookmarks.items: must each have a part with mode keep',
    ]);
    expect(await errorsOf({ parts, steps: [{ bookmarks: kept({ part: 0 }, 'none') }] })).toEqual([
      'steps[0].bookmarks: cannot have items with mode none',
    ]);
    expect(await errorsOf({ parts, steps: ofPart(2) })).toEqual([
      'steps[0].bookmarks.items[0].page: leads to page 2 of part 1, which is not there',
    ]);
    const below = { title: 'x', page: null, children: [{ title: 'y', page: 4 }] };
    expect(await errorsOf({ parts, steps: [{ bookmarks: { items: [below] } }] })).toEqual([
      'steps[0].bookmarks.items[0].children[0].page: leads to page 4, but the document has 3 pages',
    ]);
  });

  test('write metadata, and keep other entries', async () => {
    const given = base64(await client.rendered({ html: '<p>x', options: { metadata: { author: 'Ada', title: 'Old' } } }));
    const steps = [{ metadata: { title: 'New', custom: { Copyright: 'ACME' } } }];
    const { info, xmp } = await readFinished(await assembled({ parts: [{ file: given }], steps }));
    expect(info).toMatchObject({ Title: 'New', Author: 'Ada' });
    expect(xmp).toContain('New');
    expect(xmp).toContain('ACME');
  });

  test('attach files beside those that are there', async () => {
    const attach = (name: string) => ({ attach: { files: [{ name, content: base64(Buffer.from(name)) }] } });
    const { attachments } = await readFinished(await assembled({ parts: [{ file }], steps: [attach('a.txt'), attach('b.txt')] }));
    expect(attachments.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
    expect(await errorsOf({ parts: [{ file }], steps: [attach('a.txt'), attach('a.txt')] })).toEqual([
      'steps[1].attach.files[0].name: is the name of a file that is attached already',
    ]);
  });

  test('fill and flatten form fields', async () => {
    const html = '<input name="who" aria-label="who"><input type="checkbox" name="ok" aria-label="ok"><p>text';
    const form = base64(await client.rendered({ html, options: { forms: true } }));
    const filled = await assembled({ parts: [{ file: form }], steps: [{ fill: { fields: { who: 'Ada', ok: true } } }] });
    expect((await readFields(filled)).map(({ name, value }) => [name, value === 'Off' ? false : Boolean(value)])).toEqual([
      ['who', true],
      ['ok', true],
    ]);
    const flat = await assembled({ parts: [{ file: base64(filled) }], steps: [{ flatten: {} }] });
    expect(await readFields(flat)).toEqual([]);
    expect((await readPdf(flat)).pages[0]).toContain('Ada');
    const refused = async (fields: object) => (await errorsOf({ parts: [{ file: form }], steps: [{ fill: { fields } }] }))[0];
    expect(await refused({ nobody: 'x' })).toBe(
      'steps[0].fill.fields.nobody: is no field of the document, whose fields are who, ok',
    );
    expect(await refused({ whom: 'x' })).toBe('steps[0].fill.fields.whom: is no field of the document; did you mean who?');
    expect(await refused({ who: true })).toBe('steps[0].fill.fields.who: cannot be filled: it takes a text');
    expect(await refused({ ok: ['on'] })).toBe('steps[0].fill.fields.ok: cannot be filled: it takes true or false');
    const wrong = { whom: 'x', who: 'Ada', ok: ['on'] };
    expect(await errorsOf({ parts: [{ file: form }], steps: [{ fill: { fields: wrong } }] })).toEqual([
      'steps[0].fill.fields.whom: is no field of the document; did you mean who?',
      'steps[0].fill.fields.ok: cannot be filled: it takes true or false',
    ]);
    expect(await refused({ ok: 'yes' })).toMatch(/: yes is none of its options, which are true, false, on$/);
  });

  test('put several pages on each sheet', async () => {
    const composed = async (compose: object) => readPdf(await assembled({ parts: [{ file }], steps: [{ compose }] }));
    const two = await composed({});
    expect(two.pages.map((page) => page.split(/(?<=[a-z])(?=one|two|three|four|five)/))).toEqual([
      ['one', 'two'],
      ['three', 'four'],
      ['five'],
    ]);
    expect(two.sizes.map(({ width, height }) => width > height)).toEqual([true, true, true]);
    expect(two.outline).toEqual(['one', 'two', 'three', 'four', 'five']);
    const [left, right] = two.placed[0]?.map(({ x }) => x) ?? [];
    expect([left && left < 100, right && right > 421]).toEqual([true, true]);
    expect((await composed({ per_sheet: 4 })).pages).toEqual(['onetwothreefour', 'five']);
    expect((await composed({ booklet: true })).pages).toEqual(['one', 'two', 'three', 'fourfive']);
  });

  test('that compose sheets report boxes for print, which are lost', async () => {
    const marked = { html: '<style>@page { bleed: 3mm; marks: crop }</style>a' };
    expect(await droppedBy({ parts: [marked], steps: [{ compose: {} }] })).toContainEqual(
      expect.objectContaining({ what: 'boxes of pages for print' }),
    );
    expect(await droppedBy({ parts: [{ html: 'a' }], steps: [{ compose: {} }] })).toEqual([]);
  });

  test('encrypt the PDF', async () => {
    const pdf = await assembled({ parts: [{ file }], steps: [{ encrypt: { user: 'u', owner: 'o', permissions: ['print'] } }] });
    await expect(readPdf(pdf)).rejects.toThrow(/password/i);
    expect((await readFinished(pdf, 'u')).texts).toHaveLength(5);
  });

  test('decrypt parts, which then are not reported as unprotected', async () => {
    const dropped = async (steps: object[], parts: object[] = [part]) => {
      const reply = await client.send('POST', '/v1/pdf/assemble', { parts, steps }, { accept: 'application/json' });
      const { report } = (await (await succeeded(Promise.resolve(reply))).json()) as { report: Report };
      return report.dropped ?? [];
    };
    const secret = await client.rendered({ html: '<p>x', options: { password: 'secret' } });
    const part = { file: base64(secret), password: 'secret' };
    expect(await dropped([])).toMatchObject([{ what: 'protection', part: 0 }]);
    expect(await dropped([{ decrypt: {} }])).toEqual([]);
    expect(await dropped([{ stamp: { text: '{{page}}' } }, { decrypt: {} }], [part, { file }])).toEqual([]);
    expect(await textsOf(await assembled({ parts: [part], steps: [{ decrypt: {} }] }))).toEqual(['x']);
    expect(await textsOf(await assembled({ parts: [{ file, pages: '1' }], steps: [{ decrypt: {} }] }))).toEqual(['one']);
    const again = await assembled({ parts: [part], steps: [{ decrypt: {} }, { encrypt: { user: 'u' } }] });
    expect((await readFinished(again, 'u')).texts).toEqual(['x']);
    expect(await errorsOf({ parts: [part], steps: [{ encrypt: { user: 'u' } }, { decrypt: {} }] })).toEqual([
      'steps[1].decrypt: cannot follow encrypt, which ends the PDF',
    ]);
  });

  test('split the PDF', async () => {
    const zipOf = async (split: object) =>
      readZip(await assembled({ parts: [{ file }], steps: [{ split }], filename: 'letters.pdf' }));
    const every = await zipOf({ every: 2 });
    expect([...every.keys()]).toEqual(['letters_0.pdf', 'letters_1.pdf', 'letters_2.pdf']);
    const texts = async (zip: Map<string, Buffer>) => Promise.all([...zip.values()].map(textsOf));
    expect(await texts(every)).toEqual([['one', 'two'], ['three', 'four'], ['five']]);
    expect(await texts(await zipOf({ ranges: ['1,5', '2-3'] }))).toEqual([
      ['one', 'five'],
      ['two', 'three'],
    ]);
    expect(await texts(await zipOf({ at: 'bookmarks' }))).toHaveLength(5);
    const pieces = await texts(await zipOf({ every: 1 }));
    expect(pieces).toEqual([['one'], ['two'], ['three'], ['four'], ['five']]);
  });

  test('split the PDF by size', async () => {
    const split = async (max_bytes: number) => [
      ...(await readZip(await assembled({ parts: [{ file }], steps: [{ split: { max_bytes } }] }))).values(),
    ];
    const texts = (pdfs: Buffer[]) => Promise.all(pdfs.map(textsOf));
    const [all] = await split(1_000_000);
    expect(await textsOf(all as Buffer)).toEqual(['one', 'two', 'three', 'four', 'five']);
    const most = (all as Buffer).length;
    expect(await split(most + 100)).toHaveLength(1); // numbers of objects take some bytes more or less
    const two = await split(most - 1);
    expect((await texts(two)).flat()).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(two).toHaveLength(2);
    for (const { length } of two) expect(length).toBeLessThan(most);
    expect(await texts(await split(1))).toEqual([['one'], ['two'], ['three'], ['four'], ['five']]);
    const none = { parts: [{ file }], steps: [{ split: {} }] };
    const both = { parts: [{ file }], steps: [{ split: { every: 1, max_bytes: 1_000 } }], dry_run: true };
    for (const body of [none, both])
      expect(await errorsOf(body)).toEqual(['steps[0].split: must have exactly one of every, ranges, at, max_bytes']);
  });

  test('extract what the PDF holds', async () => {
    const reply = await succeeded(send({ parts: [{ file, pages: '1-2' }], steps: [{ extract: {} }] }));
    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(await reply.json()).toMatchObject({
      pages: [{ text: 'one', width: 595.276 }, { text: 'two' }],
      metadata: { title: 'one' },
      bookmarks: [
        { title: 'one', page: 1 },
        { title: 'two', page: 2 },
      ],
      fields: [],
      attachments: [],
    });
  });

  test('extract text that is drawn by form XObjects, where it is shown', async () => {
    const letterhead = base64(
      await client.rendered({ html: '<body style="margin:0"><p style="margin:0">Ada & Sons', options: { margin: '72pt' } }),
    );
    const steps = [{ letterhead: { file: letterhead } }, { rotate: { angle: 90 } }, { extract: { what: ['text', 'lines'] } }];
    const reply = await succeeded(send({ parts: [{ html: '<h1>Invoice' }], steps }));
    const { pages } = (await reply.json()) as {
      pages: Array<{ width: number; text: string; lines: Array<{ text: string; y: number }> }>;
    };
    expect(pages[0]).toMatchObject({ width: 841.89, height: 595.276 });
    expect(pages[0]?.text.split('\n').sort()).toEqual(['Ada & Sons', 'Invoice']);
    // The text ran to the right from 72 points on, and runs downwards now.
    expect(pages[0]?.lines.find(({ text }) => text === 'Ada & Sons')?.y).toBeCloseTo(72, 0);
  });

  test('make the PDF smaller without a change that can be seen', async () => {
    const large = await client.rendered({
      html: `<p>${'Some words of a long text. '.repeat(400)}`,
      options: { compress: false },
    });
    const small = await assembled({ parts: [{ file: base64(large) }], steps: [{ optimize: {} }] });
    expect(small.length).toBeLessThan(large.length * 0.8);
    expect(await textsOf(small)).toEqual(await textsOf(large));
  });
});

describe('as for a render', () => {
  test('the result can be stored, and made later', async () => {
    const stored = await send({ parts: [{ file, pages: '1' }], store: true, filename: 'a.pdf' });
    expect(stored.status).toBe(201);
    const record = (await stored.json()) as DocumentRecord;
    expect(record).toMatchObject({ source: 'assembly', pages: 1, filename: 'a.pdf' });
    const later = await client.send('POST', '/v1/pdf/assemble', { parts: [{ file }] }, { prefer: 'respond-async' });
    expect(later.status).toBe(202);
    const ended = await client.ended((await later.json()) as Render);
    expect(ended).toMatchObject({ status: 'succeeded', pages: 5 });
  });

  test('an item of a batch can be an assembly', async () => {
    const batch = await client.batch({
      items: [{ parts: [{ file, pages: '1-2' }] }, { html: 'x' }, { parts: [{ file, pages: '9' }] }],
    });
    expect(batch.items.map(({ status, pages }) => [status, pages])).toEqual([
      ['succeeded', 2],
      ['succeeded', 1],
      ['failed', null],
    ]);
  });

  test('the same Idempotency-Key gives the same result, which is charged once', async () => {
    const before = await used();
    const body = { parts: [{ html: 'once' }] };
    const call = () => client.send('POST', '/v1/pdf/assemble', body, { 'idempotency-key': 'assembly-1' });
    const [first, second] = [await bytesOf(await succeeded(call())), await bytesOf(await succeeded(call()))];
    expect(second.equals(first)).toBe(true);
    expect(await used()).toBe(before + 1);
  });

  test('a dry run checks parts and steps, and renders nothing', async () => {
    const before = await used();
    const dry = async (body: object) => (await succeeded(send({ ...body, dry_run: true }))).json();
    const options = { letterhead: { document_id: 'doc_of_another_key' } };
    expect(await dry({ parts: [{ html: 'a' }, { html: 'b', options }] })).toMatchObject({
      would_render: false,
      problems: [{ code: 'not_found', detail: expect.stringMatching(/^parts\[1\]: there is no such document/) }],
    });
    expect(await dry({ parts: [{ file }, { html: 'x' }] })).toMatchObject({
      would_render: true,
      source: 'assembly',
      charged: true,
    });
    expect(await dry({ parts: [{ file, pages: '9' }] })).toMatchObject({
      would_render: false,
      charged: false,
      problems: [{ code: 'invalid_request', detail: 'parts[0].pages: names page 9, but the document has 5 pages' }],
    });
    const problems = async (parts: object[], step: object) => {
      const { problems: found } = (await dry({ parts, steps: [{ rotate: { angle: 90 } }, step] })) as {
        problems: Array<{ detail: string }>;
      };
      return found.map(({ detail }) => detail);
    };
    const noPdf = base64(Buffer.from('%PDF-1.4 and nothing else'));
    expect(await problems([{ file }], { stamp: { text: '{{page}}', pages: '9' } })).toEqual([
      'steps[1].stamp.pages: names page 9, but the document has 5 pages',
    ]);
    expect(await problems([{ file }], { fill: { fields: { nobody: 'x' } } })).toEqual([
      expect.stringMatching(/^steps\[1\]\.fill\.fields\.nobody: /),
    ]);
    for (const parts of [[{ file }], [{ html: 'a' }, { file }]])
      expect(await problems(parts, { letterhead: { file: noPdf, pages: '2' } })).toEqual([
        expect.stringMatching(/^steps\[1\]\.letterhead\.file: is damaged/),
      ]);
    expect(await problems([{ html: 'a' }], { stamp: { text: 'x', pages: '9' } })).toEqual([]);
    expect(await used()).toBe(before);
  });

  test('a failed part fails the whole, and nothing is charged', async () => {
    const before = await used();
    const { detail } = await problem(
      await send({ parts: [{ html: 'good' }, { template_id: 'tpl_0123456789ABCDEFGHIJKL', data: {} }] }),
      404,
      'not_found',
    );
    expect(detail).toMatch(/^parts\[1\]/);
    await problem(await send({ parts: [{ html: 'good' }], steps: [{ select: { pages: '2' } }] }), 400, 'invalid_request');
    expect(await used()).toBe(before);
  });

  test('text of a stamp that no font can show is a warning that names the step', async () => {
    const body = { parts: [{ file, pages: '1' }], steps: [{ rotate: { angle: 90 } }, { stamp: { text: '\u{12000} {{page}}' } }] };
    const reply = await client.send('POST', '/v1/pdf/assemble', body, { accept: 'application/json' });
    const { report } = (await reply.json()) as { report: object };
    expect(report).toMatchObject({ warning_count: 1, warnings: [{ kind: 'missing_glyphs', step: 1 }] });
    const strict = { ...body, options: { failOnWarning: ['missing_glyphs'] } };
    await problem(await send(strict), 422, 'render_gate_failed');
  });

  test('text that is wider than its page is a warning that names the pages', async () => {
    const wide = { stamp: { text: 'a text that is too wide {{page}}', font_size: 60, pages: '2-' } };
    const reply = await client.send(
      'POST',
      '/v1/pdf/assemble',
      { parts: [{ file }], steps: [wide] },
      { accept: 'application/json' },
    );
    const { report } = (await reply.json()) as { report: object };
    expect(report).toMatchObject({ warnings: [{ kind: 'content_clipped', step: 0, pages: [2, 3, 4, 5] }] });
    const fitting = { stamp: { ...wide.stamp, fit: 1 } };
    const other = await client.send(
      'POST',
      '/v1/pdf/assemble',
      { parts: [{ file }], steps: [fitting] },
      { accept: 'application/json' },
    );
    expect(((await other.json()) as { report: object }).report).toMatchObject({ warning_count: 0 });
  });

  test('warnings name their part', async () => {
    const wide = '<div style="width: 3000px; height: 10px; background: red"></div>';
    const { report } = (await (
      await client.send('POST', '/v1/pdf/assemble', { parts: [{ file }, { html: wide }] }, { accept: 'application/json' })
    ).json()) as { report: { warnings: object[] } };
    expect(report.warnings).toMatchObject([{ part: 1 }, ...report.warnings.slice(1)]);
  });

  test('places of elements name their part', async () => {
    const rendered = { html: '<p>one<p style="break-before: page" id="two">two', options: { layout: ['#two'] } };
    const body = { parts: [{ file }, rendered, { html: '<p>three' }] };
    const reply = await succeeded(client.send('POST', '/v1/pdf/assemble', body, { accept: 'application/json' }));
    const { report } = (await reply.json()) as { report: Report };
    expect(report.layout).toMatchObject([{ selector: '#two', part: 1, fragments: [{ page: 2 }] }]);
  });

  test('a link to an element of another part is a warning', async () => {
    const parts = [{ html: '<p id="terms">Terms' }, { html: '<p>See <a href="#terms">the terms</a>' }];
    const reply = await succeeded(client.send('POST', '/v1/pdf/assemble', { parts }, { accept: 'application/json' }));
    const { report } = (await reply.json()) as { report: Report };
    expect(report.warnings).toMatchObject([{ kind: 'link_dropped', url: '#terms', part: 1 }]);
  });
});

test.each([
  ['numbered stamps', { stamp: { text: '{{page}} of {{pages}}', font_size: 9 } }, 2],
  ['composed sheets', { compose: { per_sheet: 4 } }, 1],
])('%s have their fonts once', async (_what, step, fonts) => {
  const pdf = await assembled({ parts: [{ file }], steps: [step] });
  expect(unpackedText(Buffer.from(pdf)).match(/\/FontFile2\b/g)).toHaveLength(fonts);
});

test('stamps of different widths have their own places', async () => {
  const parts = ['I', 'A much longer title'].map((title) => ({ file, pages: '1', title }));
  const steps = [{ stamp: { text: '{{title}}', font_size: 9, position: 'top-right' } }, { extract: { what: ['lines'] } }];
  const { pages } = (await (await succeeded(send({ parts, steps }))).json()) as {
    pages: Array<{ width: number; lines: Array<{ text: string; x: number; width: number }> }>;
  };
  const gaps = pages.map(({ width, lines }, index) => {
    const line = lines.find(({ text }) => text === parts[index]?.title);
    return width - (line?.x ?? 0) - (line?.width ?? 0);
  });
  for (const gap of gaps) expect(Math.abs(gap)).toBeLessThan(1.5);
});

test('an assembly that takes too long ends with its own error, and nothing is charged', async () => {
  const before = await used();
  const ranges = Array.from({ length: 5_000 }, () => '1-5');
  const body = { parts: [{ file }], options: { timeout: 1_000 }, steps: [{ split: { ranges } }] };
  const { detail } = await problem(await send(body), 504, 'render_timeout');
  expect(detail).toMatch(/^(?:parts\[0\]|steps\[0\]\.split): the render did not finish within 1000 ms/);
  expect(await used()).toBe(before);
});

test('each PDF of a split has what belongs to its pages, whatever the others have', async () => {
  const fields = ['a', 'b', 'c'].map(
    (name, n) => `<h1 ${n ? 'style="break-before: page"' : ''}>${name}</h1><input name="${name}" aria-label="${name}">`,
  );
  const html = `<!doctype html><html lang="en"><title>t</title>${fields.join('')}`;
  const part = { html, options: { forms: true, outline: true } };
  const parts = await readZip(await assembled({ parts: [part], steps: [{ split: { ranges: ['3', '1', '1-3', '2'] } }] }));
  const found = [];
  for (const pdf of parts.values()) {
    const names = (await readFields(pdf)).map(({ name }) => name);
    found.push([(await readBookmarks(pdf)).map(({ title }) => title).join(''), names.join(''), (await textsOf(pdf)).join('')]);
  }
  expect(found).toEqual(['c', 'a', 'abc', 'b'].map((all) => [all, all, all]));
});

test('more parts than the plan allows renders at the same time are one render', async () => {
  const narrow = await newClient('narrow');
  const parts = Array.from({ length: 5 }, (_, n) => ({ html: `<p>${n}` }));
  expect(await textsOf(await assembled({ parts }, narrow))).toEqual(['0', '1', '2', '3', '4']);
  expect(await used(narrow)).toBe(5);
});

test('a dry run tells that the parts are more than the documents left', async () => {
  const free = await newClient('three');
  const parts = Array.from({ length: 4 }, () => ({ html: 'x' }));
  const reply = await succeeded(send({ parts, dry_run: true }, free));
  expect(await reply.json()).toMatchObject({ would_render: false, problems: [{ code: 'quota_exceeded' }] });
});

test('more parts than documents are left are refused as a whole', async () => {
  const free = await newClient('three');
  const reply = await send({ parts: Array.from({ length: 4 }, () => ({ html: 'x' })) }, free);
  const { detail, used: known } = await problem(reply, 402, 'quota_exceeded');
  expect(detail).toContain('is charged for 4 documents, and only 3 are left');
  expect([known, await used(free)]).toEqual([0, 0]);
});

test('the whole mark of a test key is on every page', async () => {
  const issued = await client.send('POST', '/v1/keys', { name: 'test', test: true });
  const tester = new Client(service.url, ((await issued.json()) as { key: string }).key);
  const { placed } = await readPdf(await assembled({ parts: [{ file }], steps: [{ bookmarks: { mode: 'none' } }] }, tester));
  expect(placed.map((all) => all.map(({ text }) => text).join(''))).toEqual(
    Array.from({ length: 5 }, () => expect.stringMatching(/TEST/)),
  );
});

test('what makes no PDF cannot be stored', async () => {
  const steps = [{ split: { every: 2 } }];
  const later = client.send('POST', '/v1/pdf/assemble', { parts: [{ file }], steps }, { prefer: 'respond-async' });
  const { detail } = await problem(await later, 400, 'invalid_request');
  expect(detail).toContain('steps: cannot have split or extract with Prefer: respond-async');
  const { items } = await client.batch({
    items: [
      { parts: [{ file }], steps },
      { parts: [{ file }], steps: [{ extract: {} }] },
    ],
  });
  expect(items.map(({ status }) => status)).toEqual(['failed', 'failed']);
});

test('a stored PDF cannot claim for others what its producer claimed', async () => {
  const claim = '<pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>';
  const claiming = await PDF.load(FIVE);
  const packet = PdfStream.fromDict({ Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') }, Buffer.from(claim));
  claiming.context.catalog.getDict().set('Metadata', claiming.register(packet));
  const parts = [{ file: base64(await claiming.save()) }];
  const { document_id } = (await (await send({ parts, store: true })).json()) as DocumentRecord;
  const own = await client.store({ html: '<p>x', options: { conformance: 'PDF/A-2b' } });
  const { xmp } = await readFinished(await assembled({ parts: [{ document_id }, { document_id: own.document_id }] }));
  expect(xmp).not.toContain('pdfaid:part>');
});

test('markup with fields cannot become any length', async () => {
  const html = `{{page}}${'<i></i>'.repeat(500_000)}`;
  expect(await errorsOf({ parts: [{ file }], steps: [{ stamp: { html } }] })).toEqual([
    'steps[0].stamp: is too long with its fields: 16777216 characters are allowed on all pages',
  ]);
});

test.each([
  [{}, 'parts: is required'],
  [{ parts: [] }, 'parts: must be a list of 1 to 2000 parts'],
  [{ parts: [{}] }, 'parts[0]: must have one of html, markdown, url, template_id, document_id, file'],
  [{ parts: [{ html: 'x', file }] }, 'parts[0].file: cannot be combined with html'],
  [{ parts: [{ file, options: {} }] }, 'parts[0].options: is only for parts that are rendered'],
  [{ parts: [{ file: 'missing.pdf' }] }, 'parts[0].file: is no file of this request, and no PDF as base64'],
  [{ parts: [{ file, pages: '3-1' }] }, 'parts[0].pages: must be pages such as 1-3, 7-, !4, odd, last'],
  [{ parts: [{ file: base64(Buffer.from(`%PDF-1.7 ${'x'.repeat(600)}`)) }] }, 'parts[0]: is damaged, or not a PDF'],
  [{ parts: [{ html: 'x', options: { format: 'A99' } }] }, /^parts\[0\]\.options\.format: /],
  [{ parts: [{ html: 'x', options: { password: 'x' } }] }, 'parts[0].options.password: is for a whole PDF: use a step'],
  [
    { parts: [{ html: 'x', options: { timeout: 900 } }] },
    'parts[0].options.timeout: is for the whole: set it in options beside parts',
  ],
  [{ parts: [{ file }], steps: [{}] }, /^steps\[0\]: must have exactly one of select, /],
  [{ parts: [{ file }], steps: [{ rotate: { angle: 45 } }] }, 'steps[0].rotate.angle: must be one of 90, 180, 270'],
  [
    { parts: [{ file }], steps: [{ encrypt: { permissions: 'print' } }] },
    'steps[0].encrypt.permissions: must be a list of some of print, print_low, copy, modify, annotate, fill_forms, assemble, accessibility',
  ],
  [
    { parts: [{ file }], steps: [{ fill: { fields: { a: 1 } } }] },
    'steps[0].fill.fields.a: must be a text of at most 16000 characters, true, false, or a list of texts',
  ],
  [
    { parts: [{ file }], steps: [{ redact: { texts: [] } }] },
    'steps[0].redact.texts: must be a list of 1 to 500 items, each a string of 1 to 1000 characters',
  ],
  [
    { parts: [{ file }], steps: [{ stamp: { text: 'x', opacity: 2 } }] },
    'steps[0].stamp.opacity: must be a number above 0, at most 1',
  ],
  [{ parts: [{ file }], steps: [{ split: { every: 0 } }] }, 'steps[0].split.every: must be a whole number, 1 or more'],
  [
    { parts: [{ file }], steps: [{ encrypt: 'x' }, { stamp: { text: 'x' } }] },
    'steps[1].stamp: cannot follow encrypt, which ends the PDF',
  ],
  [{ parts: [{ file }], steps: [{ stamp: {} }] }, 'steps[0].stamp: must have one of text, html, image, file, document_id'],
  [
    { parts: [{ file }], steps: [{ stamp: { text: 'x', offset: { x: 'wide' } } }] },
    'steps[0].stamp.offset.x: must be a length such as 10mm or -1cm',
  ],
  [
    { parts: [{ file }], steps: [{ select: { pages: '!1-5' } }] },
    'steps[0].select.pages: leaves no page: the document has 5 pages',
  ],
  [
    { parts: [{ file }], steps: [{ split: { every: 1 } }], store: true },
    'store: cannot be combined with the step split, which makes several PDFs',
  ],
])('an error names part and step: %j', async (body, expected) => {
  const before = await used();
  const [first = ''] = await errorsOf(body);
  if (typeof expected === 'string') expect(first).toBe(expected);
  else expect(first).toMatch(expected);
  expect(await used()).toBe(before);
});

test.each(Object.entries(StepSchema.properties))('an error says which values a member of %s can have', async (name, step) => {
  const members = 'anyOf' in step ? ['user', 'owner', 'permissions'] : Object.keys((step as { properties: object }).properties);
  const wrong = (value: object) => errorsOf({ parts: [{ file }], steps: [{ [name]: value }] });
  const errors = await Promise.all(members.map((member) => wrong({ [member]: -1000.5 })));
  const found = members.map((member, index) => errors[index]?.filter((each) => each.includes(`.${member}: `)));
  for (const each of found)
    expect(each).toEqual([expect.stringMatching(/must be (?!an? (?:list|object|string|number|whole number)$)/)]);
});

describe('an error names the step and the member as the request has them', () => {
  const damaged = base64(Buffer.from(`%PDF-1.7 ${'x'.repeat(600)}`));
  const attachments = [{ name: 'a.txt', type: 'text/plain', content: 'aGk=' }];
  const beyond = { pages: '9' };
  /** A step, and what its error begins with. */
  const FAILING: Record<string, Array<[step: object, path: string]>> = {
    select: [[beyond, 'pages']],
    rotate: [[{ angle: 90, ...beyond }, 'pages']],
    stamp: [
      [{ text: 'For {{customer}}' }, 'text'],
      [{ text: 'x', ...beyond }, 'pages'],
      [{ file: damaged }, 'file'],
      [{ document_id: 'doc_0000000000000000000000' }, ''],
      [{ image: base64(Buffer.from('no image')) }, 'image'],
    ],
    watermark: [
      [{ text: '{{page}}', ...beyond }, 'pages'],
      [{ file: damaged }, 'file'],
    ],
    letterhead: [
      [{ file, ...beyond }, 'pages'],
      [{ file: damaged }, 'file'],
      [{ document_id: 'doc_0000000000000000000000' }, ''],
    ],
    bookmarks: [[{ items: [{ title: 'x', page: 9 }] }, 'items[0].page']],
    metadata: [[{ custom: { Title: 'x' } }, 'custom.Title']],
    attach: [[{ files: attachments }, 'files[0].name']],
    compose: [[{ per_sheet: 4, booklet: true }, 'per_sheet']],
    fill: [[{ fields: { nobody: 'x' } }, 'fields.nobody']],
    flatten: [[{ annotations: 'x' }, 'annotations']],
    optimize: [[{ quality: 0 }, 'quality']],
    redact: [[{ boxes: [{ page: 9, x: 1, y: 1, width: 1, height: 1 }] }, 'boxes[0].page']],
    decrypt: [[{ password: 'x' }, 'password']],
    encrypt: [[{ user: 'a', owner: 'a', permissions: { print: 'x' } }, 'permissions']],
    conform: [[{ profile: 'PDF/UA-1' }, '']],
    sign: [[{ certificate: 'cert_0000000000000000000000' }, 'certificate']],
    split: [
      [{ ranges: ['1', '9'] }, 'ranges[1]'],
      [{ at: 'bookmarks' }, 'at'],
      [{ max_bytes: 0 }, 'max_bytes'],
    ],
    extract: [[{ what: ['x'] }, 'what[0]']],
  };

  test('which are all steps', () =>
    expect(Object.keys(FAILING).toSorted()).toEqual(Object.keys(StepSchema.properties).toSorted()));

  test.each(Object.entries(FAILING).flatMap(([name, cases]) => cases.map(([step, path]) => ({ name, step, path }))))(
    '$name $path',
    async ({ name, step, path }) => {
      const part = { html: '<p>x', options: { attachments } };
      const { detail } = (await (await send({ parts: [part], steps: [{ rotate: { angle: 90 } }, { [name]: step }] })).json()) as {
        detail: string;
      };
      expect(detail.slice(0, detail.indexOf(': '))).toBe(['steps[1]', name, path].filter(Boolean).join('.'));
    },
  );
});

describe('what would take all time or memory of the service is refused', () => {
  const LARGE_IMAGE = Buffer.concat([Buffer.from(PIXEL_URL.split(',')[1] as string, 'base64'), Buffer.alloc(20_000_000)]);

  test.each([
    ['repeat a long group', [`(?:${'[a-z]?'.repeat(150)}){900}`]],
    ['repeat and are many', Array<string>(500).fill('x{1000}')],
    ['have large classes', Array<string>(20).fill(`[${'\\pL'.repeat(300)}]`)],
    ['hide the beginning of a group', [`(?:${'a?'.repeat(400)}[[:alpha:])(]){900}`]],
  ])('expressions that %s', async (_, expressions) => {
    expect(await errorsOf({ parts: [{ file }], steps: [{ redact: { expressions } }] })).toEqual([
      expect.stringMatching(/^steps\[0\]\.redact\.expressions: are too large together/),
    ]);
  });

  test('but not expressions of usual size', async () => {
    const expressions = [
      '[A-Z]{2}\\d{20}',
      '[\\w.]{1,64}@[\\w.]{1,255}',
      '(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}',
      '(\\d{1,3}\\.){3}\\d{1,3}',
    ];
    await succeeded(send({ parts: [{ file }], steps: [{ redact: { expressions } }] }));
  });

  test('marks that show one large file many times', async () => {
    const form = new FormData();
    form.set('request', JSON.stringify({ parts: [{ file }], steps: Array(50).fill({ stamp: { image: 'a.png' } }) }));
    form.append('files', new Blob([LARGE_IMAGE]), 'a.png');
    const headers = { authorization: `Bearer ${client.key}` };
    const reply = await fetch(`${client.url}/v1/pdf/assemble`, { method: 'POST', headers, body: form });
    const { errors } = await problem(reply, 400, 'invalid_request');
    expect((errors as object[])[0]).toMatchObject({
      path: 'steps[2].stamp',
      message: expect.stringMatching(/^brings all marks to more than 67108864 characters/),
    });
  });

  test('options that many parts read again', async () => {
    const content = 'A'.repeat(8_000_000);
    const options = { attachments: [{ name: 'a.txt', type: 'text/plain', content }] };
    expect(await errorsOf({ parts: Array(500).fill({ html: 'x', options: { format: 'A6' } }), options })).toEqual([
      expect.stringMatching(/^parts\[16\]: brings the options of all parts to more than 134217728 characters: /),
    ]);
  });

  test('a long title in many fields, before they are filled', async () => {
    const html = '{{title}}'.repeat(100_000);
    const [error] = await errorsOf({ parts: [{ file, title: 'T'.repeat(1_000) }], steps: [{ stamp: { html } }] });
    expect(error).toMatch(/^steps\[0\].stamp: is too long with its fields/);
  });
});
