/** `options.letterhead`: PDFs of others under the pages of a print. */
import { PDF } from '@libpdf/core';
import { expect, test } from 'vitest';
import { batchDocuments, isCombined } from '../support/batch-documents.ts';
import { bytesOf, Client, type DryRunResult, problem, succeeded } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { readBookmarks, readLinks } from '../support/read-bookmarks.ts';
import { readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const { url, key, createKey } = await sharedService();
const client = new Client(url, key);

/** Between the letterhead and the document there may be a space or none. */
const withoutSpaces = (text: string) => text.replace(/\s/g, '');
const textsOf = async (pdf: Uint8Array) => (await readPdf(pdf)).pages.map(withoutSpaces);
const pagesOf = (...texts: string[]) =>
  `<!doctype html><html lang="en"><title>${texts[0]}</title>${texts.map((text, n) => `<p ${n ? 'style="break-before: page"' : ''}>${text}</p>`).join('')}`;
const errorsOf = async (options: object) => {
  const { errors } = await problem(await client.pdf({ html: 'x', options }), 400, 'invalid_request');
  return (errors as Array<{ path: string; message: string }>).map(({ path, message }) => `${path}: ${message}`);
};

const LETTERHEAD = await client.rendered({ html: pagesOf('first head', 'other head') });
const file = LETTERHEAD.toString('base64');
const stored = await client.store({ html: pagesOf('first head', 'other head') });
const letterhead = { document_id: stored.document_id };
const THREE = pagesOf('one', 'two', 'three');
const ON_LETTERHEAD = ['firstheadone', 'otherheadtwo', 'otherheadthree'];

/** A page with a font that is not embedded. */
async function foreignPdf(): Promise<string> {
  const pdf = PDF.create();
  pdf.addPage({ width: 595, height: 842 }).drawText('foreign head', { x: 50, y: 780, size: 12 });
  return Buffer.from(await pdf.save()).toString('base64');
}

test('its first page is under the first page, and its last under all others', async () => {
  for (const given of [{ file }, letterhead]) {
    const texts = await textsOf(await client.rendered({ html: THREE, options: { letterhead: given } }));
    expect(texts).toEqual(ON_LETTERHEAD);
  }
  const foreign = await client.rendered({ html: THREE, options: { letterhead: { file: await foreignPdf() } } });
  expect(await textsOf(foreign)).toEqual(['foreignheadone', 'foreignheadtwo', 'foreignheadthree']);
});

test.each([
  ['is not compressed', { compress: false }],
  ['is compressed', { compress: true }],
  ['has metadata', { metadata: { title: 'A' } }],
  ['has tags', { tagged: true }],
  ['has a watermark', { watermark: { text: 'W', layer: 'under' } }],
])('a print that %s has it, and is the same each time', async (_, options) => {
  const render = () => client.rendered({ html: THREE, options: { ...options, letterhead } });
  const [one, other] = [await render(), await render()];
  expect(one.equals(other)).toBe(true);
  expect((await textsOf(one)).map((text) => text.replace('W', ''))).toEqual(ON_LETTERHEAD);
});

test('a print of thousands of rows has it', async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => `<tr><td>row ${n}</td></tr>`).join('');
  const texts = await textsOf(await client.rendered({ html: `<table>${rows}</table>`, options: { letterhead } }));
  expect(texts.length).toBeGreaterThan(40);
  expect(texts[0]).toMatch(/^firstheadrow0/);
  expect(texts.slice(1).every((text) => text.startsWith('otherheadrow'))).toBe(true);
});

test('links, bookmarks, fields and a password stay', async () => {
  const html = '<h1 id="a">Top</h1><a href="#a">up</a> <a href="https://example.com/">out</a><input name="field" value="v">';
  const pdf = await client.rendered({ html, options: { letterhead, outline: true, forms: true, compress: true } });
  expect((await readBookmarks(pdf)).map(({ title }) => title)).toEqual(['Top']);
  expect(await readLinks(pdf)).toEqual(await readLinks(await client.rendered({ html })));
  expect(await readFields(pdf)).toMatchObject([{ name: 'field' }]);
  const secret = await client.rendered({ html: THREE, options: { letterhead, password: 'secret' } });
  expect((await readFinished(secret, 'secret')).texts.map(withoutSpaces)).toEqual(ON_LETTERHEAD);
});

test('its margin is that of the pages', async () => {
  const placed = async (options: object) =>
    (await readPdf(await client.rendered({ html: 'one', options }))).placed.at(-1)?.at(-1);
  const margin = '100mm 20mm';
  expect(await placed({ letterhead: { ...letterhead, margin } })).toEqual(await placed({ margin }));
  expect(await errorsOf({ letterhead: { file, margin: '1cm' }, margin: '2cm' })).toEqual([
    'options.letterhead.margin: cannot be combined with options.margin',
  ]);
});

test('a form names a file, also in the parameter', async () => {
  const post = async (fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.append('files', new Blob([new Uint8Array(LETTERHEAD)]), 'head.pdf');
    const headers = { authorization: `Bearer ${client.key}` };
    return textsOf(await bytesOf(await succeeded(fetch(`${url}/v1/pdf`, { method: 'POST', headers, body: form }))));
  };
  const given = { letterhead: { file: 'head.pdf' } };
  expect(await post({ request: JSON.stringify({ html: THREE, options: given }) })).toEqual(ON_LETTERHEAD);
  expect(await post({ html: THREE, letterhead: JSON.stringify(given.letterhead) })).toEqual(ON_LETTERHEAD);
});

test('items of a batch and rendered parts of an assembly have it', async () => {
  const items = ['a', 'b'].map((text) => ({
    html: `<!doctype html><html><head><title>${text}</title></head><body><p>${text}</body></html>`,
  }));
  const rendered = await batchDocuments(
    client,
    items.map((item) => ({ ...item, options: { letterhead } })),
  );
  expect(rendered.map(isCombined)).toEqual([true, true]);
  const texts = await Promise.all(rendered.map(async (pdf) => (await textsOf(pdf)).join()));
  expect(texts).toEqual(['firstheada', 'firstheadb']);
  const assembly = {
    assets: { 'head.pdf': { content: file } },
    parts: [{ html: 'plain' }, { html: THREE, options: { letterhead: { file: 'head.pdf' } } }],
  };
  const pdf = await bytesOf(await succeeded(client.send('POST', '/v1/pdf/assemble', assembly)));
  expect(await textsOf(pdf)).toEqual(['plain', ...ON_LETTERHEAD]);
});

test('PDF/UA is kept, and PDF/A if the letterhead keeps it', async () => {
  const validate = async (pdf: Uint8Array) => {
    const reply = await succeeded(client.send('POST', '/v1/pdf/validate', pdf, { 'content-type': 'application/pdf' }));
    return (await reply.json()) as { valid: boolean; profiles: string[] };
  };
  const archived = await client.rendered({ html: pagesOf('first head', 'other head'), options: { conformance: 'PDF/A-3b' } });
  const conformance = ['PDF/A-3a', 'PDF/UA-1'];
  for (const own of [archived.toString('base64'), file]) {
    const pdf = await client.rendered({ html: THREE, options: { conformance, letterhead: { file: own } } });
    expect(await validate(pdf)).toMatchObject({ valid: true, profiles: conformance });
  }
  const options = { conformance: 'PDF/A-3b', letterhead: { file: await foreignPdf() } };
  const { violations } = await problem(await client.pdf({ html: THREE, options }), 422, 'not_conformant');
  expect(violations).toMatchObject([{ rule: 'font_not_embedded', remedy: expect.stringContaining('letterhead') }]);
  const report = await succeeded(client.pdf({ html: THREE, options, conformance_report: true }));
  expect(await report.json()).toMatchObject({ violations });
});

test('a letterhead that cannot be used is refused, and nothing is charged', async () => {
  const before = (await client.usage()).documents.used;
  expect(await errorsOf({ letterhead: {} })).toEqual(['options.letterhead: must have file or document_id']);
  expect(await errorsOf({ letterhead: { file: 'missing.pdf' } })).toEqual([
    'options.letterhead.file: is no file of this request, and no PDF as base64',
  ]);
  expect(await errorsOf({ letterhead: { file, ...letterhead } })).toEqual([
    'options.letterhead.file: cannot be combined with document_id',
  ]);
  const unusable = 'options.letterhead: is damaged, is protected by a password, has hidden layers, or is not a PDF';
  expect(await errorsOf({ letterhead: { file: Buffer.from('%PDF-1.7 nothing').toString('base64') } })).toEqual([unusable]);
  const secret = await client.rendered({ html: 'x', options: { password: 'secret' } });
  const between = (await client.usage()).documents.used;
  expect(between).toBe(before + 1);
  expect(await errorsOf({ letterhead: { file: secret.toString('base64') } })).toEqual([unusable]);
  const other = new Client(url, (await createKey()).key);
  await problem(await other.pdf({ html: 'x', options: { letterhead } }), 404, 'not_found');
  const picture = await client.send('POST', '/v1/image', { html: `<img src="${PIXEL_URL}">`, store: true });
  const { document_id } = (await picture.json()) as { document_id: string };
  expect(await errorsOf({ letterhead: { document_id } })).toEqual([unusable]);
  expect((await client.usage()).documents.used).toBe(between + 1);
});

test('a deleted document is no letterhead any more', async () => {
  const { document_id } = await client.store({ html: 'head' });
  const body = { html: 'x', options: { letterhead: { document_id } } };
  await client.rendered(body);
  await client.send('DELETE', `/v1/documents/${document_id}`);
  await problem(await client.pdf(body), 410, 'document_deleted');
});

test('a dry run opens it', async () => {
  const check = async (given: object) => {
    const reply = await succeeded(client.pdf({ html: 'x', dry_run: true, options: { letterhead: given } }));
    return (await reply.json()) as DryRunResult;
  };
  expect(await check(letterhead)).toMatchObject({ would_render: true });
  expect(await check({ file: Buffer.from('%PDF-1.7 nothing').toString('base64') })).toMatchObject({
    would_render: false,
    problems: [{ code: 'invalid_request' }],
  });
});
