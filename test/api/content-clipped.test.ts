/** Warnings about content that the paper clips or shows smaller than designed. */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

/** Returns a bar of this width in pixels, with a word at its right end. */
const bar = (px: number) => `<div style="width: ${px}px; text-align: right; background: #eee">END</div>`;
const html = (px: number) => `<!doctype html><style>body { margin: 0 }</style>${bar(px)}`;
const SCRIPT = '<script>document.title = "x"</script>';

const TABLE: Array<[name: string, html: string, options: object, clipped: boolean]> = [
  ['what fits', html(700), {}, false],
  ['what is made smaller to fit', html(1_000), {}, false],
  ['what does not fit', html(1_400), {}, true],
  ['the same, drawn by a script', html(1_400) + SCRIPT, {}, true],
  ['the same with a window wide enough', html(1_400), { viewport: { width: 1_920, height: 1_080 } }, true],
  ['a page that only fills a wide window', html(700) + SCRIPT, { viewport: { width: 1_920, height: 1_080 } }, false],
  ['on wider paper', html(1_400), { format: 'A3', landscape: true }, false],
  ['in landscape', html(1_400), { landscape: true }, false],
  ['at a smaller scale', html(1_400), { scale: 0.6 }, false],
  ['at a larger scale', html(700), { scale: 2 }, true],
  ['on a label', html(500), { width: '60mm', height: '40mm', margin: 0 }, true],
  ['that fits a label', html(300), { width: '60mm', height: '40mm', margin: 0 }, false],
  ['on a label of its own', `<style>@page { size: 60mm 40mm; margin: 0 } body { margin: 0 }</style>${bar(500)}`, {}, true],
  [
    'that fits a sheet of its own',
    `<style>@page { size: 420mm 594mm; margin: 0 } body { margin: 0 }</style>${bar(1_700)}`,
    {},
    false,
  ],
  ['on one page', html(1_400), { singlePage: true }, true],
  ['a wide table', `<table><tr>${'<td>unbreakable_cell'.repeat(20)}END</table>`, {}, true],
];

describe('content_clipped', () => {
  test.each(TABLE)('%s', async (_name, document, options, clipped) => {
    const { warnings, warning_count: count } = await client.report({ html: document, options });
    const found = warnings.filter(({ kind }) => kind === 'content_clipped');
    expect(found).toHaveLength(clipped ? 1 : 0);
    expect(count).toBe(warnings.length);
    if (clipped) expect(found[0]).toMatchObject({ pixels: expect.any(Number), message: expect.stringMatching('cuts it off') });
    const pdf = await readPdfReply(await client.pdf({ html: document, options }));
    expect(pdf.pages.join(' ').includes('END')).toBe(!clipped);
  });

  test.each([
    ['the root', '<html dir="rtl"><body>'],
    ['the body', '<html><body dir="rtl">'],
    ['a style', '<style>html { direction: rtl }</style><body>'],
  ])('reports content clipped on the left in a right-to-left document (%s)', async (_what, begin) => {
    const document = `<!doctype html>${begin}${bar(1_400).replace('text-align: right', 'text-align: left')}`;
    const { warnings } = await client.report({ html: document });
    expect(warnings.filter(({ kind }) => kind === 'content_clipped')).toMatchObject([
      { side: 'left', pixels: expect.any(Number), message: expect.stringContaining('cuts it off at the left') },
    ]);
    expect((await readPdfReply(await client.pdf({ html: document }))).pages.join(' ')).not.toContain('END');
  });

  test.each([
    ['fits', '<html dir="rtl"><body><p>here'],
    [
      'is moved away on purpose',
      '<html dir="rtl"><body><p style="position: absolute; left: -9999px">for readers of screens</p>x',
    ],
    ['goes down in lines', '<html style="writing-mode: vertical-rl"><body><div style="width: 3000px">x</div>'],
  ])('reports nothing clipped for %s, which starts on the right', async (_what, markup) => {
    expect((await client.report({ html: `<!doctype html>${markup}` })).warnings).toEqual([]);
  });

  test('reports how many pixels are clipped', async () => {
    const { warnings } = await client.report({ html: html(1_400), options: { width: 800, height: 800, margin: 0 } });
    expect(warnings).toMatchObject([
      { kind: 'content_clipped', side: 'right', pixels: 200 },
      { kind: 'content_shrunk', percent: 67 },
    ]);
  });

  const wide = (inner: string, css = '') =>
    `<!doctype html><style>body { margin: 0 } ${css}</style><h1>Title</h1><main>${inner}</main>`;

  test.each([
    ['a box that is shrunk', wide('<section id="plan" style="width: 900px"><p>x</p></section>'), 'section#plan'],
    ['a box that is cut off', wide('<section><div class="plan" style="width: 1500px"><p>x</p></div></section>'), 'div.plan'],
    ['a table', wide(`<div><table><tr>${'<td>unbreakable_cell'.repeat(9)}</table></div>`), 'table'],
    ['the body', `<body class="wide" style="width: 900px"><p>x`, 'body.wide'],
    ['a word', wide(`<p>a<p class="url">${'x'.repeat(130)}`), 'p.url'],
    ['what a script adds', wide('<script>document.write("<p style=\'width: 900px\'>x")</script>'), 'p'],
    ['a picture', wide('<p>a</p><p><img style="width: 900px; height: 9px">'), 'img'],
  ])('names what is too wide, and the scale that fits: %s', async (_, document, element) => {
    const { warnings } = await client.report({ html: document });
    const found = warnings.filter(({ kind }) => /content_(?:clipped|shrunk)/.test(kind));
    expect(found.map((each) => each.element)).toEqual(found.map(() => element));
    expect(found.at(-1)).toMatchObject({ kind: 'content_shrunk', message: expect.stringContaining(`because of ${element},`) });
    const [scale] = new Set(found.map((each) => each.fitting_scale));
    const fitted = await client.report({ html: document, options: { scale } });
    expect(fitted.warnings.filter(({ kind }) => /content_(?:clipped|shrunk)/.test(kind))).toEqual([]);
    const larger = await client.report({ html: document, options: { scale: (scale ?? 0) + 0.03 } });
    expect(larger.warnings.map(({ kind }) => kind)).toContain('content_shrunk');
  });

  test('is measured between the margins, whatever header is printed', async () => {
    const options = { margin: '1in' };
    const { warnings } = await client.report({ html: html(800), options });
    expect(warnings).toMatchObject([{ kind: 'content_shrunk' }]);
    const withHeader = { ...options, headerTemplate: '<span>Company</span>' };
    expect((await client.report({ html: html(800), options: withHeader })).warnings).toEqual(warnings);
  });

  test('restores the layout for the next document of the key', async () => {
    const read = async () => (await readPdfReply(await client.pdf({ html: '<p style="text-align: right">x' }))).firstText;
    const before = await read();
    await client.report({ html: html(1_400) });
    expect(await read()).toEqual(before);
  });

  test('failOnWarning', async () => {
    const options = { failOnWarning: ['content_clipped'] };
    const refused = await problem(await client.pdf({ html: html(1_400), options }), 422, 'render_gate_failed');
    expect(refused).toMatchObject({ gate: 'failOnWarning', warnings: [{ kind: 'content_clipped' }] });
    expect((await client.pdf({ html: html(700), options })).status).toBe(200);
  });
});

const rows = (n: number) => Array.from({ length: n }, (_, row) => `<p>Row ${row + 1}</p>`).join('');
const words = 'A line of text that is much longer than its box and goes on '.repeat(8);
const picture = (width: number, height: number) =>
  `<img width="${width}" height="${height}" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E">`;

/** Documents that hide a part of their content, with the side and the element of the warning. */
const HIDING: Array<[what: string, html: string, expected: { side: string; element: string }]> = [
  ['rows', `<div class="box" style="height: 200px; overflow: hidden">${rows(40)}</div>`, { side: 'bottom', element: 'div.box' }],
  [
    'rows of a document that replaces what reads them',
    `<div class="box" style="height: 200px; overflow: hidden">${rows(40)}</div><script>RegExp.prototype.exec = () => null; Function.prototype.call = () => undefined</script>`,
    { side: 'bottom', element: 'div.box' },
  ],
  [
    'rows of a part that scrolls',
    `<main style="height: 50vh; overflow: auto">${rows(60)}</main>`,
    { side: 'bottom', element: 'main' },
  ],
  [
    'an application as high as its window',
    `<style>html, body { height: 100%; margin: 0; overflow: hidden } #app { height: 100vh; display: flex } main { flex: 1; overflow-y: auto }</style><div id="app"><nav>Nav</nav><main>${rows(90)}</main></div>`,
    { side: 'bottom', element: 'main' },
  ],
  [
    'the same without parts',
    `<style>html, body { height: 100%; margin: 0; overflow: hidden }</style><body>${rows(90)}`,
    { side: 'bottom', element: 'body' },
  ],
  [
    'a picture',
    `<div style="height: 100px; overflow: hidden"><p style="height: 100px"></p>${picture(50, 50)}</div>`,
    { side: 'bottom', element: 'div' },
  ],
  ['text of a field', `<textarea rows="2" cols="20">${words}</textarea>`, { side: 'bottom', element: 'textarea' }],
  [
    'columns of a table that scrolls',
    `<div id="wide" style="overflow-x: auto; width: 400px"><table><tr>${'<td>unbreakable_cell'.repeat(9)}</table></div>`,
    { side: 'right', element: 'div#wide' },
  ],
  ['code', `<pre style="overflow: auto; width: 300px">${words}</pre>`, { side: 'right', element: 'pre' }],
  [
    'a line without an ellipsis',
    `<p style="overflow: hidden; white-space: nowrap; width: 200px">${words}`,
    { side: 'right', element: 'p' },
  ],
  [
    'a line that runs from right to left',
    `<p dir="rtl" style="overflow: hidden; white-space: nowrap; width: 200px">${words}`,
    { side: 'left', element: 'p' },
  ],
  [
    'lines that stand beside each other, the first one at the right',
    `<p style="writing-mode: vertical-rl; overflow: hidden; width: 100px; height: 200px">${words}`,
    { side: 'left', element: 'p' },
  ],
];

/** Documents that hide content by other means than `overflow`, one for each side. */
const HIDING_OTHERWISE = {
  bottom: `<div style="contain: paint; height: 100px">${rows(20)}</div><p style="content-visibility: auto; height: 20px">${words}</p>
    <iframe style="height: 100px" srcdoc="${rows(20)}"></iframe>`,
  right: `<input value="${words}"><input value="x"><input placeholder="${words}"><iframe srcdoc="<pre>${words}"></iframe><iframe srcdoc="x"></iframe>`,
};

const shadow = (host: string, inside: string) => `<div id="host">${host}</div><script>
  document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = \`${inside}\`</script>`;

const IN_SHADOWS: typeof HIDING = [
  [
    'rows',
    shadow('', `<div class="box" style="height: 200px; overflow: hidden">${rows(40)}</div>`),
    { side: 'bottom', element: 'div.box' },
  ],
  [
    'rows of the document in a slot',
    shadow(rows(40), '<main style="height: 200px; overflow: hidden"><slot></slot></main>'),
    { side: 'bottom', element: 'main' },
  ],
  [
    'rows in a box outside',
    `<section style="height: 200px; overflow: auto">${shadow('', rows(40))}</section>`,
    { side: 'bottom', element: 'section' },
  ],
  [
    'rows of a shadow in a shadow',
    shadow('', '<article></article>') +
      `<script>document.querySelector('#host').shadowRoot.querySelector('article').attachShadow({ mode: 'open' }).innerHTML = \`<h1 style="height: 50px; overflow: hidden">Heading<br>of<br>several<br>lines\`</script>`,
    { side: 'bottom', element: 'h1' },
  ],
];

const ON_PURPOSE: Record<string, string> = {
  'what fits': `<div style="height: 2000px; overflow: hidden">${rows(20)}</div>`,
  'what fits the page, though not the window': `<div style="height: 95vh; overflow: hidden">${rows(26)}</div>`,
  'a body that hides what the paper shows': `<style>body { height: 100vh; overflow: hidden }</style><body>${rows(60)}`,
  'floats that are held': `<div style="overflow: hidden"><p style="float: left">${words}</p></div>`,
  'a round picture': `<div style="border-radius: 50%; overflow: hidden; width: 80px; height: 80px">${picture(120, 120)}</div>`,
  'a picture as a sprite': `<div style="overflow: hidden; width: 16px; height: 16px">${picture(400, 400)}</div>`,
  'what runs out at the left, where nobody could scroll to': `<p style="overflow: hidden; direction: ltr"><span style="margin-left: -300px">${words}</span>`,
  'a menu outside at the left': `<div dir="rtl" style="position: relative; overflow: hidden; height: 100px"><nav style="position: absolute; right: 100%; width: 200px">Menu</nav>x</div>`,
  'an ellipsis': `<p style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap; width: 200px">${words}`,
  'an ellipsis in a box that hides, too': `<div style="overflow: hidden; width: 300px"><p style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap; width: 200px">${words}</p></div>`,
  'clamped lines': `<p style="overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; width: 200px">${words}`,
  'what is for screen readers': `<span style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0); white-space: nowrap">${words}</span>`,
  'the same in a box that hides': `<div style="overflow: hidden; height: 40px; position: relative">x<span style="position: absolute; top: 60px; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)">${words}</span></div>`,
  'what is folded up': `<div style="height: 0; overflow: hidden">${rows(5)}</div><div style="max-height: 0; overflow: hidden">${rows(5)}</div>`,
  'text that an image stands for': `<h1 style="overflow: hidden; width: 100px; height: 40px; text-indent: -9999px">Logo</h1><h2 style="overflow: hidden; width: 100px; height: 40px; text-indent: 100%; white-space: nowrap">Logo</h2>`,
  'a fading end': `<div style="height: 100px; overflow: hidden; mask-image: linear-gradient(black, transparent)">${rows(20)}</div>`,
  'a shape': `<div style="width: 100px; height: 100px; overflow: hidden; clip-path: circle(50%)">${rows(20)}</div>`,
  'slides beside the one that is shown': `<div style="overflow: hidden; width: 300px"><div style="display: flex">${'<div style="flex: 0 0 300px">A slide</div>'.repeat(4)}</div></div>`,
  'slides that are moved': `<div style="overflow: hidden; width: 300px"><div style="display: flex; transform: translate3d(0, 0, 0)">${'<div style="flex: 0 0 100px">A slide</div>'.repeat(9)}</div></div>`,
  'slides that snap': `<div style="overflow-x: auto; scroll-snap-type: x mandatory; display: flex; width: 300px">${'<div style="flex: 0 0 140px">A slide</div>'.repeat(5)}</div>`,
  'a menu outside': `<div style="position: relative; overflow: hidden; height: 100px"><nav style="position: absolute; left: 100%; width: 200px">Menu</nav>x</div>`,
  'what nobody sees anyway': `<div style="height: 20px; overflow: hidden">x<p style="visibility: hidden">${words}<p style="opacity: 0">${words}</div>`,
  'an empty rest': `<div style="height: 50px; overflow: hidden">x<div style="height: 400px; background: #eee"></div></div>`,
  'letters that reach out of their line': `<div style="height: 16px; line-height: 16px; font-size: 20px; overflow: hidden">gypsy</div>`,
  'a drawing': `<svg width="50" height="50"><text x="40" y="20">beyond the edge</text></svg><p style="overflow: auto">x`,
  'a list to choose from': `<select style="overflow: hidden; width: 60px"><option>${words}</select>`,
};

describe('content_clipped by a box', () => {
  test.each(HIDING)('%s', async (_what, markup, expected) => {
    for (const document of [markup, markup + SCRIPT]) {
      const { warnings } = await client.report({ html: `<!doctype html>${document}` });
      expect(warnings).toMatchObject([{ kind: 'content_clipped', pixels: expect.any(Number), count: 1, ...expected }]);
    }
  });

  test.each(IN_SHADOWS)('in a shadow root (%s)', async (_what, markup, expected) => {
    const { warnings } = await client.report({ html: `<!doctype html>${markup}` });
    expect(warnings).toMatchObject([{ kind: 'content_clipped', count: 1, ...expected }]);
  });

  test.each(Object.entries(ON_PURPOSE))('is not reported for %s', async (_what, markup) => {
    const { warnings } = await client.report({ html: `<!doctype html>${markup}` });
    expect(warnings.filter(({ kind }) => kind !== 'page_blank')).toEqual([]); // the end of a high box may be empty
  });

  test('is reported for nested content, frames and form fields', async () => {
    const warningsFor = async (markup: string) => (await client.report({ html: `<!doctype html>${markup}` })).warnings;
    expect(await warningsFor(HIDING_OTHERWISE.bottom)).toMatchObject([{ kind: 'content_clipped', side: 'bottom', count: 3 }]);
    expect(await warningsFor(HIDING_OTHERWISE.right)).toMatchObject([{ kind: 'content_clipped', side: 'right', count: 2 }]);
  });

  test('is reported next to a frame with very many lines of text', async () => {
    const html = `<!doctype html><div style="height: 100px; overflow: hidden">${rows(20)}</div>
      <iframe id=f></iframe><script>f.contentDocument.write('<pre>' + 'a\\n'.repeat(150_000)); f.contentDocument.close()</script>`;
    const { warnings } = await client.report({ html, options: { timeout: 60_000 } });
    expect(warnings).toMatchObject([{ kind: 'content_clipped', side: 'bottom' }]);
  });

  test('is reported for both sides and for several boxes', async () => {
    const box = (n: number) =>
      `<div id="b${n}" style="width: 200px; height: 100px; overflow: hidden"><pre>${words}</pre>${rows(n)}</div>`;
    const { warnings } = await client.report({ html: `<!doctype html>${box(10)}${box(20)}` });
    expect(warnings).toMatchObject([
      { kind: 'content_clipped', side: 'right', count: 2 },
      { kind: 'content_clipped', side: 'bottom', element: 'div#b20', count: 2 },
    ]);
  });

  test('is reported with an external style sheet, a custom paper size and a single page', async () => {
    const markup = `<!doctype html><style>@page { size: A5 landscape; margin: 1cm }</style><div style="height: 100vh; overflow: hidden">${rows(15)}</div>${SCRIPT}`;
    expect((await client.report({ html: markup })).warnings).toMatchObject([{ side: 'bottom' }]);
    const { warnings } = await client.report({ html: markup, options: { format: 'A3' } });
    expect(warnings.filter(({ kind }) => kind !== 'page_blank')).toEqual([]); // margins follow the box of 100vh
    const single = `<!doctype html><div style="height: 300px; overflow: hidden">${rows(40)}</div>`;
    expect((await client.report({ html: single, options: { singlePage: true } })).warnings).toMatchObject([{ side: 'bottom' }]);
  });
});

describe('content_shrunk', () => {
  /** A drawing that its size scales to four fifths. */
  const drawing = (width: number, height = width / 2) =>
    `<svg xmlns='http://www.w3.org/2000/svg' width='${width}' height='${height}' viewBox='0 0 ${1.25 * width} ${1.25 * height}'><rect width='${width}' height='${height}'/></svg>`;
  const url = (svg: string) => `url("data:image/svg+xml,${svg}")`;
  const logo = `<style>@page { size: A4; margin: 30mm 20mm; @top-left { content: ${url(drawing(80))} } @top-right { content: counter(page) } }</style>`;
  const wideLine = '<p>aLineThatIsWiderThanTheLogoAboveItAndCannotBeBrokenAnywhere';
  const SHRUNK: Array<[what: string, html: string, options: object, percent: number | undefined]> = [
    ['a wide box', html(1_000), { margin: 0 }, 79],
    ['a wide box, by a script', html(1_000) + SCRIPT, { margin: 0 }, 79],
    ['content with a smaller scale', html(1_000), { margin: 0, scale: 0.5 }, undefined],
    ['content printed smaller than the requested scale', html(2_000), { margin: 0, scale: 0.5 }, 79],
    ['content that fits', html(700), {}, undefined],
    ['content one pixel too wide', html(795), { margin: 0 }, undefined],
    ['a wide box in landscape', html(1_000), { margin: 0, landscape: true }, undefined],
    ['a document that begins with a faint element', `<p style="opacity: 0.5">x${html(500)}`, {}, undefined],
    ['a document that begins with a small element', '<!doctype html><p style="transform: scale(0.8)">x', {}, undefined],
    ['a logo in a margin box', `<!doctype html>${logo}${wideLine}`, {}, undefined],
    ['a logo in a margin box, and a wide box', `<!doctype html>${logo}${wideLine}<div style="width: 900px">x`, {}, 71],
    ['a wide box on another page', `<!doctype html>${logo}<p>x<div style="width: 900px; break-before: page">x`, {}, 71],
    ['a small logo with a smaller scale', `<!doctype html>${logo}${wideLine}`, { scale: 0.8 }, undefined],
    ['a logo in the header', `<!doctype html>${wideLine}`, { headerTemplate: drawing(100) }, undefined],
    ['a document that begins with a drawing', `<!doctype html>${drawing(600)}${wideLine}`, {}, undefined],
    ['a drawing as large as the page', `<!doctype html><body style="margin: 0">${drawing(717, 1044)}${wideLine}`, {}, undefined],
    [
      'a drawing in the background',
      `<!doctype html><style>body { background: ${url(drawing(80))} }</style>${wideLine}`,
      {},
      undefined,
    ],
    [
      'a drawing behind the whole page',
      `<!doctype html><style>@page { background: ${url(drawing(80))} }</style>${wideLine}`,
      {},
      undefined,
    ],
    ['a drawing and a wide box', `<!doctype html>${drawing(560)}${html(1_000)}`, { margin: 0 }, 79],
    ['a wide picture alone', `<!doctype html>${drawing(1_000)}`, {}, 71],
    ['a narrow picture alone', `<!doctype html>${drawing(500)}`, {}, undefined],
    [
      'a wide canvas alone',
      '<canvas id=c width=1000 height=9></canvas><script>c.getContext("2d").fillRect(0, 0, 999, 9)</script>',
      {},
      71,
    ],
    ['a wide faint box alone', '<!doctype html><div style="opacity: 0.5; width: 1000px">x', {}, 71],
    ['a wide turned box alone', '<!doctype html><div style="rotate: 3deg; width: 1000px">x', {}, 71],
    [
      'pictures alone, in a box that they fit when it is shrunk',
      `<!doctype html><body style="margin: 0">${picture(1_000, 50)}<div style="width: 100%; overflow: hidden; white-space: nowrap">${picture(750, 50)}${picture(200, 50)}</div>`,
      {},
      72,
    ],
    [
      'a picture alone, with margins in a style sheet',
      `<link rel=stylesheet href="data:text/css,@page{margin:0}">${drawing(760)}`,
      {},
      undefined,
    ],
    ['a document that begins with a tiny element', '<!doctype html><p style="transform: scale(0.2)">x', {}, undefined],
    [
      'a document that begins with a large element',
      '<!doctype html><b style="display: inline-block; transform: scale(1.2)">x',
      {},
      undefined,
    ],
  ];

  test.each(SHRUNK)('%s', async (_what, document, options, percent) => {
    const { warnings } = await client.report({ html: document, options });
    const expected =
      percent === undefined ? [] : [{ kind: 'content_shrunk', percent, message: expect.stringContaining(`${percent} %`) }];
    expect(warnings).toMatchObject(expected);
  });

  test('failOnWarning', async () => {
    const options = { failOnWarning: ['content_shrunk'] };
    const refused = await problem(await client.pdf({ html: html(1_000), options }), 422, 'render_gate_failed');
    expect(refused).toMatchObject({ warnings: [{ kind: 'content_shrunk' }] });
  });
});

test('reports nothing for the reference documents of the visual tests', async () => {
  const folder = new URL('../visual/documents/', import.meta.url);
  for (const name of await readdir(folder)) {
    const { warnings } = await client.report({ html: await readFile(new URL(name, folder), 'utf8') });
    expect(warnings, name).toEqual([]);
  }
});
