/** Content that depends on pages: references, contents, strings in margin boxes, page numbers, labels and bookmarks. */
import { describe, expect, test } from 'vitest';
import { problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readBookmarks, readLinks } from '../support/read-bookmarks.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html } from '../support/site.ts';
import { Web } from '../support/web.ts';

const SCRIPT = '<script>document.body.dataset.x = 1</script>';
const CLEAR = { warnings: [], warning_count: 0 };
const BREAK = '<p style="break-before: page">';
const web = await Web.share().then(closeAfterAll);

/** Renders a document with and without a script, which both have the same text, and returns the text of each page. */
async function pagesOf(markup: string, options: object = {}): Promise<string[]> {
  const [plain, active] = await Promise.all([web.render(markup, options), web.render(markup + SCRIPT, options)]);
  expect(active.pages).toEqual(plain.pages);
  expect(await web.ada.report({ html: markup, options })).toMatchObject(CLEAR);
  return plain.pages;
}

async function labelsOf(markup: string, options: object = {}): Promise<string[] | null> {
  const reply = await web.ada.pdf({ html: markup, options });
  await using opened = await openPdf(await reply.arrayBuffer());
  return opened.document.getPageLabels();
}

describe('references', () => {
  const BOOK = `<p id="größe">Zero${BREAK}<a href="#b(2)">see</a>${BREAK}<span id="b(2)" title="t">Two</span>${BREAK}<a href="#größe">back</a>`;

  test.each<[css: string, pages: string[]]>([
    ['a::after { content: " p. " target-counter(attr(href), page) }', ['Zero', 'see p. 3', 'Two', 'back p. 1']],
    [
      'a::after { content: " p. " target-counter(attr(href url), page, upper-roman) }',
      ['Zero', 'see p. III', 'Two', 'back p. I'],
    ],
    ['a::before { content: target-text(attr(href)) ", " }', ['Zero', 'Two, see', 'Two', 'Zero, back']],
    ['a::before { content: target-text(attr(href), first-letter) ", " }', ['Zero', 'T, see', 'Two', 'Z, back']],
    [
      'span::before { content: "[" attr(title) "]" } a::before { content: target-text(attr(href), before) }',
      ['Zero', '[t]see', '[t]Two', 'back'],
    ],
    [
      'body { counter-reset: part 4 } p { counter-increment: part } a::after { content: " part " target-counter(attr(href), part, lower-alpha) }',
      ['Zero', 'see part g', 'Two', 'back part e'],
    ],
    ['@media print { a { &::after { content: " p" target-counter(attr(href), page) } } }', ['Zero', 'see p3', 'Two', 'back p1']],
    ['a::after { content: "x" target-counter(attr(href), page) } a::after { content: "!" }', ['Zero', 'see!', 'Two', 'back!']],
  ])('show what is elsewhere: %s', async (css, pages) => {
    expect(await pagesOf(`<style>${css}</style>${BOOK}`)).toEqual(pages);
  });

  test('are shown by documents whose styles change slowly', async () => {
    const css = '* { transition: all 10s } a::after { content: " p. " target-counter(attr(href), page) }';
    expect(await pagesOf(`<style>${css}</style>${BOOK}`)).toEqual(['Zero', 'see p. 3', 'Two', 'back p. 1']);
  });

  test('work in linked and imported style sheets', async () => {
    web.site.serve({
      '/book': html(`<link rel="stylesheet" href="outer.css">${BOOK}`),
      '/outer.css': (_, reply) => reply.setHeader('content-type', 'text/css').end('@import "inner.css";'),
      '/inner.css': (_, reply) =>
        reply.setHeader('content-type', 'text/css').end('a::after { content: " " target-counter(attr(href), page) }'),
    });
    const { pages } = await readPdfReply(await web.ada.pdf({ url: `${web.site.origin}/book` }));
    expect(pages).toEqual(['Zero', 'see 3', 'Two', 'back 1']);
  });

  test('to nothing are reported, and show nothing', async () => {
    const markup =
      '<style>a::after { content: "[" target-counter(attr(href), page) "]" }</style><a class="x" href="#nowhere">a</a>';
    expect((await web.render(markup)).pages).toEqual(['a[]']);
    const { warnings } = await web.ada.report({ html: markup });
    expect(warnings).toMatchObject([{ kind: 'target_missing', url: '#nowhere', element: 'a.x' }]);
    await problem(await web.ada.pdf({ html: markup, options: { failOnWarning: ['target_missing'] } }), 422, 'render_gate_failed');
  });

  test('to an anchor by name, and to an element that has boxes only in it', async () => {
    const markup = `<style>a[href]::after { content: target-counter(attr(href), page) }</style><a href="#n">n</a><a href="#c">c</a>
      <p style="break-before: page"><a name="n">x</a><p style="break-before: page"><b id="c" style="display: contents">y<i>z`;
    expect((await web.render(markup)).pages[0]).toBe('n2c3');
    expect(await web.ada.report({ html: markup })).toMatchObject({ warnings: [] });
  });

  test('to what is not shown give a warning', async () => {
    const markup = `<style>a::after { content: target-text(attr(href)) "." target-counter(attr(href), page) }</style><a href="#h">a</a>
      <p id="h" style="display: none">hidden`;
    expect((await web.render(markup)).pages).toEqual(['ahidden.']);
    expect(await web.ada.report({ html: markup })).toMatchObject({ warnings: [{ kind: 'target_missing', url: '#h' }] });
  });

  test('to what a closed element hides give a warning', async () => {
    const markup = `<style>a::after { content: target-counter(attr(href), page) }</style><a href="#h">a</a>
      <details><summary>more</summary><p id="h">hidden</details>`;
    expect((await web.render(markup)).pages).toEqual(['a more']);
    expect((await web.ada.report({ html: markup })).warnings).toContainEqual(
      expect.objectContaining({ kind: 'target_missing', url: '#h' }),
    );
  });

  test.each([
    'hebrew',
    'thai',
    'arabic-indic',
    'devanagari',
    'hiragana',
    'katakana',
    'cjk-decimal',
    'lower-greek',
    'upper-roman',
  ])('write numbers as Chromium does: %s', async (style) => {
    const numbers = [1, 10, 15, 16, 48, 49, 99, 115, 400, 516, 1_015, 3_999];
    const targets = numbers.map(
      (number) => `<i id="n${number}" style="counter-reset: n ${number}"></i><a href="#n${number}"></a>`,
    );
    const css = `i::after { content: counter(n, ${style}) } a::after { content: target-counter(attr(href), n, ${style}) } i, a { display: block }`;
    const { placed } = await web.render(`<html lang="ja"><style>${css}</style>${targets.join('')}`);
    const lines = Map.groupBy(placed[0] ?? [], ({ y }) => Math.round(y));
    const texts = [...lines].map(([, line]) => line.map(({ text }) => text).join(''));
    expect(texts.length).toBe(2 * numbers.length);
    for (const [n, text] of texts.entries()) if (n % 2) expect(text).toBe(texts[n - 1]);
  });

  test('that never settle fail, and name the entry', async () => {
    // VIII takes two lines and pushes its target to page 9; IX takes one, so that the target is on page 8 again.
    const html = `<style>@page { size: 200px 200px; margin: 0 } body { margin: 0; font: 20px/20px monospace } p { margin: 0; break-after: page }
      a { display: block; width: 40px; overflow-wrap: anywhere } a::after { content: target-counter(attr(href), page, upper-roman) }
      div { height: 179px; break-inside: avoid }</style>${'<p>x</p>'.repeat(7)}<a class="turn" href="#t"></a><div id="t">t</div>`;
    const refused = await problem(await web.ada.pdf({ html }), 422, 'print_failed');
    expect(refused.detail).toContain('a.turn');
  });

  test('are the same in a part of the pages', async () => {
    const markup = `<style>a::after { content: " p. " target-counter(attr(href), page) }</style>${BOOK}`;
    expect(await pagesOf(markup, { pageRanges: '2, 4' })).toEqual(['see p. 3', 'back p. 1']);
  });

  test('have the same bytes each time', async () => {
    const markup = `<style>a::after { content: leader(".") target-counter(attr(href), page) }</style>${BOOK}`;
    const [one, other] = await Promise.all([0, 1].map(async () => (await web.ada.pdf({ html: markup })).arrayBuffer()));
    expect(Buffer.from(one as ArrayBuffer).equals(Buffer.from(other as ArrayBuffer))).toBe(true);
  });
});

describe('leaders', () => {
  test('fill the line up to its end', async () => {
    const entries = ['A', 'A longer entry', 'An entry that is much longer than the others are'];
    const markup = `<style>@page { size: A5; margin: 1in } body { margin: 0 } li { list-style: none } ul { padding: 0 } a { font: 12px Arial }
      a::after { content: leader(dotted) " " target-counter(attr(href), page) }</style>
      <ul>${entries.map((text, n) => `<li><a href="#t${n}">${text}</a>`).join('')}</ul>
      ${entries.map((text, n) => `<h1 id="t${n}" style="break-before: page">${text}</h1>`).join('')}`;
    await using opened = await openPdf(await (await web.ada.pdf({ html: markup })).arrayBuffer());
    const { items } = await (await opened.document.getPage(1)).getTextContent();
    const numbers = items.flatMap((item) => ('str' in item && item.str.trim() ? [item] : []));
    const ends = Map.groupBy(numbers, ({ transform }) => Math.round(transform[5] as number));
    expect(ends.size).toBe(3);
    for (const line of ends.values()) {
      const end = Math.max(...line.map(({ transform, width }) => (transform[4] as number) + width));
      expect(end).toBeGreaterThan(420 - 72 - 3);
      expect(end).toBeLessThanOrEqual(420 - 72 + 0.5);
      expect(line.map(({ str }) => str).join('')).toMatch(/(?:\.\s){5,}/);
    }
  });

  test.each([
    ['nav { zoom: 2; padding: 0 10px }', /^A (?:\. ){11,12}\.? ?2$/],
    ['body { zoom: 0.5 }', /^A (?:\. ){62,68}\.? ?2$/],
    ['html { writing-mode: vertical-rl }', /^A (?:\. ){50,70}\.? ?2$/],
  ])('fill the line of an entry with %s', async (css, line) => {
    const style =
      '@page { size: 400px 600px; margin: 50px } body, p { margin: 0; font: 16px/20px Arial } h1 { break-before: page }';
    const rules = `${style} a::after { content: leader(dotted) target-counter(attr(href), page) } ${css}`;
    const [page] = (await web.render(`<style>${rules}</style><nav><p><a href="#a">A</a></nav><h1 id="a">x</h1>`)).pages;
    expect(page).toMatch(line);
  });

  test.each([
    ['text that follows', '<b>Soup</b> <i>7.50</i>', 'b::after { content: leader(dotted) }'],
    [
      'text that follows, in the direction from right to left',
      '<b>Soup</b> <i>7.50</i>',
      'b::after { content: leader(dotted) } p { direction: rtl }',
    ],
    [
      'text that other elements follow',
      '<b>Soup</b> <i><u>7.50</u></i><div>Bread</div>',
      'i::before { content: leader(dotted) }',
    ],
    [
      'the end, with text at the right',
      '<i>Soup</i><b></b>',
      'p { text-align: right } b::after { content: leader(dotted) " 888" }',
    ],
    ['the end, with text in the middle', '<b>Soup</b>', 'p { text-align: center } b::after { content: leader(dotted) " 888" }'],
    ['a counter', '<b>Soup</b>', 'p { counter-reset: c 888 } b::after { content: leader(dotted) " " counter(c) }'],
  ])('fill a line up to %s', async (_, markup, css) => {
    const style = `@page { size: 400px 300px; margin: 50px } body, p { margin: 0; font: 16px/20px Arial } ${css}`;
    const { pages, placed } = await web.render(`<style>${style}</style><p>${markup}`);
    expect(pages[0]).toMatch(/^(?:Soup|7\.50) ?(?:\. ){22,26}\.? ?(?:Soup|7\.50|888)(?: Bread)?$/);
    expect(new Set((placed[0] ?? []).map(({ y }) => Math.round(y))).size).toBe(markup.includes('Bread') ? 2 : 1);
  });

  test('fill lines from right to left, also with words and numbers in the other direction', async () => {
    const entries = ['פרק', 'פרק 1', 'English פרק 23'];
    const markup = `<html dir="rtl" lang="he"><style>@page { size: A5; margin: 1in } body { margin: 0 } li { list-style: none } ul { padding: 0 }
      a::after { content: leader(dotted) " " target-counter(attr(href), page) }</style>
      <ul>${entries.map((text) => `<li><a href="#end">${text}</a>`).join('')}</ul><h1 id="end" style="break-before: page">x</h1>`;
    const [placed = []] = (await web.render(markup)).placed;
    const lines = Map.groupBy(placed, ({ y }) => Math.round(y));
    expect(lines.size).toBe(3);
    for (const line of lines.values()) {
      const left = Math.min(...line.map(({ x }) => x));
      expect(left).toBeGreaterThan(72 - 0.5);
      expect(left).toBeLessThan(72 + 3);
    }
  });
});

describe('contents', () => {
  const CHAPTERS = `<h1>One</h1><p>a<h2>Inner</h2><h3>Deep</h3><h1 style="break-before: page">Two</h1>`;

  test('are made from headings, with links', async () => {
    const reply = await web.ada.pdf({ html: CHAPTERS, options: { toc: { title: 'Contents' } } });
    const bytes = new Uint8Array(await reply.arrayBuffer());
    const links = (await readLinks(bytes)).map((pages) => [...new Set(pages)]);
    expect(links).toEqual([[2, 3], [], []]); // a line has a link for its text, and one for its number
    const pages = await pagesOf(CHAPTERS, { toc: { title: 'Contents' } });
    expect(pages[0]).toMatch(/^Contents One [. ]+ 2 Inner [. ]+ 2 Deep [. ]+ 2 Two [. ]+ 3$/);
  });

  test('have a depth, a selector and a place', async () => {
    const toc = { depth: 1, selector: 'h2, h1', place: '#here' };
    const pages = await pagesOf(`<div id="here">Here: </div>${CHAPTERS}`, { toc });
    expect(pages[0]).toMatch(/^Here: One [. ]+ 1 Two [. ]+ 2 One a Inner Deep$/);
  });

  test('have the numbers that the pages show', async () => {
    const css = `@page { @bottom-center { content: counter(page) } } @page front { @bottom-center { content: counter(page, lower-roman) } }
      .platen-toc, .front { page: front } main { counter-reset: page 1; break-before: page }`;
    const body = '<div class="front"><h1>Preface</h1></div><main><h1>One</h1></main>';
    const [contents = ''] = await pagesOf(`<style>${css}</style>${body}`, { toc: {} });
    expect(contents.replace(/[.\s]/g, '')).toBe('iPrefaceiiOne1');
  });

  test('are refused without their place, and with a selector that is not one', async () => {
    const empty = { html: '<p>no heading', options: { toc: { title: 'Contents' } } };
    expect((await web.render(empty.html, empty.options)).pages).toEqual(['no heading']);
    expect((await web.ada.report(empty)).warnings).toMatchObject([{ kind: 'target_missing', element: 'options.toc' }]);
    const missing = await web.ada.pdf({ html: CHAPTERS, options: { toc: { place: '#nowhere' } } });
    expect(await problem(missing, 400, 'invalid_request')).toMatchObject({ errors: [{ path: 'options.toc.place' }] });
    for (const name of ['place', 'selector']) {
      const invalid = await web.ada.pdf({ html: CHAPTERS, options: { toc: { [name]: 'h1 >> p' } } });
      expect(await problem(invalid, 400, 'invalid_request')).toMatchObject({ errors: [{ path: `options.toc.${name}` }] });
    }
  });
});

describe('strings in margin boxes', () => {
  const SECTIONS = `<h1>One</h1>text<h1>Two</h1>${BREAK}more${BREAK.replace('p ', 'h1 ')}Three</h1>${BREAK}end`;
  const string = (position: string) =>
    `<style>@page { @top-left { content: "<" string(title${position}) ">" } } h1 { string-set: title content() }</style>${SECTIONS}`;

  test.each<[position: string, strings: string[]]>([
    ['', ['One', 'Two', 'Three', 'Three']],
    [', first', ['One', 'Two', 'Three', 'Three']],
    [', start', ['One', 'Two', 'Three', 'Three']],
    [', last', ['Two', 'Two', 'Three', 'Three']],
    [', first-except', ['', 'Two', '', 'Three']],
  ])('are those of the page%s', async (position, strings) => {
    const pages = await pagesOf(string(position));
    expect(pages.map((text) => /<(.*)>/.exec(text)?.[1])).toEqual(strings);
  });

  test('at the start of a page are those before it, unless the page begins with another', async () => {
    const pages =
      await pagesOf(`<style>@page { margin: 3cm; @top-left { content: string(title, start) } } h1 { string-set: title content() }
      section { padding-top: 1cm }</style><h1>One</h1><h1>Two</h1>${BREAK}text<h1>Three</h1><section style="break-before: page"><h1>Four</h1></section>`);
    expect(pages).toEqual(['One One Two', 'Two text Three', 'Four Four']);
  });

  test('have counters, attributes and other text', async () => {
    const pages = await pagesOf(`<style>@page { @top-left { content: string(s) " / " string(t) } }
      body { counter-reset: ch } h1::before { counter-increment: ch; content: counter(ch) ". " }
      h1 { string-set: s content(before) content(), t attr(id) "\\201C" "x;y" }</style><h1 id="i">A "b"</h1><h1 id="j" style="break-before: page">C</h1>`);
    expect(pages).toEqual(['1. A "b" / i“x;y 1. A "b"', '2. C / j“x;y 2. C']);
  });

  test('keep the counters and other margin boxes of the document', async () => {
    const pages =
      await pagesOf(`<style>@page { counter-increment: sheet 2; @top-left { content: string(s) " " counter(sheet) } @bottom-left { content: "foot" } }
      @page :first { @top-left { content: none } } p { string-set: s content() }</style><p>a</p><p style="break-before: page">b</p>`);
    expect(pages).toEqual(['foot a', 'b 4 foot b']);
  });
});

test('text that is not shown where it stands is left out', async () => {
  const css =
    '.n { float: footnote } h1 { string-set: t content() } a::after { content: " " target-text(attr(href)) } @page { margin: 2cm; @top-left { content: "[" string(t) "]" } }';
  const markup = `<style>${css}</style><h1 id="a#b">One<i class="n">note</i><i hidden>no</i><style>p {}</style> two</h1><a href="#a#b">see</a>`;
  const [page] = await pagesOf(markup, { toc: {} });
  expect(page).toMatch(/^\[\] *One two/);
  expect((await pagesOf(markup))[0]).toBe('[One two] One1 two see One two1. note');
});

test('long and unusual values do not matter', async () => {
  const css = `a::after { content: "p" target-counter(attr(href), page, ${'z'.repeat(3_000)}) } h1 { counter-reset: page 2000000000; string-set: größe content(), a.b "x", ${'n'.repeat(300)} "x" }
    @page { margin: 2cm; @top-left { content: string(größe) } @top-right { content: counter(page) } }`;
  const { pages } = await web.render(`<style>${css}</style><a href="data:text/plain,${'x'.repeat(5_000)}">x</a><h1>Head</h1>`);
  expect(pages).toEqual(['Head 1000000000 xp Head']);
});

test('rules with long selectors take little memory', async () => {
  const selector = Array.from({ length: 10_000 }, (_, n) => `.c${n}`).join();
  const { pages } = await web.render(`<style>${selector} { ${'string-set: x "";'.repeat(20_000)} }</style><p>text`);
  expect(pages).toEqual(['text']);
});

describe('page numbers', () => {
  const BOX =
    '@page { @bottom-left { content: counter(page) " of " counter(pages) ", " counter(section-page) "/" counter(section-pages) } }';

  test.each<[css: string, numbers: string[]]>([
    ['.b { counter-reset: page 1 }', ['1 of 4, 1/2', '2 of 4, 2/2', '1 of 4, 1/2', '2 of 4, 2/2']],
    ['.b { counter-reset: page }', ['1 of 4, 1/2', '2 of 4, 2/2', '1 of 4, 1/2', '2 of 4, 2/2']],
    ['.b { counter-set: page 11 }', ['1 of 4, 1/2', '2 of 4, 2/2', '11 of 4, 1/2', '12 of 4, 2/2']],
    ['@page :first { counter-reset: page 4 }', ['5 of 4, 1/4', '6 of 4, 2/4', '7 of 4, 3/4', '8 of 4, 4/4']],
    [
      '@page :first { counter-set: page 7 } .b { counter-set: page 2 }',
      ['7 of 4, 1/2', '8 of 4, 2/2', '2 of 4, 1/2', '3 of 4, 2/2'],
    ],
  ])('are set by elements: %s', async (css, numbers) => {
    const pages = await pagesOf(`<style>${BOX} p { break-before: page } ${css}</style><p>x<p>x<p class="b">x<p>x`);
    expect(pages.map((text) => text.replace(/ x$/, ''))).toEqual(numbers);
  });

  test('in references are those that the pages show, as are labels', async () => {
    const markup = `<style>@page front { @bottom-left { content: counter(page, lower-roman) } } @page { @bottom-left { content: counter(page) } }
      .front { page: front } .main { counter-reset: page 1 } section { break-before: page } a::after { content: " " target-counter(attr(href), page) }</style>
      <div class="front"><a href="#m">Main</a>${BREAK}x</div><section class="main" id="m">a</section><section>b</section>`;
    expect(await pagesOf(markup)).toEqual(['i Main 1', 'ii x', '1 a', '2 b']);
    expect(await labelsOf(markup)).toEqual(['i', 'ii', '1', '2']);
    expect(await labelsOf(markup, { pageRanges: '2-3' })).toEqual(['ii', '1']);
    expect(await labelsOf('<style>@page :first { counter-set: page 11; @top-left { content: counter(page) } }</style>x')).toEqual(
      ['11'],
    );
    expect(await labelsOf('<p>x')).toBeNull();
  });

  test.each<[css: string, numbers: string[]]>([
    ['@page :first { counter-increment: page -1 }', ['-1', '0', '1', '2']],
    ['@page { counter-increment: page 2 } @page :left { counter-increment: sheet }', ['2', '3', '5', '6']],
    ['@page :left { counter-increment: sheet 3 page 10 } @page { counter-increment: page 0 }', ['0', '10', '10', '20']],
    ['@page part { counter-reset: page } .b { page: part }', ['1', '2', '1', '1']],
    ['@page part:first { counter-reset: page 7 } .b { page: part }', ['1', '2', '8', '9']],
    ['@page :nth(3) { counter-set: page 30 }', ['1', '2', '30', '31']],
    ['@page { counter-increment: page 2 } #p2 { counter-reset: page 1 }', ['2', '4', '1', '3']],
  ])('that pages count by rules are those in references: %s', async (css, numbers) => {
    const parts = ['', '', 'b', 'b'].map((name, n) => `<p class="${name}" id="p${n}"><a href="#p${n}"></a></p>`);
    const markup = `<style>@page { @top-left { content: counter(page) } } p { break-before: page } .b { height: 200mm; break-inside: avoid } .b + .b { break-before: auto }
      a::after { content: target-counter(attr(href), page) } ${css}</style>${parts.join('')}`;
    const shown = await pagesOf(markup);
    expect(shown.map((text) => text.replace(' ', ''))).toEqual(numbers.map((number) => number + number));
    expect(await labelsOf(markup)).toEqual(numbers);
  });

  test('are shown by markers of lists', async () => {
    const markup = `<style>li { list-style-position: inside } li::marker { content: "on " counter(page) ": " }</style><ol><li>a${BREAK}<li>b</ol>`;
    expect(await pagesOf(markup)).toEqual(['on 1: a', 'on 2: b']);
  });
});

test('bookmarks have the level and the label that the style sheet gives them', async () => {
  const markup = `<style>h1 { bookmark-label: "Part " content() } .note { bookmark-level: 2; bookmark-label: attr(title) } h2 { bookmark-level: none }</style>
    <h1>A</h1><h2>Hidden</h2><p class="note" title="Note">x<h1 style="break-before: page">B</h1>`;
  for (const options of [{}, { outline: true }, { conformance: 'PDF/A-2b' }]) {
    const bytes = new Uint8Array(await (await web.ada.pdf({ html: markup, options })).arrayBuffer());
    expect(await readBookmarks(bytes)).toEqual([
      { title: 'Part A', page: 1, below: [{ title: 'Note', page: 1, below: [] }] },
      { title: 'Part B', page: 2, below: [] },
    ]);
  }
});

test('calls that are deep in each other are read in time', async () => {
  const value = 'f('.repeat(20_000) + ')'.repeat(20_000);
  const markup = `<style>h1 { string-set: t "x" ${value} } @page { @top-left { content: string(t) } }</style><h1>One</h1>`;
  expect((await web.render(markup)).pages).toEqual(['x One']);
});

describe('running elements', () => {
  const STYLE = `<style>@page { size: A5; margin: 30mm 20mm; @top-center { content: element(head) } @bottom-left { content: element(foot) } @bottom-right { content: "native" } }
    @page :first { @top-center { content: none } } .head { position: running(head); color: red } .foot { position: running(foot) }
    .foot b::after { content: counter(page) "/" counter(pages) }</style>`;
  const BODY = `<div class="head">Acme <i>one</i></div><div class="foot">Page <b></b></div><p>First${BREAK}second<div class="head">Acme two</div>${BREAK}third`;

  test('are shown in margin boxes, with their own styles', async () => {
    const pages = await pagesOf(STYLE + BODY);
    const shown = pages.map((text) => [/Acme \w+/.exec(text)?.[0], /Page \S+/.exec(text)?.[0], text.startsWith('native')]);
    expect(shown).toEqual([
      [undefined, 'Page 1/3', true],
      ['Acme one', 'Page 2/3', true],
      ['Acme two', 'Page 3/3', true],
    ]);
  });

  test('are where the margin box is', async () => {
    const { placed, fills } = await readPdfReply(
      await web.ada.pdf({ html: STYLE.replace('@page :first { @top-center { content: none } }', '') + BODY }),
    );
    const at = (text: string) => placed[0]?.find((each) => each.text.startsWith(text));
    expect(at('Acme')?.y).toBeLessThan(85);
    expect(at('Page')?.x).toBeCloseTo(56.7, 0);
    expect(at('Page')?.y).toBeGreaterThan(595 - 85);
    expect(fills).toContain('#ff0000');
  });

  test.each(['', '.t::before { content: counter(page) "/" counter(pages) }'])(
    'show strings, as headers with the styles of the document do%s',
    async (counting) => {
      const css =
        counting +
        '.t::after { content: "<" string(title) "|" string(title, last) ">" } h1 { string-set: title content() } @page { margin: 30mm }';
      const head = `<style>${css} @page { @top-left { content: element(head) } } .head { position: running(head) }</style>`;
      const body = `<h1>One</h1>${BREAK}x${BREAK}<h1>Two</h1><h1>Three</h1>`;
      const shown = ['<One|One>', '<One|One>', '<Two|Three>'];
      const strings = (pages: string[]) => pages.map((text) => /<.*>/.exec(text)?.[0]);
      expect(strings(await pagesOf(`${head}<div class="head"><b class="t"></b></div>${body}`))).toEqual(shown);
      const options = { header: '<b class="t"></b>', pageRanges: '2-3' };
      expect(strings(await pagesOf(`<style>${css}</style>${body}`, options))).toEqual(shown.slice(1));
    },
  );

  test.each<[position: string, heads: string[]]>([
    ['first', ['a', 'b', 'c']],
    ['last', ['a', 'b2', 'c']],
    ['first-except', ['', '', 'b2']],
  ])('are those of the page: %s', async (position, heads) => {
    const markup = `<style>@page { margin: 3cm; @top-left { content: element(h, ${position}) } } i { position: running(h) }</style>
      <p><i>head a</i>x${BREAK}<i>head b</i>y <p><i>head b2</i>z${BREAK}${position === 'first-except' ? '' : '<i>head c</i>'}w`;
    const pages = await pagesOf(markup);
    expect(pages.map((text) => /head (\w+)/.exec(text)?.[1] ?? '')).toEqual(heads);
  });

  const HEAD = '<style>@page { margin: 3cm; @top-center { content: element(head) } } .head { position: running(head) }';

  test('are on empty pages, too', async () => {
    const markup = `${HEAD} hr { height: 1px; border: 0 }</style><div class="head">Acme</div><p>x<hr style="break-before: page"><hr style="break-before: page">`;
    expect(await pagesOf(markup)).toEqual(['xAcme', 'Acme', 'Acme']);
  });

  test.each<[what: string, css: string]>([
    ['breaks', 'h1 { break-before: page; break-after: page }'],
    ['content of the root', 'html::before { content: ""; display: block } html::after { content: ""; display: block }'],
    ['sizes of the root', 'html { min-height: calc(100vh + 10px); max-width: 100% }'],
  ])('do not go on to other pages: %s', async (_, css) => {
    const markup = `${HEAD} ${css}</style><div class="head"><h1>one</h1><h1>two</h1></div><p>x${BREAK}y`;
    expect(await pagesOf(markup)).toEqual(['xone two', 'yone two']);
  });

  test('are on pages whose names have capitals and other letters', async () => {
    const markup = `<style>@page { margin: 3cm } @page Brief { @top-left { content: element(kopf-ä) } } body { page: Brief } i { position: running(kopf-ä) }</style><p><i>head</i>x${BREAK}y`;
    expect(await pagesOf(markup)).toEqual(['xhead', 'yhead']);
  });

  test('may be forms with fields of any name', async () => {
    const fields = ['style', 'append', 'cloneNode', 'setAttribute', 'getAttributeNames', 'checkVisibility'];
    const markup = `${HEAD} input { display: none }</style><form class="head">${fields.map((name) => `<input name="${name}">`).join('')}Acme</form><p>x`;
    expect(await pagesOf(markup)).toEqual(['xAcme']);
  });
});
