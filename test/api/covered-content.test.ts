/** Warnings about text that boxes with a position, or header and footer templates, cover. */
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { photo } from '../support/photos.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const STYLE = 'body { margin: 0; font: 16px/20px sans-serif } p, h1, h2 { margin: 0 } .abs { position: absolute }';
const html = (body: string, css = '') => `<!doctype html><style>${STYLE} ${css}</style>${body}`;
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and then it runs away from the farmer.';
const lines = (count: number) => Array.from({ length: count }, (_, n) => `<p class="line">${n}: ${SENTENCE}</p>`).join('');
/** A page of the document with content. */
const sheet = (body: string, css = '') => `<div class="page" style="position: relative; height: 1000px; ${css}">${body}</div>`;
const box = (css: string, text = 'Company') => `<div id="box" class="abs" style="${css}">${text}</div>`;
const PICTURE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='90' height='90'/%3E";
const JPEG = `data:image/jpeg;base64,${photo('colour').toString('base64')}`;
const STAMP = 'top: 40px; left: 100px; border: 3px solid red; padding: 4px';

async function covered(document: string, options: object = {}) {
  const { warnings } = await client.report({ html: document, options: { margin: '50px', ...options } });
  return warnings.filter(({ kind }) => kind === 'content_covered');
}

describe('a template that covers text', () => {
  const high = (css = 'padding-left: 70px') =>
    `<div style="width: 100%; font-size: 14px; ${css}">ACME Limited<br>1 High Street<br>London<br>England<br>Phone 123<br>Fax 456</div>`;
  const body = html(lines(60));

  test.each([
    ['a header', { headerTemplate: high() }, 'headerTemplate', 'top', [1, 2]],
    ['a footer', { footerTemplate: high() }, 'footerTemplate', 'bottom', [1]],
    [
      'a background',
      { headerTemplate: '<div style="width: 100%; height: 90px; background: #eee"></div>' },
      'headerTemplate',
      'top',
      [1, 2],
    ],
    [
      'a picture',
      { headerTemplate: `<img style="height: 90px; margin-left: 90px" src="${JPEG}">` },
      'headerTemplate',
      'top',
      [1, 2],
    ],
    ['a header of a tagged document', { headerTemplate: high(), tagged: true }, 'headerTemplate', 'top', [1, 2]],
    ['a header of a smaller print', { headerTemplate: high(), scale: 0.9 }, 'headerTemplate', 'top', [1, 2]],
  ] as Array<[string, object, string, string, number[]]>)('%s', async (_, options, element, side, pages) => {
    const found = await covered(body, options);
    expect(found).toMatchObject([{ element, pages }]);
    const [, room] = /(\d+)pt or more/.exec(found[0]?.message ?? '') ?? [];
    expect(await covered(body, { ...options, margin: { top: '50px', bottom: '50px', [side]: `${room}pt` } })).toEqual([]);
  });

  test.each([
    ['with room', { headerTemplate: high(), footerTemplate: high(), margin: '150px' }],
    ['with automatic margins', { headerTemplate: high(), margin: undefined }],
    ['beside the text', { headerTemplate: high('text-align: right') }],
    ['that is hidden', { headerTemplate: high('visibility: hidden') }],
    ['that is transparent', { headerTemplate: high('padding-left: 70px; opacity: 0.2') }],
    ['that is rotated', { headerTemplate: high('transform: rotate(-30deg); margin: 200px') }],
    ['in a bright colour', { headerTemplate: high('padding-left: 70px; color: #eee') }],
    ['in large letters', { headerTemplate: '<div style="font-size: 120px; padding: 200px 90px; color: #999">DRAFT</div>' }],
    ['as large as the page', { headerTemplate: `<img style="width: 100%; height: 90vh" src="${JPEG}">` }],
    ['with a line', { headerTemplate: '<div style="width: 100%; margin-top: 52px; border-top: 1px solid #000"></div>' }],
    ['without content', { headerTemplate: '<span></span>', footerTemplate: '<div style="height: 90px"></div>' }],
    ['over a page that leaves room', { headerTemplate: high() }, html(`<div style="padding-top: 90px">${lines(9)}</div>`)],
  ] as Array<[string, object, string?]>)('not one %s', async (_, options, document = body) => {
    expect(await covered(document, options)).toEqual([]);
  });
});

describe('an absolute box that covers text', () => {
  test.each([
    ['a footer of the page', html(lines(51) + box('bottom: 0')), [1]],
    ['a footer of a longer document', html(lines(120) + box('bottom: 0; width: 100%; background: #eee')), [1]],
    [
      'a footer under other margins',
      html(lines(50) + box('bottom: 0', 'Company<br>Town'), '@page { margin: 25mm }'),
      [1],
      { margin: undefined },
    ],
    ['a header', html(box('top: 0; left: 0') + lines(3)), [1]],
    ['a white header', html(box('top: 0; left: 0; right: 0; height: 30px; background: white', '<img alt="">') + lines(3)), [1]],
    ['a stamp', html(lines(9) + box(STAMP, 'PAID')), [1]],
    ['a box in the text', html(`<p>${SENTENCE}${box('left: 50px; top: 2px; background: #ff0', 'Notice')}</p>`), [1]],
    ['a colour band', html(lines(9) + box('top: 60px; left: 0; width: 300px; height: 30px; background: #036', '')), [1]],
    ['a footer of a sheet', html(sheet(lines(50) + box('bottom: 0')) + sheet(lines(9) + box('bottom: 0'))), [1]],
    ['footers of sheets', html(sheet(lines(50) + box('bottom: 0')) + sheet(lines(50) + box('bottom: 0'))), [1, 2]],
    ['a coloured part', html(lines(9) + box('top: 20px; left: 0', '<b style="background: #fed">Due</b>')), [1]],
    ['text in cells', html(`<table><tr><td>${lines(9)}</table>${box('top: 40px; left: 40px; background: #fff')}`), [1]],
    ['text at the edge of a wide box', html(lines(9) + box('top: 20px; left: 0; width: 100%; text-align: center')), [1]],
    [
      'a box above others',
      html(`<main style="position: relative">${lines(9)}</main>${box('top: 20px; left: 0', 'Draft copy')}`),
      [1],
    ],
    ['a box on a higher level', html(`${box('top: 20px; z-index: 9')}<main style="position: relative">${lines(9)}</main>`), [1]],
    ['text of the body', html(`${SENTENCE}<br>${SENTENCE}${box('top: 20px; left: 10px')}`), [1]],
    [
      'a form whose fields are named like members',
      html(
        `<form><input type="hidden" name="getClientRects"><input type="hidden" name="scrollHeight">${lines(9)}</form>${box('top: 20px; left: 0')}`,
      ),
      [1],
    ],
    ['a document with a script', html(`<script>1</script>${lines(9)}${box('top: 20px; left: 0')}`), [1]],
    ['a document that is shrunk', html(`<div style="width: 900px">${lines(9)}</div>${box('top: 20px; left: 0')}`), [1]],
  ] as Array<[string, string, number[], object?]>)('%s', async (_, document, pages, options) => {
    const found = await covered(document, options);
    expect(found).toMatchObject([{ element: 'div#box', pages, message: expect.stringContaining('covers text of') }]);
  });

  test.each([
    ['a negative z-index', html(lines(9) + box('top: 0; left: 0; z-index: -1; background: #eee; width: 100%; height: 100px'))],
    ['a watermark that is rotated', html(lines(9) + box('top: 90px; transform: rotate(-30deg)', 'DRAFT'))],
    ['a watermark that is transparent', html(lines(9) + box('top: 90px; opacity: 0.2', 'DRAFT'))],
    ['a watermark in a faint colour', html(lines(9) + box('top: 90px; color: rgba(0, 0, 0, 0.1)', 'DRAFT'))],
    ['a watermark in a bright colour', html(lines(9) + box('top: 90px; color: #eee', 'DRAFT'))],
    ['a watermark in large letters', html(lines(9) + box('top: 90px; font-size: 120px; line-height: 1; color: #bbb', 'DRAFT'))],
    ['what lets clicks through', html(lines(9) + box('top: 20px; pointer-events: none; background: #eee'))],
    [
      'a mark that is multiplied',
      html(lines(9) + box('top: 20px; width: 300px; height: 40px; background: #ff0; mix-blend-mode: multiply', '')),
    ],
    ['a hidden header', html(box('top: 0; visibility: hidden; background: #fff') + lines(9))],
    ['a header for screens', html(box('top: 0') + lines(9), '@media print { #box { display: none } }')],
    [
      'text for screen readers',
      html(lines(9) + box('top: 20px; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0)', 'Skip')),
    ],
    ['text beside the page', html(lines(9) + box('top: 20px; left: -9999px', 'Skip'))],
    ['an overlay without a background', html(lines(9) + box('inset: 0', ''))],
    ['a frame', html(lines(9) + box('inset: 0; border: 2px solid red', ''))],
    [
      'a background below the text',
      html(
        `${box('top: 0; width: 100%; height: 200px; background: #eef', '')}<main style="position: relative">${lines(9)}</main>`,
      ),
    ],
    [
      'a background behind cards',
      html(
        box('top: 0; width: 100%; height: 200px; background: #eef', '') +
          `<div style="position: relative; z-index: 1">${lines(9)}</div>`,
      ),
    ],
    [
      'a letterhead with room',
      html(`${box('top: 0; right: 0', 'ACME Ltd<br>London')}<div style="padding-top: 60px">${lines(9)}</div>`),
    ],
    [
      'a date beside the address',
      html(`${box('top: 0; right: 0; left: 0; text-align: right', '1 May 2026')}<p>Ms Miller</p><p>London</p>`),
    ],
    [
      'a badge on a picture',
      html(
        `${lines(9)}<div style="position: relative; width: 90px"><img src="${PICTURE}">${box('top: 0; right: 0; background: red', 'New')}</div>`,
      ),
    ],
    [
      'an icon in a button',
      html(`<button style="position: relative">Save the document${box('left: 4px; top: 2px', '✓')}</button>${lines(2)}`),
    ],
    [
      'an icon in an input',
      html(`<div style="position: relative"><input value="Search text">${box('left: 4px; top: 2px', '?')}</div>${lines(2)}`),
    ],
    [
      'a label on an input',
      html(`<div style="position: relative"><input><label class="abs" style="top: 2px; left: 2px">Name</label></div>${lines(2)}`),
    ],
    [
      'a hidden tooltip',
      html(`<p style="position: relative">${SENTENCE}${box('top: 0; opacity: 0; background: #000', 'Tip')}</p>`),
    ],
    [
      'a caret',
      html(
        `<div style="position: relative; width: 200px">Choose one${box('right: 0; top: 0; background: #fff', '▾')}</div>${lines(2)}`,
      ),
    ],
    [
      'text in a ring chart',
      html(
        `<div style="position: relative; width: 90px; height: 90px"><svg width="90" height="90"><circle cx="45" cy="45" r="40"/></svg>${box('top: 35px; left: 30px', '42 %')}</div>${lines(2)}`,
      ),
    ],
    [
      'labels of a chart',
      html(
        `<div style="position: relative; height: 200px">${[0, 1, 2].map((n) => `<i class="abs" style="left: ${n * 50}px; bottom: 0; height: 90px; width: 40px; background: #39c">${n} %</i><b class="abs" style="left: ${n * 50}px; bottom: 0">Q${n}</b>`).join('')}</div>${lines(2)}`,
      ),
    ],
    [
      'a page of boxes',
      html([0, 1, 2, 3, 4].map((n) => `<div class="abs" style="top: ${n * 8}px; left: 0">${SENTENCE}</div>`).join('')),
    ],
    ['values on the lines of a form', html(`<p>Name: ________________________</p>${box('top: 0; left: 60px', 'Jane Doe')}`)],
    ['dots of contents', html(`<p>One ........................ 3</p>${box('top: 0; left: 60px; background: #fff', 'i')}`)],
    ['a picture', html(`${lines(9)}<img class="abs" style="top: 0" src="${PICTURE}">`)],
    ['a signature', html(`${lines(3)}<div class="abs" style="top: 20px"><img src="${PICTURE}"></div>`)],
    ['text again, in another colour', html(`<h1>Report</h1>${box('top: 1px; left: 1px; color: #999', '<b>Report</b>')}`)],
    ['a line through text', html(lines(9) + box('top: 30px; width: 200px; height: 2px; background: #000', ''))],
    ['a black bar over a word', html(lines(9) + box('top: 20px; left: 40px; width: 80px; height: 18px; background: #000', ''))],
    ['a footer of a sheet with room', html(sheet(lines(9) + box('bottom: 0; background: #eee; width: 100%')))],
    ['a footer in the middle of the text on the screen', html(lines(39) + box('bottom: 0'))],
    ['invisible text below', html(`<p style="color: transparent">${SENTENCE}</p>${box('top: 0; left: 0')}`)],
    [
      'a carousel',
      html(
        `<div style="position: relative">${[0, 1].map((n) => `<div class="abs" style="top: 0; background: #fff">Slide ${n}</div>`).join('')}</div>`,
      ),
    ],
  ])('not %s', async (_, document) => {
    expect(await covered(document)).toEqual([]);
  });
});

test.each([
  ['a box that is measured for warnings', '<i style="position: fixed; bottom: 0">x</i>'],
  ['a script that measures', '<script>document.body.getBoundingClientRect()</script>'],
])('boxes that stick to the bottom of a window are in their place, with %s', async (_what, extra) => {
  const section = (name: string) =>
    `<section>${'<p>row</p>'.repeat(11)}<p style="position: sticky; bottom: 0">total ${name}</p></section>`;
  const document = html(`${['a', 'b', 'c', 'd'].map(section).join('')}${extra}`);
  const { placed } = await readPdfReply(await client.pdf({ html: document }));
  const shown = placed[0]?.toSorted((one, other) => one.y - other.y).map(({ text }) => text) ?? [];
  const totals = shown.flatMap((text, index) => (/^total/.test(text) ? index : []));
  expect(totals).toEqual([11, 23, 35, 47]);
});
