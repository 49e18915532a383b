/** Items of a batch with the same styles are printed together if each then prints as it would alone, and only then. */
import { describe, expect, test } from 'vitest';
import { batchDocuments, isCombined } from '../support/batch-documents.ts';
import { Client, type DocumentRecord } from '../support/client.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, service.key);

const STYLE = 'body { font: 12pt Arial } td { border-bottom: 1px solid #ccc }';
const letter = (name: string, { style = STYLE, body = '', title = `To ${name}` } = {}) => ({
  html: `<!doctype html><html lang="en"><head><title>${title}</title><style>${style}</style></head><body><h1>Dear ${name}</h1>${body}`,
});
const NAMES = ['Ada', 'Bölł', 'Ζωή', 'Quixley'];

test('has the same bytes whatever the other items are', async () => {
  const together = await batchDocuments(
    client,
    NAMES.map((name) => letter(name)),
  );
  expect(together.every(isCombined)).toBe(true);
  for (const [number, name] of NAMES.entries()) {
    const [alone, others] = await Promise.all([
      batchDocuments(client, [letter(name)]),
      batchDocuments(client, [letter('Somebody else with ÄÖÜ'), letter(name)]),
    ]);
    expect(together[number]?.equals(alone[0] as Buffer)).toBe(true);
    expect(together[number]?.equals(others[1] as Buffer)).toBe(true);
    expect(await readPdf(together[number] as Buffer)).toMatchObject({ pages: [`Dear ${name}`], title: `To ${name}` });
  }
});

test('numbers the page of each document', async () => {
  const style = '@page { margin: 2cm; @bottom-right { content: counter(page) " / " counter(pages) } } body { background: #eee }';
  const pdfs = await batchDocuments(client, [letter('Ada', { style }), letter('Bob', { style })]);
  expect(pdfs.every(isCombined)).toBe(true);
  for (const pdf of pdfs) expect((await readPdf(pdf)).pages[0]).toContain('1 / 1');
});

test('reports the same as a render', async () => {
  const { items: [item] = [] } = await client.batch({ items: [letter('Ada'), letter('Bob')] });
  const { report, ...record } = await client.json<DocumentRecord>(`/v1/documents/${item?.document_id}`);
  const single = await client.store(letter('Ada'));
  expect({ ...report, timings: 0 }).toEqual({ ...single.report, timings: 0 });
  expect(record.pages).toBe(single.pages);
});

test('prints an item that is too wide by itself, and the others as without it', async () => {
  const wide = letter('Ada', { body: `<table><tr><td>${'wide'.repeat(200)}</table>` });
  const [first, second, third] = await batchDocuments(client, [letter('Bob'), wide, letter('Eve')]);
  const [alone] = await batchDocuments(client, [letter('Bob')]);
  expect([first, second, third].map((pdf) => isCombined(pdf as Buffer))).toEqual([true, false, true]);
  expect(first?.equals(alone as Buffer)).toBe(true);
});

test('prints an item of several pages by itself, and the others together', async () => {
  const long = letter('Ada', { body: '<p>paragraph</p>'.repeat(200) });
  const broken = letter('Bob', { body: '<p style="break-before: page">second page</p>' });
  const pdfs = await batchDocuments(client, [long, letter('Eve'), broken, letter('Zoe')]);
  expect(pdfs.map(isCombined)).toEqual([false, true, false, true]);
  const read = await Promise.all(pdfs.map(readPdf));
  expect(read.map(({ pages }) => pages.length > 1)).toEqual([true, false, true, false]);
});

describe('prints items in renders of their own', () => {
  const paragraphs = Array.from({ length: 60 }, (_, n) => `<p>paragraph ${n}</p>`).join('');
  const cases: Record<string, Parameters<typeof letter>[1]> = {
    'with several pages': { body: paragraphs },
    'with a position of their own': { style: 'h1 { position: fixed; bottom: 0 }' },
    'with a height that may not contain its content': { style: 'h1 { height: 1px }' },
    'with a negative margin': { style: 'h1 { margin-bottom: -2em }' },
    'with a first page that differs': { style: '@page :first { margin: 5cm }' },
    'with first pages that differ by two classes': { style: '@page :first:right { background: #ffc }' },
    'with counters': { style: 'h1 { counter-increment: c } h1::before { content: counter(c) }' },
    'with a picture as the background': { style: 'body { background: linear-gradient(red, white) }' },
    'with margin boxes that inherit from the document': { style: 'html { color: red } @page { @top-left { content: "x" } }' },
    'with selectors of the document': { style: ':root { color: red }' },
    'with broken lines': { style: 'h1 { border: 1px dashed }' },
    'with a broken line in an attribute': { body: '<p style="border-bottom: 1px dotted">x</p>' },
    'with a link to a part of the document': { body: '<a href="#x">see x</a><p id="x">x</p>' },
    'with forms': { body: '<input value="x">' },
    'with pictures': { body: '<img alt="x" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">' },
    'with scripts': { body: '<script>document.body.append("x")</script>' },
    'with styles in the body': { body: '<style>h1 { color: red }</style>' },
    'with text from right to left': { body: '<p dir="rtl">x</p>' },
    'with characters that not every font has': { body: '<p>文</p>' },
  };
  test.each(Object.entries(cases))('%s', async (_, document) => {
    const items = [letter('Ada', document), letter('Bob', document)];
    const [first, second] = await batchDocuments(client, items);
    expect([first, second].some((pdf) => isCombined(pdf as Buffer))).toBe(false);
    expect((await readPdf(second as Buffer)).pages.join()).toContain('Dear Bob');
  });

  test.each([{ tagged: true }, { pageRanges: '1' }, { watermark: { text: 'DRAFT' } }, { singlePage: true }])(
    '%o',
    async (options) => {
      const pdfs = await batchDocuments(client, [
        { ...letter('Ada'), options },
        { ...letter('Bob'), options },
      ]);
      expect(pdfs.some(isCombined)).toBe(false);
    },
  );
});

test('finishes each as its options say', async () => {
  const items = NAMES.map((name) => ({ ...letter(name), options: { metadata: { author: `by ${name}` }, compress: true } }));
  const pdfs = await batchDocuments(client, items);
  const own = await client.rendered(items[0]);
  expect(await readPdf(pdfs[0] as Buffer)).toEqual(await readPdf(own));
  expect(pdfs.map((pdf) => pdf.length).every((bytes) => bytes < 1.2 * own.length)).toBe(true);
});
