/** Margin boxes and backgrounds that are laid under pages, as poppler draws them: where no rule differs, as Chromium prints them itself. */
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
