/** Headers, footers and single-page documents, checked with pdf.js. */
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { millimetresOf, type ReadPdf, readPdfReply, type TextPosition } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();

async function render(html: string, options: object = {}): Promise<ReadPdf> {
  return readPdfReply(await service.pdf({ html, options }));
}

const LINES = Array.from({ length: 120 }, (_, n) => `<p>line ${n}</p>`).join('');
const REPORT = `<!doctype html><title>Annual report</title>${LINES}`;
const HEADER = '<span style="margin: auto"><span class="title"></span>, confidential</span>';
const FOOTER = '<span style="margin: auto">page <span class="pageNumber"></span> of <span class="totalPages"></span></span>';
const A4_HEIGHT = 842;
const PX = 0.75;

function find(pdf: ReadPdf, page: number, text: RegExp): TextPosition {
  const place = pdf.placed[page - 1]?.find((each) => text.test(each.text));
  if (!place) throw new Error(`page ${page} holds no ${text}: ${JSON.stringify(pdf.placed[page - 1])}`);
  return place;
}

const pdf = await render(REPORT, { headerTemplate: HEADER, footerTemplate: FOOTER });

describe('headerTemplate and footerTemplate', () => {
  test('are printed at the top and bottom of every page, with title and page numbers', () => {
    expect(pdf.pages.length).toBeGreaterThan(3);
    for (let page = 1; page <= pdf.pages.length; page++) {
      expect(find(pdf, page, /Annual report/).y).toBeLessThan(45);
      expect(find(pdf, page, /Annual report/).x).toBeGreaterThan(200); // The title is centred.
      expect(pdf.pages[page - 1]).toContain(`page ${page} of ${pdf.pages.length}`);
      expect(find(pdf, page, /^page/).y).toBeGreaterThan(A4_HEIGHT - 45);
    }
  });

  test('never overlap the text', () => {
    for (let page = 1; page <= pdf.pages.length; page++) {
      const lines = (pdf.placed[page - 1] ?? []).filter(({ text }) => /^line/.test(text));
      expect(Math.min(...lines.map(({ y }) => y))).toBeGreaterThan(find(pdf, page, /Annual report/).y + 10);
      expect(Math.max(...lines.map(({ y }) => y))).toBeLessThan(find(pdf, page, /^page/).y - 10);
    }
  });

  test('do not overlap the text when they contain only placeholders', async () => {
    const filled = await render(REPORT, {
      headerTemplate: '<span style="margin: auto" class="title"></span>',
      footerTemplate: '<span style="margin: auto" class="pageNumber"></span>',
    });
    const lines = (filled.placed[2] ?? []).filter(({ text }) => /^line/.test(text));
    expect(Math.min(...lines.map(({ y }) => y))).toBeGreaterThan(find(filled, 3, /Annual report/).y + 10);
    expect(Math.max(...lines.map(({ y }) => y))).toBeLessThan(find(filled, 3, /^3$/).y - 10);
  });

  test('lose and repeat no line', () => {
    const text = pdf.pages.join(' ');
    for (let n = 0; n < 120; n++) expect(text.match(new RegExp(`line ${n}(?!\\d)`, 'g'))).toHaveLength(1);
  });

  test('push the text down when they are tall, also with an image', async () => {
    const tall = await render(REPORT, {
      headerTemplate: `<div style="height: 200px"><img src="${PIXEL_URL}" style="width: 50px; height: 150px"></div>`,
    });
    expect(find(tall, 1, /line 0/).y).toBeGreaterThan(200 * PX);
    expect(tall.images).toBe(tall.pages.length);
  });

  test('do not add the default of Chromium at the other end when only one is sent', async () => {
    const headed = await render('<title>T</title><p>x', { headerTemplate: '<b>top</b>' });
    expect(headed.pages[0]?.split(' ').sort()).toEqual(['top', 'x']);
    const footed = await render('<title>T</title><p>x', { footerTemplate: '<b>bottom</b>' });
    expect(footed.pages[0]?.split(' ').sort()).toEqual(['bottom', 'x']);
  });

  test('keep a margin that was sent, and an @page margin', async () => {
    const sent = await render('<body style="margin: 0">x', { headerTemplate: '<i>h</i>', margin: { top: '50mm', left: 0 } });
    expect(find(sent, 1, /^x/).y).toBeGreaterThan(140);
    const ruled = await render('<style>@page { margin: 3in } body { margin: 0 }</style>x', { headerTemplate: '<i>h</i>' });
    expect(find(ruled, 1, /^x/).y).toBeGreaterThan(216);
  });

  test('run no scripts, and leave nothing for the next document', async () => {
    const headerTemplate =
      '<span id="a">safe</span><script>document.getElementById("a").textContent = "RAN"</script><img src="x" onerror="document.body.append(\'RAN\')">';
    const pdf = await render('<p>x', { headerTemplate });
    expect(pdf.pages[0]).toContain('safe');
    expect(pdf.pages[0]).not.toContain('RAN');
    expect((await render('<p>next')).pages).toEqual(['next']);
  });

  const SITE = 'https://cdn.example.com';
  test.each([
    ['an image', `<img src="${SITE}/logo.png?token=s3cret">`, '<img src>'],
    ['an image without a scheme', '<img alt=x src=//cdn.example.com/logo.png>', '<img src>'],
    ['an image with backslashes', "<IMG SRC='\\\\cdn.example.com/logo.png'>", '<img src>'],
    ['an image over lines', `<img src="htt\nps://cdn.example.com/x.png">`, '<img src>'],
    ['one of several images', `<img srcset="x.png 1x, ${SITE}/x.png 2x">`, '<img srcset>'],
    ['a style sheet', `<link rel="stylesheet" href="${SITE}/x.css"><b>x</b>`, '<link href>'],
    ['an imported style sheet', `<style>@import "${SITE}/x.css";</style><b>x</b>`, '<style>'],
    ['an imported style sheet by url()', `<style>@import url(${SITE}/x.css);</style><b>x</b>`, '<style>'],
    [
      'a font',
      `<style>@font-face { font-family: f; src: url('${SITE}/f.woff2') } b { font-family: f }</style><b>x</b>`,
      '<style>',
    ],
    ['a background', `<b style="background: url( ${SITE}/x.png)">x</b>`, '<b style>'],
    ['a script', `<script src="${SITE}/x.js"></script>`, '<script src>'],
    ['a frame', `<iframe src="${SITE}/"></iframe>`, '<iframe src>'],
    ['an object', `<object data="${SITE}/x.svg"></object>`, '<object data>'],
    ['an image in SVG', `<svg><image xlink:href="${SITE}/x.png"/></svg>`, '<image xlink:href>'],
    ['what comes after text that looks like it', `<title><img src="x.png"></title><img src="${SITE}/x.png">`, '<img src>'],
  ])('are rejected for an external reference (%s)', async (_name, template, where) => {
    for (const name of ['headerTemplate', 'footerTemplate']) {
      const { errors } = await problem(
        await service.pdf({ html: '<p>x', options: { [name]: template } }),
        400,
        'invalid_request',
      );
      expect(errors).toEqual([{ path: `options.${name}`, message: expect.stringContaining(`(${where}: ${SITE})`) }]);
      expect(errors?.[0]?.message).toContain('data:');
    }
  });

  test.each([
    ['an image that is in it', `<img src="${PIXEL_URL}"><b>x</b>`],
    ['a style sheet that is in it', '<link rel="stylesheet" href="data:text/css,b{color:red}"><b>x</b>'],
    ['a link', `<a href="${SITE}/">x</a>`],
    ['an address as text', `<b>x</b> ${SITE}/ "//a" src="${SITE}/x.png" url(${SITE})`],
    ['a comment', `<!-- <img src="${SITE}/x.png"> --><b>x</b>`],
    ['a comment in styles', `<style>/* @import "${SITE}/x.css"; */ b { color: red }</style><b>x</b>`],
    ['text of styles', `<style>b::after { content: "${SITE}" }</style><b>x</b>`],
    ['a relative URL, which leads nowhere', '<img src="x.png"><b>x</b>'],
    ['a script that is in it, and does not run', `<script>"<img src='${SITE}/x.png'>"</script><b>x</b>`],
    ['a name of a namespace', '<svg xmlns="http://www.w3.org/2000/svg"></svg><b>x</b>'],
    ['the end of nothing', `<b title="<img src=${SITE}>">x</b>`],
  ])('are printed without an external reference (%s)', async (_name, template) => {
    for (const name of ['headerTemplate', 'footerTemplate'])
      expect((await render('<p>text', { [name]: template })).pages.join()).toMatch(/\bx/);
  });

  test('leave the page counters of margin boxes intact', async () => {
    const html = `<style>@page { margin: 2cm; @top-center { content: counter(page) " von " counter(pages) } }</style>${LINES}`;
    const pdf = await render(html);
    expect(find(pdf, 3, /von/).y).toBeLessThan(60);
    expect(pdf.pages[2]).toContain(`3 von ${pdf.pages.length}`);
  });
});

describe('the placeholder for the document URL', () => {
  test('is empty if the document was sent as markup', async () => {
    const pdf = await render('<p>x', { headerTemplate: '<span>[<span class="url"></span>]</span>' });
    expect(pdf.pages[0]).toBe('x []');
  });
});

describe('singlePage', () => {
  test('is as high as the document, whatever page rules it has', async () => {
    const html = `<style>@page { size: A5; margin: 4cm } h2 { break-before: page } body { margin: 0 }</style><div style="height: 2000px">a</div><h2>b</h2><p style="break-after: page">c<p>d`;
    const pdf = await render(html, { singlePage: true, margin: '10mm' });
    expect(pdf.pages).toEqual(['a b c d']);
    expect(pdf.sizes[0]?.width).toBeCloseTo((210 * 72) / 25.4, 2);
    expect(pdf.sizes[0]?.height).toBeGreaterThan(2000 * PX);
    expect(pdf.sizes[0]?.height).toBeLessThan(2300 * PX);
  });

  test('applies the width, and the next document has its own paper', async () => {
    const pdf = await render(LINES, { singlePage: true, width: '80mm', scale: 0.5 });
    expect(pdf.pages).toHaveLength(1);
    expect(millimetresOf(pdf)).toEqual([[80, expect.any(Number)]]);
    expect(millimetresOf(await render('<p>next'))).toEqual([[210, 297]]);
  });

  test('includes a header', async () => {
    const pdf = await render(LINES, { singlePage: true, headerTemplate: '<b>head</b>' });
    expect(pdf.pages).toHaveLength(1);
    expect(find(pdf, 1, /line 0/).y).toBeGreaterThan(find(pdf, 1, /head/).y + 10);
  });

  const RECEIPT = '<h1>Receipt</h1><p>line 1<p>line 2<p>Total 12.50';
  const SCRIPT = '<script>1</script>';
  const BLOCKS = ['Hero', 'Features', 'Footer'].map((text) => `<section><h1>${text}</h1></section>`).join('');

  test.each(
    Object.entries<string>({
      'a script': `<!doctype html>${RECEIPT}${SCRIPT}`,
      'an @page rule': `<!doctype html><style>@page { margin: 0 }</style>${RECEIPT}`,
      'a script and an @page rule': `<!doctype html><style>@page { size: A3; margin: 0 }</style>${RECEIPT}${SCRIPT}`,
      'sizes that insist': `<!doctype html><style>@page { size: A3 !important } @page :first { size: A5 !important }</style>${RECEIPT}`,
      'breaks that insist': `<!doctype html><style>p { break-before: page !important }</style>${RECEIPT}${SCRIPT}`,
      'a policy against styles': `<!doctype html><meta http-equiv="Content-Security-Policy" content="style-src 'none'">${RECEIPT}`,
    }),
  )('fits the height of a document with %s to its content with width or format', async (_name, html) => {
    const plain = await render(`<!doctype html>${RECEIPT}`, { singlePage: true, width: '80mm' });
    expect(plain.pages).toEqual(['Receipt line 1 line 2 Total 12.50']);
    for (const options of [{ width: '80mm' }, { format: 'A5' }, {}]) {
      const pdf = await render(html, { singlePage: true, ...options });
      expect(pdf.pages).toEqual(plain.pages);
      expect(pdf.sizes[0]?.height).toBeCloseTo(plain.sizes[0]?.height ?? 0, 0);
    }
    expect(millimetresOf(await render(html, { singlePage: true, width: '80mm' }))).toEqual([[80, expect.any(Number)]]);
  });

  const WINDOW: Array<[name: string, style: string, body: string, least: number, most: number]> = [
    ['a body as high as the window', 'body { min-height: 100vh }', RECEIPT, 150, 400],
    ['one of quirks mode', 'body { height: 100% } </style><!-- quirks --><style>', RECEIPT, 150, 400],
    ['root and body as high as the window', 'html, body { height: 100% }', RECEIPT, 150, 400],
    [
      'sections at least as high',
      'section { min-height: 100vh; border: 1px solid; box-sizing: border-box }',
      BLOCKS,
      1_800,
      1_950,
    ],
    ['sections exactly as high', 'section { height: 100vh }', BLOCKS, 1_800, 2_000],
    ['small and large units', 'section { min-height: 50svh; padding: 10lvh 0; margin: 5dvh 0 }', BLOCKS, 1_200, 1_700],
    [
      'a calculated height',
      'section { min-height: calc(100vh - 40px) } section + section { margin-top: 40px }',
      BLOCKS,
      1_700,
      1_900,
    ],
  ];
  const shownIn = (style: string, body: string, options: object) =>
    render(`${style.includes('quirks') ? '' : '<!doctype html>'}<style>${style}</style>${body}`, {
      singlePage: true,
      ...options,
    });

  test.each(WINDOW)('prints %s on one page', async (_name, style, body, least, most) => {
    const text = body
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    for (const [markup, options] of [
      [body, {}],
      [body + SCRIPT, { width: '150mm' }],
    ] as const) {
      const { pages, sizes } = await shownIn(style, markup, options);
      expect(pages).toEqual([text]);
      expect(sizes[0]?.height).toBeGreaterThan(least * PX);
      expect(sizes[0]?.height).toBeLessThan(most * PX);
    }
  });

  test('uses the window of options.viewport', async () => {
    const { pages, sizes } = await shownIn('section { height: 100vh }', BLOCKS, { viewport: { width: 1_000, height: 1_000 } });
    expect(pages).toHaveLength(1);
    expect(sizes[0]?.height).toBeGreaterThan(3_000 * PX);
  });

  test('shows scrollable content completely', async () => {
    const rows = Array.from({ length: 80 }, (_, n) => `<p>Row ${n + 1}.</p>`).join('');
    const style =
      'html, body { height: 100%; margin: 0; overflow: hidden } .app { display: flex; height: 100vh } .main { flex: 1; overflow-y: auto }';
    const { pages } = await shownIn(style, `<div class="app"><div>Nav</div><div class="main">${rows}</div></div>`, {});
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('Row 1.');
    expect(pages[0]).toContain('Row 80.');
  });

  test('returns 422 for a document that grows with its page', async () => {
    const html = '<!doctype html><style>p::before, p::after { content: "x"; display: block; height: 100vh }</style><p>x';
    const response = await service.pdf({ html, options: { singlePage: true } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'print_failed', detail: expect.stringContaining('grows with its page') });
  });

  test('returns 422 for a document higher than 200 inches', async () => {
    const response = await service.pdf({ html: '<div style="height: 30000px">x', options: { singlePage: true } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'print_failed', detail: expect.stringContaining('200') });
  });
});

test('writes bookmarks from the headings for outline, in a tagged PDF', async () => {
  const html = '<h1>One</h1><h2>One A</h2><p style="break-before: page">x<h1>Two</h1>';
  const pdf = await render(html, { outline: true });
  expect(pdf.outline).toEqual(['One', '  One A', 'Two']);
  expect(pdf.tagged).toBe(true);
  expect((await render(html)).outline).toEqual([]);
});

describe('fixed boxes above and below the area of the page, as in style sheets for dompdf', () => {
  const css = `@page { size: A4; margin: 100px 25px } header { position: fixed; top: -60px; left: 0; right: 0; height: 50px }
    footer { position: fixed; bottom: -60px; height: 50px } .number::before { content: counter(page) }`;
  const boxes = '<header>Company</header><footer>No <span class="number"></span></footer>';
  const places = ({ placed }: ReadPdf) =>
    placed.map((texts) => texts.filter(({ text }) => /^Company|^No/.test(text)).map(({ y }) => Math.round(y)));

  test.each([
    ['static', '', {}],
    ['with a script', '<script>1</script>', {}],
    ['tagged', '', { tagged: true }],
    ['smaller', '', { scale: 0.5 }],
  ])('are in its margins (%s)', async (_what, script, options) => {
    const printed = await render(`<!doctype html><style>${css}</style>${boxes}${LINES}${script}`, options);
    expect(printed.pages.length).toBeGreaterThan(1);
    const { scale = 1 } = options as { scale?: number };
    const [header = 0, footer = 0] = places(printed)[0] ?? [];
    expect(header).toBeGreaterThan((100 - 60 * scale) * PX);
    expect(header).toBeLessThan((100 - 35 * scale) * PX);
    expect(footer).toBeGreaterThan(A4_HEIGHT - (100 - 10 * scale) * PX);
    expect(footer).toBeLessThan(A4_HEIGHT - (100 - 35 * scale) * PX);
    expect(new Set(places(printed).map(String)).size).toBe(1);
    for (const [index, text] of printed.pages.entries()) expect(text).toMatch(new RegExp(`No ?${index + 1}(?!\\d)`));
  });

  test('are on a document of one page, and beside the text if the margin has room', async () => {
    const page = (width: string) =>
      `<!doctype html><style>${css} nav { position: fixed; left: -${width}; width: ${width} }</style>${boxes}<nav>side</nav><p>line</p>`;
    expect((await render(page('25px'))).pages[0]?.match(/Company|No ?1|line|side/g)?.sort()).toEqual([
      'Company',
      'No 1',
      'line',
      'side',
    ]);
    expect((await render(page('300px'))).pages.join()).not.toContain('side');
    const moved = `<div style="transform: translate(0); margin-top: 700px"><i style="position: fixed; top: 0">moved</i>${LINES}</div>`;
    const inFlow = `<div style="height: 700px"></div><i style="position: fixed">flows</i>${LINES}`;
    for (const html of [moved, inFlow])
      expect(find(await render(`<!doctype html>${html}`), 1, /moved|flows/).y).toBeGreaterThan(700 * PX);
  });
});
