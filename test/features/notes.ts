/** Footnotes, and text that depends on its language or on the medium. */
import { type Area, feature, lines, near, sameTexts, text } from './feature.ts';
import type { Printed } from './printed.ts';

const NOTES = 'https://www.w3.org/TR/css-gcpm-3/';
const TEXT = 'https://www.w3.org/TR/css-text-4/';
const NEXT = '<p class="next">';
const NOTE = '.note { float: footnote }';

/** Whether the note is below the text, at the bottom of the page, and the call is in the text. */
function hasNote(print: Printed, page: number, note: string): boolean {
  return print.find(page, note).y > 320 && print.find(page, note).y < 352;
}

export const FOOTNOTES: Area = {
  name: 'Footnotes',
  features: [
    feature({
      name: '`float: footnote`: at the bottom of the page',
      spec: `${NOTES}#footnotes`,
      css: `${NOTE} .note::footnote-call { content: none } .note::footnote-marker { content: none }`,
      body: `<p>a<span class="note">remark</span></p><p>b</p>${NEXT}c</p>`,
      check: (print) => sameTexts(print.texts, ['a b remark', 'c']) && hasNote(print, 1, 'remark'),
    }),
    feature({
      name: 'the number of the note, in the text and before the note',
      spec: `${NOTES}#footnote-counters`,
      css: NOTE,
      body: '<p>a<span class="note">first</span> b<span class="note">second</span></p>',
      check: ({ texts: [shown = '', ...more] }) => !more.length && /^(?:a ?1 b ?2|1 2 a b) 1\.? first 2\.? second$/.test(shown),
    }),
    feature({
      name: '`::footnote-call` with a style and content of its own',
      spec: `${NOTES}#the-footnote-call`,
      css: `${NOTE} .note::footnote-call { content: "[" counter(footnote, lower-alpha) "]"; font-size: 16px; vertical-align: baseline } .note::footnote-marker { content: none }`,
      body: '<p>a<span class="note">remark</span></p>',
      check: (print) => sameTexts(print.texts, ['a[a] remark']) && hasNote(print, 1, 'remark'),
    }),
    feature({
      name: '`::footnote-marker` with content of its own',
      spec: `${NOTES}#the-footnote-call`,
      css: `${NOTE} .note::footnote-call { content: none } .note::footnote-marker { content: "(" counter(footnote) ") " }`,
      body: '<p>a<span class="note">remark</span></p>',
      check: (print) => sameTexts(print.texts, ['a (1) remark']) && hasNote(print, 1, 'remark'),
    }),
    feature({
      name: 'numbers that begin again on each page',
      spec: `${NOTES}#footnote-counters`,
      css: `${NOTE} @page { counter-reset: footnote } .note::footnote-call { content: "[" counter(footnote) "]"; font-size: 16px; vertical-align: baseline } .note::footnote-marker { content: none }`,
      body: `<p>a<span class="note">one</span></p>${NEXT}b<span class="note">two</span></p>`,
      pages: ['a[1] one', 'b[1] two'],
    }),
    feature({
      name: 'the area of the notes: `@footnote`',
      spec: `${NOTES}#footnote-area`,
      css: `${NOTE} @page { @footnote { border-top: 6px solid #f00; margin-top: 10px } }`,
      body: '<p>a<span class="note">remark</span></p>',
      check: async (print) => {
        const { y } = print.find(1, 'remark');
        const column = Array.from({ length: 40 }, (_, index) => [200, y - index] as const);
        return hasNote(print, 1, 'remark') && (await print.colours(1, column)).includes('#ff0000');
      },
    }),
    feature({
      name: '`footnote-display: inline`',
      spec: `${NOTES}#footnote-display`,
      css: `${NOTE} .note { footnote-display: inline } .note::footnote-call { content: none } .note::footnote-marker { content: none }`,
      body: '<p>a<span class="note">first </span></p><p>b<span class="note">second</span></p>',
      check: (print) => sameTexts(print.texts, ['a b first second']) && near(print.find(1, 'first').y, print.find(1, 'second').y),
    }),
    feature({
      name: '`footnote-policy: line`: the line moves with its note',
      spec: `${NOTES}#footnote-policy`,
      css: `${NOTE} .note { footnote-policy: line } .note::footnote-call { content: none } .note::footnote-marker { content: none }`,
      body: `${lines('a', 13)}<p>b<br>c<span class="note">n1<br>n2</span></p>`,
      check: (print) => sameTexts(print.texts, [`${text('a', 1, 13)} b`, 'c n1 n2']),
    }),
    feature({
      name: '`footnote-policy: block`: the paragraph moves with its note',
      spec: `${NOTES}#footnote-policy`,
      css: `${NOTE} .note { footnote-policy: block } .note::footnote-call { content: none } .note::footnote-marker { content: none }`,
      body: `${lines('a', 12)}<p>b<br>c<span class="note">n1<br>n2</span></p>`,
      check: (print) => sameTexts(print.texts, [text('a', 1, 12), 'b c n1 n2']),
    }),
    feature({
      name: 'a long note goes on at the bottom of the next page',
      spec: `${NOTES}#footnotes`,
      css: `${NOTE} .note::footnote-call { content: none } .note::footnote-marker { content: none }`,
      body: `<p>a<span class="note">${Array.from({ length: 18 }, (_, index) => `n${index + 1}`).join('<br>')}</span></p>${lines('b', 30)}`,
      check: (print) => {
        const notes = print.texts.map((shown) => shown.match(/n\d+/g) ?? []);
        const [first = [], second = [], ...more] = notes;
        const isComplete = sameTexts([...first, ...second], text('n', 1, 18).split(' ')) && !more.flat().length;
        return isComplete && first.length > 0 && hasNote(print, 1, first.at(-1) ?? '') && hasNote(print, 2, 'n18');
      },
    }),
  ],
};

/** A word in a narrow box. */
const narrow = (style: string, word: string, lang = 'en') =>
  `<p lang="${lang}" style="width: 60px; font-family: monospace; ${style}">${word}</p>`;

/** The text with hyphens as people type them. */
const typed = (print: Printed) => print.texts.map((each) => each.replaceAll(/[\u2010\u00ad]/g, '-'));

export const WORDS: Area = {
  name: 'Text',
  features: [
    feature({
      name: '`hyphens: auto`',
      spec: 'https://www.w3.org/TR/css-text-3/#hyphenation',
      css: '',
      body: narrow('hyphens: auto', 'hyphenation') + narrow('hyphens: auto', 'Fahrkarte', 'de'),
      check: (print) => {
        const [shown = ''] = typed(print);
        return shown.replaceAll('- ', '') === 'hyphenation Fahrkarte' && shown.split('- ').length >= 3;
      },
    }),
    feature({
      name: '`hyphens: manual`, by soft hyphens',
      spec: 'https://www.w3.org/TR/css-text-3/#hyphenation',
      css: '',
      body: narrow('hyphens: manual', 'hyphena&shy;tion'),
      check: (print) => sameTexts(typed(print), ['hyphena- tion']),
    }),
    feature({
      name: '`hyphenate-limit-chars`',
      spec: `${TEXT}#hyphenate-char-limits`,
      css: '',
      body: narrow('hyphens: auto; hyphenate-limit-chars: 12', 'hyphenation') + narrow('hyphens: auto', 'hyphenation'),
      check: (print) => /^hyphenation (?=.*- )[a-z- ]+$/.test(typed(print)[0] ?? ''),
    }),
    feature({
      name: '`hyphenate-character`',
      spec: `${TEXT}#hyphenate-character`,
      css: '',
      body: narrow("hyphens: manual; hyphenate-character: '='", 'hyphena&shy;tion'),
      check: async (print) => {
        // Text extraction may say “-” for any hyphen, so look for two strokes behind the last letter.
        const { x, y, width } = print.find(1, 'hyphena');
        const column = Array.from({ length: 14 }, (_, index) => [x + (width * 7.5) / 7, y - index] as const);
        const dark = (await print.colours(1, column)).map((colour) => colour < '#999999');
        return dark.filter((isDark, index) => isDark && !dark[index - 1]).length === 2;
      },
    }),
    feature({
      name: 'styles for print: `@media print`',
      spec: 'https://www.w3.org/TR/mediaqueries-4/#media-types',
      css: '@media print { .screen { display: none } } @media screen { .print { display: none } }',
      body: '<p class="screen">screen</p><p class="print">print</p>',
      pages: ['print'],
    }),
    feature({
      name: 'closed details that are printed: `::details-content`',
      spec: 'https://www.w3.org/TR/css-pseudo-4/#details-content-pseudo',
      css: 'details::details-content { content-visibility: visible; display: block } summary { list-style: none }',
      body: '<details><summary>more</summary><p>inside</p></details>',
      pages: ['more inside'],
    }),
  ],
};
