/** Margin boxes, and the page numbers in them. */
import { type Area, feature, near, sameTexts } from './feature.ts';

const PAGE = 'https://www.w3.org/TR/css-page-3/';
const LISTS = 'https://www.w3.org/TR/css-lists-3/';
const NEXT = '<p class="next">';

/** The middle of each box on a page of 300 by 400 pixels whose margins are 50 pixels wide. */
const BOXES: Record<string, [x: number, y: number]> = {
  'top-left-corner': [25, 25],
  'top-left': [65, 25],
  'top-center': [150, 25],
  'top-right': [235, 25],
  'top-right-corner': [275, 25],
  'left-top': [25, 60],
  'left-middle': [25, 200],
  'left-bottom': [25, 340],
  'right-top': [275, 60],
  'right-middle': [275, 200],
  'right-bottom': [275, 340],
  'bottom-left-corner': [25, 375],
  'bottom-left': [65, 375],
  'bottom-center': [150, 375],
  'bottom-right': [235, 375],
  'bottom-right-corner': [275, 375],
};
const SQUARE =
  'url("data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 width=%2720%27 height=%2720%27%3E%3Crect width=%2720%27 height=%2720%27 fill=%27blue%27/%3E%3C/svg%3E")';

export const MARGIN_BOXES: Area = {
  name: 'Margin boxes',
  features: [
    feature({
      name: 'all sixteen margin boxes, at their places',
      spec: `${PAGE}#margin-at-rules`,
      css: `@page { ${Object.keys(BOXES)
        .map((name, index) => `@${name} { content: "B${String.fromCharCode(65 + index)}"; font: 10px sans-serif }`)
        .join(' ')} }`,
      body: 'text',
      check: (print) =>
        Object.values(BOXES).every(([x, y], index) => {
          const found = print.find(1, `B${String.fromCharCode(65 + index)}`);
          return near(found.x + found.width / 2, x, 20) && near(found.y, y, 12);
        }),
    }),
    feature({
      name: 'a single box in the middle is centred on the page',
      spec: `${PAGE}#margin-dimension`,
      css: '@page { margin: 50px 20px 50px 80px; @top-center { content: "middle" } }',
      body: 'text',
      check: (print) => near(print.find(1, 'middle').x + print.find(1, 'middle').width / 2, 180, 3),
    }),
    feature({
      name: 'boxes share their row by their content',
      spec: `${PAGE}#margin-dimension`,
      css: '@page { @bottom-left { content: "A long line of text"; font: 10px sans-serif; white-space: nowrap } @bottom-right { content: "end"; font: 10px sans-serif } }',
      body: 'text',
      pages: ['text A long line of text end'],
    }),
    feature({
      name: 'width, background and border of a margin box',
      spec: `${PAGE}#margin-dimension`,
      css: '@page { @top-left { content: ""; width: 100px; background: #0f0; border-bottom: 6px solid #f00 } }',
      body: 'text',
      check: async (print) => {
        const colours = await print.colours(1, [
          [55, 20],
          [144, 20],
          [156, 20],
          [100, 47],
        ]);
        return sameTexts(colours, ['#00ff00', '#00ff00', '#ffffff', '#ff0000']);
      },
    }),
    feature({
      name: 'alignment in a margin box',
      spec: `${PAGE}#margin-text-alignment`,
      css: '@page { @top-left { content: "end"; text-align: right; vertical-align: bottom; width: 100%; font: 10px sans-serif } }',
      body: 'text',
      check: (print) => {
        const { x, y, width } = print.find(1, 'end');
        return near(x + width, 250) && y > 40 && y < 50;
      },
    }),
    feature({
      name: 'font and colour of a margin box',
      spec: `${PAGE}#margin-at-rules`,
      css: '@page { @top-left { content: "\\2588\\2588"; font: 30px/1 monospace; color: #f00 } }',
      body: 'text',
      check: async (print) => (await print.colours(1, [[60, 26]]))[0] === '#ff0000' && near(print.find(1, '\u2588').size, 30, 1),
    }),
    feature({
      name: 'a picture in a margin box',
      spec: `${PAGE}#populating-margin-boxes`,
      css: `@page { @top-center { content: ${SQUARE} } }`,
      body: 'text',
      check: async (print) => (await print.colours(1, [[150, 25]]))[0] === '#0000ff',
    }),
    feature({
      name: 'lines in a margin box',
      spec: `${PAGE}#populating-margin-boxes`,
      css: '@page { @top-left { content: "one\\A two"; white-space: pre; font: 10px sans-serif } }',
      body: 'text',
      check: ({ pages: [page] }) => sameTexts(page?.lines ?? [], ['one', 'two', 'text']),
    }),
    feature({
      name: 'upright text in a box of the side: `writing-mode`',
      spec: `${PAGE}#margin-at-rules`,
      css: '@page { @left-middle { content: "sideways"; writing-mode: vertical-rl; font: 12px sans-serif } }',
      body: 'text',
      check: async (print) => {
        // A line of text is dark somewhere above and below the middle, and light at the sides.
        const column = Array.from({ length: 16 * 50 }, (_, index) => [17 + (index % 16), 175 + Math.floor(index / 16)] as const);
        const dark = (await print.colours(1, column)).flatMap((colour, index) =>
          colour < '#888888' ? [column[index]?.[1] ?? 0] : [],
        );
        return Math.max(...dark) - Math.min(...dark) > 35;
      },
    }),
    feature({
      name: 'no box on the first page: `content: none`',
      spec: `${PAGE}#populating-margin-boxes`,
      css: '@page { @top-left { content: "head" } } @page :first { @top-left { content: none } }',
      body: `<p>a</p>${NEXT}b`,
      pages: ['a', 'head b'],
    }),
  ],
};

const THREE = `<p>a</p>${NEXT}b${NEXT}c`;
const number = (content: string) => `@page { @top-left { content: ${content} } }`;

export const PAGE_NUMBERS: Area = {
  name: 'Page numbers',
  features: [
    feature({
      name: '`counter(page)` and `counter(pages)`',
      spec: `${PAGE}#page-based-counters`,
      css: number('counter(page) " of " counter(pages)'),
      body: THREE,
      pages: ['1 of 3 a', '2 of 3 b', '3 of 3 c'],
    }),
    feature({
      name: 'page numbers in another style',
      spec: `${PAGE}#page-based-counters`,
      css: number('counter(page, upper-roman) "/" counter(pages, lower-alpha)'),
      body: THREE,
      pages: ['I/c a', 'II/c b', 'III/c c'],
    }),
    feature({
      name: 'page numbers in a style of the document: `@counter-style`',
      spec: 'https://www.w3.org/TR/css-counter-styles-3/#the-counter-style-rule',
      css: `@counter-style stars { system: symbolic; symbols: "*" "+"; suffix: "" } ${number('counter(page, stars)')}`,
      body: THREE,
      pages: ['* a', '+ b', '** c'],
    }),
    feature({
      name: '`@page :first { counter-set: page 11 }`',
      spec: `${LISTS}#counter-set`,
      css: `${number('counter(page)')} @page :first { counter-set: page 11 }`,
      body: THREE,
      pages: ['11 a', '12 b', '13 c'],
    }),
    feature({
      name: '`@page :first { counter-reset: page 4 }`, before the number is increased',
      spec: `${PAGE}#page-based-counters`,
      css: `${number('counter(page)')} @page :first { counter-reset: page 4 }`,
      body: THREE,
      pages: ['5 a', '6 b', '7 c'],
    }),
    feature({
      name: '`@page { counter-increment: page 2 }`',
      spec: `${PAGE}#page-based-counters`,
      css: `${number('counter(page)')} @page { counter-increment: page 2 }`,
      body: THREE,
      pages: ['2 a', '4 b', '6 c'],
    }),
    feature({
      name: 'a counter of the document that pages increase',
      spec: `${PAGE}#page-based-counters`,
      css: `${number('counter(page) "-" counter(sheet)')} @page { counter-increment: sheet 3 }`,
      body: THREE,
      pages: ['1-3 a', '2-6 b', '3-9 c'],
    }),
    feature({
      name: 'an element begins the numbers again: `counter-reset: page 1`',
      spec: `${PAGE}#page-based-counters`,
      css: `${number('counter(page) " of " counter(pages)')} .main { counter-reset: page 1; break-before: page }`,
      body: `<p>a</p>${NEXT}b<div class="main">c</div>${NEXT}d`,
      pages: ['1 of 4 a', '2 of 4 b', '1 of 4 c', '2 of 4 d'],
    }),
    feature({
      name: 'an element sets the number: `counter-set: page 20`',
      spec: `${LISTS}#counter-set`,
      css: `${number('counter(page)')} .main { counter-set: page 20; break-before: page }`,
      body: `<p>a</p><div class="main">b</div>${NEXT}c`,
      pages: ['1 a', '20 b', '21 c'],
    }),
    feature({
      name: 'Roman numbers before, and decimal numbers after',
      spec: `${PAGE}#page-based-counters`,
      css: `${number('counter(page)')} @page front { @top-left { content: counter(page, lower-roman) } } .front { page: front } .main { counter-reset: page 1 }`,
      body: `<div class="front"><p>a</p>${NEXT}b</div><div class="main">c</div>`,
      pages: ['i a', 'ii b', '1 c'],
    }),
    feature({
      name: '`counter(page)` in the text',
      spec: `${PAGE}#page-based-counters`,
      css: 'p::after { content: " on " counter(page) }',
      body: `<p>a</p>${NEXT}b</p>`,
      pages: ['a on 1', 'b on 2'],
    }),
    feature({
      name: '`counter(pages)` in the text',
      spec: `${PAGE}#page-based-counters`,
      css: 'p::after { content: " of " counter(pages) }',
      body: `<p>a</p>${NEXT}b</p>`,
      pages: ['a of 2', 'b of 2'],
    }),
  ],
};
