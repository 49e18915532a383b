/** The recipes of the guides to page breaks and letterheads do what the guides say, and give no warnings. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lines, text } from '../features/feature.ts';
import { Printed } from '../features/printed.ts';
import { Client } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';

const { url, key } = await sharedService();
const client = new Client(url, key);
const MILLIMETRE = 96 / 25.4;
const NEXT = '<p class="next">';
/** A page with 15 lines. */
const SMALL = `@page { size: 300px 400px; margin: 50px } body { margin: 0; font: 16px/20px sans-serif } h1, p, figure, td { margin: 0; padding: 0; font: inherit } table { border-spacing: 0 }`;
const LETTER = 'body { margin: 0 } .next { break-before: page }';

/** Prints a body with the style sheet under this heading of a guide. */
async function print(guide: string, heading: string, body: string, base: string): Promise<Printed> {
  const html = `<!DOCTYPE html><style>${base}</style><style>${recipe(guide, heading)}</style>${body}`;
  const { warnings } = await client.report({ html });
  expect(warnings).toEqual([]);
  return Printed.read(await client.rendered({ html }));
}

/** The first style sheet under a heading. */
function recipe(guide: string, heading: string): string {
  const [, section = ''] = readFileSync(`docs/guide/${guide}.md`, 'utf8').split(`\n## ${heading}\n`);
  const [, css] = /^```css\n(.*?)^```$/ms.exec(section.split('\n## ')[0] ?? '') ?? [];
  if (css === undefined) throw new Error(`${guide} has no style sheet under “${heading}”`);
  return css;
}

test.each<[heading: string, body: string, pages: string[]]>([
  ['Headings stay with their text', `${lines('a', 14)}<h1>head</h1>${lines('b', 1)}`, [text('a', 1, 14), 'head b1']],
  [
    'Headings stay with their text',
    `${lines('a', 13)}<p>${text('b', 1, 6).replaceAll(' ', '<br>')}</p>`,
    [text('a', 1, 13), text('b', 1, 6)],
  ],
  ['Headings stay with their text', `${lines('a', 14)}<figure>${lines('b', 2)}</figure>`, [text('a', 1, 14), text('b', 1, 2)]],
  ['Chapters', '<h1>one</h1><p>a</p><h1>two</h1><p class="cover">b</p><p>c</p>', ['one a', 'two b', 'c']],
  ['Chapters on right pages', '<p>a</p><h1>b</h1><h1>c</h1>', ['a 1', '', 'b 3', '', 'c 5']],
  [
    'Tables',
    `<table><thead><tr><td>head</td></tr></thead><tbody>${rows(13)}<tr><td>b<br>c</td></tr></tbody><tfoot><tr><td>foot</td></tr></tfoot></table>`,
    [`head ${text('a', 1, 13)}`, 'head b c foot'],
  ],
  ['Tables', `<table>${rows(15)}<tr class="sum"><td>sum</td></tr></table>`, [text('a', 1, 14), 'a15 sum']],
  ['Sections without an empty page at the end', '<section>a</section><section>b</section>', ['a', 'b']],
  ['Closed details', '<details><summary style="list-style: none">more</summary>inside</details>', ['more inside']],
])('page breaks, %s: %s', async (heading, body, pages) => {
  expect((await print('page-breaks', heading, body, SMALL)).texts).toEqual(pages);
});

test.each<[what: string, css: string, body: string, pages: number]>([
  ['inline boxes have no breaks', 'span { break-before: page }', 'a <span>b</span>', 1],
  ['items of a flex row have none', 'div { display: flex } p { break-before: page }', '<div><p>a</p><p>b</p></div>', 1],
  ['hidden overflow of the body', 'html, body { height: 100%; overflow: hidden }', lines('a', 40), 1],
  ['a break after each section', 'section { break-after: page }', '<section>a</section><section>b</section>', 2],
])('why a break is not where it should be: %s', async (_what, css, body, pages) => {
  const html = `<!DOCTYPE html><style>${SMALL} ${css}</style>${body}`;
  expect((await Printed.read(await client.rendered({ html }))).pages).toHaveLength(pages);
});

test('letterheads, more room on the first page', async () => {
  const printed = await print('letterheads', 'More room on the first page', `<p>a</p>${NEXT}b</p>`, LETTER);
  expect(printed.find(1, 'a').y - printed.find(2, 'b').y).toBeCloseTo(40 * MILLIMETRE, -1);
});

test('letterheads, the background of a page', async () => {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="210" height="297"><path fill="red" d="M0 0h210v20H0zm0 277h210v20H0z"/></svg>`;
  const html = `<!DOCTYPE html><style>${LETTER} ${recipe('letterheads', 'The background of a page')}</style><p>a</p>${NEXT}b</p>`;
  const assets = { 'letterhead.svg': { content: Buffer.from(picture).toString('base64'), type: 'image/svg+xml' } };
  const printed = await Printed.read(await client.rendered({ html, assets }));
  const places = [1, 15, 25, 272, 282, 296].map((y) => [2, y * MILLIMETRE] as const);
  expect(await printed.colours(1, places)).toEqual(['#ff0000', '#ff0000', '#fffdf5', '#fffdf5', '#ff0000', '#ff0000']);
  expect(new Set(await printed.colours(2, places))).toEqual(new Set(['#fffdf5']));
});

test.each<[heading: string, pages: string[]]>([
  ['A header on the first page only', ['Paper & Ink Ltd a', 'b Page 2 of 3', 'c Page 3 of 3']],
  ['A header on all pages but the first', ['a', 'Invoice 2026-117, page 2 b', 'Invoice 2026-117, page 3 c']],
  ['Another first number', ['a 11', 'b 12', 'c 13']],
])('letterheads, %s', async (heading, pages) => {
  expect((await print('letterheads', heading, `<p>a</p>${NEXT}b</p>${NEXT}c</p>`, LETTER)).texts).toEqual(pages);
});

function rows(count: number): string {
  return Array.from({ length: count }, (_, index) => `<tr><td>a${index + 1}</td></tr>`).join('');
}
