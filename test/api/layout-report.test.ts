/** `options.layout` reports where elements are on the pages of the PDF. */
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const STYLE = 'body { margin: 0; font: 16px/20px sans-serif } p, h1, h2 { margin: 0; font-size: 16px }';
const html = (body: string, css = '') => `<!doctype html><style>${STYLE} ${css}</style>${body}`;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join('<br>');
/** The page of A4 has 1022 CSS pixels between margins of 50. */
const PAGE_PX = 1_022;
const MARGIN = { margin: '50px' };
const above = (px: number) => `<div style="height: ${px}px"></div>`;
const PICTURE = '<svg width="200" height="300"><rect width="200" height="300" fill="green" /></svg>';

interface Fragment {
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
  break_before: string | null;
}

/** The fragments of each element, in the order of the selectors. */
async function locate(document: string, layout: string[], options: object = {}): Promise<Fragment[][]> {
  const report = await client.report({ html: document, options: { ...MARGIN, layout, ...options } });
  return (report.layout ?? []).map(({ fragments }) => fragments);
}

const pages = (fragments: Fragment[] = []) => fragments.map(({ page }) => page);
const causes = (fragments: Fragment[] = []) => fragments.map(({ break_before: cause }) => cause);

/** Chromium writes places in whole pixels: those of links rounded, those of destinations rounded down. */
function expectClose(marked: Fragment[][], linked: Fragment[][]): void {
  expect(marked.map(pages)).toEqual(linked.map(pages));
  for (const [n, fragments] of marked.entries())
    for (const [m, { x, y, width, height }] of fragments.entries()) {
      const other = linked[n]?.[m] as Fragment;
      const differences = [x - other.x, y - other.y, width - other.width, height - other.height].map(Math.abs);
      expect(Math.max(...differences), `${n}.${m}`).toBeLessThanOrEqual(0.76);
    }
}

describe('where elements are', () => {
  test('points from the corner of the page, in the order of the selectors', async () => {
    const body = `<h1>One</h1>${above(100)}<p id="a">a</p><p>b</p>`;
    const { layout } = await client.report({ html: html(body), options: { ...MARGIN, layout: ['p', 'h1', 'h3'] } });
    expect(layout?.map(({ selector, index }) => [selector, index])).toEqual([
      ['p', 0],
      ['p', 1],
      ['h1', 0],
    ]);
    const [a, b, h1] = layout ?? [];
    expect(h1?.fragments).toMatchObject([{ page: 1, x: 37.5, y: 37.5, height: 15, break_before: null }]);
    expect(a?.fragments).toMatchObject([{ page: 1, y: 37.5 + 120 * 0.75, height: 15 }]);
    expect(b?.fragments[0]?.y).toBe(37.5 + 140 * 0.75);
    expect(b?.fragments[0]?.width).toBeCloseTo(595.28 - 75, 0);
  });

  // Of elements with the same id, only the first can have a destination: links are placed over the others.
  test.each([
    '',
    'h2 { text-align: center; line-height: 60px }',
    'h2 { padding: 5px 11px; border: 3px solid }',
    'h2 { display: list-item; margin-left: 30px }',
    'h2::after { content: ""; display: block; height: 12px }',
    'body { width: 1400px }',
    'body { columns: 2 }',
    'h2 { width: 200px; white-space: nowrap }',
    'html { direction: rtl }',
    '@page { size: A5 landscape; margin: 17mm }',
  ])('lines of text are where links over them are, with %j', async (style) => {
    const body = (id: string) => Array.from({ length: 9 }, (_, n) => `<h2 ${id}>Heading ${n} </h2>${lines(23)}`).join('');
    const source = (id: string) => `<!doctype html><style>${style}</style>${body(id)}`;
    const [marked, linked] = [await locate(source(''), ['h2']), await locate(source('id="same"'), ['h2'])];
    expect(marked.map(causes)).toEqual(linked.map(causes));
    expectClose(marked, linked);
  });

  test.each([
    '',
    'td { border: 3px solid; padding: 2px 7px }',
    'table { margin-left: 40px; width: 300px }',
    'table { border-spacing: 5px; border-collapse: separate }',
    'body { columns: 2 }',
    'table { transform: translate(30px, 10px) }',
    'div { width: 90px; overflow: hidden }',
    'html { direction: rtl }',
    '@page { size: A5 landscape; margin: 17mm }',
  ])('rows of tables are where links in them are, with %j', async (style) => {
    const rows = (id: string) => Array.from({ length: 130 }, (_, n) => `<tr ${id}><td>${n}<td>Row no. ${n}`).join('');
    const body = (id: string) => `<div><table><thead><tr><th>No.<th>Text</thead>${rows(id)}</table></div>`;
    const source = (id: string) => `<!doctype html><style>${style}</style>${body(id)}`;
    const [marked, linked] = [await locate(source(''), ['tr']), await locate(source('id="same"'), ['tr'])];
    expect(linked.length).toBe(131);
    expectClose(marked, linked);
  });

  test('a block has a box on each page, which ends where it ends', async () => {
    const [block] = await locate(html(`${above(300)}<div id="a">${lines(100)}</div>`), ['#a']);
    expect(pages(block)).toEqual([1, 2, 3]);
    const inPx = block?.map(({ height }) => height / 0.75) ?? [];
    expect(inPx[0]).toBeCloseTo(PAGE_PX - 300, -1);
    expect(inPx[2]).toBeCloseTo(2_000 - 36 * 20 - 51 * 20, 0);
  });

  test.each([
    ['an inline element over lines', `${above(900)}<p>word <b id="a">${'lorem ipsum '.repeat(120)}</b>`, [1, 2]],
    ['a row', `<table><tr><td>${lines(45)}<tr id="a"><td>${lines(10)}</table>`, [1, 2]],
    ['a picture', `${above(900)}<p>${PICTURE.replace('<svg', '<svg id="a"')}`, [2]],
    ['an item of a flex box', `${above(900)}<div style="display: flex"><p id="a">${lines(20)}</p><p>b</div>`, [1, 2]],
    ['an item of a grid', `${above(900)}<div style="display: grid"><p id="a">${lines(20)}</p><p>b</div>`, [1, 2]],
    ['an element in columns', `<div style="columns: 2"><p>${lines(20)}<p id="a">b</div>`, [1]],
    ['a fixed box', `<p>${lines(60)}</p><div id="a" style="position: fixed; bottom: 0">Draft</div>`, [1, 2]],
    ['a repeated header', `<table><thead id="a"><tr><th>Head<tbody><tr><td>${lines(60)}</table>`, [1, 2]],
    ['what is not shown', '<p id="a" style="display: none">a', []],
    ['what a box clips', `<div style="height: 50px; overflow: hidden">${above(90)}<p id="a">a</p></div>`, [1]],
  ])('%s', async (_, body, expected) => {
    const [fragments] = await locate(html(body), ['#a']);
    expect(pages(fragments)).toEqual(expected);
  });

  test('a repeated header and a fixed box have their height on each page', async () => {
    const table = `<table style="border-spacing: 0"><thead><tr><th>Head<tbody><tr><td>${lines(60)}</table>`;
    const [head, fixed] = await locate(html(`${table}<p style="position: fixed; top: 40px; right: 0">Draft`), ['thead', 'p']);
    expect(head?.map(({ y, height }) => [y, height])).toEqual([
      [37.5, 16.5],
      [37.5, 16.5],
    ]);
    expect(fixed?.map(({ y, height }) => [y, height])).toEqual([
      [67.5, 15],
      [67.5, 15],
    ]);
  });

  test('pages of the PDF as it is delivered', async () => {
    const body = [1, 2, 3, 4].map((n) => `<h1 style="break-after: page">${n}</h1>`).join('');
    const found = await locate(html(body), ['h1'], { pageRanges: '2,4' });
    expect(found.map(pages)).toEqual([[], [1], [], [2]]);
    expect(found.map(causes)).toEqual([[], ['forced'], [], ['forced']]);
  });

  test('on a single page, at a scale, on its side, and shrunk to fit', async () => {
    const body = `<p id="a">a</p>${above(1_500)}<p id="b">b`;
    const at = async (options: object, document = html(body)) => (await locate(document, ['#b'], options))[0]?.[0];
    expect(await at({ singlePage: true })).toMatchObject({ page: 1, y: 37.5 + 1_520 * 0.75 });
    expect(await at({ scale: 0.5 })).toMatchObject({ page: 1, y: 37.5 + 1_520 * 0.375, height: 7.5 });
    expect(await at({ landscape: true })).toMatchObject({ page: 3 });
    const wide = await at({}, html(`<div style="width: 1000px">${above(400)}<p id="b">b</div>`));
    expect(wide?.y).toBeCloseTo(37.5 + (400 * 520.28) / 1_000, 0);
  });

  test('with tags, fields and conformance', async () => {
    const body = `<title>Form</title><h1>Form</h1><label>Name <input name="a"></label>${above(1_000)}<h2>End</h2>`;
    const options = { forms: true, conformance: 'PDF/UA-1', metadata: { title: 'Form' } };
    const found = await locate(html(body).replace('<style', '<html lang="en"><style'), ['input', 'h2'], options);
    expect(found.map(pages)).toEqual([[1], [2]]);
  });
});

describe('why a page break is before a box', () => {
  const tail = (px: number, body: string) => `${above(PAGE_PX - px)}${body}`;
  const three = `<p id="a">${lines(3)}</p>`;
  test.each([
    ['break-before', `<p>a<p id="a" style="break-before: page">b`, '', ['forced']],
    ['break-after', `<div><p style="break-after: page">a</div><p id="a">b`, '', ['forced']],
    ['a page name', '<p>a<p id="a" style="page: other">b', '@page other { margin: 1in }', ['forced']],
    ['break-inside: avoid', tail(50, three), '#a { break-inside: avoid }', ['avoided']],
    ['break-after: avoid', tail(30, `<h2 id="a">b</h2>${three.replace('id="a"', '')}`), 'h2 { break-after: avoid }', ['avoided']],
    ['a picture', tail(100, `<p id="a">${PICTURE}`), '', ['monolithic']],
    ['a full page', tail(10, three), '', ['does_not_fit']],
    ['a full page in a block', `<div id="a">${lines(60)}</div>`, '', [null, 'does_not_fit']],
    ['a forced break in a block', '<div id="a"><p>a<p style="break-before: page">b</div>', '', [null, 'forced']],
    [
      'a row that is kept',
      `<table id="a">${`<tr><td>${lines(20)}`.repeat(3)}</table>`,
      'tr { break-inside: avoid }',
      [null, 'avoided'],
    ],
    ['no break', `<p>a<p id="a">b`, '', [null]],
  ])('%s', async (_, body, css, expected) => {
    const [fragments] = await locate(html(body, css), ['#a']);
    expect(causes(fragments)).toEqual(expected);
  });

  test('orphans and widows, where the box above is known', async () => {
    const [moved] = await locate(html(tail(30, three)), ['#a', 'div']);
    expect(causes(moved)).toEqual(['widows']);
    const [divided] = await locate(html(tail(85, `<p id="a">${lines(5)}`)), ['#a']);
    expect(causes(divided)).toEqual([null, 'widows']);
    expect(divided?.[1]?.height).toBe(30);
  });
});

describe('what the option does not change', () => {
  test('a document whose rules depend on its last elements', async () => {
    const css = 'li:last-child { height: 300px } p:empty { height: 100px } ul > * + * { margin-top: 7px }';
    const document = html('<ul><li>a<li>b</ul><p></p><h2>End', css);
    const [end] = await locate(document, ['h2']);
    const located = await locate(document, ['ul', 'li', 'p', 'h2']);
    expect(located.at(-1)).toEqual(end);
  });

  test('links of the document stay, and those of the service are gone', async () => {
    const document = html('<p><a href="https://example.com/">a</a>');
    await using pdf = await openPdf(await client.rendered({ html: document, options: { layout: ['p', 'a'] } }));
    const annotations = await (await pdf.document.getPage(1)).getAnnotations();
    expect(annotations.map(({ url }) => url)).toEqual(['https://example.com/']);
  });

  test('templates', async () => {
    const { template_id: id } = await client.template(html('<p>{{name}}</p><p>b'));
    const body = { template_id: id, data: { name: 'Ada' }, options: { ...MARGIN, layout: ['p'] } };
    const { layout } = await client.report(body);
    expect(layout?.map(({ fragments }) => fragments[0]?.y)).toEqual([37.5, 52.5]);
  });
});

describe('limits', () => {
  test.each([
    ['a selector that is not valid', ['p', 'p:::'], 'options.layout[1]'],
    ['no list', 'p', 'options.layout'],
    ['too many selectors', Array.from({ length: 101 }, () => 'p'), 'options.layout'],
  ])('%s', async (_, layout, path) => {
    const reply = await client.pdf({ html: html('<p>a'), options: { layout } });
    expect(await problem(reply, 400, 'invalid_request')).toMatchObject({ errors: [{ path }] });
  });

  test('too many elements', async () => {
    const reply = await client.pdf({ html: html('<i></i>'.repeat(5_001)), options: { layout: ['i'] } });
    expect(await problem(reply, 422, 'resource_limit')).toMatchObject({ limit: 5_000 });
  });
});
