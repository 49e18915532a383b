/** Warnings about CSS that Chromium ignores, and page sizes that work although Chromium does not know them. */
import { describe, expect, test } from 'vitest';
import { problem, type Report } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html, send } from '../support/site.ts';
import { Web } from '../support/web.ts';

const SCRIPT = '<script>document.title = "x"</script>';
const PER_MM = 72 / 25.4;

const web = await Web.share().then(closeAfterAll);
const { site } = web;
site.serve({
  '/book.css': send('text/css', '@page { size: B6 landscape } h1 { image-resolution: 300dpi }'),
  '/importing.css': send('text/css', '@import "book.css";'),
  '/document': html('<link rel="stylesheet" href="book.css"><h1>x</h1>'),
  '/importing': html('<link rel="stylesheet" href="importing.css"><h1>x</h1>'),
});

function unsupportedIn({
  warnings,
  warning_count: count,
}: Report): Array<[property?: unknown, value?: unknown, where?: unknown]> {
  expect(count).toBe(warnings.length);
  return warnings.filter(({ kind }) => kind === 'unsupported_css').map(({ property, value, where }) => [property, value, where]);
}

const READ_OVER: Array<[css: string, property: string, value: string]> = [
  ['.note { image-resolution: 300dpi }', 'image-resolution', '300dpi'],
  ['img { image-resolution: 300dpi }', 'image-resolution', '300dpi'],
  ['@page { size: A11 }', 'size', 'A11'],
  ['@page { size: 0 }', 'size', '0'],
  ['@page { size: 100mm 0mm }', 'size', '100mm 0mm'],
  ['p { color: device-cmyk(0 0 0 1) }', 'color', 'device-cmyk(0 0 0 1)'],
  ['@page { background: linear-gradient(var(--a), red) }', 'background', 'linear-gradient(var(--a), red)'],
  ['p { float: footnote } @page { @footnote { max-height: 3cm } }', 'max-height', '3cm'],
];

const NOT_CSS: Record<string, string> = {
  prose: '<p>image-resolution: 300dpi; target-counter(x); string-set: y</p><pre>@page { size: A6 } p { hyphens: auto }</pre>',
  comments: '<style>/* image-resolution: 300dpi; } @page { size: A11 } */ p { color: red /* string-set: x */ }</style>',
  strings:
    '<style>p::before { content: "{ image-resolution: 300dpi } leader(" } p { background: url("data:,;image-resolution:300dpi") }</style>',
  'what is supported':
    '<style>@page { size: A5 landscape; margin: 1cm } @page :first { size: 10cm 20cm } p { float: left; hyphens: manual; background-size: cover; font-size: small }</style>',
  'a script': '<script>document.createElement("p"); const size = "A6"</script>',
  'hyphens with nothing to divide': '<style>p { hyphens: auto }</style><p>short words only',
  'hyphens that are overruled': '<style>p { hyphens: auto } p { hyphens: manual }</style><p>internationalization',
  'a document paged by Paged.js': '<style>p { image-resolution: 300dpi }</style><div class="pagedjs_pages">x</div>',
};

describe('unsupported_css', () => {
  test.each(READ_OVER)('%s', async (css, property, value) => {
    const markup = `<html lang="de"><style>${css}</style><p>Donaudampfschifffahrt</p>`;
    expect(unsupportedIn(await web.ada.report({ html: markup }))).toEqual([[property, value, 'style']]);
    expect(unsupportedIn(await web.ada.report({ html: markup + SCRIPT }))).toEqual([[property, value, 'style']]);
  });

  test.each(Object.entries(NOT_CSS))('reports nothing for %s', async (_what, markup) => {
    expect(unsupportedIn(await web.ada.report({ html: `<html lang="en">${markup}` }))).toEqual([]);
  });

  test('is not reported in a shadow root, where page rules have no effect anyway', async () => {
    const css = '@page { size: A6 } p { color: device-cmyk(0 0 0 1) }';
    const script = `document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<style>${css}</style><p>x'`;
    const html = `<div></div><script>${script}</script>`;
    expect(unsupportedIn(await web.ada.report({ html }))).toContainEqual(['color', 'device-cmyk(0 0 0 1)', 'style']);
    const { width } = (await readPdfReply(await web.ada.pdf({ html }))).sizes[0] ?? {};
    expect(width).toBeCloseTo(595.276, 0);
  });

  test('is reported for a style attribute, and once for each feature', async () => {
    const markup =
      '<style>p { image-resolution: 300dpi }</style><p style="image-resolution: 300dpi; color: device-cmyk(1 0 0 0)">x';
    expect(unsupportedIn(await web.ada.report({ html: markup }))).toEqual([
      ['image-resolution', '300dpi', 'style'],
      ['color', 'device-cmyk(1 0 0 0)', 'style'],
    ]);
  });

  test.each(['/document', '/importing'])('is reported for an external style sheet (%s)', async (path) => {
    const where = `${site.origin}/book.css`;
    expect(unsupportedIn(await web.ada.report({ url: site.origin + path }))).toEqual([
      ['size', 'B6 landscape', where],
      ['image-resolution', '300dpi', where],
    ]);
  });

  test('is reported for languages without a dictionary', async () => {
    const { warnings } = await web.ada.report({ html: HYPHENS });
    const message = expect.stringContaining('for tlh, for text without a lang attribute');
    expect(warnings).toMatchObject([{ kind: 'unsupported_css', property: 'hyphens', value: 'auto', message }]);
    const print = HYPHENS.replace('p {', '@media print { p {')
      .replace('</style>', '}</style>')
      .replace('auto', 'auto !important');
    expect(unsupportedIn(await web.ada.report({ html: print + SCRIPT }))).toEqual([['hyphens', 'auto !important', 'style']]);
  });

  test('works with failOnWarning and in JSON', async () => {
    const body = { html: '<style>p { image-resolution: 300dpi }</style><p>x' };
    const fault = await problem(
      await web.ada.pdf({ ...body, options: { failOnWarning: ['unsupported_css'] } }),
      422,
      'render_gate_failed',
    );
    expect(fault).toMatchObject({
      warnings: [{ kind: 'unsupported_css', property: 'image-resolution', value: '300dpi', where: 'style' }],
    });
    const json = await web.ada.pdf(body, { accept: 'application/json' });
    expect(await json.json()).toMatchObject({ report: { warnings: [{ kind: 'unsupported_css' }], warning_count: 1 } });
  });
});

const BOX = '@page { margin: 2cm; @bottom-center { content: "page " counter(page) } }';
const BOX_OF = BOX.replace('counter(page)', 'counter(page) " of " counter(pages)');
/** Has no place for empty pages. */
const FIXED = 'body { display: flex; flex-direction: column } p { display: table }';
const PARTS = '<style>.b, .c { break-before: page }</style><p class="a">one<p class="b">two<p class="c">three';

describe('CSS for pages that Chromium drops or applies in part', () => {
  /** The property, the value, and what the message says. */
  const DROPPED: Array<[css: string, property: string, value: string, message: RegExp, element?: string]> = [
    [
      `${BOX_OF} html, body { counter-reset: page 11 }`,
      'counter-reset',
      'page 11',
      /@page :first \{ counter-set: page 11 \}/,
      'html',
    ],
    [
      `${BOX} .a, .b { & { counter-increment: x page 2 } }`,
      'counter-increment',
      'x page 2',
      /counter-reset on an element/,
      'p.a',
    ],
    [
      'p { counter-increment: page } p::before { content: counter(page) " of " counter(pages) }',
      'content',
      'counter(page) " of " counter(pages)',
      /prints pages as 0/,
      'p.a',
    ],
    ['p::before { content: counter(section-pages) }', 'content', 'counter(section-pages)', /prints section-pages as 0/, 'p.a'],
    ['h1, .b::after { content: string(title) }', 'content', 'string(title)', /known in margin boxes/, 'p.b'],
    [
      '@page { @top-left { content: "see " target-counter("#t", page) } }',
      'content',
      '"see " target-counter("#t", page)',
      /shown in elements/,
    ],
    ['@page { @top-left { content: "on " element(x) } }', 'content', '"on " element(x)', /the element only: write the rest/],
    ['@page { @top-left { content: counter(part) } } p { counter-increment: part }', 'content', 'counter(part)', /on html/],
    [
      '@page { @top-left { content: counter(y) counter(pages) } } :root { counter-set: y 7 }',
      'content',
      'counter(y) counter(pages)',
      /prints y as 0/,
    ],
    ['@page { size: auto 5in !important }', 'size', 'auto 5in !important', /such as 80mm auto/],
    ['@page { size: 210mm x 297mm }', 'size', '210mm x 297mm', /one or two lengths/],
    ['@page { size: A4, landscape }', 'size', 'A4, landscape', /one or two lengths/],
    ['@page { size: 210 297 }', 'size', '210 297', /one or two lengths/],
    ['@page { size: 80mm 200mm landscape }', 'size', '80mm 200mm landscape', /one or two lengths/],
    [
      `${FIXED} .b { break-before: right }`,
      'break-before',
      'right',
      /the next page in Chromium, even if that is not a right one: if it is not, add/,
      'p.b',
    ],
    [`${FIXED} @media print { .c { page-break-before: left } }`, 'page-break-before', 'left', /empty element/, 'p.c'],
    [`${FIXED} .a { break-after: recto !important }`, 'break-after', 'recto !important', /empty element/, 'p.a'],
    ['body { display: grid } @page :nth(2) { size: A5 }', 'size', 'A5 in @page :nth(2)', /laid out/],
    ['@page :last { margin: 5cm }', '@page', ':last', /:blank or :nth/],
    [
      Array.from({ length: 102 }, (_, n) => `@page :nth(${n + 3}) { color: rgb(0, 0, ${n}) }`).join(' '),
      'color',
      'rgb(0, 0, 100)',
      /is left out: .* 100 selectors/,
    ],
    ['.b { float: bottom }', 'float', 'bottom', /left and right only/, 'p.b'],
    ['@page :left { bleed: 0.125in }', 'bleed', '0.125in', /rule for all pages/],
  ];

  test.each(DROPPED)('is reported: %s', async (css, property, value, message, element) => {
    for (const markup of [`${PARTS}<style>${css}</style>`, `${PARTS}<style>${css}</style>${SCRIPT}`]) {
      const { warnings } = await web.ada.report({ html: markup });
      expect(warnings).toEqual([
        {
          kind: 'unsupported_css',
          property,
          value,
          where: 'style',
          ...(element && { element }),
          message: expect.stringMatching(message),
        },
      ]);
    }
  });

  test.each<[string, string, RegExp[]]>([
    [`${BOX_OF} html { counter-reset: page 11 }`, 'page numbers of the root', [/page 1 of 3/, /page 2 of 3/, /page 3 of 3/]],
    [
      '@page { @top-left { content: "[" counter(y) "]" counter(pages) } } html { counter-reset: y 7 }',
      'counters of the root',
      [/\[0\]3/, /\[0\]3/, /\[0\]3/],
    ],
    ['p::after { content: "[" counter(section-pages) "]" }', 'numbers in elements', [/one\[0\]/, /two\[0\]/, /three\[0\]/]],
    ['@page { @top-left { content: "[" counter(n) "]" } } p { counter-increment: n }', 'counters', [/\[0\]/, /\[0\]/, /\[0\]/]],
  ])('has no effect in this browser: %s (%s)', async (css, _what, pages) => {
    const pdf = await web.render(`${PARTS}<style>${css}</style>`);
    expect(pdf.pages).toEqual(pages.map((page) => expect.stringMatching(page)));
  });

  const RIGHT: Array<[what: string, markup: string, options?: object]> = [
    ['the first page number', `<style>${BOX} @page :first { counter-set: page 11 }</style>${PARTS}`],
    [
      'counters of elements',
      `<style>body { counter-reset: page } p { counter-increment: page } p::before { content: counter(page) }</style>${PARTS}`,
    ],
    [
      'counters of elements beside page numbers',
      `<style>${BOX} p { counter-increment: page } p::before { content: counter(page) }</style>${PARTS}`,
    ],
    [
      'counters of lists',
      `<style>${BOX} li { counter-increment: item } li::before { content: counter(item) }</style><ul><li>x</ul>`,
    ],
    [
      'counters of the root',
      `<style>@page { @top-left { content: counter(year) } } html { counter-reset: year 2026 }</style>${PARTS}`,
    ],
    ['counters of pages', `<style>@page { counter-increment: sheet; @top-left { content: counter(sheet) } }</style>${PARTS}`],
    ['page numbers without an element', `<style>.none::after { content: counter(section-page) }</style>${PARTS}`],
    ['page numbers in elements', `<style>p::after { content: counter(page) " of " counter(pages) }</style>${PARTS}`],
    ['page numbers for the screen', `<style>@media screen { p::after { content: counter(section-page) } }</style>${PARTS}`],
    [
      'strings in elements that run',
      `<style>b { position: running(x) } b::after { content: string(s) } @page { @top-left { content: element(x) } }</style><b></b>${PARTS}`,
    ],
    ['a style sheet for the screen', `<style media="screen">p { float: bottom; string-set: x content() }</style>${PARTS}`],
    ['a page as high as its content', `<style>@page { size: 80mm auto }</style>${PARTS}`],
    ['a size for other browsers', `<style>@page { size: 80mm auto; size: 80mm 200mm }</style>${PARTS}`],
    [
      'sizes',
      `<style>@page { size: calc(10cm + 1in) 20em } @page :left { size: A5 portrait } @page x { size: 10cm } .b { page: x }</style>${PARTS}`,
    ],
    ['a size that is not of a page', `<style>p { size: 80mm auto; float: var(--bottom) }</style>${PARTS}`],
    ['a size that an option replaces', `<style>@page { size: 80mm auto }</style>${PARTS}`, { singlePage: true, width: '80mm' }],
    ['a size that a format replaces', `<style>@page { size: 80mm auto }</style>${PARTS}`, { format: 'A5' }],
    ['a break before everything', `<style>h1 { break-before: right }</style><div><h1>x</h1></div><p>y`],
    ['a break after everything', '<style>h1 { break-after: left }</style><p>y<h1>x</h1><style></style>'],
    ['a break that is overruled', `<style>.b { break-before: right }</style>${PARTS}`],
    ['a break of what is hidden', `${PARTS}<style>.b { break-before: right; display: none }</style>`],
    ['the first page of the document', `<style>@page cover:first { margin: 5cm } .a { page: cover }</style>${PARTS}`],
    [
      'a name without a page',
      `<style>@page cover:first { margin: 5cm } @page :blank { @top-left { content: none } }</style>${PARTS}`,
    ],
    ['no bleed', `<style>@page { bleed: 0; marks: none } @page :FIRST { bleed: 0mm }</style>${PARTS}`],
  ];

  test.each(RIGHT)('is not reported for %s', async (_what, markup, options = {}) => {
    expect(await web.ada.report({ html: markup, options })).toMatchObject({ warnings: [] });
    expect(await web.ada.report({ html: markup + SCRIPT, options })).toMatchObject({ warnings: [] });
  });

  const across = ({ warnings }: Report) => warnings.map(({ kind, property, value }) => [kind, property, value]);
  const asset = (css: string) => ({ content: Buffer.from(css).toString('base64') });

  /** Each combination is of two style sheets, or of a style sheet and the attribute `style` of an element. */
  test.each<[first: string, second: string, warned: unknown[]]>([
    ['html { counter-reset: year 2026 }', '@page { @top-left { content: "C " counter(year) } }', []],
    ['@page { counter-increment: sheet }', '@page { @top-left { content: counter(sheet) } }', []],
    ['body { counter-reset: page }', 'p::before { content: counter(page) }', []],
    [BOX, '.b { counter-reset: page 5; break-before: page }', []],
    [BOX, '.b { counter-increment: page 5; break-before: page }', [['counter-increment', 'page 5']]],
    [
      'body { border: 1px solid } @page part:first { margin: 5cm }',
      '.b, .c { page: part }',
      [['margin', '5cm in @page part:first']],
    ],
  ])('is the same in two style sheets: %s and %s', async (first, second, warned) => {
    const expected = warned.map((each) => ['unsupported_css', ...(each as string[])]);
    const reports = await Promise.all([
      web.ada.report({ html: `<style>${first}</style><style>${second}</style>${PARTS}` }),
      web.ada.report({ html: `<style>${second}</style><style>${first}</style>${PARTS}` }),
      web.ada.report({
        html: `<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css">${PARTS}`,
        assets: { 'a.css': asset(first), 'b.css': asset(second) },
      }),
      web.ada.report({
        html: `<link rel="stylesheet" href="a.css"><style>${second}</style>${PARTS}`,
        assets: { 'a.css': asset(first) },
      }),
      web.ada.report({ html: `<style>${first}</style>${PARTS}`, options: { addStyleTag: [{ content: second }] } }),
    ]);
    expect(reports.map(across)).toEqual(reports.map(() => expected));
    site.serve({
      '/first.css': send('text/css', first),
      '/second.css': send('text/css', second),
      '/two-sheets': html(`<link rel="stylesheet" href="first.css"><link rel="stylesheet" href="second.css">${PARTS}`),
    });
    expect(across(await web.ada.report({ url: `${site.origin}/two-sheets` }))).toEqual(expected);
  });

  test.each<[markup: string, warned: unknown[]]>([
    [`<html style="counter-reset: year 2026"><style>@page { @top-left { content: counter(year) } }</style>${PARTS}`, []],
    [`<style>${BOX}</style><p>a<h2 style="counter-increment: page 5">b`, [['counter-increment', 'page 5', 'h2']]],
    [
      `<style>body { border: 1px solid } @page w:first { margin: 5cm }</style><p>a<h2 style="page: w">b`,
      [['margin', '5cm in @page w:first', 'h2']],
    ],
  ])('is the same in a style attribute: %s', async (markup, warned) => {
    for (const html of [markup, markup + SCRIPT]) {
      const { warnings } = await web.ada.report({ html });
      expect(warnings.map(({ property, value, element }) => [property, value, element])).toEqual(warned);
    }
  });

  test('is reported for a style attribute with its element', async () => {
    const markup = '<p style="color: red">x<p class="y" style="float: bottom">y';
    expect((await web.ada.report({ html: markup })).warnings).toMatchObject([{ property: 'float', element: 'p.y' }]);
  });

  test('is not reported for images, which have no pages', async () => {
    const reply = await web.ada.send(
      'POST',
      '/v1/image',
      { html: `<style>@page { size: 80mm auto } p { float: bottom }</style>${PARTS}` },
      { accept: 'application/json' },
    );
    expect(((await reply.json()) as { report: Report }).report.warnings).toEqual([]);
  });
});

const HYPHENS =
  '<style>p { hyphens: auto; width: 100px }</style><p lang="en">internationalization</p><p lang="tlh">unbreakable</p><p>without a language</p>';

describe('named sizes', () => {
  const SIZES: Array<[size: string, width: number, height: number]> = [
    ['A6', 105, 148],
    ['a6 landscape', 148, 105],
    ['landscape A6', 148, 105],
    ['A0', 841, 1_189],
    ['A10', 26, 37],
    ['B6', 125, 176],
    ['JIS-B6', 128, 182],
    ['C5', 162, 229],
    ['tabloid', 279.4, 431.8],
    ['A5', 148, 210],
    ['A6 !important', 105, 148],
  ];

  async function sizesOf(markup: string, options: object = {}): Promise<number[][]> {
    const pdf = await readPdfReply(await web.ada.pdf({ html: markup, options }));
    return pdf.sizes.map(({ width, height }) => [width, height].map((points) => Math.round((points / PER_MM) * 100) / 100));
  }

  test.each(SIZES)('%s', async (size, width, height) => {
    const markup = `<style>@page { size: ${size} }</style><p>x`;
    expect(await sizesOf(markup)).toEqual([[width, height]]);
    expect(await sizesOf(markup + SCRIPT)).toEqual([[width, height]]);
  });

  test('follow the cascade of CSS', async () => {
    expect(await sizesOf('<style>@page { size: A6 } @page { size: A5 }</style>x')).toEqual([[148, 210]]);
    expect(await sizesOf('<style>@page { size: A5 } @page { size: A6 }</style>x')).toEqual([[105, 148]]);
    expect(await sizesOf('<style>@media screen { @page { size: A6 } }</style>x')).toEqual([[210, 297]]);
    const named = '<style>@page { size: A5 } @page small { size: A6 } div { page: small }</style>x<div>y</div>';
    expect(await sizesOf(named)).toEqual([
      [148, 210],
      [105, 148],
    ]);
    expect(await sizesOf('<style>@page { size: A6 }</style>x', { format: 'A3' })).toEqual([[297, 420]]);
  });

  test('apply from an external style sheet', async () => {
    const pdf = await web.visit('/document');
    expect(pdf.sizes.map(({ width, height }) => [width / PER_MM, height / PER_MM].map(Math.round))).toEqual([[176, 125]]);
    expect((await web.render(`<link rel="stylesheet" href="${site.origin}/book.css">x`)).sizes[0]?.width).toBeCloseTo(
      176 * PER_MM,
      1,
    );
  });

  test('apply from a style sheet whose text the browser would forget, because of garbage', async () => {
    const garbage = `<script>addEventListener('load', () => {
      for (let n = 0; n < 300; n++) { new ArrayBuffer(8e6); for (let m = 0; m < 3000; m++) document.createElement('i') } })</script>`;
    expect(await sizesOf(`<link rel="stylesheet" href="${site.origin}/book.css">x${garbage}`)).toEqual([[176, 125]]);
  });

  test('apply from a cached style sheet, which is requested once', async () => {
    const markup = `<link rel="stylesheet" href="${site.origin}/kept.css">x`;
    site.serve({ '/kept.css': send('text/css', '@page { size: A6 }', { 'cache-control': 'max-age=600' }) });
    for (const _ of [1, 2, 3]) expect(await sizesOf(markup)).toEqual([[105, 148]]);
    site.serve({ '/unkept.css': send('text/css', '@page { size: A6 }', { 'cache-control': 'no-store' }) });
    expect(await sizesOf(markup.replace('kept', 'unkept'))).toEqual([[105, 148]]);
    expect(site.requestsFor('/unkept.css')).toHaveLength(1);
  });

  test('do not affect the next document of the key', async () => {
    await sizesOf('<style>@page { size: A6 }</style>x');
    expect(await sizesOf('x')).toEqual([[210, 297]]);
  });
});

test('are read in up to 512 KB of style sheets in total', async () => {
  const padding = `/* ${'x'.repeat(300_000)} */`;
  const sheets = ['a { color: device-cmyk(1 0 0 0) }', 'h1 { image-resolution: 300dpi }', '@page { size: A11 }'];
  const document = `${sheets.map((css) => `<style>${css} ${padding}</style>`).join('')}<p>x`;
  const found = unsupportedIn(await web.ada.report({ html: document })).map(([property]) => property);
  expect(found).toEqual(['color', 'image-resolution']);
});
