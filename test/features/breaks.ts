/** Where pages end: breaks, lines that stay together, boxes and tables that go on. */
import { type Area, feature, lines, near, sameTexts, text } from './feature.ts';
import type { Printed } from './printed.ts';

const BREAK = 'https://www.w3.org/TR/css-break-3/';
const TABLES = 'https://www.w3.org/TR/css-tables-3/';
const NEXT = '<p class="next">';

const sided = (value: string, pages: string[]) =>
  feature({
    name: `\`break-before: ${value}\`, with an empty page if it must be`,
    spec: `${BREAK}#break-between`,
    css: `h1 { break-before: ${value} }`,
    body: '<p>a</p><h1>b</h1><h1>c</h1>',
    pages,
  });

export const BREAKS: Area = {
  name: 'Breaks',
  features: [
    feature({
      name: '`break-before: page`',
      spec: `${BREAK}#break-between`,
      css: 'h1 { break-before: page }',
      body: '<p>a</p><h1>b</h1><p>c</p><h1>d</h1>',
      pages: ['a', 'b c', 'd'],
    }),
    feature({
      name: '`break-after: page`',
      spec: `${BREAK}#break-between`,
      css: '.cover { break-after: page }',
      body: '<p class="cover">a</p><p>b</p><p>c</p>',
      pages: ['a', 'b c'],
    }),
    feature({
      name: '`page-break-before: always`, the older name',
      spec: `${BREAK}#page-break-properties`,
      css: 'h1 { page-break-before: always } p { page-break-inside: avoid }',
      body: `<p>a</p><h1>b</h1>${lines('c', 13)}<p>d<br>e</p>`,
      pages: ['a', `b ${text('c', 1, 13)}`, 'd e'],
    }),
    feature({
      name: 'a break inside of the first child of a box',
      spec: `${BREAK}#break-propagation`,
      css: 'h1 { break-before: page } section { border-top: 10px solid #f00 }',
      body: '<p>a</p><section><h1>b</h1></section>',
      check: async (print) => {
        const [first, second] = [await print.colours(1, [[150, 75]]), await print.colours(2, [[150, 55]])];
        return sameTexts(print.texts, ['a', 'b']) && first[0] === '#ffffff' && second[0] === '#ff0000';
      },
    }),
    sided('right', ['a', '', 'b', '', 'c']),
    sided('left', ['a', 'b', '', 'c']),
    sided('recto', ['a', '', 'b', '', 'c']),
    sided('verso', ['a', 'b', '', 'c']),
    feature({
      name: '`break-after: right`',
      spec: `${BREAK}#break-between`,
      css: 'p { break-after: right }',
      body: '<p>a</p><div>b</div>',
      pages: ['a', '', 'b'],
    }),
    feature({
      name: '`break-inside: avoid`',
      spec: `${BREAK}#break-within`,
      css: 'div { break-inside: avoid }',
      body: `${lines('a', 12)}<div>${lines('b', 5)}</div>`,
      pages: [text('a', 1, 12), text('b', 1, 5)],
    }),
    feature({
      name: '`break-inside: avoid` for a box that is higher than the page',
      spec: `${BREAK}#unforced-breaks`,
      css: 'div { break-inside: avoid }',
      body: `<div>${lines('b', 20)}</div><p>c</p>`,
      pages: [text('b', 1, 15), `${text('b', 16, 20)} c`],
    }),
    feature({
      name: 'a heading stays with its text: `break-after: avoid`',
      spec: `${BREAK}#break-between`,
      css: 'h1 { break-after: avoid }',
      body: `${lines('a', 14)}<h1>head</h1>${lines('b', 2)}`,
      pages: [text('a', 1, 14), 'head b1 b2'],
    }),
    feature({
      name: '`break-before: avoid`',
      spec: `${BREAK}#break-between`,
      css: '.sum { break-before: avoid }',
      body: `${lines('a', 15)}<p class="sum">sum</p>`,
      pages: [text('a', 1, 14), 'a15 sum'],
    }),
    feature({
      name: '`widows`: lines at the top of the next page',
      spec: `${BREAK}#widows-orphans`,
      css: 'p { widows: 3 }',
      body: `${lines('a', 10)}<p>${Array.from({ length: 6 }, (_, index) => `b${index + 1}`).join('<br>')}</p>`,
      pages: [`${text('a', 1, 10)} ${text('b', 1, 3)}`, text('b', 4, 6)],
    }),
    feature({
      name: '`orphans`: lines at the bottom of the page',
      spec: `${BREAK}#widows-orphans`,
      css: 'p { orphans: 3 }',
      body: `${lines('a', 13)}<p>${Array.from({ length: 6 }, (_, index) => `b${index + 1}`).join('<br>')}</p>`,
      pages: [text('a', 1, 13), text('b', 1, 6)],
    }),
    feature({
      name: 'a paragraph with fewer lines than `orphans` and `widows` together stays whole',
      spec: `${BREAK}#widows-orphans`,
      css: 'p { orphans: 3; widows: 3 }',
      body: `${lines('a', 12)}<p>${Array.from({ length: 5 }, (_, index) => `b${index + 1}`).join('<br>')}</p>`,
      pages: [text('a', 1, 12), text('b', 1, 5)],
    }),
    feature({
      name: 'a margin ends at a break, but not after a forced one',
      spec: `${BREAK}#break-margins`,
      css: '.low { margin-top: 60px }',
      body: `${lines('a', 15)}<p class="low">b</p><p class="low next">c</p>`,
      check: (print) =>
        sameTexts(print.texts, [text('a', 1, 15), 'b', 'c']) && near(print.find(3, 'c').y - print.find(2, 'b').y, 60),
    }),
    feature({
      name: '`box-decoration-break: clone`',
      spec: `${BREAK}#break-decoration`,
      css: 'div { border: 10px solid #f00; box-decoration-break: clone; -webkit-box-decoration-break: clone }',
      body: `<div>${lines('a', 20)}</div>`,
      check: async (print) =>
        sameTexts(print.texts, [text('a', 1, 14), text('a', 15, 20)]) && (await edges(print)) === 'top bottom, top bottom',
    }),
    feature({
      name: '`box-decoration-break: slice`',
      spec: `${BREAK}#break-decoration`,
      css: 'div { border: 10px solid #f00 }',
      body: `<div>${lines('a', 16)}</div>`,
      check: async (print) => print.pages.length === 2 && (await edges(print)) === 'top, bottom',
    }),
    feature({
      name: 'pages of a flex container',
      spec: 'https://www.w3.org/TR/css-flexbox-1/#pagination',
      css: 'div { display: flex; flex-direction: column } p { break-inside: avoid; flex: none }',
      body: `<div>${lines('a', 13)}<p>b<br>c<br>d</p><p>e</p></div>`,
      pages: [text('a', 1, 13), 'b c d e'],
    }),
    feature({
      name: 'pages of a grid',
      spec: 'https://www.w3.org/TR/css-grid-1/#pagination',
      css: 'div { display: grid; grid-template-columns: 1fr 1fr } p { break-inside: avoid }',
      body: `<div>${lines('a', 26)}<p>b<br>c<br>d</p><p>e</p></div>`,
      pages: [text('a', 1, 26), 'b e c d'],
    }),
    feature({
      name: 'columns over several pages',
      spec: 'https://www.w3.org/TR/css-multicol-1/#pagination-and-overflow-outside-multicol',
      css: 'div { columns: 2; column-gap: 0; column-fill: auto }',
      body: `<div>${lines('a', 36)}</div>`,
      check: (print) =>
        print.pages.length === 2 && near(print.find(1, 'a16').x, 150) && near(print.find(2, 'a31').y, print.find(1, 'a16').y),
    }),
    feature({
      name: 'what is fixed is on each page',
      spec: 'https://www.w3.org/TR/css-position-3/#fixed-position',
      css: 'div { position: fixed; top: 280px; left: 0 }',
      body: `<div>fixed</div><p>a</p>${NEXT}b</p>${NEXT}c</p>`,
      pages: ['a fixed', 'b fixed', 'c fixed'],
    }),
    feature({
      name: 'a float that is higher than the page goes on beside the text',
      spec: `${BREAK}#parallel-flows`,
      css: 'div { float: left; width: 100px }',
      body: `<div>${lines('f', 18)}</div>${lines('a', 17)}`,
      check: (print) =>
        print.pages.length === 2 &&
        near(print.find(2, 'f16').x, 50) &&
        near(print.find(2, 'a16').x, 150) &&
        near(print.find(2, 'f16').y, print.find(2, 'a16').y),
    }),
    feature({
      name: 'a figure at the bottom of the page: `float: bottom`',
      spec: 'https://www.w3.org/TR/css-page-floats-3/#float-property',
      css: 'div { float: bottom; float-reference: page; width: 100%; height: 40px }',
      body: `<p>a</p><div>figure</div><p>b</p>`,
      check: (print) => sameTexts(print.texts, ['a b figure']) && print.find(1, 'figure').y > 320,
    }),
  ],
};

/** Which edges of the red box each of two pages shows. */
async function edges(print: Printed): Promise<string> {
  const shown = [1, 2].map(async (page) => {
    const last = Math.max(...(print.pages[page - 1]?.texts ?? []).map(({ y }) => y));
    const [top, bottom] = await print.colours(page, [
      [150, 55],
      [150, last + 11],
    ]);
    return [top === '#ff0000' && 'top', bottom === '#ff0000' && 'bottom'].filter(Boolean).join(' ');
  });
  return (await Promise.all(shown)).join(', ');
}

const rows = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `<tr><td>${word}${index + 1}</td></tr>`).join('');
const table = (more = '') =>
  `<table>${more}<thead><tr><td>head</td></tr></thead><tfoot><tr><td>foot</td></tr></tfoot><tbody>${rows('a', 20)}</tbody></table>`;

export const TABLE_BREAKS: Area = {
  name: 'Tables',
  features: [
    feature({
      name: '`thead` and `tfoot` are repeated',
      spec: `${TABLES}#repeated-headers`,
      css: '',
      body: table(),
      pages: [`head ${text('a', 1, 13)} foot`, `head ${text('a', 14, 20)} foot`],
    }),
    feature({
      name: '`tfoot { display: table-row-group }`: once, at the end',
      spec: `${TABLES}#repeated-headers`,
      css: 'tfoot { display: table-row-group }',
      body: table().replace(/(<tfoot>.*<\/tfoot>)(<tbody>.*<\/tbody>)/, '$2$1'),
      pages: [`head ${text('a', 1, 14)}`, `head ${text('a', 15, 20)} foot`],
    }),
    feature({
      name: '`thead { display: table-row-group }`: once, at the start',
      spec: `${TABLES}#repeated-headers`,
      css: 'thead { display: table-row-group }',
      body: table(),
      pages: [`head ${text('a', 1, 13)} foot`, `${text('a', 14, 20)} foot`],
    }),
    feature({
      name: 'a caption is not repeated',
      spec: `${TABLES}#repeated-headers`,
      css: '',
      body: table('<caption>title</caption>'),
      pages: [`title head ${text('a', 1, 12)} foot`, `head ${text('a', 13, 20)} foot`],
    }),
    feature({
      name: 'rows that are not divided: `tr { break-inside: avoid }`',
      spec: `${BREAK}#break-within`,
      css: 'tr { break-inside: avoid }',
      body: `<table>${rows('a', 14)}<tr><td>b<br>c</td></tr></table>`,
      pages: [text('a', 1, 14), 'b c'],
    }),
    feature({
      name: 'a long row is divided, with all its cells',
      spec: `${BREAK}#parallel-flows`,
      css: 'td { vertical-align: top; width: 90px }',
      body: `<table>${rows('a', 13)}<tr><td>b<br>c<br>d<br>e</td></tr></table>`,
      pages: [`${text('a', 1, 13)} b c`, 'd e'],
    }),
    feature({
      name: 'a break before a row',
      spec: `${BREAK}#break-between`,
      css: '.new { break-before: page }',
      body: '<table><thead><tr><td>head</td></tr></thead><tr><td>a</td></tr><tr class="new"><td>b</td></tr></table>',
      pages: ['head a', 'head b'],
    }),
    feature({
      name: 'row groups that stay together',
      spec: `${BREAK}#break-within`,
      css: 'tbody { break-inside: avoid }',
      body: `<table><tbody>${rows('a', 13)}</tbody><tbody>${rows('b', 4)}</tbody></table>`,
      pages: [text('a', 1, 13), text('b', 1, 4)],
    }),
    feature({
      name: 'a cell over several rows goes on',
      spec: `${TABLES}#fragmentation`,
      css: 'td { vertical-align: top } .long { width: 50px }',
      body: `<table>${rows('a', 13)}<tr><td rowspan="4" class="long">b<br>c<br>d<br>e</td><td>f1</td></tr><tr><td>f2</td></tr><tr><td>f3</td></tr><tr><td>f4</td></tr></table>`,
      check: ({ texts: [first = '', second = '', ...more] }) =>
        !more.length && /^a1 .* a13 b f1 c(?: f2)?$/.test(first) && /^d (?:f2 )?(?:f3 )?e (?:f3 )?f4$/.test(second),
    }),
  ],
};
