/** Documents whose text Chromium writes in all of its ways: scripts, directions, spacing, transforms and fonts. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const resolve = createRequire(import.meta.url).resolve;
const PARAGRAPH =
  'AVATAR To Wa, “Tätigkeit” affluent office: the committee met again, and considered the matter at length, after which it resolved to ask 1,250 members. ';
const page = (body: string, style = '', lang = 'en') =>
  `<!doctype html><html lang="${lang}"><title>Text</title><style>@page { size: A5; margin: 12mm } ${style}</style><h1>Title</h1>${body}</html>`;
const text = (style: string) => page(`<p>${PARAGRAPH.repeat(6)}`, `p { ${style} }`);

/** A style sheet with a TrueType font, which has instructions. */
function webFont(file: string): string {
  const font = readFileSync(resolve(file)).toString('base64');
  return `@font-face { font-family: Own; src: url(data:font/ttf;base64,${font}) } p { font: 11pt/1.5 Own }`;
}

export const HINTED = page(
  `<p>${PARAGRAPH.repeat(4)} Ä Ö é ñ`,
  webFont('@expo-google-fonts/tinos/400Regular/Tinos_400Regular.ttf'),
);
export const BOOK = page(
  Array.from({ length: 12 }, (_, n) => `<h2>${n}</h2><p>${PARAGRAPH.repeat(5)}`).join(''),
  'p { font: 10.5pt/1.4 serif; text-align: justify; hyphens: manual }',
);

export const VARIED: Record<string, string> = {
  'a book': BOOK,
  'a letter': text('font: 11pt/1.5 serif'),
  'sans-serif text': text('font: 9.3pt/1.5 sans-serif'),
  'a hinted web font': HINTED,
  'letter and word spacing': text('letter-spacing: 1.3px; word-spacing: 4px'),
  'negative spacing': text('letter-spacing: -0.7px; word-spacing: -1px'),
  'letters at the distance of words': page(
    [0.03, 0.05, 0.1, 0.15, 0.2].map((em) => `<p style="letter-spacing: ${em}em">${PARAGRAPH}`).join(''),
    'p { font: 11px sans-serif }',
  ),
  'small capitals and figures': text('font-variant: small-caps; font-variant-numeric: oldstyle-nums'),
  'precise and fast text': page(
    `<p style="text-rendering: geometricPrecision">${PARAGRAPH}<p style="text-rendering: optimizeSpeed">${PARAGRAPH}`,
  ),
  'no kerning': text('font-kerning: none; font-variant-ligatures: none'),
  'synthetic styles': page(
    `<p>${PARAGRAPH}`,
    `${webFont('@expo-google-fonts/tinos/400Regular/Tinos_400Regular.ttf')} p { font-weight: bold; font-style: italic }`,
  ),
  transforms: page(
    `<p style="transform: rotate(11deg) scale(1.7); width: 120px; margin: 90px">${PARAGRAPH}<p style="transform: skewX(20deg)">${PARAGRAPH}`,
  ),
  'text in a drawing': page(
    `<svg viewBox="0 0 200 90"><text x="5 12 30 44" y="20" rotate="10">Text</text><text x="5" y="60" textLength="180">${PARAGRAPH.slice(0, 40)}</text><path id="p" d="M5 80 Q90 40 190 80" fill="none"/><text><textPath href="#p">On a path</textPath></text></svg>`,
  ),
  'sub- and superscripts': page(`<p>${'H<sub>2</sub>O is x<sup>2</sup> + y<sup>n</sup>, '.repeat(20)}`),
  'soft hyphens and tabs': page(
    `<p style="width: 90px">${'Donau&shy;dampf&shy;schiff&shy;fahrt '.repeat(4)}<pre>a\tb\tc\n1\t22\t333</pre>`,
  ),
  'shadows and transparency': text('text-shadow: 1px 1px 2px red; opacity: 0.7; text-decoration: underline wavy'),
  'marks and columns': page(`<div style="columns: 2"><ol>${'<li>one <mark>two</mark> <code>three</code>'.repeat(9)}</ol></div>`),
  Arabic: page(
    `<p dir="rtl">${'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق 123 ABC. '.repeat(5)}`,
    'p { font-size: 14pt; text-align: justify }',
    'ar',
  ),
  Hebrew: page(`<p dir="rtl">${'כל בני האדם נולדו בני חורין ושווים בערכם (1948). '.repeat(5)}`, '', 'he'),
  Devanagari: page(`<p>${'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता '.repeat(5)}`, 'p { font-size: 14pt }', 'hi'),
  Thai: page(`<p>${'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน '.repeat(4)}`, '', 'th'),
  Japanese: page(`<p>${'すべての人間は、生まれながらにして自由であり、ABC 123 '.repeat(5)}`, 'p { font-size: 11pt }', 'ja'),
  'vertical Japanese': page(
    `<p style="writing-mode: vertical-rl; height: 300px">${'人間は、理性と良心とを授けられており、ABC 123 '.repeat(5)}`,
    '',
    'ja',
  ),
  Chinese: page(`<p>${'人人生而自由，在尊严和权利上一律平等。'.repeat(6)}`, 'p { font-size: 11pt; text-align: justify }', 'zh'),
  'Greek and Cyrillic': page(`<p>${'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι. Все люди рождаются свободными. '.repeat(4)}`),
  emoji: page(`<p>${'Party 🎉 and 👩‍👩‍👧 family, <b>bold</b> 😀 '.repeat(6)}`),
  formulas: page(
    '<math display="block"><mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><mn>1</mn><mo>=</mo><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac><mo>∑</mo></mrow></math>',
  ),
};
