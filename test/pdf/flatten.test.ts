/** The step `flatten` with PDFs of other programs: fields and annotations become content, and nothing else changes. */
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/pdf/assemble/steps.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { PageDrawing } from '../../src/uploads/draw-pages.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { pageWith, writePdf } from '../support/hidden-texts.ts';
import { readPng } from '../support/read-image.ts';
import { readPdf } from '../support/read-pdf.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));

const drawing = closeAfterAll(new PageDrawing());

const FLATTEN: Step = { flatten: { annotations: true } };

async function flattened(content: Uint8Array, ...steps: Step[]) {
  const part = { content, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const order = { parts: [part], steps: [...steps, FLATTEN].map((step, number) => ({ number, step })) };
  const { files, dropped } = await assembly.assemble('ada', order);
  return { file: files[0]?.content as Uint8Array, dropped };
}

const says = (text: string) => ({
  dictionary: '/Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</F 20 0 R>>>>',
  data: `BT /F 12 Tf 2 5 Td (${text}) Tj ET`,
});
const stamp = (form: number, more = '') =>
  `<</Type /Annot /Subtype /Stamp /Rect [50 100 150 120] /AP <</N ${form} 0 R>> ${more}>>`;
const FONT = '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding>>';

/** Two pages with resources of the page tree, as many programs write them, which leave a state open. */
const INHERITING = writePdf({
  1: '<</Type /Catalog /Pages 3 0 R /AcroForm <</Fields [12 0 R] /DA (/F 12 Tf 0 g)>>>>',
  3: '<</Type /Pages /Kids [4 0 R 5 0 R] /Count 2 /MediaBox [0 0 200 200] /Resources <</Font <</F 20 0 R>> /XObject <<>>>>>>',
  4: '<</Type /Page /Parent 3 0 R /Contents 6 0 R /Annots [10 0 R 12 0 R]>>',
  5: `<</Type /Page /Parent 3 0 R /Contents 7 0 R /Annots [${stamp(15)}]>>`,
  6: { dictionary: '', data: 'q .5 0 0 .5 0 0 cm BT /F 24 Tf 20 360 Td (first) Tj ET' },
  7: { dictionary: '', data: 'Q BT /F 12 Tf 10 180 Td (second) Tj ET' },
  10: stamp(14),
  12: '<</Type /Annot /Subtype /Widget /FT /Tx /T (who) /V (Ada) /Rect [150 40 50 20] /AP <</N 16 0 R>>>>',
  14: says('one'),
  15: says('two'),
  16: says('Ada'),
  20: FONT,
});

test('pages keep what they inherit, and each shows its own annotations', async () => {
  const { file, dropped } = await flattened(INHERITING);
  const { placed } = await readPdf(file);
  const found = placed.map((page) => page.map(({ text, x, y }) => [text, Math.round(x), Math.round(y)]));
  expect(found).toEqual([
    [
      ['first', 10, 20],
      ['one', 52, 95],
      ['Ada', 52, 175],
    ],
    [
      ['second', 10, 20],
      ['two', 52, 95],
    ],
  ]);
  expect(dropped).toEqual([]);
  expect(Buffer.from(file).includes('/AcroForm')).toBe(false);
});

test('what was flattened before stays', async () => {
  const once = await flattened(INHERITING);
  const twice = await flattened(
    once.file,
    { draw: { ...DRAWN, source: INHERITING } },
    { rotate: { pages: undefined, angle: 0 } },
  );
  expect((await readPdf(twice.file)).pages[0]).toMatch(/first.*one.*Ada/);
});

const DRAWN = {
  ...{ isForeign: true, sourcePages: [1], pages: '1', layer: 'over' as const, opacity: 1, rotate: 0 },
  ...{ position: 'center' as const, offset: { x: 0, y: 0 }, scale: 0.01, fit: 1 },
};

/** The first page, 400 points wide and high, in pixels. Says whether a point is red, measured from the lower left corner. */
async function redAt(content: Uint8Array): Promise<(x: number, y: number) => boolean> {
  const png = readPng(Buffer.from(await drawing.draw('ada', { content: async () => content, page: 1, width: 400 })));
  return (x, y) => {
    const [red = 0, green = 0] = [1, 3].map((at) => Number.parseInt(png.colorAt(x, png.height - y).slice(at, at + 2), 16));
    return red > 200 && green < 128;
  };
}

const RED = { dictionary: '/Subtype /Form /BBox [0 0 10 10]', data: '1 0 0 rg 0 0 10 10 re f' };

test('an annotation of a hidden layer stays hidden', async () => {
  const square = (x: number, more: string) =>
    `<</Type /Annot /Subtype /Stamp /Rect [${x} 100 ${x + 50} 150] /AP <</N 10 0 R>> ${more}>>`;
  const { file } = await flattened(
    pageWith({
      catalog: '/OCProperties <</OCGs [12 0 R] /D <</OFF [12 0 R]>>>>',
      page: `/Annots [${square(100, '/OC 12 0 R')} ${square(200, '')}]`,
      objects: { 10: RED, 12: '<</Type /OCG /Name (layer)>>' },
    }),
  );
  const isRed = await redAt(file);
  expect([isRed(125, 125), isRed(225, 125)]).toEqual([false, true]);
});

const drawn = (subtype: string, more: string) =>
  pageWith({
    page: `/Annots [<</Type /Annot /Subtype /${subtype} /Rect [100 100 200 200] /F 4 /C [1 0 0] /BS <</W 4>> ${more}>>]`,
  });
const QUAD = '/QuadPoints [100 200 200 200 100 100 200 100]';

test.each([
  ['Square', '', [150, 198], [150, 150]],
  ['Square', '/IC [1 0 0]', [150, 150], [90, 150]],
  ['Circle', '', [150, 198], [102, 198]],
  ['Circle', '/IC [1 0 0]', [150, 150], [104, 104]],
  ['Line', '/L [100 100 200 200]', [150, 150], [150, 170]],
  ['PolyLine', '/Vertices [110 110 110 190 190 190]', [110, 150], [150, 150]],
  ['Polygon', '/Vertices [110 110 110 190 190 190]', [150, 150], [170, 130]],
  ['Ink', '/InkList [[110 110 110 190] [190 110 190 190]]', [190, 150], [150, 150]],
  ['Highlight', QUAD, [150, 150], [90, 150]],
  ['Underline', QUAD, [150, 110], [150, 130]],
  ['StrikeOut', QUAD, [150, 145], [150, 170]],
  ['Squiggly', QUAD, [150, 107], [150, 150]],
])('%s without an appearance is drawn (%s)', async (subtype, more, [inX = 0, inY = 0], [outX = 0, outY = 0]) => {
  const { file, dropped } = await flattened(drawn(subtype, more));
  expect(dropped).toEqual([]);
  const isRed = await redAt(file);
  expect([isRed(inX, inY), isRed(outX, outY)]).toEqual([true, false]);
});

test('what viewers draw in their own way is lost, and reported', async () => {
  const { dropped } = await flattened(drawn('FreeText', '/Contents (x)'));
  expect(dropped).toEqual([{ what: 'annotations', why: '1 (FreeText) had no appearance that could become content' }]);
});

describe('boxes without an appearance', () => {
  const box = (more: string) =>
    pageWith({
      catalog: '/AcroForm <</Fields [10 0 R]>>',
      page: '/Annots [10 0 R]',
      objects: { 10: `<</Type /Annot /Subtype /Widget /FT /Btn /T (a) /Rect [100 100 200 200] ${more}>>`, 11: RED },
    });

  test.each([
    ['a ticked one', '/AS /Yes /MK <</BG [1 0 0]>>', false, true],
    ['one whose field says that it is ticked', '/V /1 /MK <</BG [1 0 0]>>', false, true],
    ['one that is not ticked', '/AS /Off /V /Off /MK <</BG [1 0 0]>>', true, true],
    ['a radio button', '/AS /Yes /Ff 32768 /MK <</BG [1 0 0]>>', false, true],
    ['a turned square', '/AS /Yes /MK <</BG [1 0 0] /R 90 /CA (n)>>', false, true],
    ['a button with a caption', '/AS /Yes /Ff 65536 /MK <</BG [1 0 0] /CA (Send)>>', false, false],
    ['a state that its appearances do not have', '/AS /Off /AP <</N <</Yes 2 0 R>>>> /MK <</BG [1 0 0]>>', false, false],
  ])('are drawn: %s', async (_, more, isRedInside, isRedAside) => {
    const { file, dropped } = await flattened(box(more));
    const isRed = await redAt(file);
    expect([isRed(144, 133), isRed(150, 195)]).toEqual([isRedInside, isRedAside]);
    expect(dropped).toEqual([]);
  });

  test('keep what their producer has drawn when they are filled', async () => {
    const { file } = await flattened(box('/AS /Off /AP <</N <</Yes 11 0 R>>>>'), { fill: { fields: { a: true } } });
    expect((await redAt(file))(150, 150)).toBe(true);
  });
});

test('a text that is filled has the background of its field, whatever else its appearance had painted', async () => {
  const shadow = { dictionary: '/Subtype /Form /BBox [0 0 100 100]', data: '1 0 0 rg 0 0 100 100 re f 0 1 0 rg 0 0 100 9 re f' };
  const content = pageWith({
    catalog: '/AcroForm <</Fields [10 0 R] /DA (/F 12 Tf 0 g)>>',
    page: '/Annots [10 0 R]',
    objects: {
      10: '<</Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [100 100 200 200] /MK <</BG [1 0 0]>> /AP <</N 11 0 R>>>>',
      11: shadow,
    },
  });
  const { file } = await flattened(content, { fill: { fields: { a: 'x' } } });
  expect((await redAt(file))(180, 180)).toBe(true);
});
