/** Rules for pages that are selected by their number: margin boxes, backgrounds, sizes and margins on the pages of a reader. */
import { describe, expect, test } from 'vitest';
import { Printed } from '../features/printed.ts';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';
import { readTaggedText } from '../support/tagged-text.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

/** Seven pages, of which the second to the sixth are two groups. */
const BOOK = `<p>a</p><section><p>b</p><p class="next">c</p></section>
  <section><p>d</p><p class="next">e</p><p class="next">f</p></section><p>g</p>`;
const PAGES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const STYLES = `@page { size: 300px 300px; margin: 50px; @top-left { content: "any" } }
  section { page: chapter; break-before: page } .next { break-before: page } p { margin: 0 }`;

const book = (css: string, body = BOOK, attributes = 'dir="ltr"') =>
  `<!doctype html><html lang="en" ${attributes}><title>x</title><style>${STYLES} ${css}</style>${body}`;
const box = (selector: string, text: string) => `@page ${selector} { @top-left { content: "${text}" } }`;

async function print(html: string, options: object = {}): Promise<Printed> {
  return Printed.read(await bytesOf(await succeeded(client.pdf({ html, options }))));
}

async function warningsOf(html: string) {
  return (await client.report({ html })).warnings;
}

describe('a selector', () => {
  test.each([
    [':nth(2)', 'b'],
    [':nth(3n + 1)', 'adg'],
    [':nth(-n + 2)', 'ab'],
    [':NTH( +3N - 1 )', 'be'],
    [':nth(0)', ''],
    [':nth(2 of chapter)', 'ce'],
    [':nth(odd of chapter)', 'bdf'],
    [':nth(1 of other)', ''],
    ['chapter:first', 'bd'],
    ['chapter:nth(even)', 'bdf'],
    ['chapter:nth(3n + 1)', 'd'],
    ['chapter:nth(4):left', 'd'],
    ['chapter:nth(4):right', ''],
    [':first:right', 'a'],
    [':first:left', ''],
    [':left:nth(2 of chapter)', ''],
    [':nth(3), chapter:first, :left', 'bcdf'],
  ])('%s selects %s', async (selector, chosen) => {
    const html = book(box(selector, 'chosen'));
    expect((await print(html)).texts).toEqual(PAGES.map((page) => `${chosen.includes(page) ? 'chosen' : 'any'} ${page}`));
    expect(await warningsOf(html)).toEqual([]);
  });

  test('follows the sides of a document from right to left', async () => {
    const { texts } = await print(book(box(':nth(3):left', 'chosen') + box(':nth(2):left', 'wrong'), BOOK, 'dir="rtl"'));
    expect(texts.slice(0, 4).map((text) => text.split(' ')[0])).toEqual(['any', 'any', 'chosen', 'any']);
  });
});

describe('a group of pages begins', () => {
  const first = box('chapter:first', 'first');
  const before = 'section { break-before: auto } h1 { break-before: page; font-size: 12px; margin: 0 }';
  const after = 'section { break-before: auto } section p { break-after: page }';
  const inner = 'b { page: inner; display: block }';
  const full = '<div style="height: 200px"></div>';

  test.each([
    ['at a break of the element', '<section>a</section><section>b</section>', '', ['first a', 'first b']],
    [
      'at a break before what it begins with',
      '<section><h1>a</h1></section><section><h1>b</h1></section>',
      before,
      ['first a', 'first b'],
    ],
    ['at a break after what is before', '<section>a<p>b</p></section><section>c</section>', after, ['first a b', 'first c']],
    ['after pages with another name', '<section>a</section><i>x</i><section>b</section>', '', ['first a', 'any x', 'first b']],
    ['after named pages within it', '<section><p>a</p><b>x</b><p>c</p></section>', inner, ['first a', 'any x', 'first c']],
    [
      'not where a page is full',
      `<section>${full}a</section><section>b</section>`,
      'section { break-before: auto }',
      ['first', 'any a b'],
    ],
  ])('%s', async (_, body, css, texts) => {
    expect((await print(book(`i { display: block } ${first} ${css}`, body))).texts).toEqual(texts);
  });
});

describe('the rules of a page', () => {
  test('are as strong as their selectors, and the later wins', async () => {
    const css = `${box('chapter', 'name')} ${box('chapter:nth(3)', 'both')} ${box(':nth(2)', 'number')} ${box(':left', 'side')}
      ${box(':nth(1)', 'one')} ${box(':nth(-n + 1)', 'later')} ${box('chapter:left', 'named side')}`;
    const shown = ['later', 'named side', 'both', 'named side', 'name', 'named side', 'any'];
    expect((await print(book(css))).texts).toEqual(shown.map((text, page) => `${text} ${PAGES[page]}`));
  });

  test('are merged for each property', async () => {
    const css = `@page { @top-left { color: #00f; background: #0f0; height: 40px; width: 100px } } @page :nth(2) { background: #ff0; @top-left { background: #f00 } @bottom-left { content: "below" } }`;
    const printed = await print(book(css));
    expect(printed.texts.slice(0, 3)).toEqual(['any a', 'any b below', 'any c']);
    const places = [
      [140, 30],
      [250, 250],
      [5, 5],
    ] as const;
    expect(await printed.colours(2, places)).toEqual(['#ff0000', '#ffff00', '#ffff00']);
    expect(await printed.colours(3, places)).toEqual(['#00ff00', '#ffffff', '#ffffff']);
  });

  test('hold where their conditions hold, wherever they are', async () => {
    const css = `@media screen { ${box(':nth(2)', 'screen')} } @media print { ${box(':nth(3)', 'print')} }
      @supports (display: grid) { ${box(':nth(4)', 'grid')} @page { @top-right { content: "x" } } } @supports (display: none-such) { ${box(':nth(5)', 'no')} }`;
    const html = book(css).replace(
      '</style>',
      `</style><style media="screen">${box(':nth(6)', 'no')}</style><style>${box(':nth(7)', 'own')}</style>`,
    );
    const shown = ['any', 'any', 'print', 'grid', 'any', 'any', 'own'];
    expect((await print(html)).texts).toEqual(shown.map((text, page) => `${text} x ${PAGES[page]}`));
  });

  test('are those of style sheets in files, and of scripts', async () => {
    const html = `${book('', BOOK)}<link rel="stylesheet" href="a.css"><script>document.body.append("")</script>`;
    const assets = { 'a.css': { content: Buffer.from(box(':nth(2)', 'linked')).toString('base64'), type: 'text/css' } };
    const printed = await Printed.read(await bytesOf(await succeeded(client.pdf({ html, assets }))));
    expect(printed.texts.slice(0, 3)).toEqual(['any a', 'linked b', 'any c']);
  });

  test('include those for empty pages', async () => {
    const css = `section { break-before: right } ${box(':blank', 'blank')} ${box(':nth(3)', 'third')} ${box(':blank:left', 'blank, left')} ${box('chapter:first', 'first')}`;
    const { texts } = await print(book(css));
    expect(texts).toEqual(['any a', 'blank, left', 'first b', 'any c', 'first d', 'any e', 'any f', 'any g']);
  });
});

describe('margin boxes of selected pages', () => {
  test('show the numbers, strings and elements of their pages', async () => {
    const css = `h2 { break-before: page; string-set: title content() } header { position: running(head) } #reset { counter-reset: page 1 }
      @page { @top-left { content: string(title) } @top-right { content: element(head) } @bottom-left { content: counter(page) "/" counter(pages) } }
      @page :nth(2) { @top-left { content: "2: " string(title) } @top-right { content: none } @bottom-left { content: counter(page, upper-roman) } }
      @page :nth(3) { @top-left { content: none } @bottom-right { content: element(head) } }
      @page :first { counter-set: page 11 }`;
    const body = '<header>head</header><h2>one</h2><h2>two</h2><h2 id="reset">three</h2><h2>four</h2>';
    const texts = (await print(book(css, body))).texts.map((text) => text.split(' ').sort().join(' '));
    const shown = ['one head one 11/4', '2: two two XII', 'head head three 1/4', 'four head four 2/4'];
    expect(texts).toEqual(shown.map((text) => text.split(' ').sort().join(' ')));
  });

  test('are those of the printed pages if only some are printed', async () => {
    const css = `@page { @bottom-right { content: counter(page) "/" counter(pages) } } ${box(':nth(3)', 'third')} ${box('chapter:first', 'first')}`;
    const { texts } = await print(book(css), { pageRanges: '3-4, 7' });
    expect(texts).toEqual(['third c 3/7', 'first d 4/7', 'any g 7/7']);
  });

  test('are not in the structure of a tagged document, which conforms', async () => {
    const html = book(`@page chapter:first { background: #ffc; @top-left { content: "first" } }`);
    const reply = await succeeded(client.pdf({ html, options: { conformance: 'PDF/UA-1', compress: false } }));
    expect(await readTaggedText(Buffer.from(await bytesOf(reply)))).toEqual(PAGES);
    const checked = await client.pdf({ html, options: { conformance: 'PDF/UA-1' }, conformance_report: true });
    expect(await checked.json()).toEqual({ violations: [] });
  });

  test('are content of a page that has nothing else', async () => {
    const blank = async (css: string) =>
      (
        await warningsOf(`<!doctype html><style>${css} p { break-after: page }</style><p>a<p style="visibility: hidden">b<p>c`)
      ).map(({ kind, pages }) => [kind, pages]);
    expect(await blank(box(':nth(9)', 'x'))).toEqual([['page_blank', [2]]]);
    expect(await blank(box(':nth(2)', 'x'))).toEqual([]);
  });

  test('have the same bytes each time', async () => {
    const [one, other] = await Promise.all([0, 1].map(async () => (await print(book(box(':nth(2)', 'x')))).bytes));
    expect(one).toEqual(other);
  });
});

describe('sizes and margins of pages that are selected by their number', () => {
  const words = (count: number, word = 'w') => Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ');
  const allWords = (printed: Printed) => printed.texts.join(' ').replaceAll('any ', '').split(' ');
  const flow = `<p>${words(300)}</p>`;

  test.each([
    ['chapter:first', 'bd'],
    [':nth(2 of chapter)', 'ce'],
    [':nth(3n + 1)', 'adg'],
    ['chapter:nth(even):left', 'bdf'],
  ])('are those of %s', async (selector, chosen) => {
    const html = book(
      `@page { @top-left { content: none } } @page ${selector} { size: 400px 350px; margin-left: 90px; margin-top: 70px }`,
    );
    const printed = await print(html);
    expect(await warningsOf(html)).toEqual([]);
    expect(printed.texts).toEqual(PAGES);
    const isChosen = PAGES.map((page) => chosen.includes(page));
    expect(printed.pages.map(({ width }) => Math.round(width))).toEqual(isChosen.map((is) => (is ? 400 : 300)));
    expect(PAGES.map((page, n) => Math.round(printed.find(n + 1, page).x))).toEqual(isChosen.map((is) => (is ? 98 : 58)));
  });

  test.each([
    ['larger', ':nth(2), :nth(4)', '10px'],
    ['smaller', ':nth(2), :nth(4)', '90px'],
    ['larger from one page on', ':nth(n + 2)', '10px'],
    ['smaller from one page on', ':nth(n + 2)', '90px'],
    ['changed on each page', ':nth(3n + 2) { margin: 20px } @page :nth(3n)', '80px'],
  ])('leave no word out where areas within a text are %s, and repeat none', async (_, selector, margin) => {
    const html = book(`@page ${selector} { margin: ${margin} }`, flow);
    const printed = await print(html);
    expect(allWords(printed)).toEqual(words(300).split(' '));
    expect(await warningsOf(html)).toEqual([]);
    expect(printed.texts.every((text) => text.length > 5)).toBe(true); // no page without words
  });

  test('are followed by references, and by rules for what begins later', async () => {
    const chapters = [180, 60, 200, 120].map((count, n) => `<section><p id="c${n}">${words(count, `${n}x`)}</p></section>`);
    const entries = chapters.map((_, n) => `<a href="#c${n}">e${n} </a>`).join('<br>');
    const css = `@page chapter:first { margin-top: 150px } a::after { content: "p" target-counter(attr(href), page) }`;
    const printed = await print(book(css, `<p>${entries}</p>${chapters.join('')}`));
    const begins = chapters.map((_, n) => printed.texts.findIndex((text) => text.includes(`${n}x0`)) + 1);
    expect(printed.texts[0]).toBe(`any ${begins.map((page, n) => `e${n} p${page}`).join(' ')}`);
    expect(begins.map((page, n) => Math.round(printed.find(page, `${n}x0`).y))).toEqual(
      begins.map(() => Math.round(printed.find(begins[0] as number, '0x0').y)),
    );
    expect(printed.find(begins[2] as number, '2x0').y).toBeGreaterThan(150);
  });

  test('hold where a table and its head go on', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => `<tr><td>r${n}</td></tr>`).join('');
    const table = `<table><thead><tr><th>head</th></tr></thead>${rows}</table>`;
    const printed = await print(book('@page :nth(2) { margin: 20px 20px 20px 100px } table { border-spacing: 0 }', table));
    expect(allWords(printed).filter((word) => word !== 'head')).toEqual(Array.from({ length: 60 }, (_, n) => `r${n}`));
    expect(Math.round(printed.find(2, 'head').x - printed.find(1, 'head').x)).toBe(50);
    expect(printed.texts.every((text) => text.includes('head'))).toBe(true);
  });

  test('leave the structure of a tagged document as it is', async () => {
    const tagged = async (css: string) =>
      readTaggedText(
        Buffer.from(
          await bytesOf(await succeeded(client.pdf({ html: book(css), options: { conformance: 'PDF/UA-1', compress: false } }))),
        ),
      );
    expect(await tagged('@page chapter:first { margin-top: 90px }')).toEqual(await tagged(''));
  });

  test.each([
    ['a body that is a grid', 'body { display: grid }'],
    ['vertical text', 'html { writing-mode: vertical-rl }'],
    ['a body with a border', 'body { border: 1px solid red }'],
  ])('are reported, and change nothing, with %s', async (_, css) => {
    const html = (rule: string) => book(`${css} ${rule}`);
    const rule = '@page :nth(2) { margin-left: 90px }';
    expect(await warningsOf(html(rule))).toEqual([
      expect.objectContaining({ kind: 'unsupported_css', property: 'margin-left', value: '90px in @page :nth(2)' }),
    ]);
    const [own, plain] = [await print(html(rule)), await print(html(''))];
    expect(own.find(2, 'b')).toEqual(plain.find(2, 'b'));
    expect(own.pages).toHaveLength(plain.pages.length);
  });

  test('have no effect on a single page', async () => {
    const html = book('@page :nth(2) { margin-left: 90px }');
    expect((await print(html, { singlePage: true })).pages).toHaveLength(1);
  });
});

test('a document without pages of the name has nothing laid under its pages', async () => {
  const [own, other] = await Promise.all([print(book(box('other:first', 'x'))), print(book(box('chapter:first', 'x')))]);
  expect(own.texts).toEqual(PAGES.map((page) => `any ${page}`));
  expect([own, other].map(({ bytes }) => Buffer.from(bytes).includes('PlatenUnderlay'))).toEqual([false, true]);
});

test('no page follows the last ones if they have a name and elements are looked for', async () => {
  const { texts } = await print(book('', '<p>a</p><section><h2>b</h2></section>'), { layout: ['h2'] });
  expect(texts).toEqual(['any a', 'any b']);
});

test('pictures of a style sheet are found beside it, and are behind the pages that are selected', async () => {
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path fill="red" d="M0 0h9v9H0z"/></svg>';
  const css = '@page :nth(2) { background: url("mark.svg") 0 0 / 200px 200px no-repeat }';
  const toAsset = (text: string, type: string) => ({ content: Buffer.from(text).toString('base64'), type });
  const assets = { 'css/print.css': toAsset(css, 'text/css'), 'css/mark.svg': toAsset(picture, 'image/svg+xml') };
  const html = book('').replace('<style>', '<link rel="stylesheet" href="css/print.css"><style>');
  const printed = await Printed.read(await bytesOf(await succeeded(client.pdf({ html, assets }))));
  const colours = async (page: number) => (await printed.colours(page, [[150, 200]]))[0];
  expect([await colours(1), await colours(2), await colours(3)]).toEqual(['#ffffff', '#ff0000', '#ffffff']);
});

test('pictures of some pages are loaded before they are printed, from each style sheet that a document loads', async () => {
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path fill="red" d="M0 0h9v9H0z"/></svg>';
  const css = `@page :left { background: url("left.svg") 0 0 / 200px 200px no-repeat }
    @page chapter { @bottom-left { content: url("box.svg") } }`;
  const toAsset = (text: string, type: string) => ({ content: Buffer.from(text).toString('base64'), type });
  const svg = toAsset(picture, 'image/svg+xml');
  const assets = { 'css/print.css': toAsset(css, 'text/css'), 'css/left.svg': svg, 'css/box.svg': svg };
  const html = `<link rel="stylesheet" href="css/print.css">${book('')}`;
  const printed = await Printed.read(await bytesOf(await succeeded(client.pdf({ html, assets }))));
  const colours = (page: number) =>
    printed.colours(page, [
      [150, 200],
      [54, 275],
    ]);
  expect(await Promise.all([1, 2, 3, 4].map(colours))).toEqual([
    ['#ffffff', '#ffffff'],
    ['#ff0000', '#ff0000'],
    ['#ffffff', '#ff0000'],
    ['#ff0000', '#ff0000'],
  ]);
});
