/** CSS for pages that Chromium does not have, and the service adds. */
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { millimetresOf, readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

async function print(html: string, options: object = {}) {
  return readPdfReply(await client.pdf({ html, options }));
}

describe('a page as high as its content', () => {
  const receipt = (lines: number, css: string) =>
    `<!doctype html><style>${css} body { margin: 0 } p { height: 10mm; margin: 0; break-before: page }</style>${'<p>line'.repeat(lines)}`;

  test.each([
    ['with margins', '@page { size: 80mm auto; margin: 5mm }', 80, 5],
    ['with one side', '@page { margin: 5mm 3mm; size: 3in auto !important } @page { margin-bottom: 5mm }', 76.2, 5],
    ['in several style elements', '@page { size: 80mm auto }</style><style>@page { margin: 5mm }</style><style>', 80, 5],
    ['for print only', '@media print { @page { size: 58mm auto; margin: 0 } }', 58, 0],
  ])('%s', async (_, css, width, margin) => {
    for (const lines of [3, 60]) {
      const pdf = await print(receipt(lines, css));
      const [[printedWidth, height] = [0, 0], ...more] = millimetresOf(pdf);
      expect([printedWidth, more]).toEqual([width, []]);
      expect(height).toBeGreaterThanOrEqual(lines * 10 + 2 * margin);
      expect(height).toBeLessThan(lines * 10 + 2 * margin + 1);
      expect(pdf.pages[0]?.match(/line/g)).toHaveLength(lines);
    }
  });

  test.each([
    ['a later size', '@page { size: 80mm auto } @page { size: A5 }', {}, [148, 210]],
    ['a format', '@page { size: 80mm auto }', { format: 'A6' }, [105, 148]],
    ['a rule for some pages', '@page :left { size: 80mm auto }', {}, [210, 297]],
  ])('gives way to %s', async (_, css, options, size) => {
    const sizes = millimetresOf(await print(receipt(2, css), options));
    expect(sizes.map((each) => each.map(Math.round))).toEqual([size, size]);
  });

  test('has the bytes that the option gives', async () => {
    const own = await client.pdf({ html: receipt(3, '@page { size: 80mm auto; margin: 5mm }') });
    const chosen = await client.pdf({ html: receipt(3, ''), options: { width: '80mm', height: 'auto', margin: '5mm' } });
    expect(await own.bytes()).toEqual(await chosen.bytes());
  });
});

describe('breaks to a page of one side', () => {
  const book = (css: string, body: string, lang = 'dir="ltr"') =>
    `<!doctype html><html ${lang}><title>x</title><style>@page { size: A6; margin: 15mm; @bottom-center { content: "p" counter(page) } } @page :blank { @bottom-center { content: none } } ${css}</style>${body}`;
  const chapters = '<p>Preface</p><section><h1>One</h1></section><section><h1>Two</h1></section>';
  const OWN_PAGES = ['Preface p1', '', 'One p3', '', 'Two p5'];

  test('empty pages between pages of one name are like these, unless there are rules for empty pages', async () => {
    const css =
      '@page { size: A6 } @page ch { size: A5; @top-left { content: "ch" } } .ch { page: ch } p { break-before: right; margin: 0 }';
    const markup = `<style>${css}</style><p>a</p><div class="ch"><p>b<p>c</div><div class="ch"><p>d</div>`;
    const [pdf, ruled] = [
      await print(markup),
      await print(`${markup}<style>@page :blank { @top-left { content: "-" } }</style>`),
    ];
    expect(pdf.pages).toEqual([
      'a',
      '',
      expect.stringMatching(/ch/),
      'ch',
      expect.stringMatching(/ch/),
      'ch',
      expect.stringMatching(/ch/),
    ]);
    expect(millimetresOf(pdf).map(([width]) => Math.round(width ?? 0))).toEqual([105, 105, 148, 148, 148, 148, 148]);
    expect(ruled.pages.filter((_, page) => page % 2)).toEqual(['-', '-', '-']);
  });

  /** Chromium writes margin boxes first. */
  const numberLast = (text: string) => text.replace(/^(p\d+) ?(.*)$/, '$2 $1');

  test.each([
    ['right', 'section { break-before: right }', chapters, OWN_PAGES],
    ['recto, of a first child', 'h1 { break-before: recto }', chapters, OWN_PAGES],
    ['page-break-before', 'h1 { page-break-before: right !important }', chapters, OWN_PAGES],
    ['after what is before', 'p, section { break-after: right }', chapters, OWN_PAGES],
    [
      'after a box, and within it',
      '.after { break-after: right }',
      '<section class="after"><p class="after">one</p><p>two</p></section><p>three</p>',
      ['one p1', '', 'two p3', '', 'three p5'],
    ],
    ['verso', 'h1 { break-before: verso }', chapters, ['Preface p1', 'One p2', '', 'Two p4']],
    [
      'left, then right',
      'section { break-before: left } section + section { break-before: right }',
      chapters,
      ['Preface p1', 'One p2', 'Two p3'],
    ],
    ['by a sibling', 'section + section { break-before: right }', chapters, ['Preface One p1', '', 'Two p3']],
    ['by a number', 'section:nth-child(n + 2) { break-before: right; counter-increment: x }', chapters, OWN_PAGES],
    ['at the beginning', 'p { break-before: left }', '<p>one', ['one p1']],
    ['what is hidden', 'i { break-before: right; display: none }', '<p>one<i>two</i>', ['one p1']],
    [
      'in a long chapter',
      'h1 { break-before: right }',
      `<p>one<p style="height: 200mm">two${chapters}`,
      ['one two p1', 'Preface p2', 'One p3', '', 'Two p5'],
    ],
  ])('%s', async (_, css, body, pages) => {
    const html = book(css, body);
    const pdf = await print(html);
    expect(pdf.pages.map(numberLast)).toEqual(pages);
    const { warnings } = await client.report({ html });
    expect(warnings.filter(({ property }) => property !== 'size')).toEqual([]);
  });

  test('go by the direction of the document', async () => {
    const html = book('section { break-before: right }', chapters, 'dir="rtl"');
    expect((await print(html)).pages).toHaveLength(4);
  });

  test('have rules of their sides and of blank pages', async () => {
    const css = '@page :left { margin-left: 40mm } @page :blank { @top-left { content: "blank" } } h1 { break-before: right }';
    const { pages, placed } = await print(book(css, chapters));
    expect(pages[1]).toBe('blank');
    expect(placed[1]?.[0]?.x).toBeGreaterThan((40 / 25.4) * 72 - 1);
    expect(placed[2]?.find(({ text }) => text === 'One')?.x).toBeLessThan((20 / 25.4) * 72);
  });

  test('keep tags, bookmarks, links and page ranges', async () => {
    const body = `<a href="#two">to two</a>${chapters.replace('<h1>Two', '<h1 id="two">Two')}`;
    const html = book('h1 { break-before: right }', body);
    const pdf = await print(html, { outline: true });
    expect(pdf.outline).toEqual(['One', 'Two']);
    expect((await print(html, { pageRanges: '3-4' })).pages.map(numberLast)).toEqual(['One p3', '']);
    const print1 = await (await client.pdf({ html })).bytes();
    expect(print1).toEqual(await (await client.pdf({ html })).bytes());
  });

  test('count for the page numbers of references', async () => {
    const css = 'h1 { break-before: right } a::after { content: " " target-counter(attr(href), page) }';
    const list = '<p><a href="#one">one</a> <a href="#two">two</a></p>';
    const { pages } = await print(book(css, `${list}<h1 id="one">One</h1><h1 id="two">Two</h1>`));
    expect(pages.map(numberLast)).toEqual(['one 3 two 5 p1', '', 'One p3', '', 'Two p5']);
  });

  test('need no empty page where margins of pages by their number move what is before', async () => {
    const css = `section { page: c; break-before: right } @page c:first { margin-top: 70mm } p { margin: 0; height: 20mm }`;
    const lines = Array.from({ length: 4 }, (_, n) => `<p>line ${n + 1}</p>`).join('');
    const { pages } = await print(book(css, `<p>Preface</p><section>${lines}</section><section>${lines}</section>`));
    const chapter = (number: number) => [`line 1 line 2 line 3 p${number}`, `line 4 p${number + 1}`];
    expect(pages.map(numberLast)).toEqual(['Preface p1', '', ...chapter(3), ...chapter(5)]);
  });

  test('are reported where an empty page would change more', async () => {
    const html = book(
      'b { break-before: right }',
      '<div style="display: flex; flex-direction: column"><table><tr><td>one</table><b>two</b></div>',
    );
    expect((await print(html)).pages).toHaveLength(2);
    const { warnings } = await client.report({ html });
    expect(warnings).toContainEqual(expect.objectContaining({ property: 'break-before', element: 'b' }));
  });
});

describe('paragraphs with fewer lines than orphans and widows together', () => {
  const style = '@page { size: 300px 400px; margin: 50px } body { margin: 0; font: 16px/20px Arial } div { height: 240px }';
  const words = 'one<br>two<sup>2</sup><br>three<br><b>four</b><br>five';

  test.each([
    ['', {}],
    ['', { pageRanges: '1-2' }],
    ['@page { @top-left { content: string(x) } } h1 { string-set: x content() }', {}],
  ])('stay whole with %s %o', async (css, options) => {
    const kept = `<style>${style} ${css} @media print { section { orphans: 3; widows: 3 } }</style><div>high</div><section><p style="margin: 0">${words}</section>`;
    expect((await print(kept, options)).pages).toEqual(['high', 'one two2 three four five']);
  });

  test('are divided where more lines are in other blocks of the same box', async () => {
    const markup = `<style>${style} section { orphans: 3; widows: 3 }</style><div>high</div><section>text<p style="margin: 0">${words}</p>${'<p>x'.repeat(3)}</section>`;
    expect((await print(markup)).pages[0]).toBe('high text');
  });
});

describe('breaks that are always forced', () => {
  const body = '<p>a</p><h1>b</h1><h2>c</h2><h3>d</h3><p>e</p>';

  test.each([
    ['h1 { break-before: always }', ['a', 'b c d e']],
    ['h1 { break-after: all !important } h1 { break-after: auto }', ['a b', 'c d e']],
    ['@media print { h1, h2 { &:not(h2) { break-before: always } } }', ['a', 'b c d e']],
    ['h2 { break-before: always } h3 { page-break-before: always }', ['a b', 'c', 'd e']],
    ['h1 { break-before: always } h1 { break-before: auto }', ['a b c d e']],
    ['h1 { break-before: always } h1 { page-break-before: auto }', ['a b c d e']],
    ['h1 { break-before: page } h1 { break-before: always } @media screen { h2 { break-before: always } }', ['a', 'b c d e']],
    ['h1 { break-before: always }</style><style>h1 { break-before: avoid }', ['a b c d e']],
  ])('begin a page: %s', async (css, pages) => {
    const html = `<style>${css}</style>${body}`;
    expect((await print(html)).pages).toEqual(pages);
    expect((await client.report({ html })).warnings).toEqual([]);
  });

  test('are reported in a style attribute', async () => {
    const { warnings } = await client.report({ html: '<p>a<h1 style="break-before: always">b' });
    expect(warnings).toMatchObject([{ property: 'break-before', value: 'always', element: 'h1' }]);
  });
});

test('the two margin boxes that Prince calls otherwise', async () => {
  const css = `@page { margin: 20mm; @top { content: "above" } @bottom { content: "p" counter(page) } }
    @page :first { @BOTTOM { content: string(title) } } @page part:left { @top { content: none } } section { page: part } p { string-set: title content() }`;
  const { placed } = await print(`<style>${css}</style><p>x</p><section>y</section>`);
  const [first = [], second = []] = placed;
  expect(first.map(({ text }) => text).sort()).toEqual(['above', 'x', 'x']);
  expect(second.map(({ text }) => text).sort()).toEqual(['p2', 'y']);
  expect(first.find(({ text }) => text === 'above')?.x).toBeCloseTo(297 - 15, -1);
});

describe('on pages that page-orientation turns', () => {
  const turned = (body: string) =>
    `<!doctype html><style>@page { size: A6 } @page turned { page-orientation: rotate-left; @top-left { content: element(run) } }
      div { page: turned } .n { float: footnote } .run { position: running(run) }</style><p>upright<div>${body}</div>`;
  const row = '<tr><td data-amount="1">row';
  const head = '<thead><tr data-on="not-first"><td data-carry="amount" data-carry-at="start"></thead>';

  test.each([
    ['a footnote', '<p>text<i class="n">note</i>'],
    ['a sum', `<table>${head}${row.repeat(50)}</table>`],
    ['a running element', '<p class="run">running<p>text'],
  ])('%s is refused', async (_, body) => {
    const refused = await problem(await client.pdf({ html: turned(body) }), 422, 'print_failed');
    expect(refused.detail).toMatch(/page \d is turned by page-orientation.*landscape/);
  });

  test('there may be headers, and what is painted on other pages', async () => {
    const body = `${turned('turned').replace('upright', 'upright<i class="n">note</i>')}`;
    const { pages } = await print(body, { header: '<p>header</p>', margin: 'auto' });
    expect(pages).toEqual([expect.stringMatching(/^(?=.*header).*upright.*note/), expect.stringContaining('turned')]);
    expect(pages[1]).toContain('header');
  });
});

describe('@page :nth()', () => {
  const pages = (css: string, dir: string) =>
    `<!doctype html><html dir="${dir}"><style>${css} p { break-after: page }</style>${'<p>x'.repeat(4)}`;
  const box = (selector: string, text: string) => `@page ${selector} { @top-left { content: "${text}" } }`;

  test.each([
    [':nth(1)', 'ltr', ['A x', 'x', 'x', 'x']],
    [':nth( even )', 'ltr', ['x', 'A x', 'x', 'A x']],
    [':nth(2n + 1)', 'ltr', ['A x', 'x', 'A x', 'x']],
    [':nth(2n)', 'rtl', ['x', 'A x', 'x', 'A x']],
    [':NTH(odd)', 'rtl', ['A x', 'x', 'A x', 'x']],
  ])('%s in a document that is %s', async (selector, dir, texts) => {
    const html = pages(`@media print { ${box(selector, 'A')} }`, dir);
    expect((await print(html)).pages.map((text) => text.trim()).slice(0, 4)).toEqual(texts);
    expect((await client.report({ html })).warnings).toEqual([]);
  });
});
