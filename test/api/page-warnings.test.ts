/** Warnings about what looks wrong at the ends of pages. */
import { describe, expect, test } from 'vitest';
import { book, invoice, letter, statement } from '../../bench/documents.ts';
import { Client, problem } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const KINDS = ['content_covered', 'break_ignored', 'box_cut', 'heading_alone', 'page_blank'];
const STYLE = 'body { margin: 0; font: 16px/20px sans-serif } p, h2 { margin: 0 }';
const html = (body: string, css = '') => `<!doctype html><style>${STYLE} ${css}</style>${body}`;
const lines = (count: number) => `<p>${Array.from({ length: count }, (_, n) => `line ${n}`).join('<br>')}</p>`;
const above = (px: number) => `<div style="height: ${px}px"></div>`;
const FORCED = 'break-before: page';
const MARGIN = { margin: '50px' };

const tall = (inner: string) => `<section><section>${inner}</section></section>`;
const floating = (inner: string) => `<div style="float: left; width: 100%">${inner}</div>`;

async function warnings(document: string, options: object = {}) {
  const { warnings: all } = await client.report({ html: document, options: { ...MARGIN, ...options } });
  return all.filter(({ kind }) => KINDS.includes(kind));
}

describe('break_ignored', () => {
  test.each([
    ['a line break', `a<br style="page-break-before: always">b`, 'br', 'line break'],
    ['an inline element', `<p>a <span style="${FORCED}">b</span>`, 'span', 'display is inline'],
    ['an inline block', `<p>a <b style="display: inline-block; ${FORCED}">b</b>`, 'b', 'inline-block'],
    ['a float', `<p>a<div id="x" style="float: left; ${FORCED}">b</div>`, 'div#x', 'floats'],
    ['an absolute box', `<p>a<div id="x" style="position: absolute; ${FORCED}">b</div>`, 'div#x', 'absolute'],
    ['an item beside another', `<div style="display: flex"><p>a</p><p id="x" style="${FORCED}">b</div>`, 'p#x', 'beside'],
    ['in an inline block', `<div style="display: inline-block"><p>a<p id="x" style="${FORCED}">b</div>`, 'p#x', 'inline-block'],
    ['in columns', `<div style="columns: 2"><p>a<p id="x" style="${FORCED}">b</div>`, 'p#x', 'columns'],
    ['by a rule', '<p>a<span class="x">b</span>', 'span.x', 'display is inline'],
  ])('%s', async (_, body, element, reason) => {
    const found = await warnings(html(body, '.x { break-after: page }'));
    expect(found).toMatchObject([{ kind: 'break_ignored', element, pages: [1], message: expect.stringContaining(reason) }]);
  });

  test.each([
    ['a block', `<p>a<p style="${FORCED}">b`],
    ['an item of a column', `<div style="display: flex; flex-direction: column"><p>a</p><p style="${FORCED}">b</div>`],
    ['a row', `<table><tr><td>a<tr style="${FORCED}"><td>b</table>`],
    ['in a cell', `<table><tr><td><p>a<p style="${FORCED}">b</table>`],
    ['in an item', `<div style="display: flex"><div><p>a<p style="${FORCED}">b</div></div>`],
    ['what is not shown', `<span style="display: none; ${FORCED}">b</span>`],
    ['no forced break', '<span style="break-inside: avoid; break-before: avoid">b</span>'],
  ])('not of %s', async (_, body) => {
    expect(await warnings(html(body))).toEqual([]);
  });
});

describe('break_ignored by rules that avoid breaks', () => {
  const AVOIDED = 'break-inside: avoid';
  const KEPT = 'break-after: avoid';

  test.each([
    [
      'an inline element',
      `${above(980)}<p><b id="x" style="${AVOIDED}">${lines(5).slice(3, -4)}</b>`,
      'b#x',
      'display is inline',
    ],
    ['an absolute box', `${above(980)}<div id="x" style="position: absolute; ${AVOIDED}">${lines(5)}</div>`, 'div#x', 'absolute'],
    [
      'the innermost of boxes taller than a page',
      tall(`<section id="x">${lines(80)}</section>`),
      'section#x',
      'taller than a page',
    ],
    ['an inline title', `${above(1_000)}<span id="x" style="${KEPT}">Terms</span>${lines(3)}`, 'span#x', 'display is inline'],
    ['a title that floats', `${above(1_000)}<p id="x" style="float: left; ${KEPT}">T</p>${floating(lines(3))}`, 'p#x', 'floats'],
    [
      'a title in a grid',
      `${above(1_000)}<div style="display: grid"><h2 id="x" style="${KEPT}">T</h2>${lines(3)}</div>`,
      'h2#x',
      'grid',
    ],
    [
      'an item of rows',
      `${above(1_000)}<div style="display: flex; flex-wrap: wrap"><p id="x" style="width: 100%; ${KEPT}">T</p>${lines(3)}</div>`,
      'p#x',
      'flex',
    ],
  ])('%s', async (_, body, element, reason) => {
    const found = (await warnings(html(body, 'section { break-inside: avoid }'))).filter(({ kind }) => kind !== 'page_blank');
    expect(found).toMatchObject([{ kind: 'break_ignored', element, message: expect.stringContaining(reason) }]);
  });

  test.each([
    ['what is kept', `${lines(1)}${above(960)}<section>${lines(5)}</section>`],
    ['an inline element on one page', `${above(600)}<p><b style="${AVOIDED}">${lines(5).slice(3, -4)}</b></p>${lines(30)}`],
    ['a title with its text', `${above(600)}<span style="${KEPT}">Terms</span>${lines(30)}`],
    [
      'a title with a forced break after it',
      `${above(600)}<span style="${KEPT}">Terms</span><div style="${FORCED}">${lines(3)}</div>`,
    ],
    ['the document', `<style>html, body { break-inside: avoid }</style>${lines(80)}`],
    [
      'an item of a column',
      `${lines(1)}${above(980)}<div style="display: flex; flex-direction: column"><p style="${KEPT}">T</p>${lines(3)}</div>`,
    ],
    [
      'rows of a head that every page repeats',
      `<style>b { font-size: 4pt } @page { size: A4 }</style><table><thead><tr style="${AVOIDED}"><th>a</thead>${'<tr><td>b'.repeat(80)}</table>`,
    ],
    ['rows that are kept', `${lines(1)}${above(980)}<table><tr style="${KEPT}"><td>a<tr><td>${lines(3)}</table>`],
  ])('not %s', async (_, body) => {
    expect(await warnings(html(body, 'section { break-inside: avoid }'))).toEqual([]);
  });
});

describe('heading_alone', () => {
  test('a heading at the end of a page', async () => {
    const found = await warnings(html(`${above(980)}<h2 id="terms">Terms</h2>${lines(3)}`));
    const message = expect.stringContaining('break-after: avoid');
    expect(found).toMatchObject([{ kind: 'heading_alone', element: 'h2#terms', pages: [1], message }]);
  });

  const alone = `${above(978)}<h2>Terms</h2>${lines(3)}`;
  test.each([
    ['a page with a size of its own', html(`${above(438)}<h2>Terms</h2>${lines(20)}`, '@page { size: A6 }')],
    [
      'such a page of a document with a script',
      html(`${above(438)}<h2>Terms</h2>${lines(20)}<script>1</script>`, '@page { size: A6 }'),
    ],
    ['a document in which nothing else depends on its pages', html(alone)],
    ['a document whose header shows the pages', html(alone, '@page { @top-right { content: counter(page) } }')],
    ['a document with a long text', html(`${alone}${lines(90)}`)],
    ['a long text above the heading', html(`${lines(50)}<div style="height: 2px"></div><h2>Terms</h2>${lines(3)}`)],
    ['a heading with an empty anchor and a wrapper', html(alone.replace('</h2>', '</h2><a id="x"></a><div><div>') + lines(60))],
  ])('%s', async (_, document) => {
    const found = await warnings(document);
    expect(found).toMatchObject([{ kind: 'heading_alone', element: 'h2', pages: [1] }]);
  });

  test.each([
    ['a heading that is kept', `${lines(1)}${above(960)}<h2 style="break-after: avoid">Terms</h2>${lines(3)}`],
    ['a heading with its text', `${above(600)}<h2>Terms</h2>${lines(30)}`],
    ['a heading on a page of its own', `<h2>Cover</h2><p style="break-before: page">${lines(3)}`],
    ['a heading that is far above', `<div style="height: 1022px"><h2>Cover</h2></div>${lines(3)}`],
  ])('not %s', async (_, body) => {
    expect(await warnings(html(body))).toEqual([]);
  });
});

describe('box_cut', () => {
  const picture = (height: number) =>
    `<svg width="100" height="${height}"><circle r="50" /><circle cy="${height}" r="50" /></svg>`;

  test.each(['inline-block', 'inline-flex', 'inline-grid', 'inline-table'])(
    'text in a box that is taller than the page: %s',
    async (display) => {
      const html = `<!doctype html><style>.column { display: ${display}; width: 45% }</style><div class="column"><p>${'line<br>'.repeat(90)}</div>`;
      const { warnings } = await client.report({ html });
      expect(warnings).toMatchObject([
        { kind: 'box_cut', element: 'div.column', pages: [2, 3], message: expect.stringContaining('display') },
      ]);
      const lower = await client.report({ html: `${html.replaceAll('line<br>', 'l ')}${'<p>x'.repeat(60)}` });
      expect(lower.warnings).toEqual([]);
    },
  );

  test('a picture that is taller than the page', async () => {
    const found = await warnings(html(picture(1_500)));
    expect(found).toMatchObject([{ kind: 'box_cut', element: 'svg', pages: [1, 2] }]);
    const frame = await warnings(html('<iframe srcdoc="<p>line" style="height: 1500px"></iframe>'));
    expect(frame).toMatchObject([{ kind: 'box_cut', element: 'iframe', pages: [1, 2] }]);
  });

  test('not one that is moved to the next page', async () => {
    expect(await warnings(html(`${lines(20)}${picture(900)}${lines(20)}`))).toEqual([]);
  });
});

describe('box_cut of diagrams', () => {
  const bars = [0, 1, 2]
    .map(
      (n) => `<i style="position: absolute; bottom: 0; left: ${n * 50}px; height: 90px; width: 40px; background: red">${n}</i>`,
    )
    .join('');
  const chart = (css = 'height: 200px', inner = bars) =>
    `<div id="x" style="position: relative; ${css}">${inner}</div>${lines(2)}`;

  test.each([
    ['bars in a box', `${lines(1)}${above(880)}${chart()}`],
    ['bars in a grid', `${lines(1)}${above(880)}${chart('height: 200px', `<div>${bars}</div>`)}`],
    [
      'a box that is an image',
      `${lines(1)}${above(880)}<div id="x" role="img" style="height: 200px; background: red"></div>${lines(2)}`,
    ],
    [
      'a chart of a script',
      `${lines(1)}${above(880)}<main></main>${lines(2)}<script>document.querySelector('main').outerHTML = ${JSON.stringify(chart())}</script>`,
    ],
  ])('%s', async (_, body) => {
    const message = expect.stringContaining('break-inside: avoid');
    expect(await warnings(html(body))).toMatchObject([{ kind: 'box_cut', element: 'div#x', pages: [1, 2], message }]);
  });

  test.each([
    ['one that is kept', `${lines(1)}${above(880)}${chart('height: 200px; break-inside: avoid')}`],
    ['one on a page', `${lines(1)}${above(700)}${chart()}${lines(9)}`],
    ['text with marks beside it', `${lines(1)}${above(880)}${chart('height: 200px', `${bars}${lines(10)}`)}`],
    ['a box that grows', `${lines(1)}${above(880)}${chart('min-height: 200px', `${bars}${above(200)}`)}`],
    ['a page of boxes', `<div style="position: relative; height: 1030px">${bars}</div>${lines(2)}`],
    ['an svg', `${lines(1)}${above(880)}<svg role="img" height="200"><circle r="99"/></svg>${lines(2)}`],
    [
      'a box around an svg',
      `${lines(1)}${above(880)}<div role="img"><svg height="200" style="display: block"><circle r="99"/></svg></div>`,
    ],
    ['an emoji', `${lines(1)}${above(995)}<span role="img">☺</span>${lines(2)}`],
  ])('not %s', async (_, body) => {
    expect(await warnings(html(body))).toEqual([]);
  });
});

describe('content_covered', () => {
  const header = (css: string) => `<div id="top" style="position: fixed; top: 0; width: 100%; ${css}">Company</div>${lines(80)}`;

  test('a fixed header with text', async () => {
    const found = await warnings(html(header('background: white')));
    expect(found).toMatchObject([
      { kind: 'content_covered', element: 'div#top', pages: [1, 2], message: expect.stringContaining('top margin of 53pt') },
    ]);
  });

  test.each([
    ['a background', header('z-index: -1')],
    ['a stamp', header('opacity: 0.2')],
    ['a rotated stamp', header('transform: rotate(-30deg)')],
    ['a header in the margin', header('margin-top: -40px; height: 40px')],
    ['a hidden header', header('visibility: hidden')],
    [
      'a header for which rows keep room',
      `<div style="position: fixed; top: 0">Company</div><table><thead><tr><td style="height: 30px"></thead><tr><td>${lines(80)}</table>`,
    ],
    ['a document of one page', header('').replace(lines(80), lines(3))],
  ])('not %s', async (_, body) => {
    expect(await warnings(html(body))).toEqual([]);
  });
});

describe('page_blank', () => {
  test('a page with nothing but a background', async () => {
    const box = '<div style="height: 1022px; background: #eef">';
    const found = await warnings(html(`${lines(3)}<div style="break-before: page"></div>${box}</div>${lines(3)}`));
    expect(found).toMatchObject([{ kind: 'page_blank', pages: [2] }]);
  });

  test('not a page with a picture, a drawing or a header', async () => {
    const drawing = '<svg style="break-before: page; display: block" width="9" height="9"><circle r="9" /></svg>';
    expect(await warnings(html(`${lines(3)}${drawing}`))).toEqual([]);
    const body = `${lines(3)}<div style="break-before: page"></div><div style="height: 1022px"></div>${lines(3)}`;
    const cut = `<img src="data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="2400"><path d="M0 0h90v2400H0z"/></svg>')}">`;
    const kinds = (await warnings(html(`${lines(3)}<p style="break-before: page">a${cut}`))).map(({ kind }) => kind);
    expect(kinds).toEqual(['box_cut']);
    const headerTemplate = '<span style="font-size: 9px">Company</span>';
    expect(await warnings(html(body), { headerTemplate })).toEqual([]);
  });
});

test('none in documents whose script makes their pages, as Paged.js does', async () => {
  const body = `<div class="pagedjs_pages" style="columns: 2"><p>a<p style="${FORCED}">b</div><script>1</script>`;
  expect(await warnings(html(body))).toEqual([]);
});

test('links that tell places show nothing of rules for links', async () => {
  const body = `${above(980)}<h2>Terms</h2>${lines(3)}<p>a <span style="${FORCED}">b</span>`;
  const printed = async (css: string) => (await readPdfReply(await client.pdf({ html: html(body, css), options: MARGIN }))).pages;
  expect(await printed('a::before, a::after { content: "link" !important; display: block }')).toEqual(await printed(''));
});

const KEPT = 'break-after: avoid';
const picture = '<svg width="100" height="1100"><circle r="50" /><circle cy="1100" r="50" /></svg>';
test.each([
  ['no heading at the end of a page', `${above(600)}<h2>Terms</h2>${lines(30)}`, 0],
  ['a heading that is kept', `${lines(1)}${above(960)}<h2 style="${KEPT}">Terms</h2>${lines(3)}`, 0],
  ['a heading on a page of its own', `<div style="height: 1022px"><h2>Cover</h2></div>${lines(3)}`, 0],
  ['such a page as high as a window', `<div style="height: 100vh"><h2>Cover</h2></div>${lines(3)}`, 0],
  ['a heading before a forced break', `<h2>Cover</h2><div style="break-after: page"></div>${lines(3)}`, 0],
  ['a heading whose box forces a break', `<div style="break-after: page"><h2>Cover</h2></div>${lines(3)}`, 0],
  ['a forced break without effect', `<p>a <span style="${FORCED}">b</span>`, 1],
  ['pages with names', `<h2 style="page: cover">Cover</h2>${lines(3)}`, 0],
  ['a heading at the end of a page', `${above(980)}<div><h2>Terms</h2></div><a></a><div>${lines(3)}</div>`, 1],
  ['a heading that an avoided break does not keep', `${above(1_000)}<main><h2 style="${KEPT}">T</h2>${lines(3)}</main>`, 1],
  ['a box that is kept', `${lines(1)}${above(960)}<div class="kept">${lines(5)}</div>`, 0],
  ['a box that is taller than a page', `<div class="kept">${lines(80)}</div>`, 1],
  ['a high box', `<div class="kept" style="height: 1200px">a${above(1_100)}b</div>`, 1],
  ['a line that is divided', `${above(980)}<p><b class="kept">${lines(5).slice(3, -4)}</b>`, 1],
  ['a small picture', `${above(600)}<svg width="100" height="90"><circle r="50" /></svg>${lines(30)}`, 0],
  ['a high picture', picture, 1],
  ['a picture that its style makes small', picture.replace('width', 'style="height: 90px" width'), 0],
  ['a small box in a line', '<b style="display: inline-block">a</b>', 0],
  ['a tall box in a line', `<div style="display: inline-block">${lines(80)}</div>`, 1],
])('a document that is long or short has the same warnings: %s', async (_, body, count) => {
  const css = '.kept { break-inside: avoid } main { display: grid }';
  const long = `${body}<div>${lines(90).replaceAll('<br>', '<p>')}</div>`;
  const found = await warnings(html(body, css));
  expect(found).toHaveLength(count);
  expect(await warnings(html(long, css))).toEqual(found);
});

test('failOnWarning', async () => {
  const document = html(`${above(980)}<h2>Terms</h2>${lines(3)}`);
  const reply = await client.pdf({ html: document, options: { ...MARGIN, failOnWarning: ['heading_alone'] } });
  await problem(reply, 422, 'render_gate_failed');
});

test.each([
  ['a letter', letter()],
  ['an invoice', invoice(60)],
  ['a book', book().replace('</head>', '<style>h2 { break-after: avoid }</style></head>')],
  ['a statement', statement()],
])('none in %s', async (_, document) => {
  expect(await warnings(document, { margin: undefined })).toEqual([]);
});
