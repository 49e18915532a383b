/** Content that comes from elsewhere in the document: named strings, running elements, references, leaders, bookmarks. */
import type { Bookmark } from '../support/read-bookmarks.ts';
import { type Area, feature, near } from './feature.ts';
import type { Printed } from './printed.ts';

const GCPM = 'https://www.w3.org/TR/css-gcpm-3/';
const CONTENT = 'https://www.w3.org/TR/css-content-3/';
const NEXT = '<p class="next">';

/** A page with two titles, one that begins with none, one that begins with a title, and one without any. */
const TITLES = `<h1>One</h1><h1>Two</h1>${NEXT}x</p><h1>Three</h1><h1 class="next">Four</h1>${NEXT}y</p>`;
const stringAt = (position: string) =>
  `@page { @top-left { content: string(title${position}) } } h1 { string-set: title content(text) }`;
const head = '@page { @top-left { content: string(s) } }';

const positions: Array<[name: string, position: string, shown: [string, string, string, string]]> = [
  ['`string()`: the first of the page', '', ['One', 'Three', 'Four', 'Four']],
  ['`string(…, start)`: the one at the top of the page', ', start', ['One', 'Two', 'Four', 'Four']],
  ['`string(…, last)`', ', last', ['Two', 'Three', 'Four', 'Four']],
  ['`string(…, first-except)`: none where it is set', ', first-except', ['', '', '', 'Four']],
];

export const STRINGS: Area = {
  name: 'Named strings',
  features: [
    ...positions.map(([name, position, [first, second, third, fourth]]) =>
      feature({
        name,
        spec: `${GCPM}#using-named-strings`,
        css: stringAt(position),
        body: TITLES,
        pages: [`${first} One Two`, `${second} x Three`, `${third} Four`, `${fourth} y`].map((shown) => shown.trim()),
      }),
    ),
    feature({
      name: '`content(before)` and `content(after)`',
      spec: `${CONTENT}#content-function`,
      css: '@page { @top-left { content: string(s) } } h1::before { content: "Part:" } h1::after { content: "!" } h1 { string-set: s content(after) content(before) content() }',
      body: '<h1>Ink</h1>',
      pages: ['!Part:Ink Part:Ink!'],
    }),
    feature({
      name: '`content(first-letter)`, as in dictionaries',
      spec: `${CONTENT}#content-function`,
      css: '@page { @top-left { content: string(from) "-" string(to, last) } } h1 { string-set: from content(first-letter), to content(first-letter) }',
      body: `<h1>Apple</h1><h1>Quince</h1>${NEXT}</p><h1>Rice</h1><h1>Salt</h1>`,
      pages: ['A-Q Apple Quince', 'R-S Rice Salt'],
    }),
    feature({
      name: 'a string of an attribute',
      spec: `${GCPM}#setting-named-strings-the-string-set-pro`,
      css: `${head} h1 { string-set: s attr(title) }`,
      body: '<h1 title="Short">A long title</h1>',
      pages: ['Short A long title'],
    }),
    feature({
      name: 'a string of counters',
      spec: `${GCPM}#setting-named-strings-the-string-set-pro`,
      css: `${head} h1 { counter-increment: part; string-set: s "Part " counter(part, upper-roman); break-before: page }`,
      body: `<h1>a</h1><h1>b</h1>${NEXT}c</p>`,
      pages: ['Part I a', 'Part II b', 'Part II c'],
    }),
    feature({
      name: 'several strings in one declaration',
      spec: `${GCPM}#setting-named-strings-the-string-set-pro`,
      css: '@page { @top-left { content: string(t) ", " string(s) } } h1 { string-set: s "chapter " content(), t attr(id) }',
      body: '<h1 id="i">a</h1>',
      pages: ['i, chapter a a'],
    }),
    feature({
      name: 'nothing before a string is set',
      spec: `${GCPM}#using-named-strings`,
      css: '@page { @top-left { content: "In:" string(s) } } h1 { string-set: s content() }',
      body: `<p>a</p>${NEXT}b</p><h1>T</h1>`,
      pages: ['In: a', 'In:T b T'],
    }),
    feature({
      name: 'strings on pages with names',
      spec: `${GCPM}#using-named-strings`,
      css: '@page part { @bottom-left { content: string(s) } } h1 { string-set: s content() } .part { page: part }',
      body: '<h1>Out</h1><div class="part"><p>a</p></div><div class="part"><h1 class="next">In</h1></div>',
      pages: ['Out', 'a Out', 'In In'],
    }),
  ],
};

const HEADS = `<p>a</p><p class="head">One</p><p class="head">Two</p><p>b</p>${NEXT}c</p><p class="head">Three</p><p>d</p>${NEXT}e</p>`;

const elementAt = (position: string) =>
  `@page { @top-left { content: element(title${position}) } } .head { position: running(title) } `;

export const RUNNING: Area = {
  name: 'Running elements',
  features: [
    feature({
      name: '`position: running()` and `element()`',
      spec: `${GCPM}#running-elements`,
      css: elementAt(''),
      body: `<p class="head">Head</p><p>a</p>${NEXT}b</p>`,
      pages: ['Head a', 'Head b'],
    }),
    feature({
      name: '`element()`: the first of the page',
      spec: `${GCPM}#element-syntax`,
      css: elementAt(''),
      body: HEADS,
      pages: ['One a b', 'Three c d', 'Three e'],
    }),
    feature({
      name: '`element()` at the end of a section',
      spec: `${GCPM}#running-elements`,
      css: `${elementAt('')} section { break-after: page }`,
      body: '<section><p>a</p><p class="head">One</p></section><section><p>b</p><p class="head">Two</p></section>',
      pages: ['One a', 'Two b'],
    }),
    feature({
      name: '`element(…, start)`',
      spec: `${GCPM}#element-syntax`,
      css: elementAt(', start'),
      body: HEADS,
      pages: ['a b', 'Two c d', 'Three e'],
    }),
    feature({
      name: '`element(…, last)`',
      spec: `${GCPM}#element-syntax`,
      css: elementAt(', last'),
      body: HEADS,
      pages: ['Two a b', 'Three c d', 'Three e'],
    }),
    feature({
      name: '`element(…, first-except)`',
      spec: `${GCPM}#element-syntax`,
      css: elementAt(', first-except'),
      body: HEADS,
      pages: ['a b', 'c d', 'Three e'],
    }),
    feature({
      name: 'the styles and children of a running element',
      spec: `${GCPM}#running-syntax`,
      css: `${elementAt('')} b { display: block; width: 30px; height: 12px; background: #f00 } .head { font-size: 10px; line-height: 12px }`,
      body: '<div class="head"><b></b>Head</div>a',
      check: async (print) => (await print.colours(1, [[60, 19]]))[0] === '#ff0000' && near(print.find(1, 'Head').size, 10, 1),
    }),
    feature({
      name: 'page numbers in a running element',
      spec: `${GCPM}#running-syntax`,
      css: `${elementAt('')} .head::after { content: " " counter(page) " of " counter(pages) }`,
      body: `<p class="head">Head</p><p>a</p>${NEXT}b</p>`,
      pages: ['Head 1 of 2 a', 'Head 2 of 2 b'],
    }),
  ],
};

const LINKED = `<p><a href="#t">see</a></p>${NEXT}x</p><h1 id="t" title="u" class="next">Target</h1><p><a href="#t">see</a></p>`;
const reference = (content: string, css = '') => `a::after { content: " " ${content} } ${css}`;

export const REFERENCES: Area = {
  name: 'References to other pages',
  features: [
    feature({
      name: '`target-counter(…, page)`',
      spec: `${CONTENT}#target-counter`,
      css: reference('"p. " target-counter(attr(href), page)'),
      body: LINKED,
      pages: ['see p. 3', 'x', 'Target see p. 3'],
    }),
    feature({
      name: '`target-counter(attr(href url), …)`',
      spec: `${CONTENT}#target-counter`,
      css: reference('"p. " target-counter(attr(href url), page)'),
      body: LINKED,
      pages: ['see p. 3', 'x', 'Target see p. 3'],
    }),
    feature({
      name: '`target-counter(url("#t"), …)`',
      spec: `${CONTENT}#target-counter`,
      css: reference('"p. " target-counter(url("#t"), page)'),
      body: LINKED,
      pages: ['see p. 3', 'x', 'Target see p. 3'],
    }),
    feature({
      name: '`target-counter(…, page, upper-roman)`',
      spec: `${CONTENT}#target-counter`,
      css: reference('target-counter(attr(href), page, upper-roman)'),
      body: LINKED,
      pages: ['see III', 'x', 'Target see III'],
    }),
    feature({
      name: 'the number of the target’s chapter',
      spec: `${CONTENT}#target-counter`,
      css: reference('target-counter(attr(href), chapter)', 'h1 { counter-increment: chapter }'),
      body: `<p><a href="#t">see</a></p><h1>x</h1><h1 id="t">y</h1><h1>z</h1>`,
      pages: ['see 2 x y z'],
    }),
    feature({
      name: '`target-counters()`',
      spec: `${CONTENT}#target-counters`,
      css: reference('target-counters(attr(href), item, ".")', 'ol { counter-reset: item } li { counter-increment: item }'),
      body: '<p><a href="#t">see</a></p><ol><li>x</li><li>y<ol><li>y1</li><li id="t">y2</li></ol></li></ol>',
      pages: ['see 2.2 x y y1 y2'],
    }),
    feature({
      name: '`target-text()`',
      spec: `${CONTENT}#target-text`,
      css: reference('target-text(attr(href))', 'h1::before { content: "1. " }'),
      body: LINKED,
      pages: ['see Target', 'x', '1. Target see Target'],
    }),
    feature({
      name: '`target-text(…, before)`, `after` and `first-letter`',
      spec: `${CONTENT}#target-text`,
      css: reference(
        'target-text(attr(href), first-letter) target-text(attr(href), before) target-text(attr(href), after)',
        'h1::before { content: "1." } h1::after { content: "!" }',
      ),
      body: LINKED,
      pages: ['see T1.!', 'x', '1.Target! see T1.!'],
    }),
    feature({
      name: 'references to pages with other numbers',
      spec: `${CONTENT}#target-counter`,
      css: reference('target-counter(attr(href), page)', 'h1 { counter-reset: page 1 }'),
      body: LINKED,
      pages: ['see 1', 'x', 'Target see 1'],
    }),
    feature({
      name: 'references that move their target to the next page',
      spec: `${CONTENT}#cross-references`,
      css: 'a::after { content: "page " target-counter(attr(href), page); display: block }',
      body: `${'<p><a href="#t">see</a></p>'.repeat(8)}<h1 id="t">Target</h1>`,
      pages: [`${'see page 2 '.repeat(7)}see`, 'page 2 Target'],
    }),
  ],
};

/** Whether two entries of different lengths have their numbers at the end of the line, with the filling between. */
function fills(print: Printed, filling: RegExp): boolean {
  const [page] = print.pages;
  const ends = ['A', 'Longer'].map((word) => {
    const { y } = print.find(1, word);
    return Math.max(...(page?.texts ?? []).filter((each) => near(each.y, y, 3)).map(({ x, width }) => x + width));
  });
  const areFilled = page?.lines.slice(0, 2).every((line) => filling.test(line));
  return (
    ends.every((end) => end > 240 && end < 251) &&
    near(ends[0] ?? 0, ends[1] ?? 9, 1.5) &&
    !!areFilled &&
    print.pages.length === 3
  );
}

const ENTRIES = `<p><a href="#a">A</a></p><p><a href="#b">Longer</a></p><h1 id="a" class="next">a</h1><h1 id="b" class="next">b</h1>`;
const leaders: Array<[name: string, leader: string, filling: RegExp]> = [
  ['`leader(dotted)`', 'leader(dotted)', /^\w+ ?(?:\. ?){8,}\d$/],
  ['`leader(".")`', 'leader(".")', /^\w+ ?(?:\. ?){8,}\d$/],
  ['`leader(solid)`', 'leader(solid)', /^\w+ ?(?:_ ?){5,}\d$/],
  ['`leader(space)`', 'leader(space)', /^\w+ \d$/],
  ['`leader(" -")`', 'leader(" -")', /^\w+(?: ?-){5,} ?\d$/],
];

export const LEADERS: Area = {
  name: 'Leaders',
  features: [
    ...leaders.map(([name, leader, filling]) =>
      feature({
        name,
        spec: `${CONTENT}#leaders`,
        css: `a::after { content: ${leader} target-counter(attr(href), page) }`,
        body: ENTRIES,
        check: (print) => fills(print, filling),
      }),
    ),
    feature({
      name: 'a leader before other elements of its line',
      spec: `${CONTENT}#leaders`,
      css: 'b::after { content: leader(dotted) }',
      body: '<p><b>Soup</b> <i>7</i></p><p><b>Bread and butter</b> <i>5</i></p>',
      check: ({ texts }) => /^Soup ?(?:\. ?){8,}7 Bread and butter ?(?:\. ?)+5$/.test(texts[0] ?? ''),
    }),
  ],
};

/** Titles with their pages, indented by their depth. */
function titles(bookmarks: readonly Bookmark[], depth = 0): string[] {
  return bookmarks.flatMap(({ title, page, below }) => [`${'-'.repeat(depth)}${title} ${page}`, ...titles(below, depth + 1)]);
}
const marks = (print: Printed, ...expected: string[]) => titles(print.bookmarks).join() === expected.join();

export const BOOKMARKS: Area = {
  name: 'Bookmarks',
  features: [
    feature({
      name: '`bookmark-level`, with levels below each other',
      spec: `${CONTENT}#bookmark-level`,
      css: 'h1 { bookmark-level: none } .a { bookmark-level: 1 } .b { bookmark-level: 2 } .a, .b { bookmark-label: content(text) }',
      body: `<h1>Hidden</h1><p class="a">One</p><p class="b">Two</p>${NEXT}<span class="b">Three</span></p><p class="a">Four</p>`,
      check: (print) => marks(print, 'One 1', '-Two 1', '-Three 2', 'Four 2'),
    }),
    feature({
      name: '`bookmark-label`',
      spec: `${CONTENT}#bookmark-label`,
      css: 'h1 { bookmark-level: 1; bookmark-label: "Part " counter(part) ": " content(); counter-increment: part } p { bookmark-level: 2; bookmark-label: attr(title) }',
      body: '<h1>One</h1><p title="Short">A long text</p><h1>Two</h1>',
      check: (print) => marks(print, 'Part 1: One 1', '-Short 1', 'Part 2: Two 1'),
    }),
    feature({
      name: '`bookmark-state: closed`',
      spec: `${CONTENT}#bookmark-state`,
      css: 'h1 { bookmark-level: 1; bookmark-state: closed } h1.open { bookmark-state: open } h2 { bookmark-level: 2 }',
      body: '<h1>One</h1><h2>Two</h2><h1 class="open">Three</h1><h2>Four</h2>',
      check: (print) => marks(print, 'One 1', '-Two 1', 'Three 1', '-Four 1') && print.closed.join() === 'One',
    }),
    feature({
      name: 'links lead to their pages',
      spec: 'https://html.spec.whatwg.org/multipage/links.html',
      css: '',
      body: `<p><a href="#t">see</a></p>${NEXT}x</p><p id="t" class="next">Target</p>`,
      check: ({ links }) => links.map((pages) => [...new Set(pages)].join()).join('|') === '3||',
    }),
  ],
};
