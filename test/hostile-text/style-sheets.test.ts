/** Style sheets in which many declarations are in blocks with long preludes: each is read with its blocks, but only so many are. */
import { expect, test } from 'vitest';
import { findLinkedStyles } from '../../src/chromium/load/html/linked-styles.ts';
import { readDeclarations } from '../../src/chromium/page-css/css-statements.ts';
import { translatePaged } from '../../src/chromium/page-css/paged-properties.ts';
import { printWindow } from '../../src/chromium/print/print-window.ts';
import { repeated } from './pieces.ts';

const LENGTH = 200_000;
const PRELUDES = ['@page a,', '@page :nth(3),', '::footnote-call,', '@media print{a ', 'a{'];

test.each(PRELUDES)('as many blocks are read again as the sheet is long: %s', (prelude) => {
  const css = `${repeated(prelude, LENGTH)}x{${repeated('a:b;', LENGTH)}}`;
  const enclosing = Array.from(readDeclarations(css), ({ within }) => within.join('').length);
  expect(enclosing.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4 * css.length + LENGTH);
});

test('a sheet in which they are as usual is read to its end', () => {
  const css = repeated('@media print { .card > .title, .card > .text { color: red; margin: 0 } }\n', LENGTH);
  expect([...readDeclarations(`${css} p { --last: 1 }`)].at(-1)).toMatchObject({ property: '--last', within: ['p'] });
});

test('the selectors of pages are repeated for a limited number of declarations', () => {
  const pages = Array.from({ length: 1_000 }, (_, n) => `:nth(n+${n})`).join();
  const sheet = `@page ${pages} { @top-left { ${repeated('color:red;content:string(a);', 10_000)} } }`;
  const { rules, numbered } = translatePaged(Array(100).fill(sheet), () => false);
  expect(numbered.size).toBeLessThanOrEqual(100);
  expect(rules.flat().length).toBeLessThanOrEqual(10_001);
});

test('the size of the window is found in the first style sheets of a document', () => {
  const margin = { top: 0, right: 0, bottom: 0, left: 0 };
  const chosen = { paperChosenBy: 'document', marginChosenBy: 'document', margin, scale: 1 };
  const settings = { ...chosen, paper: { widthInches: 8, heightInches: 11 } } as Parameters<typeof printWindow>[0];
  const size = (inches: number, length = 0) =>
    `<style>@page { ${repeated('color: red;', length)} size: ${inches}in 5in }</style>`;
  const widthOf = (html: string) => printWindow(settings, html, { linked: [], added: [] }).width;
  expect(widthOf(size(3) + size(4))).toBe(4 * 96);
  expect(widthOf(size(3) + size(4, 1_000_000) + size(5))).toBe(3 * 96);
});

test('a style sheet that is linked often is read once', () => {
  const assets = new Map([['a.css', { type: 'text/css', content: Buffer.from('p {}') }]]);
  const html = repeated('<link rel=stylesheet href=a.css>', LENGTH);
  expect(findLinkedStyles({ kind: 'html', html, assets } as unknown as Parameters<typeof findLinkedStyles>[0])).toEqual(['p {}']);
});
