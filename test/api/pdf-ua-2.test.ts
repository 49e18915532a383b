/** The additional structure of PDF/UA-2. `test/conformance` validates files against the standard itself. */
import { PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import { StructureElement } from '../../src/pdf/structure/structure-element.ts';
import { StructureTree } from '../../src/pdf/structure/structure-tree.ts';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { sharedService } from '../support/shared-service.ts';
import { structureShape } from '../support/structure-shape.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const document = (body: string) => `<!doctype html><html lang="en"><title>Report</title>${body}`;

async function render(body: string, options: object = {}): Promise<EditablePdf> {
  const response = await succeeded(
    client.pdf({
      html: document(body),
      options: { conformance: 'PDF/UA-2', compress: false, ...options },
    }),
  );
  return EditablePdf.read(await bytesOf(response));
}

test.each([
  ['text without a paragraph', 'one <em>two</em> <a href="https://example.com/">three</a>', 'Document(P(# Em(#) # Link(# @)))'],
  ['an emphasis of paragraphs', '<em><p>one</p><p>two</p></em>', 'Document(Div(P(#) P(#)))'],
  ['a heading of boxes', '<h1><div>one</div></h1>', 'Document(H1(NonStruct(#)))'],
  [
    'a background of a table',
    '<table style="background: gold"><tr><th>one<td>two</table>',
    'Document(Table(Artifact(#) TR(TH(#) TD(#))))',
  ],
  ['a background of an item', '<ul><li style="background: gold">one</ul>', 'Document(L(LI(Artifact(#) Lbl(#) LBody(#))))'],
  ['a line', '<p>one</p><hr><p>two', 'Document(P(#) Artifact(#) P(#))'],
  [
    'a figure with a caption',
    `<figure><img src="${PIXEL_URL}" alt="One" width="9" height="9"><figcaption>two</figcaption></figure>`,
    'Document(Sect(Figure(#) Caption(#)))',
  ],
  [
    'a caption between two things',
    `<figure><p>one</p><figcaption>two</figcaption><p>three</p></figure>`,
    'Document(Div(P(#) Div(P(#)) P(#)))',
  ],
  ['two bases of a ruby', '<p><ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>', 'Document(P(Ruby(RB(#) RT(#)) Ruby(RB(#) RT(#))))'],
  ['an article in an article', '<article>one<article>two</article></article>', 'Document(Art(P(#) Div(P(#))))'],
  ['an aside', '<aside>one</aside>', 'Document(Aside(P(#)))'],
])('%s', async (_, body, expected) => {
  const tree = StructureTree.read(await render(body));
  expect(structureShape(tree.document)).toBe(expected);
});

test('links moved content to its new element', async () => {
  const pdf = await render('<table style="background: gold"><tr><th>one<td>two</table>one <b>two</b>');
  const tree = StructureTree.read(pdf);
  const [page] = pdf.pdf.getPages();
  const root = pdf.resolve(pdf.catalog.get('StructTreeRoot')) as PdfDict;
  const nums = pdf.resolve((pdf.resolve(root.get('ParentTree')) as PdfDict).get('Nums')) as PdfArray;
  const owners = (pdf.resolve(nums.at(1)) as PdfArray).toArray().map(String);
  const expected: string[] = [];
  for (const element of tree.elements())
    for (const kid of element.kids)
      if (!(kid instanceof StructureElement) && kid.type === 'number') expected[kid.value] = String(element.ref);
  expect(page).toBeDefined();
  expect(expected.length).toBeGreaterThan(3);
  expect(owners).toEqual(expected);
});

describe('structure destinations', () => {
  /** Returns the elements that links lead to, in the order of the links. */
  function targets(pdf: EditablePdf): string[] {
    const tree = StructureTree.read(pdf);
    const elements = tree.elements();
    const annotations = pdf.pdf.getPages().flatMap(({ dict }) => {
      const list = pdf.resolve(dict.get('Annots'));
      return list instanceof PdfArray ? list.toArray() : [];
    });
    return annotations.map((ref) => placeOf(pdf, elements, pdf.resolve(ref)));
  }

  function placeOf(pdf: EditablePdf, elements: StructureElement[], holder: PdfObject | undefined): string {
    const action = holder instanceof PdfDict ? pdf.resolve(holder.get('A')) : undefined;
    const destination = action instanceof PdfDict ? pdf.resolve(action.get('SD')) : undefined;
    const [ref] = destination instanceof PdfArray ? destination.toArray() : [];
    const found = elements.find((element) => ref instanceof PdfRef && element.id === ref.objectNumber);
    if (!found) return 'none';
    const alike = elements.filter(({ type }) => type === found.type);
    return `${found.type} ${alike.indexOf(found) + 1}`;
  }

  test('exist for elements that links name', async () => {
    const links = ['h', 'p', 'word', 'cell', 'image', 'item', 'next', 'top'].map((id) => `<a href="#${id}">${id}</a> `);
    const pdf =
      await render(`<h1 id="top">Start</h1><p>${links.join('')}</p><p>between<h2 id="h">Heading</h2><p id="p">text<p>before
<b id="word">word</b> after<table><tr><th>a<th>b<tr><td>c<td id="cell">d</table><p><img id="image" alt="A dot" src="${PIXEL_URL}" width="9" height="9">
<ul><li>one<li id="item">two</ul><h2 style="break-before: page" id="next">Next</h2>`);
    expect(targets(pdf)).toEqual(['H2 1', 'P 3', 'P 4', 'TD 2', 'Figure 1', 'LBody 2', 'H2 2', 'H1 1']);
  });

  const SQUARE = `<img alt="A square" src="${PIXEL_URL}" width="90" height="90">`;
  test.each([
    ['an image', `<p><a id="x"></a>${SQUARE}</p><p>after`, 'Figure 1'],
    ['an image outside of a paragraph', `<a id="x"></a>${SQUARE}<p style="margin: 0">after`, 'Figure 1'],
    ['an image in a line', `<p>before <a id="x"></a>${SQUARE} words</p><p>after`, 'P 2'],
    ['text after an image', `<p>${SQUARE} <a id="x"></a>words</p><p>after`, 'P 2'],
    [
      'text beside an image',
      `<img alt="A square" src="${PIXEL_URL}" width="90" height="70" style="float: left"><p>one<p id="x">two`,
      'P 3',
    ],
  ])('links to an empty anchor lead to what follows it (%s)', async (_, body, target) => {
    expect(targets(await render(`<h1>Start</h1><p><a href="#x">link</a></p>${body}`))).toEqual([target]);
  });

  test.each([
    { margin: { top: '5cm', left: '3cm' } },
    { scale: 0.5, margin: '4cm' },
    { scale: 1.5, landscape: true },
    { headerTemplate: '<p style="font-size: 20px">head', margin: '100px' },
    { watermark: { text: 'DRAFT' } },
  ])('exist for elements that links name with %j', async (options) => {
    const part = (n: number) => `<h2 id="h${n}">${n}</h2><p>text<p><a href="#h${(n * 3) % 7}">link</a>`;
    const pdf = await render(Array.from({ length: 7 }, (_, n) => part(n)).join(''), options);
    expect(targets(pdf)).toEqual(Array.from({ length: 7 }, (_, n) => `H2 ${((n * 3) % 7) + 1}`));
  });

  const text = 'words of a paragraph that is longer than a line of its page, '.repeat(4);
  test.each<[string, (heading: string) => string, string]>([
    ['columns', (heading) => `${heading}<p>${text}`, 'columns: 3'],
    ['half transparent boxes', (heading) => `<div style="opacity: .5">${heading}<p>${text}</div>`, ''],
    ['boxes that clip', (heading) => `<div style="overflow: hidden; padding: 9px">${heading}<p>${text}</div>`, ''],
    ['cells', (heading) => `<table border="1"><tr><td>${heading}<td>${text}</table>`, ''],
    ['floats', (heading) => `<div style="float: left; width: 45%">${heading}<p>${text}</div>`, ''],
    ['vertical text', (heading) => `<div style="writing-mode: vertical-rl; display: inline-block">${heading}<p>x</div>`, ''],
    ['centred headings', (heading) => `${heading}<p style="text-align: left">${text}`, 'text-align: center'],
  ])('exist for %s', async (_, part, style) => {
    const parts = Array.from({ length: 12 }, (_, n) => part(`<h2 id="h${n}">${n}</h2>`));
    const links = parts.map((_, n) => `<a href="#h${n}">${n}</a> `);
    const pdf = await render(`<p>${links.join('')}</p><div style="${style}">${parts.join('')}</div>`);
    expect(targets(pdf)).toEqual(parts.map((_, n) => `H2 ${n + 1}`));
  });

  test('lead to the column that a link names', async () => {
    const column = (id: string) => `<div style="width: 40%; float: left"><p>one</p><h2 id="${id}">two</h2></div>`;
    const pdf = await render(`<p><a href="#left">l</a> <a href="#right">r</a></p>${column('left')}${column('right')}`);
    expect(targets(pdf)).toEqual(['H2 1', 'H2 2']);
  });

  test('lead from bookmarks to headings', async () => {
    const pdf = await render('<h1>One</h1><h2>Two</h2><h2>Three</h2><h1>Four</h1>', { outline: true });
    const elements = StructureTree.read(pdf).elements();
    const found: string[] = [];
    const visit = (ref: PdfObject | undefined) => {
      const item = pdf.resolve(ref);
      if (!(item instanceof PdfDict)) return;
      found.push(placeOf(pdf, elements, item));
      visit(item.get('First'));
      visit(item.get('Next'));
    };
    visit((pdf.resolve(pdf.catalog.get('Outlines')) as PdfDict).get('First'));
    expect(found).toEqual(['H1 1', 'H2 1', 'H2 2', 'H1 2']);
  });
});

test('rejects a list in a heading, because it cannot be repaired', async () => {
  const html = document('<h1>One <ul><li>two</ul></h1>');
  const { violations } = await problem(await client.pdf({ html, options: { conformance: 'PDF/UA-2' } }), 422, 'not_conformant');
  expect(violations).toEqual([
    expect.objectContaining({
      rule: 'structure_invalid',
      clause: 'ISO/TS 32005, table 5',
      message: expect.stringContaining('L in H1'),
    }),
  ]);
});

test('accepts a skipped heading level, and tags a link with another role as a link', async () => {
  const pdf = await render('<h1>One</h1><h3>Two</h3><p><a href="https://example.com/" role="doc-noteref">1</a>');
  expect(structureShape(StructureTree.read(pdf).document)).toBe('Document(H1(#) H3(#) P(Link(# @)))');
});
