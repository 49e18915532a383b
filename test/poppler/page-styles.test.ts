/** Margin boxes and backgrounds that are laid under pages, as poppler draws them: where no rule differs, as Chromium prints them itself, and pictures behind pages. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PrintedFiles, run } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);
const STYLES = `@page { margin: 20mm; background: #ffd; border: 2px solid #00f; @top-left { content: "top" }
    @bottom-right { content: counter(page) "/" counter(pages); background: #aaf } @left-middle { content: "L"; height: 30%; vertical-align: top } }
  @page :left { @top-center { content: "left" } } @page wide { size: A5 landscape; background: pink } html { font: 15px sans-serif }
  .next { break-before: page } .wide { page: wide }`;
const BODY = '<p>a<p class="next">b<p class="wide">c<p>d';

async function pixelsOf(html: string, options: object): Promise<Buffer> {
  const file = await files.render(`<!doctype html><html lang="en"><title>t</title>${html}`, options);
  await run('pdftoppm', ['-r', '72', file, `${file}.drawn`]);
  const drawn = await run('sh', ['-c', 'cat "$0".drawn-*.ppm > "$0".all', file]);
  expect(drawn.stderr).toBe('');
  return readFile(`${file}.all`);
}

test.each<[what: string, css: string, options: object]>([
  ['by default', '', {}],
  ['at another scale', '', { scale: 0.7 }],
  ['on other paper', '', { format: 'A5', margin: '5mm 30mm' }],
  ['of some pages', '', { pageRanges: '2-3' }],
  ['with a bleed', '@page { bleed: 5mm; marks: crop } .wide { page: auto }', {}],
  ['with tags', '', { tagged: true }],
  ['with a header and a footer', '', { headerTemplate: '<span>head</span>', footerTemplate: '<span>foot</span>' }],
  ['without backgrounds', '', { printBackground: false }],
  [
    'in layers',
    '@layer a, b; @layer b { @page { @top-right { content: "b" } } } @layer a { @page { @top-right { content: "a" } } }',
    {},
  ],
  ['with empty pages', '@page :blank { background: #cfc } .next { break-before: right }', {}],
  ['turned', '@page wide { page-orientation: rotate-left }', {}],
])('%s', async (_, css, options) => {
  const plain = await pixelsOf(`<style>${STYLES} ${css}</style>${BODY}`, options);
  const laid = await pixelsOf(`<style>${STYLES} ${css} @page :nth(99) { background: red }</style>${BODY}`, options);
  expect(laid.equals(plain)).toBe(true);
});

test.each<[what: string, body: string]>([
  ['text', `<h1>Title</h1>${'<p>The quick brown fox jumps over the lazy dog, and nobody knows why. </p>'.repeat(120)}`],
  ['one long paragraph', `<p>${'The quick brown fox jumps over the lazy dog. '.repeat(400)}</p>`],
  [
    'a table with a repeated head',
    `<table border="1"><thead><tr><th>No<th>Text</thead>${'<tr><td>1<td>Some text in a cell that is long'.repeat(120)}</table>`,
  ],
  [
    'floats, lists, columns and boxes',
    `${'<img style="float: left; width: 80px; height: 90px; background: red"><ul><li>one<li>two</ul><p>Text beside the box, of some length, again and again.</p><div style="columns: 2">First column, and a second one with text</div><div style="break-inside: avoid; border: 1px solid; padding: 30px">whole</div>'.repeat(15)}`,
  ],
  ['forced breaks and names', `${BODY}<p class="next">x<div class="wide">${'<p>y</p>'.repeat(60)}</div>`],
])('%s in areas that names give to pages is as in those of Chromium', async (_, body) => {
  const css = 'margin: 40mm 20mm 10mm 60mm';
  const known = await pixelsOf(`<style>${STYLES} @page :left { ${css} }</style>${body}`, {});
  const named = await pixelsOf(`<style>${STYLES} @page :nth(2), :nth(2n + 4) { ${css} }</style>${body}`, {});
  expect(named.equals(known)).toBe(true);
});

test('gradients behind pages are painted where pictures are, on all pages but those with another background', async () => {
  const page = (background: string) => `<style>@page { margin: 2cm; background: ${background} no-repeat, #eee }
    @page :first { background-size: 50% 4cm } @page :left { background: none }</style>${BODY}`;
  const stops =
    '<linearGradient id="g" x2="0" y2="1"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">${stops}<rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  const picture = await pixelsOf(page(`url("data:image/svg+xml,${encodeURIComponent(svg)}")`), {});
  const gradient = await pixelsOf(page('linear-gradient(rgb(calc(200 + 55) 0 0), blue)'), {});
  const differences = gradient.map((value, at) => Math.abs(value - (picture[at] ?? 0)));
  expect(gradient.length).toBe(picture.length);
  expect(differences.reduce((most, each) => Math.max(most, each))).toBeLessThan(3);
});

test('pictures behind pages are placed on each page, however long the document is', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="green"/></svg>';
  const page = (pictures: string) => `<!doctype html><style>@page { size: 400px 600px; margin: 20px; ${pictures} no-repeat }
    @page :first { margin-top: 120px } p { margin: 0 } .next { break-before: page }</style>${'<p class="next">page'.repeat(5)}`;
  const url = `url("data:image/svg+xml,${encodeURIComponent(svg)}")`;
  const placed = await pixelsOf(page(`background: ${url} right bottom`), {});
  const native = await pixelsOf(page(`background: ${url} 270px 500px`), {});
  const pagesOf = (all: Buffer) => [1, 2, 3, 4].map((n) => all.subarray((n * all.length) / 5, ((n + 1) * all.length) / 5));
  const [found, wanted] = [pagesOf(placed), pagesOf(native)];
  expect(found.map((each, n) => wanted[n] && each.equals(wanted[n]))).toEqual([true, true, true, true]);
  expect(found[0]?.includes(Buffer.from([0, 128, 0]))).toBe(true);
});
