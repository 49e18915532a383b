/** `options.conformance`: PDFs with their claims, and rejections without a charge. */
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem, succeeded } from '../support/client.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { readFinished } from '../support/read-finished.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const GOOD =
  '<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>All is well <a href="https://example.com/">here</a>.';
const BAD = `<!doctype html><html><h2 id="h">x</h2><img id="i" src="${PIXEL_URL}" width="9" height="9"><input id="f">`;
const used = async () => (await client.usage()).documents.used;

async function rulesOf(html: string, conformance: unknown, options: object = {}): Promise<string[]> {
  const { violations } = await problem(await client.pdf({ html, options: { ...options, conformance } }), 422, 'not_conformant');
  return (violations as Array<{ rule: string; selector: string | null }>).map(
    ({ rule, selector }) => `${rule} ${selector ?? '-'}`,
  );
}

test.each([
  ['PDF/A-2b', ['<pdfaid:part>2</pdfaid:part>', '<pdfaid:conformance>B<']],
  ['PDF/A-3a', ['<pdfaid:part>3</pdfaid:part>', '<pdfaid:conformance>A<']],
  ['PDF/UA-1', ['<pdfuaid:part>1</pdfuaid:part>']],
  ['PDF/A-4', ['<pdfaid:part>4</pdfaid:part>', '<pdfaid:rev>2020<', '<dc:title>']],
  [
    ['PDF/A-3u', 'PDF/UA-1'],
    ['<pdfaid:conformance>U<', '<pdfuaid:part>1<', 'pdfaExtension:schemas'],
  ],
  ['PDF/UA-2', ['<pdfuaid:part>2</pdfuaid:part>', '<pdfuaid:rev>2024<', '<dc:title>']],
  [
    ['PDF/A-4', 'PDF/UA-2'],
    ['<pdfaid:part>4<', '<pdfuaid:part>2<'],
  ],
])('produces a PDF that claims %s', async (conformance, claims) => {
  const response = await succeeded(client.pdf({ html: GOOD, options: { conformance } }));
  const { xmp, info, texts } = await readFinished(await bytesOf(response));
  for (const claim of claims) expect(xmp).toContain(claim);
  const isVersion2 = /A-4|UA-2/.test(String(conformance));
  expect([info.PDFFormatVersion, info.Title]).toEqual(isVersion2 ? ['2.0', undefined] : ['1.7', 'Report']);
  expect(texts.join()).toContain('All is well here');
});

test('writes attachments for PDF/A-4f, and rejects them for PDF/A-4', async () => {
  const attachments = [{ name: 'a.csv', type: 'text/csv', content: 'YQ==' }];
  const pdf = await bytesOf(await client.pdf({ html: GOOD, options: { conformance: 'PDF/A-4f', attachments } }));
  const { xmp, attachments: found } = await readFinished(pdf);
  expect(xmp).toContain('<pdfaid:part>4</pdfaid:part>\n<pdfaid:conformance>F<');
  expect(found.map(({ name }) => name)).toEqual(['a.csv']);
  expect(pdf.toString('latin1')).not.toMatch(/\/Info\b/);
});

test('produces the same bytes for the same request', async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(async () => bytesOf(await client.pdf({ html: GOOD, options: { conformance: 'PDF/UA-1' } }))),
  );
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
});

test('reads elements whose ids are names of form and document members', async () => {
  const names = ['title', 'documentElement', 'querySelectorAll', 'baseURI', 'querySelector'];
  const members = [
    'getAttribute',
    'children',
    'localName',
    'nodeType',
    'childNodes',
    'closest',
    'checkVisibility',
    'parentElement',
  ];
  const clobbering =
    names.map((name) => `<form name="${name}"></form><img alt="" name="${name}" src="${PIXEL_URL}">`).join('') +
    `<form id="outer">${members.map((name) => `<input type="hidden" name="${name}">`).join('')}<h1>Report</h1><input id="f"></form>`;
  const html = `<!doctype html><html lang="en"><head><title>Report</title></head><body>${clobbering}`;
  expect(await rulesOf(html, 'PDF/UA-1')).toEqual(['field_name_missing #f']);
});

describe('violations of a document', () => {
  test('are all reported with their element, rule and remedy, without a charge', async () => {
    const before = await used();
    const response = await client.pdf({ html: BAD, options: { conformance: ['PDF/A-2a', 'PDF/UA-1'] }, store: true });
    const { violations } = await problem(response, 422, 'not_conformant');
    expect(violations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ rule: 'language_missing', clause: 'ISO 14289-1, 7.2; ISO 19005-2, 6.7.4', selector: null }),
        expect.objectContaining({ rule: 'title_missing', clause: 'ISO 14289-1, 7.1' }),
        expect.objectContaining({ rule: 'heading_skipped', selector: '#h', snippet: '<h2 id="h">x</h2>' }),
        expect.objectContaining({ rule: 'alternate_text_missing', selector: '#i', remedy: expect.stringContaining('alt') }),
        expect.objectContaining({ rule: 'field_name_missing', selector: '#f' }),
      ]),
    );
    expect(violations).toHaveLength(5);
    expect(await used()).toBe(before);
    expect((await client.json<{ data: unknown[] }>('/v1/documents')).data).toEqual([]);
  });

  test('only count for the profiles that have the rule', async () => {
    expect(await rulesOf(BAD, 'PDF/A-2a')).toEqual(['language_missing -', 'alternate_text_missing #i']);
    expect((await client.pdf({ html: BAD, options: { conformance: 'PDF/A-2u' } })).status).toBe(200);
  });

  test('are listed without an error and without a charge in a conformance report', async () => {
    const before = await used();
    const response = await client.pdf({ html: BAD, options: { conformance: 'PDF/A-3a' }, conformance_report: true });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      violations: [{ rule: 'language_missing' }, { rule: 'alternate_text_missing' }],
    });
    const good = await client.pdf({ html: GOOD, options: { conformance: 'PDF/A-3a' }, conformance_report: true });
    expect(await good.json()).toEqual({ violations: [] });
    expect(await used()).toBe(before);
  });

  test('cannot be hidden by a document that redefines built-in functions', async () => {
    const script = `<script>Document.prototype.querySelectorAll = () => []; Element.prototype.getAttribute = () => 'x'</script>`;
    expect(await rulesOf(BAD + script, 'PDF/A-2a')).toEqual(['language_missing -', 'alternate_text_missing #i']);
  });
});

const SQUARE = '<svg width="9" height="9"><rect width="9" height="9"/></svg>';
const ICON = SQUARE.replace('<svg', '<svg aria-hidden="true"');
const shadow = (inside: string) => `<template shadowrootmode="open">${inside}</template>`;

test.each(
  Object.entries({
    'an image that is inert': `<div inert><img src="${PIXEL_URL}" width="9" height="9"><iframe srcdoc="x"></iframe></div>`,
    'an image that is transparent': `<img src="${PIXEL_URL}" width="9" height="9" style="opacity: 0">`,
    'an image with the role of one': `<img role="img" src="${PIXEL_URL}" width="9" height="9" alt="Dot">`,
    'a drawing in a hidden component': `<x-a aria-hidden="true">${shadow(SQUARE)}</x-a>`,
    'a drawing in a hidden slot': `<x-a>${shadow('<p aria-hidden="true"><slot></slot></p>')}<b>${SQUARE}</b></x-a>`,
    'an image in a slot of an image': `<x-a>${shadow('<p role="img" aria-label="A"><slot></slot></p>')}<img src="${PIXEL_URL}"></x-a>`,
    'a drawing of definitions':
      '<svg width="9" height="9"><defs><path id="p" d="M0 0h9"/></defs><style>p { color: red }</style></svg>',
    'an unknown element in a drawing':
      '<svg role="img" aria-label="A" width="9" height="9"><foreignObject><use>x</use></foreignObject></svg>',
    'a heading in a slot': `<x-a>${shadow('<h2><slot></slot></h2>')}Two</x-a>`,
    'a heading with a named link': `<h2><a href="#x" aria-label="Home">${ICON}</a></h2>`,
    'a drawing in an element with the role of an image': `<p><x-a role="img" aria-label="A">${shadow(ICON)}</x-a>`,
    'a drawing in an icon, in a presentational element': `<p><b role="img" aria-label="A"><i role="presentation">${ICON}</i></b>`,
    'an icon whose drawing is not shown': `<p><b role="img" aria-label="A">${SQUARE.replace('<svg', '<svg style="display: none"')}</b>`,
    'an icon beside styles for other roles': `<style>[role="button"], .x[aria-hidden] { fill: red }</style><b role="img" aria-label="A">${ICON}</b>`,
    'icons in a table with empty cells': `<table><tr><th>A<th>B<tr><td><b role="img" aria-label="A">${ICON}</b><td><tr><td><td><b role="img" aria-label="A">${ICON}</b></table>`,
    'an image that is empty': '<style>b::after { content: ""; display: table }</style><b role="img" aria-label="A"></b>',
    'a button that cannot be presentational': '<button role="presentation">Go</button>',
    'a disabled button that is presentational': '<button role="presentation" disabled>Go</button>',
    'a field that cannot be presentational': '<input role="none" aria-label="Name">',
    'a field with a hidden label': '<input aria-labelledby="l"><span id="l" aria-hidden="true">Name</span>',
    'a hidden part in an invalid language': '<p hidden lang="*">x',
  }),
)('accepts %s', async (_, body) => {
  const html = `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1>${body}`;
  await succeeded(client.pdf({ html, options: { conformance: 'PDF/UA-1' } }));
});

test('accepts Markdown that states its language', async () => {
  const markdown = '<html lang="de">\n\n# Bericht\n\nAlles ist gut.';
  const pdf = await bytesOf(await client.pdf({ markdown, options: { conformance: 'PDF/UA-1' } }));
  const { info, xmp } = await readFinished(pdf);
  expect([info.Language, xmp.includes('<pdfuaid:part>1<')]).toEqual(['de', true]);
});

test('include images whose role is written in another way, and images that get no tag', async () => {
  const html = (body: string) => `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1>${body}`;
  expect(await rulesOf(html('<p id="a" role="image">x</p><p id="b" role="IMG">x'), 'PDF/UA-1')).toEqual([
    'alternate_text_missing #a',
    'alternate_text_missing #b',
  ]);
  const within = (id: string, body: string) => `<span id="${id}" role="img" aria-label="A">${body}</span>`;
  const untagged = (body: string) => rulesOf(html(body), 'PDF/UA-1');
  const button = `<button aria-label="B">${ICON}</button>`;
  expect(await untagged(within('a', button))).toEqual(['image_untagged #a']);
  expect(await untagged(`<a id="b" role="img" aria-label="A" href="#x">${ICON}</a>`)).toEqual(['image_untagged #b']);
  expect(await untagged(within('c', ICON.repeat(2)))).toEqual(['image_untagged #c']);
  const chosen = '<style>svg[aria-hidden] { fill: red }</style>';
  expect(await untagged(chosen + within('d', ICON))).toEqual(['image_untagged #d']);
  const font = '<style>.icon::before { content: "\\2605" }</style>';
  expect(await untagged(font + within('h', '<i class="icon"></i>'))).toEqual(['image_untagged #h']);
  expect(await untagged(within('j', `<ul><li>${ICON}</ul>`))).toEqual(['image_untagged #j']);
  expect(await untagged('<style>i::after { content: "x" }</style><i id="e" role="img"></i>')).toEqual([
    'alternate_text_missing #e',
  ]);
  const cell = `<table><tr><th>A<th>B<tr><td>x<td id="f" role="img" aria-label="A">${ICON.repeat(2)}</table>`;
  expect(await untagged(cell)).toEqual(['image_untagged #f']);
  const floating = '<div id="g" role="img" aria-label="A"><i aria-hidden="true" style="float: left">x</i></div>';
  expect(await untagged(floating)).toEqual(['image_untagged #g']);
  expect(await rulesOf(html('<input id="i" type="button">'), 'PDF/UA-1')).toEqual(['field_name_missing #i']);
  expect(await rulesOf(html(`<x-a>${shadow(SQUARE)}</x-a>`), 'PDF/UA-1')).toEqual([
    'alternate_text_missing html > body > x-a > svg',
  ]);
});

test('include the code points of characters without a glyph', async () => {
  const html = '<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>\u{e123}\u{10fffd}';
  const { violations } = await problem(await client.pdf({ html, options: { conformance: 'PDF/A-2b' } }), 422, 'not_conformant');
  expect(violations).toEqual([
    expect.objectContaining({ rule: 'glyph_missing', message: expect.stringContaining('U+E123, U+10FFFD') }),
  ]);
});

test('include content that an effect rasterizes, unless it is decoration', async () => {
  const html = (body: string) => `<!doctype html><html lang="en"><title>Report</title><h1>Report</h1>${body}`;
  const effects = `<p id="a" style="filter: blur(1px)">x</p><img id="b" alt="Dot" src="${PIXEL_URL}" style="filter: invert(1)">
<div style="perspective: 90px"><p id="c" style="transform: rotateY(9deg)">x</p></div><p id="d" style="-webkit-box-reflect: below">x</p>`;
  for (const profile of ['PDF/A-3a', 'PDF/UA-1', 'PDF/UA-2'])
    expect(await rulesOf(html(effects), profile)).toEqual(['a', 'b', 'c', 'd'].map((id) => `content_rasterized #${id}`));
  const parts = `<svg role="img" aria-label="X" width="90" height="90"><filter id="f"><feGaussianBlur/></filter><defs><g id="u"><text id="g" filter="url(#f)">x</text></g></defs>
<text id="e" y="9">x <tspan id="h" filter="url(#f)">x</tspan></text><use id="i" href="#u"/><foreignObject width="9" height="9"><p id="j" style="filter: blur(1px)">x</p></foreignObject></svg>`;
  for (const profile of ['PDF/A-3a', 'PDF/UA-1'])
    expect(await rulesOf(html(parts), profile)).toEqual(['h', 'i', 'j'].map((id) => `content_rasterized #${id}`));
  const decoration = `<svg aria-hidden="true" width="9" height="9"><rect style="filter: blur(1px)" width="9" height="9"/></svg><svg role="img" aria-label="X" width="90" height="90">
<defs><text style="filter: blur(1px)">x</text></defs><g style="display: none"><text style="filter: blur(1px)">x</text></g><circle r="9"/></svg><p style="filter: blur(1px)" aria-hidden="true">x</p><img alt="" src="${PIXEL_URL}" style="filter: invert(1)">
<div style="filter: blur(1px); background: gold; height: 9px"></div><p style="transform: rotate(9deg); backdrop-filter: blur(1px)">x</p>`;
  expect((await client.pdf({ html: html(decoration), options: { conformance: 'PDF/UA-1' } })).status).toBe(200);
  expect((await client.pdf({ html: html(effects), options: { conformance: 'PDF/A-3b' } })).status).toBe(200);
});

test('apply to a template, a batch and a stored document', async () => {
  const { template_id } = await client.template('<!doctype html><html lang="en"><title>{{title}}</title><h1>{{title}}</h1>');
  const options = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
  await client.store({ template_id, data: { title: 'Filled' }, options });
  const items = [{ html: GOOD }, { html: BAD }];
  expect(await client.batch({ items, defaults: { options } })).toMatchObject({ succeeded: 1, failed: 1 });
});

test.each([
  [{ conformance: 'PDF/A-1b' }, 'options.conformance'],
  [{ conformance: [] }, 'options.conformance'],
  [{ conformance: ['PDF/A-2b', 'PDF/A-3b'] }, 'options.conformance'],
  [{ conformance: ['PDF/UA-1', 'PDF/UA-1'] }, 'options.conformance'],
  [{ conformance: ['PDF/A-4', 'PDF/UA-1'] }, 'options.conformance'],
  [{ conformance: ['PDF/A-3a', 'PDF/UA-2'] }, 'options.conformance'],
  [{ conformance: ['PDF/UA-1', 'PDF/UA-2'] }, 'options.conformance'],
  [{ conformance: 'PDF/UA-2', invoice: { xml: '<x/>', profile: 'EN 16931' } }, 'options.conformance'],
  [{ conformance: 'PDF/UA-2', attachments: [{ name: 'a', content: 'YQ==' }] }, 'options.attachments[0].description'],
  [{ conformance: 'PDF/A-4', attachments: [{ name: 'a', content: 'YQ==' }] }, 'options.attachments'],
  [{ conformance: 'PDF/A-4f' }, 'options.attachments'],
  [{ conformance: 'PDF/A-4', invoice: { xml: '<x/>', profile: 'EN 16931' } }, 'options.conformance'],
  [{ conformance: 'PDF/A-4f', invoice: { xml: '<x/>', profile: 'EN 16931' } }, 'options.conformance'],
  [{ conformance: 'PDF/A-2b', password: 'x' }, 'options.password'],
  [{ conformance: 'PDF/A-2b', tagged: false }, 'options.tagged'],
  [{ conformance: 'PDF/A-2b', attachments: [{ name: 'a', content: 'YQ==' }] }, 'options.attachments'],
])('rejects %j before anything is rendered', async (options, path) => {
  const { errors } = await problem(await client.pdf({ html: GOOD, options }), 400, 'invalid_request');
  expect(errors?.map((error) => error.path)).toEqual([path]);
});

test('requires a profile for a conformance report, and rejects it in batches', async () => {
  const alone = await problem(await client.pdf({ html: GOOD, conformance_report: true }), 400, 'invalid_request');
  expect(alone.errors).toEqual([{ path: 'conformance_report', message: 'requires options.conformance or options.invoice' }]);
  const items = [{ html: GOOD, options: { conformance: 'PDF/UA-1' }, conformance_report: true }];
  expect(await client.batch({ items })).toMatchObject({ succeeded: 0, failed: 1 });
});

test('names no element for a violation if several elements could be meant', async () => {
  const image = (id: string) => `<img id="${id}" src="${PIXEL_URL}" width="9" height="9">`;
  const html = (first: string) =>
    `<!doctype html><html lang="en"><title>T</title><h1>a</h1>${first}<p style="break-before: page">${image('second')}`;
  const options = { conformance: 'PDF/UA-1', pageRanges: '2' };
  for (const [first, selector] of [
    [image('first'), null],
    ['', '#second'],
  ]) {
    const { violations } = await problem(await client.pdf({ html: html(first ?? ''), options }), 422, 'not_conformant');
    expect(violations).toMatchObject([{ rule: 'alternate_text_missing', selector }]);
  }
});

test.each([
  ['a table like it', '<table id="first" border="1"><tr><th>a<th>b<tr><td>1</table>', null],
  ['rows like its own', '<table id="first" border="1"><tr><th>a<th>b<tr><td>1<tr><td>2</table>', null],
  ['another table', '<table id="first" border="1"><tr><th>a<th>b<tr><td>1<td>2</table>', '#second'],
])(
  'a violation of a table in a part of the document names it, unless the rest has the same rows: %s',
  async (_, first, selector) => {
    const second = '<table id="second" border="1"><tr><th>a<th>b<tr><td>1</table>';
    const html = `<!doctype html><html lang="en"><title>T</title>${first}<h1 style="break-before: page">a</h1>${second}`;
    const reply = await client.pdf({ html, options: { conformance: 'PDF/UA-1', pageRanges: '2' } });
    const { violations } = await problem(reply, 422, 'not_conformant');
    expect(violations).toMatchObject([{ rule: 'table_irregular', selector }]);
  },
);
