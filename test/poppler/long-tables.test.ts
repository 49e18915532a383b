/** Sums of tables so long that not every row is marked, as poppler reads them. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);

const ROWS = 1_050;
/** Every amount differs, so that a row on another page gives another sum. */
const amountOf = (row: number) => row * 3 + 1;

/** Sums have decimal places, which amounts do not have. */
const FORMAT = '{"minimumFractionDigits":2}';

interface Shape {
  style?: string;
  /** What a row has, beside its number. */
  row?: (row: number) => { attributes?: string; text?: string };
  /** What comes before a row. */
  before?: (row: number) => string;
  around?: (table: string) => string;
  head?: string;
  /** Default true. */
  repeatsHead?: boolean;
  options?: object;
}

function writeTable({ style = '', row = () => ({}), before = () => '', around = (table) => table, head = '' }: Shape): string {
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const { attributes = '', text = '' } = row(n);
    return `${before(n)}<tr data-amount="${amountOf(n)}" ${attributes}><td>R${n};<td>${text}<td>${amountOf(n)}`;
  });
  const table = `<table><thead>${head}<tr data-on="not-first"><td colspan="2">Before<td data-carry="amount" data-carry-at="start" data-carry-format='${FORMAT}'>
<tbody>${rows.join('')}<tfoot><tr><td colspan="2">So far<td data-carry="amount" data-carry-format='${FORMAT}'></table>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Statement</title><style>
body { font: 12px Arimo } table { width: 100%; border-collapse: collapse } ${style}</style>${around(table)}`;
}

const WORDS = 'a position with a long description that may need more than one line of its column ';
const SHAPES: Record<string, Shape> = {
  'rows of one line': {},
  'rows with lines': { style: 'td { padding: 3px; border-bottom: 1px solid #ccc }' },
  'rows of one to five lines': { row: (n) => ({ text: WORDS.repeat((n * 7) % 9) }) },
  'space between rows': { style: 'table { border-collapse: separate; border-spacing: 4px 6px }' },
  'thick borders': { style: 'td { border: 5px solid }' },
  'groups with a row above each': { before: (n) => (n % 23 ? '' : `<tbody><tr><td colspan="3"><b>Group ${n}</b>`) },
  'page breaks by rules': { row: (n) => ({ attributes: n % 71 === 70 ? 'style="break-before: page"' : '' }) },
  'rows that stay together': { row: (n) => ({ attributes: n % 5 ? 'style="break-before: avoid"' : '' }) },
  'cells over several rows': { row: (n) => ({ text: n % 6 ? '' : '<i style="display: block; height: 61px"></i>' }) },
  'a document that is shrunk': { options: { scale: 0.71 } },
  'another paper and its margins': { options: { width: '150mm', height: '110mm', margin: '7mm' } },
  'paper higher than is looked at first': { options: { format: 'A2' } },
  'first pages with another margin': { style: '@page { margin: 15mm } @page :first { margin-top: 70mm }' },
  'pages of both sides with other margins': {
    style: '@page :left { margin: 12mm 20mm 31mm } @page :right { margin: 40mm 20mm 9mm }',
  },
  'a head of several rows': { head: '<tr><th colspan="3">Statement<tr><th>No<th>Text<th>Amount' },
  'a head that is too high to repeat': { head: '<tr><th colspan="3" style="height: 400px">Statement', repeatsHead: false },
  'text before and a table in a frame': {
    around: (table) =>
      `<h1>Statement</h1><p>${WORDS.repeat(30)}</p><div style="border: 3px solid; padding: 20px 12px 40px">${table}</div>`,
  },
  'an end that moves': { style: 'tr { height: 13.37px } td { padding: 0; line-height: 1 }' },
  'headers measured from HTML': {
    options: { header: '<p style="height: 53px">Statement <span class="pageNumber"></span>', margin: 'auto' },
  },
};

test.each(Object.entries(SHAPES))('%s', async (_, { options, repeatsHead = true, ...shape }) => {
  const text = await outputOf('pdftotext', '-raw', await files.render(writeTable(shape), { timeout: 120_000, ...options }), '-');
  const pages = text.split('\f').slice(0, -1);
  expect(pages.length).toBeGreaterThan(3);
  let [sum, rows] = [0, 0];
  const wrong = pages.flatMap((page, index) => {
    const numbers = [...page.matchAll(/R(\d+);/g)].map(([, row]) => Number(row));
    const shown = [...page.matchAll(/[\d,]+\.00/g)].map(([amount]) => amount);
    const before = rows && repeatsHead ? [toText(sum)] : [];
    for (const row of numbers) sum += amountOf(row);
    rows += numbers.length;
    const expected = [...before, toText(sum)];
    return shown.toSorted().join() === expected.toSorted().join() || !numbers.length
      ? []
      : [{ page: index + 1, shown, expected }];
  });
  expect(wrong).toEqual([]);
  expect(rows).toBe(ROWS);
});

function toText(sum: number): string {
  return new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(sum);
}
