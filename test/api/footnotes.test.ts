/** Footnotes: calls in the text, and notes at the bottom of their pages. */
import { describe, expect, test } from 'vitest';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { StructureTree } from '../../src/pdf/structure/structure-tree.ts';
import { bytesOf, problem, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readLinks } from '../support/read-bookmarks.ts';
import { readPdf, readPdfReply } from '../support/read-pdf.ts';
import { structureShape } from '../support/structure-shape.ts';
import { readTaggedText } from '../support/tagged-text.ts';
import { Web } from '../support/web.ts';

const STYLE = `@page { size: A5; margin: 20mm; @bottom-right { content: "p" counter(page) } } body { margin: 0; font: 12px/16px Arial }
  .n { float: footnote }`;
const TEXT = 'Lorem ipsum dolor sit amet. '.repeat(12);
const web = await Web.share().then(closeAfterAll);

const document = (body: string, css = '') => `<!doctype html><style>${STYLE} ${css}</style>${body}`;
const note = (n: number, text = 'note') => `<p>${TEXT}word${n}x<span class="n">${text} ${n}.</span> end</p>`;
const render = async (html: string, options: object = {}) => readPdfReply(await web.ada.pdf({ html, options }));

describe('footnotes', () => {
  test.each([12, 60])('are on the page of their call, below the text (%i)', async (count) => {
    const { pages, placed } = await render(document(Array.from({ length: count }, (_, n) => note(n)).join('')));
    const calls = pages.map((text) => Array.from(text.matchAll(/word(\d+)x/g), ([, n]) => n));
    expect(pages.map((text) => Array.from(text.matchAll(/note (\d+)\./g), ([, n]) => n))).toEqual(calls);
    expect(calls.flat()).toEqual(Array.from({ length: count }, (_, n) => String(n)));
    for (const texts of placed) {
      const [first] = texts.filter(({ text }) => /note/.test(text)).map(({ y }) => y);
      const body = texts.filter(({ text }) => /Lorem|word|end/.test(text)).map(({ y }) => y);
      expect(first ?? 1e9).toBeGreaterThan(Math.max(...body));
      for (const { text, y } of texts) if (/note/.test(text)) expect(y).toBeLessThan(595.3 - 56.6);
    }
  });

  test('may be declared by a style attribute, which concerns no other', async () => {
    const markup = `<p>text<i style="float: footnote">one</i> and <b style="color: #00f">bold</b>
      <img alt="" style="float: right"><i class="n" style="color: #00f">two</i>`;
    const { pages } = await render(document(markup));
    expect(pages).toEqual([expect.stringMatching(/text1 and bold 2.*1\. one 2\. two$/)]);
  });

  test('do not repeat what is generated in the elements around them', async () => {
    const css =
      'li { list-style: none } li::before { content: "item" } ul::after { content: "list" } body::after { content: "end" }';
    const { pages } = await render(document('<ul><li>text<span class="n">note</span></ul>', css), { footer: 'foot' });
    expect(pages.map((text) => text.match(/item|list|end|foot|note/g)?.sort())).toEqual([
      ['end', 'foot', 'item', 'list', 'note'],
    ]);
  });

  test.each(['html', 'body'])('are as large as the text if %s has a zoom', async (element) => {
    const [plain, zoomed] = await Promise.all(['', `${element} { zoom: 0.5 }`].map((css) => render(document(note(1), css))));
    const widthOf = (pdf: typeof plain, text: RegExp) => (pdf?.placed[0] ?? []).findLast((each) => text.test(each.text));
    expect(widthOf(zoomed, /note/)?.y).toBeGreaterThan((widthOf(plain, /note/)?.y ?? 0) - 1);
    const end = async (css: string) => {
      const { placed } = await render(document('<p>x<span class="n">The note. <b>end</b></span>', css));
      return (placed[0]?.find(({ text }) => text === 'end')?.x ?? 0) - (20 / 25.4) * 72;
    };
    expect((await end(`${element} { zoom: 0.5 }`)) / (await end(''))).toBeCloseTo(0.5, 1);
  });

  test('are the same with a script, and each time', async () => {
    const html = document(Array.from({ length: 9 }, (_, n) => note(n)).join(''));
    const [one, other] = await Promise.all([0, 1].map(async () => (await web.ada.pdf({ html })).arrayBuffer()));
    expect(Buffer.from(one as ArrayBuffer).equals(Buffer.from(other as ArrayBuffer))).toBe(true);
    expect((await render(`${html}<script>1</script>`)).pages).toEqual((await render(html)).pages);
    expect(await web.ada.report({ html })).toMatchObject({ warnings: [], warning_count: 0 });
  });

  test('have calls and markers as the style sheet says', async () => {
    const css = `.n::footnote-call { content: "[" counter(footnote, lower-alpha) "]" } ::footnote-marker { content: counter(footnote, upper-roman) ": " }
      section { counter-reset: footnote }`;
    const { pages } = await render(document(`<section>${note(0)}${note(1)}</section><section>${note(2)}</section>`, css));
    const [text = ''] = pages;
    expect(text.replace(/\s/g, '')).toMatch(/word0x\[a\]end.*word1x\[b\]end.*word2x\[a\]end.*I:note0\.II:note1\.I:note2\./);
  });

  test('may follow each other in one line', async () => {
    const css = '.n { footnote-display: inline } @footnote { color: #ff0000; font-size: 9px }';
    const { placed } = await render(document(note(0) + note(1), css));
    const lines = placed[0]?.filter(({ text }) => /note/.test(text)).map(({ y }) => Math.round(y));
    expect(new Set(lines).size).toBe(1);
  });

  test('that do not fit go on to the next page', async () => {
    const crowd = Array.from({ length: 14 }, (_, n) => `<span class="n">${'long '.repeat(40)} crowd ${n}.</span>`).join('word');
    const { pages } = await render(document(`<p>start${crowd}</p>${`<p>${TEXT}</p>`.repeat(14)}`));
    const found = pages.map((text) => Array.from(text.matchAll(/crowd (\d+)\./g), ([, n]) => Number(n)));
    expect(found.flat()).toEqual(Array.from({ length: 14 }, (_, n) => n));
    expect(found[0]?.length).toBeGreaterThan(2);
    expect(found[1]?.length).toBeGreaterThan(2);
  });

  describe('have the room that they need on each page', () => {
    const plain = `<p>${TEXT}</p>`;
    const crowd = Array.from({ length: 8 }, (_, n) => `<span class="n">${'long '.repeat(20)}crowd ${n}.</span>`).join('word');
    const book = `${plain.repeat(20)}<p>start${crowd}</p>${plain.repeat(20)}${note(8)}${plain.repeat(10)}`;
    const linesOf = ({ placed }: Awaited<ReturnType<typeof render>>) =>
      placed.map((texts) => texts.filter(({ text }) => /Lorem/.test(text)).map(({ y }) => y));

    test('and leave the rest to the text', async () => {
      const pdf = await render(document(book));
      const bottoms = linesOf(pdf).map((lines) => Math.max(...lines));
      const crowded = pdf.pages.findIndex((text) => text.includes('crowd 0.'));
      expect(crowded).toBeGreaterThan(0);
      expect(pdf.pages[crowded]).toContain('crowd 7.');
      expect(bottoms[crowded]).toBeLessThan(400);
      const noted = pdf.pages.findIndex((text) => text.includes('note 8.'));
      const others = bottoms.slice(0, -1).filter((_, page) => ![crowded - 1, crowded, noted].includes(page)); // notes may have moved on
      expect(Math.min(...others)).toBeGreaterThan(500);
    });

    test.each([
      ['with numbers of each page', '@page { counter-reset: footnote }', book],
      [
        'on pages with names and sides',
        'div { page: part } @page part { margin: 30mm } @page :left { margin-left: 40mm }',
        `<div>${book}</div>${book}`,
      ],
      ['with empty pages', 'h1 { break-before: right }', `${book}<h1>End</h1>`],
      [
        'with contents',
        'a::after { content: target-counter(attr(href), page) }',
        `<a href="#end"></a>${book}<h1 id="end">End</h1>`,
      ],
      ['in a body without names for its pages', 'body { display: grid }', book],
      ['with rules for pages by their number', '@page :nth(2) { margin-top: 60mm }', book],
    ])('%s', async (_, css, body) => {
      for (const options of [{}, { tagged: true }]) {
        const { pages, placed } = await render(document(body, css), options);
        expect(pages.join(' ').match(/Lorem/g)).toHaveLength((body.match(/Lorem/g) ?? []).length);
        expect(pages.join(' ').match(/crowd \d\./g)).toHaveLength((body.match(/crowd \d\./g) ?? []).length);
        for (const [page, texts] of placed.entries()) {
          const notes = texts.filter(({ text }) => /long|note/.test(text)).map(({ y }) => y);
          const lines = texts.filter(({ text }) => /Lorem|start/.test(text)).map(({ y }) => y);
          expect(Math.min(...notes, 1e9), `page ${page + 1}`).toBeGreaterThan(Math.max(...lines, 0));
        }
      }
    });
  });

  test('are divided between pages if they are long, in the room that the first print chooses', async () => {
    const words = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `k${from + n}`).join(' ');
    const paragraphs = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => note(from + n)).join('');
    const long = (count: number, css?: string) =>
      document(`${paragraphs(0, 4)}<p>${TEXT}<span class="n">${words(0, count)}</span></p>${paragraphs(4, 16)}`, css);
    const { pages, placed } = await render(long(300));
    expect(pages.join(' ').match(/k\d+/g)).toEqual(words(0, 300).split(' '));
    const partsOf = (texts: string[]) => texts.flatMap((text, page) => (/k\d/.test(text) ? page : []));
    const parts = partsOf(pages);
    expect(parts).toEqual([parts[0], (parts[0] ?? 0) + 1]);
    const whole = await render(long(300, '.n { footnote-policy: line }'));
    expect(partsOf(whole.pages)).toHaveLength(1);
    const lines = placed.map((texts) => new Set(texts.filter(({ text }) => /Lorem/.test(text)).map(({ y }) => y)).size);
    expect(Math.max(...lines)).toBeGreaterThan(14); // of the 27 lines of a page
    const notes = pages.map((text) => Array.from(text.matchAll(/note (\d+)\./g), ([, n]) => Number(n)));
    expect(notes.flat()).toEqual(Array.from({ length: 16 }, (_, n) => n));
  });

  test('that cannot be divided and are too high fail', async () => {
    const html = document(
      `<p>x<span class="n"><img src="data:," style="height: 500px; width: 9px"></span></p>${note(0).repeat(30)}`,
    );
    expect((await problem(await web.ada.pdf({ html }), 422, 'print_failed')).detail).toContain('cannot be divided');
  });

  test('are at the bottom of pages with another size and other margins', async () => {
    const css = `@page :first { margin: 60mm 10mm 50mm } @page wide { size: A5 landscape; margin: 10mm 40mm } .wide { page: wide }
      @page { @footnote { margin: 0 } } .n { font-size: 12px }`;
    const pages = `${note(0)}<div class="wide">${note(1)}</div>${note(2)}`;
    const { placed } = await render(document(pages, css));
    const markers = placed.map((texts) => texts.find(({ text }) => /^\d\. /.test(text)) ?? { x: 0, y: 0 });
    const MM = 72 / 25.4;
    const edges = [
      [10, 160],
      [40, 138],
      [20, 190],
    ];
    expect(markers).toHaveLength(3);
    for (const [page, { x, y }] of markers.entries()) {
      const [left = 0, bottom = 0] = edges[page] ?? [];
      expect(Math.abs(x - left * MM)).toBeLessThan(1);
      expect(bottom * MM - y).toBeGreaterThan(0);
      expect(bottom * MM - y).toBeLessThan(12);
    }
  });

  test('leave elements in margin boxes, headers and footers where they are', async () => {
    const css = '.run { position: running(r) } @page { @bottom-center { content: element(r) } }';
    const html = `<p class="run">running</p>${note(0, 'note '.repeat(300))}${note(1)}`;
    const options = { header: '<p>header</p>', footer: '<p>footer</p>' };
    const [noted, plain] = await Promise.all([
      render(document(html, css), options),
      render(document(html.replace(/<span.*?<.span>/g, ''), css), options),
    ]);
    const places = ({ placed }: typeof noted) => placed[0]?.filter(({ text }) => /^(running|header|footer)$/.test(text));
    expect(places(plain)).toHaveLength(3);
    expect(places(noted)).toEqual(places(plain));
  });

  test('have the numbers of their calls, also in other footnotes and if a style sheet counts them itself', async () => {
    const body = '<p>a<i class="n">one<i class="n">inner</i></i> b<i class="n">two</i> c<i class="n">three</i>';
    const { pages } = await render(document(body, '.n { counter-increment: footnote }'));
    expect(pages).toEqual([expect.stringMatching(/a1 b3 c4 ?1\. one2 2\. inner 3\. two 4\. three$/)]);
  });

  test('may be numbered on each page', async () => {
    const css = '@page { counter-reset: footnote } .n::footnote-call { content: "[" counter(footnote) "]" }';
    const { pages } = await render(document(Array.from({ length: 20 }, (_, n) => note(n)).join(''), css));
    expect(pages.length).toBeGreaterThan(2);
    for (const text of pages) {
      const calls = Array.from(text.matchAll(/\[(\d+)\]/g), ([, n]) => Number(n));
      expect(calls).toEqual(calls.map((_, index) => index + 1));
      expect(Array.from(text.matchAll(/(\d+)\. note/g), ([, n]) => Number(n))).toEqual(calls);
    }
  });

  test.each([
    ['the option', {}, { singlePage: true }],
    ['the style sheet', { css: '@page { size: 80mm auto }' }, {}],
  ])('stay in the text of a single page by %s', async (_, { css = '' }: { css?: string }, options) => {
    const { pages } = await render(document(note(0), css), options);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('note 0.');
  });

  test('without room on the last page fail', async () => {
    const html = document(`<p>x<span class="n">${'very long '.repeat(3_000)}</span></p>`);
    const refused = await problem(await web.ada.pdf({ html }), 422, 'print_failed');
    expect(refused.detail).toContain('footnotes of the last page');
  });

  test('are in the pages that are printed', async () => {
    const html = document(Array.from({ length: 30 }, (_, n) => note(n)).join(''));
    const all = (await render(html)).pages;
    expect((await render(html, { pageRanges: '2-3' })).pages).toEqual(all.slice(1, 3));
  });

  test('of footnotes are on the same page', async () => {
    const { pages } = await render(
      document('<p>one<i class="n">a <i class="n">b <i class="n">c</i></i></i> two<i class="n">d</i>'),
    );
    expect(pages[0]).toContain('1. a 2 2. b 3 3. c 4. d');
  });

  test('may be forms with fields of any name', async () => {
    const fields = ['before', 'prepend', 'style'].map((name) => `<input name="${name}">`).join('');
    expect((await render(document(`<p>one<form class="n">${fields}note</form>`, 'input { display: none }'))).pages[0]).toContain(
      '1. note',
    );
  });

  test('may be in documents with empty pages', async () => {
    const { pages } = await render(
      '<style>.n { float: footnote } hr { border: 0 }</style><p>x<i class="n">note</i><hr style="break-before: page">',
    );
    expect(pages).toHaveLength(2);
    expect(pages[0]).toContain('note');
  });

  test('may be in long documents', async () => {
    const { pages } = await render(`<style>.n { float: footnote }</style><p>x<i class="n">note</i>${'<p>text'.repeat(9_000)}`);
    expect(pages.length).toBeGreaterThan(100);
    expect(pages[0]).toContain('note');
  }, 60_000);
});

describe('tags of footnotes', () => {
  const page = (body: string) => document(body).replace('<!doctype html>', '<!doctype html><html lang="en"><title>Notes</title>');
  const tag = async (html: string, options: object = {}) =>
    Buffer.from(await bytesOf(await succeeded(web.ada.pdf({ html, options: { tagged: true, compress: false, ...options } }))));
  const shapeOf = async (body: string) =>
    structureShape(StructureTree.read(await EditablePdf.read(await tag(page(body)))).document);

  test('are where their calls are', async () => {
    const body = `<h1>Title<i class="n">on a title</i></h1><p>one<i class="n">first <b>bold</b></i> two
      <i class="n">with <i class="n">inner</i> end</i> three<table><tr><td>cell<i class="n">of a cell</i><td>next</table>`;
    const texts = await readTaggedText(await tag(page(body)));
    expect(texts).toEqual([
      'Title',
      'on a title',
      'one',
      'first bold',
      'two',
      'with',
      'inner',
      'end',
      'three',
      'cell',
      'of a cell',
      'next',
    ]);
    expect(await shapeOf('<p>one<i class="n">note</i> two')).toBe('Document(P(# Note(#) #))');
  });

  test('are whole if the footnotes go on to other pages', async () => {
    const words = Array.from({ length: 600 }, (_, n) => `k${n}`).join(' ');
    const html = page(`<p>start<i class="n">${words}</i> end</p>${note(1).repeat(40)}`);
    const texts = await readTaggedText(await tag(html));
    expect(texts.slice(0, 3)).toEqual(['start', words, 'end']);
    expect(texts.filter((text) => text === 'note 1.')).toHaveLength(40);
  });

  test('have ids of their own, also in long documents', async () => {
    const pdf = await tag(
      page(`<table><tr><th>head<tr><td>cell</table>${'<p style="break-before: page">x<i class="n">note</i>'.repeat(230)}`),
    );
    const tree = StructureTree.read(await EditablePdf.read(pdf));
    const ids = tree
      .elements()
      .filter(({ type }) => type === 'Note')
      .map((element) => element.text('ID'));
    expect(ids).toHaveLength(230);
    expect(new Set(ids).size).toBe(230);
    expect((await readTaggedText(pdf)).slice(-4)).toEqual(['x', 'note', 'x', 'note']);
    expect(pdf.includes('platen-place')).toBe(false);
  });

  test('are not there if all footnotes are hidden from screen readers', async () => {
    const pdf = await tag(page('<p>one<p aria-hidden="true">two<i class="n">hidden note</i>'));
    expect((await readPdf(pdf)).pages.join()).toContain('hidden note');
    expect(await readTaggedText(pdf)).toEqual(['one']);
  });

  test('have links', async () => {
    const body =
      '<p>x<i class="n">see <a href="https://example.org/">this</a> and <a href="#end">that</a></i><h2 id="end">End</h2>';
    expect(await shapeOf(body)).toBe('Document(P(# Note(# Link(# @) # Link(# @))) H2(#))');
  });
});

test('links in footnotes lead where they say', async () => {
  const html = document(
    '<p>x<i class="n">see <a href="https://example.org/">this</a> and <a href="#end">that</a></i><h2 id="end" style="break-before: page">End</h2>',
  );
  const pdf = await bytesOf(await succeeded(web.ada.pdf({ html })));
  expect(await readLinks(pdf)).toEqual([[2], []]);
  await using opened = await openPdf(pdf);
  const annotations = await (await opened.document.getPage(1)).getAnnotations();
  expect(annotations.map(({ url }) => url ?? '')).toEqual(['https://example.org/', '']);
});
