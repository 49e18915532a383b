/** Sums that pages carry forward, as poppler reads them. */
import { describe, expect, test } from 'vitest';
import { carriedInvoice, findMistakes, seededRandom } from '../support/carried-invoices.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { DrawnPixels } from '../support/drawn-pixels.ts';
import { outputOf, PrintedFiles } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);
const LANGUAGES = ['en', 'de', 'fr', 'ja', 'ar'];

async function pagesOf(html: string, options?: object): Promise<string[]> {
  const text = await outputOf('pdftotext', '-raw', await files.render(html, options), '-');
  return text
    .split('\f')
    .slice(0, -1)
    .map((page) => page.replace(/\s+/g, ' '));
}

describe('each page carries the exact sum of the rows so far', () => {
  const samples = LANGUAGES.map((language, n) => ({ language, rows: 90 + 40 * n, columns: 1 + (n % 3), seed: n + 1 }));
  test.each(samples)('$language: $rows rows and $columns columns', async ({ rows, ...wanted }) => {
    const invoice = carriedInvoice(rows, wanted);
    const pages = await pagesOf(invoice.html);
    expect(pages.length).toBeGreaterThan(1);
    expect(findMistakes(invoice, pages)).toEqual([]);
  });

  test('also where the total stays with three rows on a new page', async () => {
    const withTotal: number[] = [];
    for (let rows = 24; rows < 36; rows++) {
      const kept = carriedInvoice(rows, { keep: 3 });
      expect(findMistakes(kept, await pagesOf(kept.html))).toEqual([]);
      const last = (await pagesOf(carriedInvoice(rows).html)).find((page) => page.includes('TOTAL'));
      withTotal.push(last?.match(/R\d+\./g)?.length ?? 0);
    }
    expect(Math.min(...withTotal)).toBeLessThan(3); // without data-keep
  });

  test.each([
    [98, { language: 'ja', columns: 3, seed: 713, lines: 14, keep: 1 }],
    [168, { columns: 3, seed: 830, lines: 5, keep: 2 }],
  ])('and the total is not alone on a page: %s rows', async (rows, wanted) => {
    const invoice = carriedInvoice(rows, wanted);
    expect(findMistakes(invoice, await pagesOf(invoice.html))).toEqual([]);
  });

  const count = Number(process.env.PLATEN_TEST_SWEEP_INVOICES ?? 0);
  test.runIf(count)(
    'in many invoices of 1 to 200 pages, two thirds of which have one page, and one in 20 more than 100',
    async () => {
      const random = seededRandom(count);
      const wrong: string[] = [];
      const lengths: number[] = [];
      const renderNext = async () => {
        for (let n = lengths.length; n < count; n = lengths.length) {
          const rows = 1 + Math.floor(random() ** 12 * 6_000);
          const language = LANGUAGES[n % LANGUAGES.length] as string;
          const wanted = { language, columns: 1 + (n % 3), seed: n, lines: Math.floor(random() * 60), keep: n % 4 };
          lengths.push(0);
          const invoice = carriedInvoice(rows, wanted);
          const pages = await pagesOf(invoice.html, { timeout: 120_000 });
          lengths[n] = pages.length;
          const mistakes = findMistakes(invoice, pages);
          if (mistakes.length) wrong.push(`${JSON.stringify({ rows, ...wanted })}: ${mistakes.slice(0, 3).join(', ')}`);
          if (n % 100 === 99)
            process.stdout.write(`${n + 1} invoices, ${wrong.length} wrong, the longest has ${Math.max(...lengths)} pages\n`);
        }
      };
      await Promise.all([renderNext(), renderNext()]);
      expect(wrong).toEqual([]);
    },
    3 * 3_600_000,
  );
});

describe('borders that rows share', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, n) => `<tr><td>row ${n}<td data-sum="1">1`).join('');
  const [ROWS, FEW] = [rows(40), rows(6)];
  const table = (css: string, rows: string, head = '', foot = '') =>
    `<!doctype html><style>@page { size: A6; margin: 40px } body { margin: 0 } table { border-collapse: collapse; width: 100% }
      ${css}</style><p>above<table><thead>${head}<tr><th>head<th></thead>${rows}<tfoot>${foot}</table><p>below`;
  const HEAD = '<tr class="sum" data-on="not-first"><td>brought forward<td data-carry="sum" data-carry-at="start">';
  const FOOT = '<tr class="sum" data-on="not-last"><td>carried forward<td data-carry="sum">';

  test.each(['1px', '3px'])('of %s are in one line with those of painted rows', async (width) => {
    const css = `td, th { border: ${width} solid #00f } .sum td { border-color: #f00 } td, th { height: 20px }`;
    const file = await files.render(table(css, ROWS, HEAD, FOOT));
    const line = 2 * Number.parseInt(width, 10);
    for (const page of [1, 2]) {
      const drawn = await DrawnPixels.of(file, { dpi: 192, page });
      const red = drawn.box((r, _, b) => r > 200 && b < 100);
      const blue = drawn.box((r, _, b) => r < 100 && b > 200);
      expect([red.left, red.right]).toEqual([blue.left, blue.right]);
      if (page === 1) expect(Math.abs(red.top - blue.bottom)).toBeLessThanOrEqual(line);
    }
  });

  test.each([20, 31.3, 47.7])('are in one line if the first column takes %s percent', async (share) => {
    const css = `table { table-layout: fixed } td:first-child { width: ${share}% } td, th { border: 1px solid }
      td + td { background: #00f } .sum td + td { background: #f00 }`;
    const drawn = await DrawnPixels.of(await files.render(table(css, ROWS, HEAD, FOOT).replace('<th>head<th>', '')), {
      dpi: 192,
      page: 2,
    });
    const [red, blue] = [drawn.box((r, _, b) => r > 200 && b < 100), drawn.box((r, _, b) => r < 100 && b > 200)];
    expect([red.left, red.right]).toEqual([blue.left, blue.right]);
  });

  test('are not drawn in thicker ones of the next row', async () => {
    const file = await files.render(
      table('thead { border-top: 4px solid #00f } .sum td { border-bottom: 1px solid #f00 }', ROWS, HEAD),
    );
    const drawn = await DrawnPixels.of(file, { dpi: 192, page: 2 });
    expect(drawn.box((r, _, b) => r > 200 && b < 100)).toMatchObject({ right: 0 });
    expect(drawn.box((r, _, b) => r < 100 && b > 200).right).toBeGreaterThan(0);
  });

  test.each(['.sum', '.sum td'])('are not drawn where a row is not: those of %s', async (selector) => {
    const file = await files.render(table(`${selector} { border: 2px solid #f00 }`, FEW, HEAD, FOOT));
    const red = (await DrawnPixels.of(file)).box((r, _, b) => r > 200 && b < 100);
    expect(red).toMatchObject({ right: 0, bottom: 0 });
  });

  test.each([
    'table { border: 2px solid #f00 }',
    'table, td, th { border: 1px solid #f00 }',
    'thead { border: 4px solid #f00 }',
    'table { background: #f00 }',
    'table { border-left: 6px solid #f00; direction: rtl }',
  ])('surround the rows that are shown: %s', async (css) => {
    const boxes = [];
    for (const html of [table(css, FEW), table(css, FEW, HEAD, FOOT)])
      boxes.push((await DrawnPixels.of(await files.render(html))).box((r, _, b) => r > 200 && b < 100));
    const [plain, paged] = boxes.map((box) => Object.values(box));
    for (const [index, edge] of (plain ?? []).entries()) expect(Math.abs((paged?.[index] ?? 0) - edge)).toBeLessThanOrEqual(1);
  });

  test.each([
    ['tfoot { border-top: 4px solid #f00 }', '', `${FOOT}<tr data-on="last"><th>total<th>3`, '<tr><th>total<th>3'],
    ['tfoot { border-top: 4px solid #f00 }', '', '<tr data-on="last"><th>total<th>3', '<tr><th>total<th>3'],
    ['thead { border-bottom: 4px solid #f00 }', HEAD, '', ''],
  ])('are between head, bodies and foot: %s', async (css, below, foot, plainFoot) => {
    const boxes = [];
    for (const html of [table(css, FEW, '', plainFoot), table(css, FEW, '', foot).replace('</thead>', `${below}</thead>`)])
      boxes.push((await DrawnPixels.of(await files.render(html))).box((r, _, b) => r > 200 && b < 100));
    const [plain, paged] = boxes.map((box) => Object.values(box));
    expect(plain?.[3]).toBeGreaterThan(0);
    for (const [index, edge] of (plain ?? []).entries()) expect(Math.abs((paged?.[index] ?? 0) - edge)).toBeLessThanOrEqual(1);
  });

  test('have the color that painted rows inherit', async () => {
    const css =
      'table { border-color: #f00 } thead, tr, td, th { border: 0 solid; border-color: inherit } .sum td { border-width: 2px }';
    const file = await files.render(table(css, ROWS, HEAD));
    const black = (await DrawnPixels.of(file, { page: 2 })).box((r, g, b) => Math.max(r, g, b) < 100);
    const red = (await DrawnPixels.of(file, { page: 2 })).box((r, _, b) => r > 200 && b < 100);
    expect(red.right - red.left).toBeGreaterThan(200);
    expect(black.right).toBeLessThan(red.right - 20); // of texts
  });

  test.each([
    'table { border-radius: 9px; border-collapse: separate; border-spacing: 0; outline: 2px solid #f00; box-shadow: 0 0 3px #f00 }',
    'body { padding: 0 40px } table { min-width: 100%; max-width: 100px; max-height: 3px; min-height: 9px; padding: 9px; inset: 9px }',
  ])('are those of painted rows, without what is around the table: %s', async (css) => {
    const rules = `td, th { border: 1px solid #00f } .sum td { border-color: #0f0; background: #dfd } ${css}`;
    const drawn = await DrawnPixels.of(await files.render(table(rules, ROWS, HEAD)), { page: 2 });
    const [green, blue] = [drawn.box((r, g, b) => g > r + 20 && g > b + 20), drawn.box((r, g, b) => b > r + 100 && b > g + 100)];
    for (const side of ['left', 'right'] as const) expect(Math.abs(green[side] - blue[side])).toBeLessThanOrEqual(1);
    for (let y = green.top + 1; y < green.bottom + 5; y++) {
      const [r = 0, g = 0] = drawn.pixel((green.left + green.right) >> 1, y);
      expect(r - g).toBeLessThan(20);
    }
  });

  test.each(['html', 'body', 'table'])('are in their places if %s has a zoom', async (element) => {
    const css = `${element} { zoom: 1.5 } td, th { border: 2px solid #00f } .sum td { border-color: #f00 }`;
    const drawn = await DrawnPixels.of(await files.render(table(css, ROWS, HEAD, FOOT)), { dpi: 96, page: 2 });
    const [red, blue] = [drawn.box((r, _, b) => r > 200 && b < 100), drawn.box((r, _, b) => r < 100 && b > 200)];
    for (const side of ['left', 'right'] as const) expect(Math.abs(red[side] - blue[side])).toBeLessThanOrEqual(1);
    expect(blue.top - red.top).toBeGreaterThan(20);
    expect(blue.top - red.top).toBeLessThan(45);
  });

  test('of a table with space between its cells leave out what is above it', async () => {
    const css = 'table { border-collapse: separate; border: 2px solid #f00 }';
    const tops = [];
    for (const html of [table(css, FEW), table(css, FEW, HEAD, FOOT)])
      tops.push((await DrawnPixels.of(await files.render(html))).box((r, _, b) => r > 200 && b < 100).top);
    expect(tops[1]).toBe(tops[0]);
  });
});
