/** Tables whose head and foot depend on their pages: sums, rows on some pages, and what is wrong with them. */
import { describe, expect, test } from 'vitest';
import { carriedInvoice, findMistakes } from '../support/carried-invoices.ts';
import { bytesOf, problem, succeeded } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { type ReadPdf, readPdf, readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const invoice = carriedInvoice(90, { columns: 2 });

async function render(html: string, options: object = {}): Promise<ReadPdf> {
  return readPdfReply(await service.pdf({ html, options }));
}

/** The sum that each page shows. */
function sums(pdf: ReadPdf): Array<string | undefined> {
  return pdf.pages.map((text) => /\bsum\s*([-\d,.]+)/.exec(text)?.[1]);
}

function table(head: string, rows: string, foot = ''): string {
  return `<!doctype html><html lang=en><style>td { height: 200px } tr { break-inside: avoid }</style><table><thead>${head}</thead><tbody>${rows}</tbody><tfoot>${foot}</tfoot></table>`;
}

let ids = 0;
const TEN_ROWS = Array.from({ length: 10 }, (_, n) => `<tr><td data-amount="${n}.25">row ${n}</td></tr>`).join('');

describe('sums of tables are right', () => {
  const cases: Array<[string, object]> = [
    ['if the document is scaled', { scale: 0.6 }],
    [
      'if it has headers, footers and a watermark',
      { headerTemplate: '<span class=title>', margin: '20mm', watermark: { text: 'DRAFT' } },
    ],
    ['if it is tagged', { tagged: true, outline: true }],
    ['if it conforms to PDF/UA-1 and PDF/A-3a', { conformance: ['PDF/A-3a', 'PDF/UA-1'] }],
    ['on wide paper', { format: 'A5', landscape: true }],
    ['on a single page', { singlePage: true }],
  ];
  test.each(cases)('%s', async (_, options) => {
    expect(findMistakes(invoice, (await render(invoice.html, options)).pages)).toEqual([]);
  });

  test('if rows and their cells have ids that URLs escape', async () => {
    const rows = TEN_ROWS.replace(/<tr><td/g, () => `<tr id="größe (${++ids})"><td id="ä${ids}"`);
    const named = await render(table('', rows, '<tr><th>sum <b data-carry=amount></b></tr>'));
    expect(named.pages).toEqual((await render(table('', TEN_ROWS, '<tr><th>sum <b data-carry=amount></b></tr>'))).pages);
    expect(new Set(sums(named)).size).toBe(named.pages.length);
  });

  test('if Chromium shrinks the document', async () => {
    const wide = invoice.html.replace('<table>', '<div style="width: 900px">wide</div><table>');
    expect(findMistakes(invoice, (await render(wide)).pages)).toEqual([]);
  });

  test('on the pages that are asked for', async () => {
    const [all, second] = [await render(invoice.html), await render(invoice.html, { pageRanges: '2' })];
    expect(second.pages).toEqual(all.pages.slice(1, 2));
  });

  test.each(['display: none', 'visibility: collapse'])('if rows are not printed: %s', async (rule) => {
    const foot = '<tr data-on=not-last><th>carried<tr data-on=last><th>sum <b data-carry=amount></b>';
    const hidden = '<tr class=no><td data-amount=1000>no';
    const style = `<style>.no { ${rule} }</style>`;
    for (const html of [
      hidden + TEN_ROWS + hidden,
      TEN_ROWS.replace('<tr>', `${hidden}<tr>`),
      `${TEN_ROWS}<tbody class=no>${hidden}`,
    ]) {
      const pdf = await render(style + table('', html, foot));
      expect(sums(pdf).at(-1)).toBe('47.50');
      expect(pdf.pages.map((text) => text.includes('carried'))).toEqual([true, true, false]);
    }
  });

  test('if a script makes the table', async () => {
    const made = invoice.html.replace(/<table>[\s\S]*<\/table>/, (markup) => {
      const text = JSON.stringify(markup).replace(/</g, '\\u003c');
      return `<div></div><script>setTimeout(() => { document.querySelector('div').innerHTML = ${text} }, 50)</script>`;
    });
    expect(findMistakes(invoice, (await render(made)).pages)).toEqual([]);
  });

  test('and the PDF has no traces of how they were found', async () => {
    const pdf = await bytesOf(await succeeded(service.pdf({ html: invoice.html, options: { compress: false } })));
    expect(Buffer.from(pdf).includes('platen-place')).toBe(false);
    await using opened = await openPdf(pdf);
    const first = await opened.document.getPage(1);
    expect(await first.getAnnotations()).toEqual([]);
    expect(await opened.document.getDestinations()).toEqual(new Map());
  });

  test('and the same each time', async () => {
    const print = async () => Buffer.from(await bytesOf(await succeeded(service.pdf({ html: invoice.html }))));
    expect((await print()).equals(await print())).toBe(true);
  });
});

describe('data-carry-at', () => {
  const at = (place: string) => `<tr><th>sum <span data-carry=amount data-carry-at=${place}></span></tr>`;

  test('shows the sum of a page, up to its start or up to its end', async () => {
    const pages = await render(table('', TEN_ROWS, at('page')));
    expect(sums(pages)).toEqual(['7.00', '31.25', '9.25']);
    expect(sums(await render(table('', TEN_ROWS, at('start'))))).toEqual(['0.00', '7.00', '38.25']);
    expect(sums(await render(table('', TEN_ROWS, at('end'))))).toEqual(['7.00', '38.25', '47.50']);
  });

  test('shows more digits than a floating-point number has', async () => {
    const rows = ['90071992547409.930000000000000001', '0.000000000000000002'].map((sum) => `<tr><td data-amount=${sum}>row`);
    expect((await render(table('', rows.join(''), at('end')))).pages[0]).toContain('90,071,992,547,409.930000000000000003');
  });

  test('takes the options of Intl.NumberFormat', async () => {
    const format = `data-carry-format='{"style":"currency","currency":"EUR"}'`;
    const foot = at('end').replace('data-carry=', `lang=de ${format} data-carry=`);
    const [page = ''] = (await render(table('', '<tr><td data-amount=1234.5>row', foot))).pages;
    expect(page).toMatch(/sum\s*1\.234,50\s€/);
  });
});

describe('rows are on their pages only', () => {
  test('in the head', async () => {
    const head = ['first', 'not-first', 'last', 'not-last'].map((on) => `<tr data-on=${on}><th>on ${on}.</tr>`).join('');
    const { pages } = await render(table(head, TEN_ROWS.repeat(2)));
    const shown = pages.map((text) => [...text.matchAll(/on ([\w-]+)\./g)].map(([, on]) => on).sort());
    const between = shown.slice(1, -1).map(() => ['not-first', 'not-last']);
    expect(between.length).toBeGreaterThan(0);
    expect(shown).toEqual([['first', 'not-last'], ...between, ['last', 'not-first']]);
  });

  test.each([
    '',
    'body { display: flex; flex-direction: column; gap: 19px }',
    'table { border-spacing: 0; border: 4px solid red; border-radius: 9px } td { height: auto !important }',
    'caption { display: table-caption; padding: 5px; margin-bottom: 9px }',
    'caption { display: table-caption; caption-side: bottom }',
  ])('and leave no band above and below the table: %s', async (rule) => {
    const rows = '<tr><td data-amount=1>row 1';
    const carried = (on: string) => `<tr data-on=${on}><th style="height: 90px">carried</tr>`;
    const style = `<style>p { margin: 7px 0 } table { margin: 11px 0 } caption { display: none } ${rule}</style>`;
    const body = (head: string, foot: string) =>
      `${style}<p>before</p>${table(`${head}<tr><th>head</tr>`, rows, foot)}<p>after`.replace(
        '<thead>',
        '<caption>caption</caption>$&',
      );
    const [plain, paged] = [await render(body('', '')), await render(body(carried('not-first'), carried('not-last')))];
    const heights = ({ placed }: ReadPdf) => placed[0]?.map(({ text, y }) => [text, Math.round(y)]);
    expect(paged.pages).toEqual(plain.pages);
    expect(heights(paged)).toEqual(heights(plain));
  });

  test('and below the head of the columns', async () => {
    const rows = Array.from({ length: 90 }, (_, n) => `<tr><td>row ${n}`).join('');
    const style = '<style>@page { size: A5 } p { margin: 7px 0 } td, th { height: 20px; padding: 0 }</style>';
    const html = (carried: string) =>
      `${style}<p>before</p><table><thead><tr><th>head</tr>${carried}</thead><tbody>${rows}</table>`;
    const [plain, paged] = [await render(html('')), await render(html('<tr data-on="not-first"><th>carried</tr>'))];
    const heights = ({ placed }: ReadPdf, page: number) =>
      new Map(placed[page]?.map(({ text, y }) => [text, Math.round(y)]) ?? []);
    expect(heights(paged, 0)).toEqual(heights(plain, 0));
    for (const page of [1, 2]) {
      const [head = 0, carried = 0, row = 0] = [
        'head',
        'carried',
        [...heights(paged, page).keys()].find((text) => /^row/.test(text)) ?? '',
      ].map((text) => heights(paged, page).get(text) ?? 0);
      expect(head).toBe(heights(plain, page).get('head'));
      expect([Math.round((carried - head) / 15), Math.round((row - carried) / 15)]).toEqual([1, 1]);
    }
    const tagged = await render(html('<tr data-on="not-first"><th>carried</tr>'), { tagged: true });
    expect(tagged.pages.map((text) => text.includes('head'))).toEqual(tagged.pages.map(() => true));
  });

  test.each([
    'table, td, th { border-collapse: collapse; border: 1px solid }',
    'td, th { border: 1px solid }',
    'td, th { padding: 3px; text-align: right }',
    'table { border-collapse: collapse } td, th { border: 3px solid; text-align: center }',
    'table { direction: rtl }',
    'td, th { padding: 0 }',
  ])('and have the lines that they have where nothing is painted: %s', async (rule) => {
    const rows = Array.from({ length: 90 }, (_, n) => `<tr><td>row ${n}<td>1`).join('');
    const linesOfHead = async (on: string) => {
      const head = `<tr ${on}><th>brought forward to this page<th>2<tr><th>head<th>3`;
      const { placed } = await render(`<style>${rule} td { height: 20px }</style><table><thead>${head}<tbody>${rows}</table>`);
      const texts = placed[1] ?? [];
      const end = texts.find(({ text }) => text.startsWith('row'))?.y ?? 0;
      return new Set(texts.filter(({ y }) => Math.abs(y - end) > 3).flatMap(({ y }) => (y < end ? Math.round(y / 3) : []))).size;
    };
    const plain = await linesOfHead('');
    expect(plain).toBe(2);
    expect(await linesOfHead('data-on=not-first')).toBe(plain);
  });

  test('and between two rows of the head', async () => {
    const carried = '<tr data-on=not-first><th>carried';
    const head = (between: string) => `${between}<tr><th>title${between}<tr><th>columns`;
    const [plain, paged] = [await render(table(head(''), TEN_ROWS)), await render(table(head(carried), TEN_ROWS))];
    const fromTop = ({ placed }: ReadPdf, page: number) =>
      Array.from(placed[page] ?? [], ({ text, y }): [number, string] => [Math.round(y), text]).sort(([a], [b]) => a - b);
    expect(fromTop(paged, 0)).toEqual(fromTop(plain, 0));
    const texts = fromTop(paged, 1).map(([, text]) => text);
    expect(texts.filter((text) => !text.startsWith('row'))).toEqual(['carried', 'title', 'carried', 'columns']);
  });

  test('and show nothing of the details in which their table is', async () => {
    const { pages } = await render(
      `<details open><summary>Order</summary>${table('<tr data-on=not-first><th>carried', TEN_ROWS)}`,
    );
    expect(pages[1]).toMatch(/^row \d.*carried$/);
  });

  test.each(['', 'data-keep=2'])('and look like the others of their section: %s', async (keep) => {
    const style = '<style>thead td, tfoot b { text-transform: uppercase } tfoot td { letter-spacing: 5px }</style>';
    const foot = `<tr data-on=last ${keep}><td><b>total</b> of all<tr data-on=not-last><td><b>carried</b> over`;
    const { pages } = await render(style + table('<tr data-on=first><td>opening', TEN_ROWS, foot));
    expect(pages[0]).toMatch(/OPENING.*C\s?A\s?R\s?R\s?I\s?E\s?D/s);
    expect(pages.at(-1)).toMatch(/T\s?O\s?T\s?A\s?L\s+o\s?f\s+a\s?l\s?l/);
  });

  test.each(['', 'data-keep=2'])('and are not numbered with the rows of the body: %s', async (keep) => {
    const style = `<style>tbody tr { counter-increment: row } tbody td::before { content: "(" counter(row) ") " }
      tfoot td::before { content: "* " }</style>`;
    const foot = `<tr data-on=last ${keep}><td>total<tr data-on=last><td>end`;
    const { pages } = await render(style + table('', TEN_ROWS, foot));
    expect(pages.join(' ')).toMatch(/^\(1\) row 0 .*\(10\) row 9 \* total \* end$/);
  });

  test('and leave the rows beside them as they are', async () => {
    const style = `<style>thead tr:nth-child(2), tbody tr:nth-child(10), tfoot tr:last-child { text-transform: uppercase }
      tbody tr:last-child { text-transform: uppercase }</style>`;
    const head = '<tr data-on=first><td>opening<tr><td>columns';
    const foot = '<tr data-on=not-last><td>carried<tr data-on=last data-keep=1><td>total';
    const { pages } = await render(style + table(head, TEN_ROWS, foot));
    expect(pages[0]).toMatch(/COLUMNS opening row 0.*carried$/);
    expect(pages.at(-1)).toMatch(/COLUMNS.*ROW 9 TOTAL$/);
  });

  test('and leave no band between the head of the columns and a row of the first page', async () => {
    const head = (on: string) => `<tr data-on=first><th>opening<tr><th>columns${on && `<tr data-on=${on}><th>carried`}`;
    const rule = '<style>th { height: 30px; padding: 0 }</style>';
    const [plain, paged] = await Promise.all(['', 'not-first'].map((on) => render(rule + table(head(on), TEN_ROWS))));
    const places = (pdf: typeof plain) =>
      ['columns', 'opening', 'row 0'].map((text) => Math.round(pdf?.placed[0]?.find((each) => each.text === text)?.y ?? 0));
    expect(places(paged)).toEqual(places(plain));
  });

  test('also if a rule makes cells visible', async () => {
    const rule = '<style>th { visibility: visible !important }</style>';
    const { pages } = await render(rule + table('<tr data-on=not-first><th>continued<tr><th>head', TEN_ROWS));
    expect(pages.map((text) => text.match(/continued/g)?.length ?? 0)).toEqual(pages.map((_, page) => Math.min(page, 1)));
  });

  test('also if the table begins a page', async () => {
    const html = (head: string) => `<div style="height: 950px">before</div>${table(`${head}<tr><th>head</tr>`, TEN_ROWS)}`;
    const [plain, paged] = [await render(html('')), await render(html('<tr data-on=not-first><th>continued</tr>'))];
    const head = ({ placed }: ReadPdf) => placed[1]?.find(({ text }) => text === 'head')?.y;
    expect(paged.pages[1]).not.toContain('continued');
    expect(Math.abs((head(paged) ?? 0) - (head(plain) ?? 0))).toBeLessThan(24);
    expect(paged.pages[2]).toContain('continued');
  });
});

test('a table stays below what footnotes move to its page', async () => {
  const style = `@page { size: 400px 500px; margin: 0 } body, p { margin: 0 } .note { float: footnote } p { height: 60px; break-inside: avoid } td { height: 40px }`;
  const above = '<div style="height: 420px">text<span class="note">note</span></div><p>above</p>';
  const below = '<table><thead><tr data-on="not-first"><td>continued</thead><tr><td>row</table>';
  const { pages } = await render(`<!doctype html><style>${style}</style>${above}${below}`);
  expect(pages).toEqual([expect.stringMatching(/^text.*note$/), 'above row']);
});

describe('a table is refused', () => {
  const carry = '<tr><th data-carry=amount></tr>';
  const cases: Array<[string, string, RegExp]> = [
    [
      'with an amount that is no number',
      table('', '<tr id=x><td data-amount="12,50">x', carry),
      /^#x > td: data-amount is "12,50"/,
    ],
    [
      'with an amount with an exponent',
      table('', '<tr><td data-amount=1e3>x', carry),
      /data-amount is "1e3", and must be a decimal/,
    ],
    ['with an empty amount', table('', '<tr><td data-amount>x', carry), /data-amount is ""/],
    ['without amounts', table('', '<tr><td>x', carry), /adds data-amount, which no row of its table has/],
    ['with a sum in its body', table('', '<tr><td data-carry=amount>x'), /data-carry, and is not in thead or tfoot/],
    ['with another place', table('', TEN_ROWS, '<tr><th data-carry=amount data-carry-at=top>'), /must be start, end, page/],
    [
      'with data-keep that is no number',
      table('', TEN_ROWS, '<tr data-on=last data-keep="-3"><th data-carry=amount>'),
      /tfoot > tr: data-keep is the number of rows before it that stay with it/,
    ],
    [
      'with a format that is none',
      table('', TEN_ROWS, `<tr><th data-carry=amount data-carry-format='{"style":"currency"}'>`),
      /data-carry-format must be the options of Intl.NumberFormat in JSON/,
    ],
    [
      'with more than 100 rows in its head',
      table('<tr data-on=not-first><th>x'.repeat(101), TEN_ROWS),
      /more than 100 rows in thead or tfoot/,
    ],
    [
      'with vertical text',
      table('', TEN_ROWS, '<tr data-on=last><th>x').replace('<table', '<table style="writing-mode: vertical-rl"'),
      / table has data-carry, data-on or data-keep, and vertical text/,
    ],
    [
      'that goes on in the next column of its page',
      `<div style="columns: 2">${table('', TEN_ROWS, carry)}`,
      /goes on in the next column of its page/,
    ],
    [
      'that goes on on a page of another width',
      `<style>@page :first { size: A4 landscape } table { width: 100% }</style>${table('', TEN_ROWS, carry)}`,
      /goes on on a page of another width/,
    ],
    [
      'with too many sums of many amounts',
      table('', '<tr><td data-amount=1>x'.repeat(5_000), `<tr><th>${'<b data-carry=amount></b>'.repeat(201)}`),
      /add more than 300000 amounts/,
    ],
    ['of 50,000 rows', table('', '<tr><td data-amount=1>x'.repeat(50_000), carry), /more than 20000 rows; divide the document/],
  ];
  test.each(cases)('%s', async (_, html, detail) => {
    const found = await problem(await service.pdf({ html }), 422, 'print_failed');
    expect(found.detail).toMatch(detail);
  });

  test.each([
    ['adds a row', "document.querySelector('tbody').insertAdjacentHTML('beforeend', '<tr><td data-amount=1>late')"],
    ['removes a row', "document.querySelector('tbody tr')?.remove()"],
    ['changes an amount', "document.querySelector('tbody td').dataset.amount = '7'"],
  ])('if a script %s while it is printed', async (_, change) => {
    const foot = '<tr><th>sum <b data-carry=amount></b>';
    const script = (event: string) => `<script>addEventListener('${event}', () => { ${change} })</script>`;
    const html = table('', TEN_ROWS, foot);
    const refused = await problem(await service.pdf({ html: html + script('beforeprint') }), 422, 'print_failed');
    expect(refused.detail).toContain('changed rows or amounts of a table');
    expect((await service.pdf({ html: html + script('load') })).status).toBe(200);
  });

  test('if its rows move each time that it is printed', async () => {
    const moves = `<script>let n = 0; addEventListener('beforeprint', () => { document.querySelector('th').style.height = 20 + 30 * (++n % 2) + 'px' })</script>`;
    const html = table('<tr data-on=not-first><th>continued</tr>', TEN_ROWS) + moves;
    const response = await service.pdf({ html });
    if (!response.ok) expect((await problem(response, 422, 'print_failed')).detail).toContain('different each time');
    else expect((await readPdf(await bytesOf(response))).pages[1]).toContain('continued');
  });
});

test('a table of its own width may go on on a page of another width', async () => {
  const style = '<style>@page :first { size: A4 landscape } table { width: 10cm }</style>';
  const pdf = await render(style + table('', TEN_ROWS, '<tr><th>sum <b data-carry=amount></b>'));
  expect(sums(pdf).at(-1)).toBe('47.50');
});

test.each(['60mm 300mm', '80mm auto'])('sums change neither the size nor the scale of a small page: %s', async (size) => {
  const receipt = (markup: string) =>
    `<style>@page { size: ${size}; margin: 4mm }</style><table><tr><td data-amount="4.50">Ink, 4.50${markup}</table>`;
  const withSum = receipt('<tfoot><tr><td>sum <b data-carry="amount">4.50</b></tfoot>');
  const [pdf, plain] = [await render(withSum), await render(receipt('<tr><td>sum <b>4.50</b>'))];
  expect(pdf.sizes).toEqual(plain.sizes);
  expect(pdf.placed[0]?.[0]).toEqual(plain.placed[0]?.[0]);
  expect(sums(pdf)).toEqual(['4.50']);
});

test('amounts may be named like a member of every object', async () => {
  const [page] = (
    await render(
      table('', '<tr><td data-constructor=2>x<tr><td data-constructor=3>x', '<tr><th>sum <b data-carry=constructor></b>'),
    )
  ).pages;
  expect(page).toContain('sum5');
});

test('rules of the document for links do not apply to those that tell places', async () => {
  const rules = '<style>a::after { content: leader(".") target-counter(attr(href), page) }</style>';
  const { pages } = await render(rules + table('<tr data-on=not-first><th>continued', TEN_ROWS));
  expect(pages[0]).not.toContain('.');
  expect(pages[1]).toMatch(/continued$/);
});

test('amounts of a table in a cell belong to that table', async () => {
  const inner = table('', '<tr><td data-amount=100>x', '<tr><th>inner <b data-carry=amount></b>');
  const outer = table(
    '',
    `<tr><td data-amount=1>${inner.replace(/^.*?<table/, '<table')}`,
    '<tr><th>outer <b data-carry=amount></b>',
  );
  const [page] = (await render(outer)).pages;
  expect(page).toMatch(/inner\s+outer\s*100\s+1$/); // the sums are painted afterwards
});

test('sums are in their places if the document has rules for its pages', async () => {
  const rules = '<style>@page { margin: 3cm !important } @page :left { margin-top: 5cm }</style>';
  for (const options of [{}, { margin: '25mm' }]) {
    const { placed } = await render(rules + invoice.html, options);
    const [first = []] = placed;
    const carried = first.find(({ text }) => text === 'CARRIED');
    const last = first.filter(({ text }) => /^R\d+\.$/.test(text)).at(-1);
    expect(carried?.x).toBeCloseTo(last?.x ?? 0, 0); // in the same column
    expect((carried?.y ?? 0) - (last?.y ?? 0)).toBeGreaterThan(8);
    expect((carried?.y ?? 0) - (last?.y ?? 0)).toBeLessThan(50);
  }
});
