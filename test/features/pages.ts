/** Sizes, margins and backgrounds of pages, and which pages a rule selects. */
import { type Area, feature, lines, near, sameTexts, text } from './feature.ts';
import type { PageBox, Printed } from './printed.ts';

const PAGE = 'https://www.w3.org/TR/css-page-3/';
const GCPM = 'https://www.w3.org/TR/css-gcpm-3/';
const MILLIMETRE = 96 / 25.4;
const NEXT = '<p class="next">';

function hasSizes({ pages }: Printed, ...sizes: Array<[width: number, height: number]>): boolean {
  return (
    pages.length === sizes.length &&
    sizes.every(([width, height], index) => near(pages[index]?.width ?? 0, width) && near(pages[index]?.height ?? 0, height))
  );
}

/** Whether the page is as large as the sheet of other documents, in points. */
function isTrimmed({ left, bottom, right, top }: PageBox): boolean {
  return near(right - left, 225, 0.1) && near(top - bottom, 300, 0.1);
}

const inMillimetres = (...sizes: number[]) => sizes.map((size) => size * MILLIMETRE) as [number, number];

export const SIZES: Area = {
  name: 'Size, margins and background of pages',
  features: [
    feature({
      name: 'a size in lengths',
      spec: `${PAGE}#page-size-prop`,
      css: '@page { size: 410px 260px }',
      body: 'text',
      check: (print) => hasSizes(print, [410, 260]),
    }),
    feature({
      name: 'a size by name',
      spec: `${PAGE}#page-size-prop`,
      css: '@page { size: A5 }',
      body: 'text',
      check: (print) => hasSizes(print, inMillimetres(148, 210)),
    }),
    feature({
      name: 'a size by name, landscape',
      spec: `${PAGE}#page-size-prop`,
      css: '@page { size: A5 landscape }',
      body: 'text',
      check: (print) => hasSizes(print, inMillimetres(210, 148)),
    }),
    feature({
      name: 'landscape without a size',
      spec: `${PAGE}#page-size-prop`,
      css: '@page { size: landscape }',
      body: 'text',
      check: ({ pages: [page, ...more] }) => !more.length && !!page && page.width > page.height && page.height > 700,
    }),
    feature({
      name: 'a page as high as its content: `size: 300px auto`',
      spec: `${PAGE}#page-size-prop`,
      css: '@page { size: 300px auto; margin: 50px }',
      body: lines('a', 40),
      check: (print) => hasSizes(print, [300, 900]) && sameTexts(print.texts, [text('a', 1, 40)]),
    }),
    feature({
      name: 'pages of different sizes in one document',
      spec: `${PAGE}#using-named-pages`,
      css: '@page wide { size: 500px 200px } .wide { page: wide }',
      body: `<p>a</p><p class="wide">b</p>${NEXT}c</p>`,
      check: (print) => hasSizes(print, [300, 400], [500, 200], [300, 400]) && sameTexts(print.texts, ['a', 'b', 'c']),
    }),
    feature({
      name: 'margins of each side',
      spec: `${PAGE}#page-model`,
      css: '@page { margin: 20px 30px 60px 80px } p.end { text-align: right }',
      body: `<p class="end">right</p>${lines('a', 17)}`,
      check: (print) =>
        near(print.find(1, 'a1').x, 80) &&
        near(print.find(1, 'a1').y, 20 + 20 + 16, 3) &&
        near(print.find(1, 'right').x + print.find(1, 'right').width, 270) &&
        sameTexts(print.texts, [`right ${text('a', 1, 15)}`, 'a16 a17']),
    }),
    feature({
      name: 'margins in percent, of the width and the height',
      spec: `${PAGE}#page-model`,
      css: '@page { size: 300px 600px; margin: 10% }',
      body: 'text',
      check: (print) => near(print.find(1, 'text').x, 30) && near(print.find(1, 'text').y, 60 + 16, 4),
    }),
    feature({
      name: 'border and padding of the page',
      spec: `${PAGE}#page-model`,
      css: '@page { border: 6px solid #f00; padding: 14px }',
      body: 'text',
      check: async (print) => {
        const [border, padding] = await print.colours(1, [
          [53, 200],
          [62, 200],
        ]);
        return border === '#ff0000' && padding === '#ffffff' && near(print.find(1, 'text').x, 70);
      },
    }),
    feature({
      name: 'a background of the page, with its margins',
      spec: `${PAGE}#painting`,
      css: '@page { background: #0f0 }',
      body: `<p>a</p>${NEXT}b`,
      check: async (print) => {
        const places = [
          [3, 3],
          [150, 200],
          [297, 397],
        ] as const;
        return [...(await print.colours(1, places)), ...(await print.colours(2, places))].every((colour) => colour === '#00ff00');
      },
    }),
    feature({
      name: 'a picture as background of the first page, placed in the area of its content',
      spec: `${PAGE}#painting`,
      css: '@page :first { background: url("data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 width=%2720%27 height=%2720%27%3E%3Crect width=%2720%27 height=%2720%27 fill=%27blue%27/%3E%3C/svg%3E") no-repeat right 10px top 10px }',
      body: `<p>a</p>${NEXT}b`,
      check: async (print) => {
        const places = [
          [230, 70],
          [280, 20],
        ] as const;
        const [first, second] = [await print.colours(1, places), await print.colours(2, places)];
        return sameTexts([...first, ...second], ['#0000ff', '#ffffff', '#ffffff', '#ffffff']);
      },
    }),
    feature({
      name: 'turned pages: `page-orientation`',
      spec: `${PAGE}#page-orientation-prop`,
      css: '@page wide { page-orientation: rotate-left } .wide { page: wide }',
      body: '<p>a</p><p class="wide">b</p>',
      check: (print) => hasSizes(print, [300, 400], [400, 300]) && print.find(2, 'b').y > 200,
    }),
    feature({
      name: '`bleed`: a larger sheet, with a box for the trimmed page',
      spec: `${PAGE}#bleed`,
      css: '@page { bleed: 12px; background: #0f0 }',
      body: 'text',
      check: async (print) => {
        const { bleed, trim } = await print.boxes(1);
        return (
          isTrimmed(trim) &&
          [trim.left - bleed.left, bleed.right - trim.right, bleed.top - trim.top].every((each) => near(each, 9, 0.1))
        );
      },
    }),
    feature({
      name: '`marks: crop` outside of the trimmed page',
      spec: `${PAGE}#marks`,
      css: '@page { marks: crop; bleed: 8px }',
      body: 'text',
      check: async (print) => {
        const { media, trim } = await print.boxes(1);
        const [left, top] = [trim.left - media.left, media.top - trim.top].map((points) => (points * 96) / 72) as [
          number,
          number,
        ];
        if (!isTrimmed(trim) || top < 8) return false;
        const above = Array.from({ length: Math.floor(top) }, (_, y) => [-1, 0, 1].map((beside) => [left + beside, y] as const));
        return (await print.colours(1, above.flat())).some((colour) => colour < '#aaaaaa');
      },
    }),
  ],
};

const named = (css: string) => `@page { @top-left { content: "plain" } } ${css}`;

export const SELECTORS: Area = {
  name: 'Selecting pages',
  features: [
    feature({
      name: '`@page :first`',
      spec: `${PAGE}#first-pseudo`,
      css: '@page { margin-left: 20px } @page :first { margin-left: 90px; margin-top: 310px }',
      body: lines('a', 4),
      check: (print) =>
        sameTexts(print.texts, ['a1 a2', 'a3 a4']) && near(print.find(1, 'a1').x, 90) && near(print.find(2, 'a3').x, 20),
    }),
    feature({
      name: '`@page :left` and `:right`',
      spec: `${PAGE}#spread-pseudos`,
      css: '@page :left { margin-left: 20px } @page :right { margin-left: 90px }',
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      check: (print) =>
        near(print.find(1, 'a').x, 90) &&
        near(print.find(2, 'b').x, 20) &&
        near(print.find(3, 'c').x, 90) &&
        print.pages.length === 3,
    }),
    feature({
      name: '`:first` is stronger than `:right`',
      spec: `${PAGE}#cascading-and-page-context`,
      css: '@page :first { @top-left { content: "first" } } @page :right { @top-left { content: "right" } } @page { @top-left { content: "any" } }',
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      pages: ['first a', 'any b', 'right c'],
    }),
    feature({
      name: 'two pseudo-classes: `@page :first:right`',
      spec: `${PAGE}#page-selectors`,
      css: named('@page :first:right { @top-left { content: "both" } } @page :first:left { @top-left { content: "wrong" } }'),
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      pages: ['both a', 'plain b', 'plain c'],
    }),
    feature({
      name: 'a list of selectors: `@page :first, :left`',
      spec: `${PAGE}#page-selectors`,
      css: named('@page :first, :left { @top-left { content: "chosen" } }'),
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      pages: ['chosen a', 'chosen b', 'plain c'],
    }),
    feature({
      name: 'the first page of a document from right to left is on the left',
      spec: `${PAGE}#progression`,
      css: 'html { direction: rtl } @page :left { @top-left { content: "left" } } @page :right { @top-left { content: "right" } }',
      body: `<p>a</p>${NEXT}b`,
      pages: ['left a', 'right b'],
    }),
    feature({
      name: '`@page :blank`',
      spec: `${PAGE}#blank-pseudo`,
      css: named('@page :blank { @top-left { content: "blank" } } h1 { break-before: right }'),
      body: '<p>a</p><h1>b</h1><h1>c</h1>',
      pages: ['plain a', 'blank', 'plain b', 'blank', 'plain c'],
    }),
    feature({
      name: '`@page :nth(even)`',
      spec: `${GCPM}#document-page-selectors`,
      css: named('@page :nth(even) { @top-left { content: "even" } }'),
      body: `<p>a</p>${NEXT}b</p>${NEXT}c</p>${NEXT}d</p>`,
      pages: ['plain a', 'even b', 'plain c', 'even d'],
    }),
    feature({
      name: '`@page :nth(2)`',
      spec: `${GCPM}#document-page-selectors`,
      css: named('@page :nth(2) { @top-left { content: "second" } }'),
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      pages: ['plain a', 'second b', 'plain c'],
    }),
    feature({
      name: '`@page :nth(3n + 1)`',
      spec: `${GCPM}#document-page-selectors`,
      css: named('@page :nth(3n + 1) { @top-left { content: "chosen" } }'),
      body: `<p>a</p>${NEXT}b${NEXT}c${NEXT}d`,
      pages: ['chosen a', 'plain b', 'plain c', 'chosen d'],
    }),
    feature({
      name: '`@page :nth(2 of chapter)`, in a group of pages',
      spec: `${GCPM}#document-page-selectors`,
      css: named('@page :nth(2 of chapter) { @top-left { content: "second" } } .chapter { page: chapter }'),
      body: `<p>a</p><div class="chapter"><p>b</p>${NEXT}c${NEXT}d</div>${NEXT}e</p>`,
      pages: ['plain a', 'plain b', 'second c', 'plain d', 'plain e'],
    }),
    feature({
      name: '`@page :nth(1 of chapter)` is stronger than `@page chapter`',
      spec: `${GCPM}#document-page-selectors`,
      css: named(
        '@page :nth(1 of chapter) { @top-left { content: "begins" } } @page chapter { @top-left { content: "goes on" } } .chapter { page: chapter }',
      ),
      body: `<p>a</p><div class="chapter"><p>b</p>${NEXT}c</p></div>`,
      pages: ['plain a', 'begins b', 'goes on c'],
    }),
    feature({
      name: '`@page chapter:first`: the first page of each group of pages',
      spec: `${GCPM}#document-page-selectors`,
      css: named('@page chapter:first { @top-left { content: "begins" } } .chapter { page: chapter; break-before: page }'),
      body: `<div class="chapter"><p>a</p>${NEXT}b</p></div>${NEXT}c</p><div class="chapter"><p>d</p></div><div class="chapter"><p>e</p></div>`,
      pages: ['begins a', 'plain b', 'plain c', 'begins d', 'begins e'],
    }),
    feature({
      name: 'a background of `@page :nth(2)`',
      spec: `${GCPM}#document-page-selectors`,
      css: '@page :nth(2) { background: #0f0 }',
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      check: async (print) => {
        const colours = [await print.colours(1, [[3, 3]]), await print.colours(2, [[3, 3]]), await print.colours(3, [[3, 3]])];
        return sameTexts(colours.flat(), ['#ffffff', '#00ff00', '#ffffff']);
      },
    }),
    feature({
      name: 'a margin of `@page :nth(2)`',
      spec: `${GCPM}#document-page-selectors`,
      css: '@page :nth(2) { margin-left: 90px }',
      body: `<p>a</p>${NEXT}b${NEXT}c`,
      check: (print) => near(print.find(1, 'a').x, 50) && near(print.find(2, 'b').x, 90) && near(print.find(3, 'c').x, 50),
    }),
    feature({
      name: 'a size and margins of `@page :nth(2)`, within a text',
      spec: `${GCPM}#document-page-selectors`,
      css: '@page :nth(2) { size: 400px 300px; margin: 50px 50px 50px 90px }',
      body: lines('a', 40),
      check: (print) =>
        hasSizes(print, [300, 400], [400, 300], [300, 400]) &&
        sameTexts(print.texts, [text('a', 1, 15), text('a', 16, 25), text('a', 26, 40)]) &&
        near(print.find(2, 'a16').x, 90) &&
        near(print.find(3, 'a26').x, 50),
    }),
    feature({
      name: 'a margin of `@page chapter:first`, at the beginning of each chapter',
      spec: `${GCPM}#document-page-selectors`,
      css: '@page chapter:first { margin-top: 250px } .chapter { page: chapter; break-before: page }',
      body: `<p>x</p><div class="chapter">${lines('a', 10)}</div><div class="chapter">${lines('b', 10)}</div>`,
      pages: ['x', text('a', 1, 5), text('a', 6, 10), text('b', 1, 5), text('b', 6, 10)],
    }),
    feature({
      name: 'named pages, with a break before and after them',
      spec: `${PAGE}#using-named-pages`,
      css: named('@page note { @top-left { content: "note" } } .note { page: note }'),
      body: '<p>a</p><p class="note">b</p><p class="note">c</p><p>d</p>',
      pages: ['plain a', 'note b c', 'plain d'],
    }),
    feature({
      name: 'named pages inside of named pages',
      spec: `${PAGE}#using-named-pages`,
      css: named(
        '@page outer { @top-left { content: "outer" } } @page inner { @top-left { content: "inner" } } .outer { page: outer } .inner { page: inner }',
      ),
      body: '<div class="outer"><p>a</p><p class="inner">b</p><p>c</p></div><p>d</p>',
      pages: ['outer a', 'inner b', 'outer c', 'plain d'],
    }),
    feature({
      name: '`@page note:left`',
      spec: `${PAGE}#page-selectors`,
      css: named('@page note:left { @top-left { content: "note, left" } } .note { page: note }'),
      body: `<p>a</p><div class="note"><p>b</p>${NEXT}c</div>`,
      pages: ['plain a', 'note, left b', 'plain c'],
    }),
    feature({
      name: '`@page` inside of `@media print`',
      spec: `${PAGE}#at-page-rule`,
      css: named(
        '@media print { @page { @top-left { content: "print" } } } @media screen { @page { @top-left { content: "screen" } } }',
      ),
      body: 'a',
      pages: ['print a'],
    }),
  ],
};
