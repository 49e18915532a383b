/** What the catalogs of PDFs of other programs say is kept when they are joined, or named as lost. */
import { PDF, PdfArray, PdfBool, PdfDict, PdfName, type PdfObject, PdfString } from '@libpdf/core';
import { expect, test } from 'vitest';
import { PdfReader } from '../../src/pdf/objects/pdf-reader.ts';
import { toText } from '../../src/pdf/objects/syntax.ts';
import { Client, type Report, succeeded } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const { url, key } = await sharedService();
const client = new Client(url, key);

type Entries = (pdf: PDF) => Record<string, PdfObject>;

const text = (value: string) => PdfString.fromString(value);
const dict = (entries: Record<string, PdfObject>) => PdfDict.of(entries);
const script = (code: string) => dict({ S: PdfName.of('JavaScript'), JS: text(code) });
const tree = (...names: PdfObject[]) => dict({ Names: PdfArray.of(...names) });
const toPage = (pdf: PDF, index: number) => PdfArray.of(pdf.getPage(index)?.ref as never, PdfName.of('Fit'));

/** A PDF of three pages with these entries in its catalog. */
async function pdfWith(entries: Entries): Promise<string> {
  const pdf = PDF.create();
  for (let n = 0; n < 3; n++) pdf.addPage({ width: 200, height: 200 });
  const catalog = pdf.context.catalog.getDict();
  for (const [name, value] of Object.entries(entries(pdf))) catalog.set(name, value);
  return Buffer.from(await pdf.save()).toString('base64');
}

async function assemble(parts: Array<{ file: string; pages?: string }>, steps: object[] = []) {
  const reply = await succeeded(client.send('POST', '/v1/pdf/assemble', { parts, steps }, { accept: 'application/json' }));
  const { pdf, report } = (await reply.json()) as { pdf: string; report: Report };
  const loaded = await PDF.load(Buffer.from(pdf, 'base64'));
  const reader = new PdfReader(loaded);
  const catalog = loaded.context.catalog.getDict();
  const dropped = (report.dropped ?? []).map(({ what, part }) => (part === undefined ? what : `${what} of ${part}`));
  return { bytes: Buffer.from(pdf, 'base64'), reader, catalog, dropped };
}

const PLAIN = await pdfWith(() => ({}));

test('names of destinations stay, and get a number where they are taken', async () => {
  const named = (...names: string[]) =>
    pdfWith((pdf) => ({ Names: dict({ Dests: tree(...names.flatMap((name, n) => [text(name), toPage(pdf, n)])) }) }));
  const old = await pdfWith((pdf) => ({ Dests: dict({ intro: dict({ D: toPage(pdf, 2) }) }) }));
  const parts = [await named('intro', 'terms'), await named('intro', 'Ünique'), old].map((file) => ({ file }));
  const { bytes, dropped } = await assemble(parts);
  await using opened = await openPdf(bytes);
  const pages: Record<string, number> = {};
  for (const name of ['intro', 'terms', 'intro-2', 'Ünique', 'intro-3']) {
    const [page] = (await opened.document.getDestination(name)) ?? [];
    pages[name] = await opened.document.getPageIndex(page);
  }
  expect(pages).toEqual({ intro: 0, terms: 1, 'intro-2': 3, Ünique: 4, 'intro-3': 8 });
  expect(dropped).toEqual(['names of destinations of 1', 'names of destinations of 2']);
});

test('form fields keep their names, and get a number where they are taken', async () => {
  const form = (...names: string[]) => {
    const fields = names.map((name) => dict({ FT: PdfName.of('Tx'), T: text(name) }));
    return pdfWith((pdf) => ({ AcroForm: dict({ Fields: PdfArray.of(...fields.map((each) => pdf.register(each))) }) }));
  };
  const parts = [{ file: await form('Full Name', 'a') }, { file: PLAIN }, { file: await form('a', 'b') }];
  const { reader, dropped } = await assemble(parts);
  expect(reader.pdf.getForm()?.getFieldNames()).toEqual(['Full Name', 'a', 'a_2', 'b']);
  expect(dropped).toEqual(['names of form fields of 2']);
});

test('scripts of all parts stay', async () => {
  const scripted = (code: string) => pdfWith(() => ({ Names: dict({ JavaScript: tree(text('init'), script(code)) }) }));
  const { reader, catalog, dropped } = await assemble([{ file: await scripted('a = 1') }, { file: await scripted('b = 2') }]);
  const kept = reader.list(reader.dict(reader.dict(catalog, 'Names'), 'JavaScript'), 'Names');
  expect(kept.filter((_, n) => n % 2).map((action) => reader.text(reader.asDict(action), 'JS'))).toEqual(['a = 1', 'b = 2']);
  expect(dropped).toEqual([]);
});

test('the first part says how the whole is opened and shown, and the others lose that', async () => {
  const opening = (page: number, layout: string) =>
    pdfWith((pdf) => ({
      OpenAction: dict({ S: PdfName.of('GoTo'), D: toPage(pdf, page) }),
      PageLayout: PdfName.of(layout),
      PageMode: PdfName.of('FullScreen'),
      ViewerPreferences: dict({ HideToolbar: PdfBool.TRUE, DisplayDocTitle: PdfBool.TRUE }),
    }));
  const [first, second] = [await opening(1, 'TwoColumnLeft'), await opening(2, 'OneColumn')];
  const { reader, catalog, dropped } = await assemble([{ file: first }, { file: second }, { file: PLAIN }]);
  expect(['PageLayout', 'PageMode'].map((name) => catalog.getName(name)?.value)).toEqual(['TwoColumnLeft', 'FullScreen']);
  expect(toText(catalog.getDict('ViewerPreferences') as PdfDict)).toBe('<</HideToolbar true>>');
  expect(toText(reader.list(catalog, 'OpenAction')[0] as PdfObject)).toBe(toText(reader.pdf.getPage(1)?.ref as PdfObject));
  expect(dropped).toEqual(['the action on opening of 1', 'the page layout of 1']);
  const later = await assemble([{ file: PLAIN }, { file: second }]);
  expect(later.catalog.getName('PageMode')?.value).toBe('UseOutlines');
  expect(later.dropped).toEqual(
    ['the action on opening', 'the page layout', 'the page mode', 'the viewer preferences'].map((what) => `${what} of 1`),
  );
});

test('a page that is left out is not opened', async () => {
  const file = await pdfWith((pdf) => ({ OpenAction: toPage(pdf, 1) }));
  expect((await assemble([{ file, pages: '2-3' }])).catalog.has('OpenAction')).toBe(true);
  expect((await assemble([{ file, pages: '1, 3' }])).catalog.has('OpenAction')).toBe(false);
});

test.each([
  ['AA', 'actions of the document', { WC: script('x') }],
  ['Collection', 'the portfolio', { View: PdfName.of('T') }],
  ['URI', 'the base URL of links', { Base: text('https://example.com/') }],
  ['AcroForm', 'XFA', { XFA: text('<xdp/>'), Fields: PdfArray.of() }],
  ['OCProperties', 'layer configurations', { Configs: PdfArray.of(), D: dict({}), OCGs: PdfArray.of() }],
])('%s of a part is named as lost', async (entry, what, value) => {
  const file = await pdfWith(() => ({ [entry]: dict(value) }));
  const { catalog, dropped } = await assemble([{ file: PLAIN }, { file }]);
  expect(dropped).toEqual([`${what} of 1`]);
  expect(catalog.has(entry)).toBe(false);
  expect((await assemble([{ file }])).dropped).toEqual([]);
});

test('a form keeps the order in which it is computed, and XFA until it is filled', async () => {
  const html = '<input name="a" aria-label="a"><input name="b" aria-label="b">';
  const pdf = await PDF.load(await client.rendered({ html, options: { forms: true } }));
  const form = new PdfReader(pdf).dict(pdf.context.catalog.getDict(), 'AcroForm') as PdfDict;
  const fields = new PdfReader(pdf).list(form, 'Fields');
  form.set('CO', PdfArray.of(...fields.toReversed()));
  form.set('NeedAppearances', PdfBool.TRUE);
  form.set('XFA', text('<xdp/>'));
  const file = Buffer.from(await pdf.save()).toString('base64');
  const { reader, catalog, dropped } = await assemble([{ file }, { file }]);
  const joined = reader.dict(catalog, 'AcroForm');
  const names = reader.list(joined, 'CO').map((field) => reader.text(reader.asDict(field), 'T'));
  expect(names).toEqual(['b', 'a', 'b_2', 'a_2']);
  expect(joined?.getBool('NeedAppearances')?.value).toBe(true);
  expect(dropped).toEqual(['XFA of 0', 'XFA of 1', 'names of form fields of 1']);
  const alone = await assemble([{ file }]);
  expect(alone.reader.dict(alone.catalog, 'AcroForm')?.has('XFA')).toBe(true);
  for (const step of [{ fill: { fields: { a: 'x' } } }, { flatten: {} }])
    expect((await assemble([{ file }], [step])).dropped).toContain('XFA');
});
