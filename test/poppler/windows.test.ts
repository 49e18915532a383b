/** Long documents that are printed in windows look as if they were printed at once, as poppler draws them. */
import { describe, expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { LongPrinter, longBook, longTable, longText } from '../support/long-documents.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';

const printer = await LongPrinter.start().then(closeAfterAll);
const files = await PrintedFiles.open().then(closeAfterAll);

const FOOTER = '<div style="font-size: 9px"><span class="pageNumber"></span> of <span class="totalPages"></span></div>';
const TOTALS = '@page { @top-right { content: "page " counter(page) " of " counter(pages) } }';
const FIXED = '<div style="position: fixed; right: 0; bottom: 0">Draft</div>';
const SIDES = '@page :left { margin-left: 30mm; background: #eef } @page :first { margin-top: 40mm }';

/** Of 255. One print rounds the coordinates of its later pages to a hundredth of a pixel, which smooth edges show. */
const ROUNDED = 40;

function greatestDifference(some: Buffer, others: Buffer): number {
  let greatest = Math.abs(some.length - others.length);
  for (let at = 0; at < some.length; at++) greatest = Math.max(greatest, Math.abs((some[at] ?? 0) - (others[at] ?? 0)));
  return greatest;
}

/** Poppler finds the lines by positions, which are rounded. */
async function words(file: string): Promise<string[]> {
  return (await outputOf('pdftotext', '-raw', file, '-')).split(/\s+/);
}

const square = (colour: string) =>
  `url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'%3E%3Crect width='9' height='9' fill='${colour}'/%3E%3C/svg%3E")`;
const PICTURES = `tr:nth-child(n + 2500) td:first-child { background: ${square('green')} } tr:nth-child(n + 4000) td { background: url(${PIXEL_URL}) }`;

async function pixels(file: string): Promise<Buffer> {
  return (await run('pdftoppm', ['-r', '40', file], { encoding: 'buffer', maxBuffer: 1e9 })).stdout;
}

describe('a document in windows has the pixels and the text of one print', () => {
  const cases: Array<[string, string, object]> = [
    ['a table', longTable(), {}],
    [
      'a table with sums below',
      longTable('tfoot { font-weight: bold }').replace('</tbody>', '</tbody><tfoot><tr><td colspan=4>Sum</tfoot>'),
      {},
    ],
    ['a table with fixed columns', longTable('table { table-layout: fixed }'), {}],
    ['a table with pictures in late rows', longTable(PICTURES), {}],
    ['text', longText(), {}],
    ['text with left and right pages', longText(SIDES), {}],
    ['text with the number of pages', longText(TOTALS), {}],
    ['text beside floating boxes', longText('h2 { float: left; margin: 0 9px 0 0 } ul { float: right; width: 40% }'), {}],
    ['text with a box on every page', longText().replace('<header>', `${FIXED}<header>`), {}],
    ['a book of short chapters', longBook('h1 { break-before: page; margin-top: 50px }', 2), {}],
    ['a book of sections', longBook('section { break-before: page; padding: 9px }', 3, true), { tagged: true }],
    ['a book with left and right pages', longBook(`h1 { break-before: page } ${SIDES}`, 3), {}],
    ['a book with the number of pages', longBook(`h1 { break-before: page } ${TOTALS}`), {}],
    ['a table with a footer', longTable(), { footerTemplate: FOOTER }],
    ['a part of a table', longTable(), { pageRanges: '2-3,100-130,180-' }],
  ];
  test.each(cases)('%s', async (_, html, options) => {
    const divided = await printer.inWindows(html, options);
    expect(divided).toBeDefined();
    const whole = await files.save(await printer.atOnce(html, options));
    const file = await files.save(divided ?? Buffer.alloc(0));
    expect(await words(file)).toEqual(await words(whole));
    expect(greatestDifference(await pixels(file), await pixels(whole))).toBeLessThan(ROUNDED);
  });
});
