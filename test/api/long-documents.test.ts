/** Long documents, which are printed in windows: their links, pages and bytes, and what is printed at once. */
import { describe, expect, test } from 'vitest';
import { validatePdf } from '../../src/pdf/validate/validate.ts';
import { bytesOf, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { LongPrinter, longBook, longTable, longText } from '../support/long-documents.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readStructureLines } from '../support/printed-structure.ts';
import { readBookmarks } from '../support/read-bookmarks.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const printer = await LongPrinter.start().then(closeAfterAll);

/** The indexes of the pages to which the links of a page lead. */
async function linkedPages(pdf: Uint8Array, page: number): Promise<number[]> {
  await using opened = await openPdf(pdf);
  const { document } = opened;
  const annotations: Array<{ dest: string }> = await (await document.getPage(page)).getAnnotations();
  const destinations = await Promise.all(annotations.map(({ dest }) => document.getDestination(dest)));
  return await Promise.all(destinations.map((destination) => document.getPageIndex(destination?.[0])));
}

describe('a long document', () => {
  test('has links from its first to its last page and back, and the same bytes each time', async () => {
    const render = async () => new Uint8Array(await bytesOf(await succeeded(service.pdf({ html: longTable() }))));
    const pdf = await render();
    await using opened = await openPdf(pdf);
    const { numPages } = opened.document;
    expect(numPages).toBeGreaterThan(150);
    expect(await linkedPages(pdf, 1)).toEqual([numPages - 1]);
    expect(await linkedPages(pdf, numPages)).toEqual([0]);
    expect(Buffer.from(await render()).equals(pdf)).toBe(true);
  });

  test('has links of its own on every page in a repeated head', async () => {
    const html = longTable().replace('<th>Number', '<th><a href="https://example.com/">Number</a>');
    await using opened = await openPdf((await printer.inWindows(html)) ?? new Uint8Array());
    const { document } = opened;
    const numbers = Array.from({ length: document.numPages }, (_, n) => n + 1);
    const links = await Promise.all(
      numbers.map(async (page) =>
        (await (await document.getPage(page)).getAnnotations()).filter(({ url }) => url).map(({ id }) => id),
      ),
    );
    expect(links.every((ofPage) => ofPage.length > 0)).toBe(true);
    expect(new Set(links.flat()).size).toBe(links.flat().length);
  });

  test('lacks pages that are not there', async () => {
    const response = await service.pdf({ html: longTable(), options: { pageRanges: '5000-' } });
    expect(await problem(response, 422, 'print_failed')).toMatchObject({ pages: expect.toSatisfy((pages) => pages > 150) });
  });

  test('whose layout is reported is printed at once', async () => {
    const pdf = await bytesOf(await succeeded(service.pdf({ html: longText(), options: { layout: ['h2'] } })));
    await using opened = await openPdf(new Uint8Array(pdf));
    expect(opened.document.numPages).toBeGreaterThan(400);
  });

  test('has a block at the bottom of its last page', async () => {
    const { placed } = await readPdfReply(await service.pdf({ html: `${longText()}<p data-last-page-bottom>END` }));
    expect(placed.length).toBeGreaterThan(400);
    expect(placed.at(-1)?.find(({ text }) => text === 'END')?.y).toBeGreaterThan(300); // of 368 points
  });

  test('is made by a script', async () => {
    const text = JSON.stringify(longText()).replace(/</g, '\\u003c');
    const script = `<script>const parsed = new DOMParser().parseFromString(${text}, 'text/html'); document.head.append(...parsed.head.children); document.body.append(...parsed.body.children)</script>`;
    const divided = await printer.inWindows(`<!doctype html><html lang="en"><head></head><body>${script}`);
    await using opened = await openPdf(divided ?? new Uint8Array());
    await using whole = await openPdf(await printer.atOnce(longText()));
    expect(opened.document.numPages).toBe(whole.document.numPages);
  });
});

describe('the tags and bookmarks of a long document are those of one print', () => {
  const ofAllPages = (html: string) => html.replace('counter(page)', 'counter(page) " of " counter(pages)');
  const foot = '<tfoot><tr><td>All<td>rows<td>are<td>here</tfoot>';
  const cases: Array<[string, string]> = [
    [
      'with a table whose head and foot repeat, and the number of all pages',
      ofAllPages(longTable().replace('<tbody>', `${foot}<tbody>`)),
    ],
    ['with links', longText().replaceAll('<li>', '<li><a href="#chapter-0">Back</a> ')],
    ['with chapters', longBook('section { break-after: page }', 5, true)],
    ['with selectors that look inside', longText('h2:has(+ ul) { color: green }')],
  ];
  test.each(cases)('%s', async (_, html) => {
    const options = { tagged: true, outline: true };
    const [divided, whole] = [await printer.inWindows(html, options), await printer.atOnce(html, options)];
    const tags = readStructureLines(divided ?? new Uint8Array());
    expect(tags.length).toBeGreaterThan(5_000);
    expect(tags).toEqual(readStructureLines(whole));
    expect(await readBookmarks(Uint8Array.from(divided ?? []))).toEqual(await readBookmarks(Uint8Array.from(whole)));
  });

  test('on the pages that are wanted', async () => {
    const options = { tagged: true, outline: true, pageRanges: '100-102' };
    const pdf = Uint8Array.from((await printer.inWindows(longText(), options)) ?? []);
    const pages = readStructureLines(pdf).flatMap((line) => / content (\d+)/.exec(line)?.[1] ?? []);
    expect([...new Set(pages)]).toEqual(['0', '1', '2']);
    expect((await readBookmarks(pdf)).length).toBeLessThan(5);
  });

  test('and are completed by what the document states, such as cells without content', async () => {
    const css = 'td { border: 0 !important } td:nth-child(3) { visibility: hidden }';
    const options = { tagged: true, compress: false, timeout: 110_000 };
    const pdf = await bytesOf(await succeeded(service.pdf({ html: longTable(css, 4_600), options })));
    expect(
      Buffer.from(pdf)
        .toString('latin1')
        .match(/\/S \/TD\b/g),
    ).toHaveLength(4 * 4_600);
  });

  test('and conform to PDF/A and PDF/UA', async () => {
    const options = { conformance: ['PDF/A-2a', 'PDF/UA-1'], timeout: 110_000 };
    const pdf = await bytesOf(await succeeded(service.pdf({ html: longTable(), options })));
    expect(await validatePdf(pdf, undefined)).toMatchObject({ violations: [], profiles: ['PDF/A-2a', 'PDF/UA-1'] });
  });
});

describe('a document is printed at once', () => {
  const cases: Array<[string, string]> = [
    ['if it is short', longTable('', 500)],
    ['if it has CSS counters', longText('h2 { counter-increment: chapter } h2::before { content: counter(chapter) }')],
    ['if it has columns', longText('main { columns: 2 }')],
    ['if its rows are side by side', longText('main { display: flex; flex-wrap: wrap }')],
    ['if a box is placed on the page', longText('h2 { position: absolute; top: 0 }')],
  ];
  test.each(cases)('%s', async (_, html) => {
    expect(await printer.inWindows(html)).toBeUndefined();
  });
});
