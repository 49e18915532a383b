/** `options.tagged`: better tags than those of Chromium, without a claim of conformance. */
import { PdfArray, PdfDict, type PdfName, PdfNumber, PdfString } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { EditablePdf } from '../../src/pdf/objects/editable-pdf.ts';
import type { StructureElement } from '../../src/pdf/structure/structure-element.ts';
import { StructureTree } from '../../src/pdf/structure/structure-tree.ts';
import { bytesOf, Client } from '../support/client.ts';
import { openPdf } from '../support/open-pdf.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { readFinished } from '../support/read-finished.ts';
import { sharedService } from '../support/shared-service.ts';
import { Site, send } from '../support/site.ts';
import { structureShape } from '../support/structure-shape.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const document = (body: string) => `<!doctype html><html lang="en"><title>Report</title>${body}`;

async function render(html: string, options: object = {}): Promise<Buffer> {
  return client.rendered({ html, options: { tagged: true, ...options } });
}

async function read(html: string, options: object = {}): Promise<{ pdf: EditablePdf; tree: StructureTree }> {
  const pdf = await EditablePdf.read(await render(html, { compress: false, ...options }));
  return { pdf, tree: StructureTree.read(pdf) };
}

/** Returns the style sheet `a.css`, and `b.css`, which imports it. */
function cssAssets(css: string): Record<string, { content: string; type: string }> {
  const asset = (text: string) => ({ content: Buffer.from(text).toString('base64'), type: 'text/css' });
  return { 'a.css': asset(css), 'b.css': asset('@import "a.css"') };
}

async function shapeOf(html: string, options: object = {}): Promise<string> {
  return structureShape((await read(html, options)).tree.document);
}

/** An annotation as pdf.js reports it. */
interface Described {
  contentsObj: { str: string };
}

type Marked = 'tagged' | 'artifacts' | 'rest';

/** Returns the texts of a page by the marked content around them; `rest` is text that is neither tagged nor an artifact. */
async function textsOf(pdf: Buffer, number = 1): Promise<Record<Marked, string>> {
  await using opened = await openPdf(pdf);
  const { items } = await (await opened.document.getPage(number)).getTextContent({ includeMarkedContent: true });
  const texts = { tagged: '', artifacts: '', rest: '' };
  const open: Marked[] = [];
  for (const item of items) {
    if ('str' in item) texts[open.at(-1) ?? 'rest'] += item.str;
    else if (item.type === 'endMarkedContent') open.pop();
    else open.push(markOf(item) ?? open.at(-1) ?? 'rest');
  }
  return texts;
}

function markOf({ tag, id }: { tag?: string; id?: string }): Marked | undefined {
  if (tag === 'Artifact') return 'artifacts';
  return id ? 'tagged' : undefined;
}

/** Returns the descriptions of all annotations, page by page. */
function descriptionsOf(pdf: EditablePdf): string[] {
  return pdf.pdf.getPages().flatMap(({ dict }) => {
    const list = pdf.resolve(dict.get('Annots'));
    const annotations = list instanceof PdfArray ? list.toArray().map((ref) => pdf.resolve(ref)) : [];
    const contents = annotations.map((annotation) => (annotation instanceof PdfDict ? annotation.get('Contents') : undefined));
    return contents.map((text) => (text instanceof PdfString ? text.asString() : '-'));
  });
}

/** Returns the descriptions of the links in reading order. */
function describedLinks(pdf: EditablePdf, tree: StructureTree): string[] {
  const kids = tree
    .elements()
    .filter(({ type }) => type === 'Link')
    .flatMap((link) => link.kids);
  return kids.flatMap((kid) => {
    const annotation = kid instanceof PdfDict ? pdf.resolve(kid.get('Obj')) : undefined;
    const text = annotation instanceof PdfDict ? annotation.get('Contents') : undefined;
    return text instanceof PdfString ? [text.asString()] : [];
  });
}

function rowSpansOf(tree: StructureTree): number[] {
  const cells = tree.elements().filter(({ type }) => /^T[HD]$/.test(type));
  const spans = cells.map(({ attributes }) => attributes.map((each) => each.get('RowSpan')).find(Boolean));
  return spans.map((span) => (span instanceof PdfNumber ? span.value : 0));
}

/** Returns the descriptions of the fields in reading order. */
function namesOf(tree: StructureTree): string[] {
  const fields = tree.elements().filter(({ type }) => type === 'Form');
  return fields.map(({ attributes }) => {
    const text = attributes.map((attribute) => attribute.get('Desc')).find((value) => value instanceof PdfString);
    return text?.asString() ?? '';
  });
}

describe('adds to the tags of Chromium', () => {
  test('artifacts for what surrounds the document, or is painted over or under it', async () => {
    const html = document('<style>@page { @top-left { content: "Box" } } body { background: gold }</style><h1>Start</h1><p>Text');
    const stamped = await render(html, { watermark: { text: 'DRAFT' } });
    expect(await textsOf(stamped)).toEqual({ tagged: 'StartText', artifacts: 'BoxDRAFT', rest: '' });
    const template = (text: string) => `<span style="font-size: 9px">${text}</span>`;
    const framed = await render(document('<h1>Start</h1>'), {
      headerTemplate: template('Head'),
      footerTemplate: template('Foot'),
      margin: '2cm',
    });
    const { tagged, artifacts, rest } = await textsOf(framed);
    expect([tagged, rest]).toEqual(['Start', '']);
    expect(artifacts).toMatch(/Head.*Foot|Foot.*Head/);
  });

  test.each([
    [
      'items have bodies',
      '<ul><li>one<li>two<ul><li>in</ul></ul>',
      'L(LI(Lbl(#) LBody(#)) LI(Lbl(#) LBody(# L(LI(Lbl(#) LBody(#))))))',
    ],
    [
      'tables have groups of rows, with cells that show nothing',
      '<table><thead><tr><th>a<th>b<tbody><tr><td>1<td><tfoot><tr><td>2<td>3</table>',
      'Table(THead(TR(TH(#) TH(#))) TBody(TR(TD(#) TD())) TFoot(TR(TD(#) TD(#))))',
    ],
    [
      'captions have all that is in them',
      '<table><caption><p>of <a href="https://a.example/">a</a><h2>b</h2></caption><tr><td>1</table>',
      'Table(Caption(P(# Link(# @)) H2(#)) TR(TD(#)))',
    ],
    [
      'rows keep their cells that are invisible, and rows without cells are left out',
      '<table border="1"><tr><th>a<th style="visibility: hidden">b<th style="opacity: 0">c<tr></tr><tr><td>1<td>2<td>3</table>',
      'Table(# TR(TH(# #) TH() TD()) TR(TD(# #) TD(# #) TD(# #)))',
    ],
    [
      'all captions of a table are one',
      '<table><caption>One</caption><caption>Two</caption><tr><td>1<tr><td>2</table>',
      'Table(Caption(# Div(#)) TR(TD(#)) TR(TD(#)))',
    ],
    ['rows outside of tables are groups', '<div role="row"><div role="cell">x</div></div>', 'Div(Div(#))'],
    [
      'a figure is a group, and a picture a figure',
      `<figure><p>x</p><img alt="Dot" src="${PIXEL_URL}"></figure>`,
      'Div(P(#) Figure(#))',
    ],
    ['a link with another role is a link', '<p><a href="https://a.example/" role="doc-noteref">1</a></p>', 'P(Link(# @))'],
    ['a hidden link keeps its annotation', '<p aria-hidden="true"><a href="https://a.example/">x</a></p><p>y', '# P(#) Link(@)'],
  ])('%s', async (_, body, expected) => {
    expect(await shapeOf(document(body))).toBe(`Document(${expected})`);
  });

  test('artifacts for the headers and footers of tables that are repeated on each page', async () => {
    const rows = Array.from({ length: 3 }, (_, n) => `<tr style="height: 600px; break-inside: avoid"><td>${n}`).join('');
    const html = document(`<table><thead><tr><th>Head<tbody>${rows}<tfoot><tr><td>Foot</table>`);
    const pdf = await render(html);
    const texts = await Promise.all([1, 2, 3].map((number) => textsOf(pdf, number)));
    expect(texts).toEqual([
      { tagged: 'Head0', artifacts: 'Foot', rest: '' },
      { tagged: '1', artifacts: expect.stringMatching(/^(?:HeadFoot|FootHead)$/), rest: '' },
      { tagged: '2Foot', artifacts: 'Head', rest: '' },
    ]);
    expect(await shapeOf(html)).toMatch(/THead\(TR\(TH\(#\)\)\) .* TFoot\(TR\(TD\(#\)\)\)/);
  });

  test('spans of rows that end with their group', async () => {
    const { tree } = await read(
      document(
        '<table><thead><tr><th rowspan="9">a<th>b<tbody><tr><td rowspan="0">1<td>2<tr hidden><td>x<tr><td>3<tr><td rowspan="2">4<td>5</table>',
      ),
    );
    expect(rowSpansOf(tree)).toEqual([1, 1, 3, 1, 1, 1, 1]);
  });

  test('roles for types that PDF 1.7 does not have', async () => {
    const { pdf, tree } = await read(document('<p><strong>one</strong> <em>two</em>'));
    expect(structureShape(tree.document)).toBe('Document(P(Strong(#) # Em(#)))');
    const root = pdf.resolve(pdf.catalog.get('StructTreeRoot')) as PdfDict;
    const roles = [...(root.get('RoleMap') as PdfDict)].map(([name, role]) => [name.value, (role as PdfName).value]);
    expect(Object.fromEntries(roles)).toEqual({ Strong: 'Span', Em: 'Span' });
  });

  test('descriptions of links from their text or URL', async () => {
    const { pdf } = await read(
      document('<p><a href="https://a.example/">The first</a> <a href="#p" title="Down"><b>↓</b></a><p id="p">x'),
    );
    expect(descriptionsOf(pdf)).toEqual(['The first', '↓']);
    const odd = await read(
      document(
        '<p><a href="#a b">space</a> <a href="#ä">umlaut</a></p><a href="https://a.example/"><h2>Head</h2>line</a><p id="a b">x<p id="ä">y',
      ),
    );
    expect(new Set(descriptionsOf(odd.pdf))).toEqual(new Set(['space', 'umlaut', 'Head line']));
    const empty = await read(
      document(`<p><a href="https://b.example/"><img alt="" src="${PIXEL_URL}" width="9" height="9"></a>`),
    );
    expect(new Set(descriptionsOf(empty.pdf))).toEqual(new Set(['https://b.example/']));
  });

  test.each([
    ['aria-label in it', '<a href="#p"><b aria-label=" ">Read</b> <span aria-label="more">+</span></a>', 'Read more'],
    ['what is laid out as a block', '<a href="#p" style="display: flex"><span>Part 1</span><span>23</span></a>', 'Part 1 23'],
    ['what is not displayed', '<a href="#p">Read<span hidden> nothing</span></a>', 'Read'],
    ['a hidden label', '<a href="#p" aria-labelledby="l">x</a><p id="l" hidden aria-hidden="true">Hidden</p>', 'Hidden'],
    ['a label with a label of its own', '<a href="#p" aria-labelledby="l">x</a><p id="l" aria-label="Spoken">y</p>', 'Spoken'],
    [
      'a slot',
      '<x-a><template shadowrootmode="open"><a href="https://a.example/"><slot></slot></a></template>Slotted</x-a>',
      'Slotted',
    ],
  ])('a text of a link that considers %s', async (_, link, expected) => {
    const { pdf } = await read(document(`${link}<p id="p">x`));
    expect(new Set(descriptionsOf(pdf))).toEqual(new Set([expected]));
  });

  test.each([
    ['each in order', '<a href="#p">one</a> <a href="#p">two</a>', ['one', 'two']],
    ['one off the page', '<a href="#p" style="position: absolute; left: -9999px">Skip</a> <a href="#p">two</a>', ['two']],
    ['one without content', '<a href="#p"></a> <a href="#p">two</a>', ['two']],
    ['one that is transparent', '<a href="#p" style="opacity: 0">one</a> <a href="#p">two</a>', ['two']],
    [
      'one that is hidden from readers',
      '<span aria-hidden="true"><a href="#p">one</a></span> <a href="#p">two</a>',
      ['one', 'two'],
    ],
    [
      'one that is indistinguishable from the other',
      '<x-a><template shadowrootmode="closed"><a href="#p">one</a></template></x-a> <a href="#p">two</a>',
      ['#p', '#p'],
    ],
    [
      'one that two elements own',
      '<p aria-owns="o">x<a href="#p">one</a><p aria-owns="o">y<a id="o" href="#p">two</a>',
      ['#p', '#p'],
    ],
    [
      'one that a hidden element owns',
      '<p aria-owns="o" aria-hidden="true">x</p><a href="#p">one</a><a id="o" href="#p">two</a>',
      ['one', 'two'],
    ],
  ])('no text of another link with the same target (%s)', async (_, links, expected) => {
    const { pdf } = await read(document(`${links}<p id="p">x`));
    expect(descriptionsOf(pdf)).toEqual(expected);
  });

  test.each([
    ['a field off the page', '<input type="checkbox" aria-label="A" style="position: absolute; left: -9999px">'],
    ['a field that is transparent', '<label>A <input type="checkbox" style="opacity: 0"></label>'],
    ['another kind of field', '<label>A <input type="date"></label><label>F <input type="file"></label>'],
  ])('no name of another field: next to %s', async (_, other) => {
    const { tree } = await read(
      document(`${other}<label>B <input type="checkbox"></label><label>C <input></label><button>D</button>`),
    );
    expect(namesOf(tree).filter((name) => !/ A$/.test(name))).toEqual(['B', 'C', 'D']);
  });

  test.each(
    Object.entries({
      slots: (one: string, two: string) =>
        `<x-a><template shadowrootmode="open"><slot name="b"></slot><slot></slot></template>${two}${one.replace(' ', ' slot="b" ')}</x-a>`,
      'aria-owns': (one: string, two: string) =>
        `<div aria-owns="o-${one.length}"></div>${two}${one.replace(' ', ` id="o-${one.length}" `)}`,
    }),
  )('names in the order of %s', async (_, inOrder) => {
    const boxes = inOrder('<input type="checkbox" aria-label="A">', '<input type="checkbox" aria-label="B">');
    const buttons = inOrder('<button >C</button>', '<button >D</button>');
    expect(namesOf((await read(document(boxes + buttons))).tree)).toEqual(['A', 'B', 'C', 'D']);
    const links = inOrder('<a href="#p">one</a>', '<a href="#p">two</a>');
    const { pdf, tree } = await read(document(`${links}<p id="p">x`));
    const texts = await textsOf(await render(document(`${links}<p id="p">x`)));
    expect([texts.tagged.includes('one'), describedLinks(pdf, tree)]).toEqual([true, ['one', 'two']]);
    const tables = inOrder(
      '<table border="1"><thead><tr><td>a<tbody><tr><td>b</table>',
      '<table border="1"><tr><td>c<tr><td>d</table>',
    );
    expect(await shapeOf(document(tables))).toMatch(/THead.*TBody.*Table\((?!.*THead)/);
  });

  test('links that are named as buttons', async () => {
    const { pdf, tree } = await read(
      document('<p><a href="#p" role="button">Press</a> <a href="#p">two</a><button>B</button><p id="p">x'),
    );
    expect(describedLinks(pdf, tree)).toEqual(['Press', 'two']);
    expect(namesOf(tree)).toEqual(['B']);
  });

  test('one figure for an element with the role of an image, whatever is in it', async () => {
    const html = `<span role="img" aria-label="Stars"><img src="${PIXEL_URL}" width="9" height="9"></span><img src="${PIXEL_URL}" width="9" height="9">`;
    const { tree } = await read(document(html));
    const figures = tree.elements().filter(({ type }) => type === 'Figure');
    expect(figures.map((figure) => figure.text('Alt'))).toEqual(['Stars', '']);
  });

  test('a figure for the drawing of an icon, with the name of the icon, unless it would look different', async () => {
    const drawing = '<svg aria-hidden="true" width="9" height="9"><rect width="9" height="9"/></svg>';
    const icon = `<p><span role="img" aria-label="Star">${drawing}</span> five`;
    const alternatesFor = async (css: string, body = icon) => {
      const { tree } = await read(document(`<style>${css}</style>${body}`));
      return tree.elements().flatMap((element) => (element.type === 'Figure' ? element.text('Alt') : []));
    };
    expect(await alternatesFor('[aria-hidden].no { color: red } span::after { content: attr(aria-label) }')).toEqual(['Star']);
    for (const css of [
      'svg[aria-hidden] { fill: red }',
      'svg:not([aria-label]) { fill: red }',
      '[role] { color: red }',
      '@scope ([role=img]) { svg { fill: red } }',
      '* { transition: color 1s } [role] { color: red }',
      '[role=img]::before { content: "x" }',
    ])
      expect(await alternatesFor(css)).toEqual([]);
    const host = (css: string) =>
      `<x-a role="img" aria-label="Star"><template shadowrootmode="open"><style>${css} { fill: red }</style>${drawing}</template></x-a>`;
    expect(await alternatesFor('', host(':host([hidden])') + host(':host(.a)'))).toEqual(['Star', 'Star']);
  });

  test('nothing for images of which the browser tags nothing', async () => {
    const drawing = '<svg width="9" height="9"><rect width="9" height="9"/></svg>';
    const style = '<style>.icon::before { content: "★" } .bar { height: 9px }</style>';
    const images = [
      '<i class="icon" role="img" aria-label="Font"></i>',
      '<div role="img" aria-label="Chart"><p class="bar"></div>',
      `<span role="img" aria-label="Two">${drawing.repeat(2)}</span>`,
      '<i role="img" aria-label="Background" style="display: inline-block; width: 9px; height: 9px; background: red"></i>',
      '<span role="img" aria-label="Text">★</span>',
    ];
    const { tree } = await read(document(style + images.join(' ')));
    const figures = tree.elements().filter(({ type }) => type === 'Figure');
    expect(figures.map((figure) => figure.text('Alt'))).toEqual(['Background', 'Text']);
  });

  test('figures for icons with the name of the icon, not of its drawing, and with hidden drawings and hidden text in it', async () => {
    const icon = (name: string, ...drawings: string[]) =>
      `<p><span role="img" aria-label="${name}">${drawings.join('')}</span> x`;
    const drawing = (attributes: string, inside = '<rect width="9" height="9"/>') =>
      `<svg ${attributes} width="9" height="9">${inside}</svg>`;
    const icons = [
      icon('A', drawing('aria-labelledby="t"', '<title id="t">No</title><rect width="9" height="9"/>')),
      icon('B', drawing(''), drawing('style="display: none"')),
      icon('C', drawing('aria-hidden="true"', '<text y="9">c</text>')),
    ];
    const { tree } = await read(document(icons.join('')));
    const figures = tree.elements().filter(({ type }) => type === 'Figure');
    expect(figures.map((figure) => figure.text('Alt'))).toEqual(['A', 'B', 'C']);
  });

  test('fields for elements with the role of a field', async () => {
    const { tree } = await read(
      document('<div role="button">A</div><button>B</button><div role="textbox">value</div><label>C <input></label>'),
    );
    expect(namesOf(tree)).toEqual(['A', 'B', '', 'C']);
  });

  test('figures for drawings with a name or without text, and text for others', async () => {
    const { tree } = await read(
      document(
        '<svg aria-label="Named" width="90" height="20"><text y="9">In</text></svg><svg width="20" height="20"><rect width="9" height="9"/></svg><svg width="90" height="20"><text y="9">Text</text></svg>',
      ),
    );
    const figures = tree.elements().filter(({ type }) => type === 'Figure');
    expect(figures.map((figure) => figure.text('Alt'))).toEqual(['Named', '']);
    const { tagged } = await textsOf(await render(document('<svg width="90" height="20"><text y="9">Text</text></svg>')));
    expect(tagged).toBe('Text');
  });

  test('languages of parts and of the document', async () => {
    const { pdf, tree } = await read(
      '<!doctype html><html lang="de"><title>T</title><p>Ein <span lang="fr">bonjour</span>, <q lang="en_GB">well</q> und <em lang="es">hola</em><blockquote lang="it">ciao',
    );
    const languages = tree.elements().map((element): [string, string] => [element.type, element.text('Lang')]);
    expect(languages.filter(([, language]) => language)).toEqual([
      ['Document', 'de'],
      ['NonStruct', 'fr'],
      ['NonStruct', 'en-GB'],
      ['Em', 'es'],
      ['BlockQuote', 'it'],
    ]);
    expect((pdf.catalog.get('Lang') as PdfString).asString()).toBe('de');
    for (const html of ['<!doctype html><title>T</title><p>x', '<!doctype html><html xml:lang="de"><title>T</title><p>x']) {
      const silent = await read(html);
      expect(silent.pdf.catalog.get('Lang')).toBeUndefined();
      expect(
        silent.tree
          .elements()
          .map((element) => element.text('Lang'))
          .join(''),
      ).toBe('');
    }
    const inner = await read('<!doctype html><html lang="en"><title>T</title><body lang="fr_CA"><p>x');
    expect(inner.tree.document.text('Lang')).toBe('fr-CA');
  });

  test('the reading order of the document, not of the page', async () => {
    const { tree } = await read(
      document(
        '<div style="display: flex; flex-direction: row-reverse"><h1>1</h1><h2 style="order: 2">2</h2></div><h3 style="position: absolute; top: 0">3</h3><h4>4</h4>',
      ),
    );
    const headings = tree
      .elements()
      .map(({ type }) => type)
      .filter((type) => /^H\d/.test(type));
    expect(headings).toEqual(['H1', 'H2', 'H3', 'H4']);
  });
});

describe('claims and refuses nothing', () => {
  const LACKING = `<!doctype html><h2></h2><h5>x</h5><img src="${PIXEL_URL}" width="9" height="9"><input><p style="filter: blur(1px)">blurred
<iframe srcdoc="inner"></iframe><table><tr><td>1<td>2<tr><td>3</table><p lang="x_y z">odd<p>\u{10fffd}`;

  test('for a document that lacks everything', async () => {
    const pdf = await render(LACKING, { compress: false });
    expect((await readFinished(pdf)).xmp).not.toMatch(/pdfaid|pdfuaid/);
    const text = pdf.toString('latin1');
    expect(text).not.toMatch(/OutputIntent|\/Alt \(.+?\)|\/Alt <.+?>/);
    const plain = await bytesOf(await client.pdf({ html: LACKING }));
    expect((await readFinished(pdf)).texts).toEqual((await readFinished(plain)).texts);
  });

  test('for a document whose structure takes too long to read, which keeps the tags of Chromium', async () => {
    const nested = `${'<div lang="?">'.repeat(400)}<p hidden>${'a '.repeat(1_000_000)}`;
    expect(await shapeOf(document(`<ul><li>one</ul>${nested}`))).toBe('Document(L(LI(Lbl(#) #)))');
  });

  test('for a document that redefines built-in functions', async () => {
    const script =
      '<script>Document.prototype.querySelectorAll = () => { throw new Error() }; Element.prototype.getAttribute = () => "x"</script>';
    expect(await shapeOf(document(`<ul><li>one</ul>${script}`))).toBe('Document(L(LI(Lbl(#) LBody(#))))');
  });

  test.each(
    Object.entries({
      'an observer':
        'new MutationObserver(() => document.body.append("changed")).observe(document, { attributes: true, subtree: true })',
      'an element of its own':
        'customElements.define("x-y", class extends HTMLElement { static observedAttributes = ["aria-atomic", "role"]; attributeChangedCallback() { this.append("changed") } })',
    }),
  )('for a document that observes attributes, without changing it (%s)', async (_, script) => {
    const html = document(`<p>a <x-y lang="fr">b</x-y><script>${script}</script>`);
    const pdf = await render(html, { compress: false });
    expect((await textsOf(pdf)).tagged).toBe('a b');
    expect(
      StructureTree.read(await EditablePdf.read(pdf))
        .elements()
        .map((element) => element.text('Lang')),
    ).toContain('fr');
  });

  const HIDES = (selector: string) => `p:has(${selector}) ~ b { display: none }`;
  const DRAWN =
    '<p><svg aria-label="Dot" width="9" height="9"><rect width="9" height="9"/></svg><i lang="fr">a</i></p><b>seen</b>';
  test.each([
    ['that has it', HIDES('[role]'), ''],
    ['that lacks it', 'b { display: none } p:has(svg:not([role="img"])) ~ b { display: inline }', ''],
    ['in rules within rules', `@media print { p { &:has([role]) { ~ b { display: none } } } }`, ''],
    ['for the width of the paper', `@media (min-width: 700px) and (max-width: 760px) { ${HIDES('[role]')} }`, ''],
    ['spelled with an escape', HIDES('[r\\6fle]'), ''],
    ['of a language', HIDES('[aria-atomic], :not([aria-atomic]):not([lang], svg, rect)'), 'Dot'],
    ['that is another', `.no[role] { color: red } ${HIDES('b[role]')}`, 'Dot'],
  ])('of a document with styles for the role of an element %s, and it is not changed', async (_, css, alternate) => {
    for (const source of [
      { html: document(`<style>${css}</style>${DRAWN}`) },
      { html: document(`<link rel="stylesheet" href="a.css">${DRAWN}`), assets: cssAssets(css) },
      { html: document(`<style>@import "b.css"</style>${DRAWN}`), assets: cssAssets(css) },
    ]) {
      const reply = await client.pdf({ ...source, options: { tagged: true, compress: false } });
      const pdf = await bytesOf(reply);
      expect((await textsOf(pdf)).tagged).toBe('aseen');
      const elements = StructureTree.read(await EditablePdf.read(pdf)).elements();
      expect(elements.map((element) => element.text('Alt')).join('')).toBe(alternate);
      expect(elements.map((element) => element.text('Lang'))).toContain('fr');
    }
  });

  const HARMLESS = `.no[role] { color: red } ${HIDES('b[role]')}`;
  /** What the first page shows, and the alternate text of its drawing. */
  async function printed(body: string, options: object = {}, assets?: object): Promise<string[]> {
    const reply = await client.pdf({
      html: document(body),
      ...(assets && { assets }),
      options: { tagged: true, compress: false, ...options },
    });
    const pdf = await bytesOf(reply);
    const { tagged, rest } = await textsOf(pdf);
    const elements = StructureTree.read(await EditablePdf.read(pdf)).elements();
    return [tagged + rest, elements.map((element) => element.text('Alt')).join('')];
  }

  test('of a document whose garbage makes Chromium forget the text of its style sheets', async () => {
    const garbage = `<script>addEventListener('load', () => {
      for (let n = 0; n < 300; n++) { new ArrayBuffer(8e6); for (let m = 0; m < 3000; m++) document.createElement('i') } })</script>`;
    const linked = `<link rel="stylesheet" href="a.css">${DRAWN}${garbage}`;
    expect(await printed(linked, {}, cssAssets(HARMLESS))).toEqual(['aseen', 'Dot']);
    expect(await printed(linked, {}, cssAssets(HIDES('[role]')))).toEqual(['aseen', '']);
  });

  test('of a document with a long style sheet of brackets', async () => {
    const html = `<link rel="stylesheet" href="a.css">${DRAWN}`;
    expect(await printed(html, {}, cssAssets('['.repeat(400_000)))).toEqual(['aseen', 'Dot']);
  });

  test('of a document whose style sheet comes from the cache', async () => {
    const cached = { 'cache-control': 'max-age=600', 'access-control-allow-origin': '*' };
    using site = await Site.start({
      '/a.css': send('text/css', '@import "/b.css"; i { color: red }', cached),
      '/b.css': send('text/css', HARMLESS, cached),
    });
    for (let n = 0; n < 3; n++)
      expect(await printed(`<link rel="stylesheet" href="${site.origin}/a.css">${DRAWN}`)).toEqual(['aseen', 'Dot']);
    expect(site.requestsFor('/a.css')).toHaveLength(1);
  });

  test('of a document that loads a style sheet twice, with another text each time', async () => {
    let times = 0;
    using site = await Site.start({
      '/a.css': (request, response) =>
        send('text/css', times++ ? HARMLESS : HIDES('[role]'), { 'cache-control': 'no-store' })(request, response),
    });
    const link = `<link rel="stylesheet" href="${site.origin}/a.css">`;
    const script = `<script>addEventListener('load', () => document.head.append(document.querySelector('link').cloneNode()))</script>`;
    expect(await printed(`${link}${DRAWN}${script}`)).toEqual(['aseen', '']);
    expect(site.requestsFor('/a.css')).toHaveLength(2);
  });

  const IN_SHADOW = (css: string, markup: string, slotted = '') =>
    `<x-a><template shadowrootmode="open"><style>${css}</style>${markup}<b>seen</b></template>${slotted}</x-a>`;
  const DOT = '<svg aria-label="Dot" width="9" height="9"><rect width="9" height="9"/></svg>';
  test.each([
    ['the host', IN_SHADOW(':host { color: red } :host([role="x"]) b { display: none }', DOT), 'Dot'],
    ['the host that is negated', IN_SHADOW(':host(:not([role])) b { color: red }', DOT), 'Dot'],
    ['a host with a drawing', IN_SHADOW(':host:has([role]) b { display: none }', '<slot></slot>', DOT), 'Dot'],
    ['ancestors of the host', IN_SHADOW(':host-context([role]) b { color: red }', DOT), 'Dot'],
    ['a drawing in a host', IN_SHADOW(':host([role="x"]) b, :host svg[role] ~ b { display: none }', DOT), ''],
    ['what is slotted', IN_SHADOW('::slotted([role]) { display: none }', `${DOT}<slot></slot>`, '<i></i>'), 'Dot'],
    ['a drawing that is slotted', IN_SHADOW('::slotted([role]) { display: none }', '<slot></slot>', DOT), ''],
  ])('of a document with styles in a shadow root for the role of %s', async (_, body, alternate) => {
    expect(await printed(body)).toEqual(['seen', alternate]);
  });

  test('of a document with many styles for roles that take long to apply', async () => {
    const rules = Array.from({ length: 499 }, (_, n) => `:has(.c${n}) [role]:not(:has(i)) { color: red }`);
    const drawings = '<svg aria-label="Dot" width="2" height="2"><rect width="2" height="2"/></svg>'.repeat(3_000);
    const { tree } = await read(document(`<style>${rules.join(' ')}</style><ul><li>one</ul>${drawings}`));
    expect(structureShape(tree.document)).toBe('Document(L(LI(Lbl(#) LBody(#))))');
  });

  test('for a document without content', async () => {
    const { tree } = await read('<!doctype html>');
    expect(tree.elements().filter(({ type }: StructureElement) => type !== 'Document' && type !== 'NonStruct')).toEqual([]);
  });
});

describe('with other options', () => {
  const HTML = document('<h1>Start</h1><ul><li>one</ul><p style="break-before: page">two <a href="https://a.example/">link</a>');
  const SHAPE = 'Document(H1(#) L(LI(Lbl(#) LBody(#))) P(# Link(# @)))';

  test.each([
    ['bookmarks alone', { tagged: undefined, outline: true }],
    ['attachments', { attachments: [{ name: 'a.txt', content: 'YQ==' }] }],
    ['metadata', { metadata: { title: 'T' } }],
    ['one long page', { singlePage: true }],
    ['PDF/A-3b, which asks nothing of tags', { tagged: undefined, conformance: 'PDF/A-3b' }],
  ])('%s', async (_, options) => {
    expect(await shapeOf(HTML, options)).toBe(SHAPE);
  });

  test('writes no tags for omitted pages', async () => {
    expect(await shapeOf(HTML, { pageRanges: '1' })).toBe('Document(H1(#) L(LI(Lbl(#) LBody(#))))');
  });

  test('does not use omitted pages to name links and fields', async () => {
    const part = (name: string) => `<p><a href="https://a.example/">${name}</a> <label>${name} <input></label>`;
    const { pdf, tree } = await read(document(`${part('one')}<div style="break-before: page">${part('two')}`), {
      pageRanges: '2',
    });
    expect([descriptionsOf(pdf), namesOf(tree)]).toEqual([['https://a.example/'], ['']]);
  });

  test('names fields where all of them are on the chosen pages', async () => {
    const { tree } = await read(document('<button>A</button><button>B</button><p style="break-before: page">x'), {
      pageRanges: '1',
    });
    expect(namesOf(tree)).toEqual(['A', 'B']);
  });

  test('ends the spans of rows with the chosen pages', async () => {
    const rows = '<tr><th rowspan="3">a<td>1<tr><td>2<tr style="break-before: page"><td>3';
    const { tree } = await read(document(`<table>${rows}</table>`), { pageRanges: '1' });
    expect(rowSpansOf(tree)).toEqual([2, 1, 1]);
  });

  const SHADOW = (html: string) => `<x-a><template shadowrootmode="open">${html}</template></x-a>`;
  test.each([
    ['to a page that is left out', '<a href="#next">next</a>', 'P(Span(#) # Link(# @))'],
    ['to the same, hidden from readers', '<span aria-hidden="true"><a href="#next">next</a></span>', 'P(# # Link(# @))'],
    ['to nothing', '<a href="#none">none</a>', 'P(Span(#) # Link(# @))'],
    ['out of a shadow tree', SHADOW('<a href="#here">here</a>'), 'P(Span(#) # Link(# @))'],
  ])('a link %s is no link, and has no annotation', async (_, link, expected) => {
    const html = document(
      `<p id="here">${link} <a href="https://a.example/">out</a><div style="break-before: page" id="next">Next</div>`,
    );
    const { pdf, tree } = await read(html, { pageRanges: '1' });
    expect(structureShape(tree.document)).toBe(`Document(${expected})`);
    expect(descriptionsOf(pdf)).toEqual(['out']);
  });

  test('tables of pages that are left out do not group the rows of the others', async () => {
    const rows = '<tr><td>1<td>2<tr><td>3<td>4';
    const table = (body: string) => `<table><caption>T</caption>${body}</table>`;
    const shapeOfPage2 = (first: string, second: string) =>
      shapeOf(document(`${table(first)}<div style="break-before: page">${table(second)}</div>`), { pageRanges: '2' });
    const plain = 'Document(Table(Caption(#) TR(TD(#) TD(#)) TR(TD(#) TD(#))))';
    const grouped = 'Document(Table(Caption(#) THead(TR(TH(#) TH(#))) TBody(TR(TD(#) TD(#)))))';
    const headed = '<thead><tr><th>1<th>2<tbody><tr><td>3<td>4';
    expect(await shapeOfPage2(headed, rows)).toBe(plain);
    expect(await shapeOfPage2('<tr><td>1', headed)).toBe(grouped);
  });

  test('keeps the tags of form fields', async () => {
    const html = document('<p><label>Name <input name="a"></label><ul><li>one</ul>');
    expect(await shapeOf(html, { forms: true })).toBe('Document(P(NonStruct(#) Form(# @)) L(LI(Lbl(#) LBody(#))))');
  });

  test('works with a password', async () => {
    await using opened = await openPdf(await render(HTML, { password: 'open' }), { password: 'open' });
    const { document: locked } = opened;
    expect(JSON.stringify(await (await locked.getPage(1)).getStructTree())).toContain('"LBody"');
    const [link] = (await (await locked.getPage(2)).getAnnotations()) as Described[];
    expect(link?.contentsObj.str).toBe('link');
  });

  test('keeps tags in a merged batch', async () => {
    const items = [{ html: HTML }, { html: HTML }];
    const defaults = { options: { tagged: true } };
    const { batch_id } = await client.batch({ items, defaults });
    await using opened = await openPdf(await bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`)));
    const { document: merged } = opened;
    for (const number of [1, 3]) {
      const roles = JSON.stringify(await (await merged.getPage(number)).getStructTree()).match(/(?<="role":")[^"]+/g);
      expect(roles).toEqual(expect.arrayContaining(['H1', 'L', 'LI', 'LBody']));
      const [link] = (await (await merged.getPage(number + 1)).getAnnotations()) as Described[];
      expect(link?.contentsObj.str).toBe('link');
    }
  });

  test('produces the same bytes for the same request, whatever the page printed before', async () => {
    const drawing =
      '<!doctype html><title>Other</title><svg width="9" height="9"><rect width="9" height="9"/></svg><p>a <i lang="fr">b</i>';
    const first = await render(HTML);
    for (const html of [drawing, '<p>plain', drawing]) await render(html);
    await client.pdf({ html: drawing });
    expect((await render(HTML)).equals(first)).toBe(true);
    expect((await render(drawing)).equals(await render(drawing))).toBe(true);
  });
});
