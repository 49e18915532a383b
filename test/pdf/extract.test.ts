/** What `extract` reads of PDFs of others, whose tags may be wrong or meant to do harm. */
import { PDF } from '@libpdf/core';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { type EXTRACTED, type Extracted, extract } from '../../src/pdf/assemble/extract.ts';
import type { Dropped } from '../../src/pdf/merge/merge-catalog.ts';
import { ForeignPdf } from '../../src/pdf/objects/foreign-pdf.ts';
import { pageWith } from '../support/hidden-texts.ts';
import { smallPdf } from '../support/small-pdf.ts';

type Extraction = Extracted & { dropped: Dropped[] };

async function extracted(pdf: Uint8Array, what: (typeof EXTRACTED)[number], maxBytes = 100_000_000): Promise<Extraction> {
  const dropped: Dropped[] = [];
  const json = await extract(new ForeignPdf(await PDF.load(pdf)), { what: [what] }, dropped, { maxBytes, keep: undefined });
  return { ...JSON.parse(Buffer.from(json).toString()), dropped };
}

const say = (mcid: number, text: string) => `/P <</MCID ${mcid}>> BDC BT /F 12 Tf 50 ${300 - 20 * mcid} Td (${text}) Tj ET EMC`;

/** A page whose marked content has these texts, and structure elements by their numbers from 11 on. */
function tagged(texts: string[], elements: string[], root = '/K 11 0 R', others: Record<number, string> = {}) {
  const objects = Object.fromEntries(elements.map((element, index) => [11 + index, `<</Pg 4 0 R ${element}>>`]));
  return pageWith({
    content: texts.map((text, mcid) => say(mcid, text)).join('\n'),
    catalog: '/StructTreeRoot 10 0 R',
    objects: { 10: `<</Type /StructTreeRoot ${root}>>`, ...objects, ...others },
  });
}

const markdownOf = async (pdf: Uint8Array) => (await extracted(pdf, 'markdown')).markdown;

test.each<[string, string[], string[], string]>([
  ['types of its own', ['Big', 'small'], ['/S /Doc /K [12 0 R 13 0 R]', '/S /Big /K 0', '/S /Body /K 1'], '# Big\n\nsmall'],
  ['a role that leads to itself', ['a'], ['/S /Loop /K 0'], 'a'],
  ['artifacts', ['a', 'b'], ['/S /Document /K [12 0 R 13 0 R]', '/S /P /K 0', '/S /Artifact /K 1'], 'a'],
  ['a text instead of what is shown', ['@'], ['/S /P /K 12 0 R', '/S /Span /ActualText (at) /K 0'], 'at'],
  ['an abbreviation', ['PDF'], ['/S /P /K 12 0 R', '/S /Span /E (a format) /K 0'], 'PDF (a format)'],
  ['a note', ['a', 'b'], ['/S /P /K [0 12 0 R]', '/S /Note /K 1'], 'a[^1]\n\n[^1]: b'],
  [
    'letters as labels',
    ['a\\)', 'b'],
    ['/S /L /K 12 0 R', '/S /LI /K [13 0 R 14 0 R]', '/S /Lbl /K 0', '/S /LBody /K 1'],
    '- a) b',
  ],
  ['another script scheme', ['a'], ['/S /Link /K [0 <</Type /OBJR /Obj <</A <</S /URI /URI (javascript:x)>>>>>>]'], 'a'],
])('Markdown of %s', async (_, texts, elements, expected) => {
  const roles = '/K 11 0 R /RoleMap <</Doc /Document /Big /Title1 /Title1 /H1 /Body /P /Loop /Loop>>';
  expect(await markdownOf(tagged(texts, elements, roles))).toBe(expected);
});

test('Markdown has each text once, whatever tags refer to it', async () => {
  const around = tagged(['a'], ['/S /P /K [11 0 R 12 0 R 12 0 R 0]', '/S /Span /K [0 0 11 0 R]']);
  expect(await markdownOf(around)).toBe('a');
});

test('Markdown leaves out what is nested too deeply, and says so', async () => {
  const deep = Array.from({ length: 200 }, (_, index) => `/S /Div /K [${index === 50 ? '0' : ''} ${12 + index} 0 R]`);
  const { markdown, dropped } = await extracted(tagged(['a', 'b'], [...deep, '/S /P /K 1']), 'markdown');
  expect(markdown).toBe('a');
  expect(dropped).toEqual([{ what: 'markdown', why: 'tags that are nested more than 100 deep are left out' }]);
});

test('Markdown of many tags with one long text is limited', async () => {
  const figures = Array.from({ length: 200 }, () => '/S /Figure /Alt 9 0 R').join('>> <<');
  const pdf = tagged(['a'], [`/S /Document /K [0 <<${figures}>>]`], '/K 11 0 R', { 9: `(${'x'.repeat(100_000)})` });
  const { markdown, dropped } = await extracted(pdf, 'markdown');
  expect(markdown?.length).toBeLessThan(11_000_000);
  expect(dropped).toEqual([{ what: 'markdown', why: 'only 10000000 characters of the texts of tags are read' }]);
});

test('Markdown says on which page a font has no characters', async () => {
  const font = '<</Type /Font /Subtype /Type0 /Encoding /Identity-H /BaseFont /Secret /DescendantFonts [<<>>]>>';
  const { markdown, dropped } = await extracted(tagged([], ['/S /P /K 0'], '/K 11 0 R', { 6: font }), 'markdown');
  expect(markdown).toBe('');
  expect(dropped).toEqual([{ what: 'markdown', why: expect.stringMatching(/^page 1 has text in the font Secret/) }]);
});

test('text without known characters is replaced, says so, and leaves the rest of its page as it is', async () => {
  const names = '/Encoding <</Differences [97 /a97 /b98 /a99]>> /CharProcs <<>> /FontMatrix [0.01 0 0 0.01 0 0]';
  const font = `<</Type /Font /Subtype /Type3 /Name /Bitmap /FirstChar 97 /LastChar 99 /Widths [50 50 50] ${names}>>`;
  const pdf = pageWith({
    content: 'BT /T 10 Tf 50 200 Td (abc) Tj ET',
    resources: '/Font <</F 6 0 R /T 10 0 R>>',
    objects: { 10: font },
  });
  const { pages, dropped } = await extracted(pdf, 'text');
  expect(pages[0]?.text).toBe('What stays is here.\na\ufffdc');
  expect(dropped).toEqual([{ what: 'text', why: expect.stringMatching(/^page 1 has text in the font Bitmap/) }]);
});

const IMAGE = '/Type /XObject /Subtype /Image /Width 2 /Height 1 /BitsPerComponent 8';
const RED_AND_BLUE = { dictionary: `${IMAGE} /ColorSpace /DeviceRGB`, data: '\xff\0\0\0\0\xff' };

const pixelsOf = ({ images = [] }: Extraction) =>
  images.map(({ content }) => {
    const { width, height, data } = PNG.sync.read(Buffer.from(content, 'base64'));
    return { width, height, pixels: data.toString('hex').match(/.{8}/g) };
  });

const drawing = (content: string, objects: Parameters<typeof pageWith>[0]['objects'], catalog = '') =>
  pageWith({ content, catalog, resources: '/XObject <</I 10 0 R /J 11 0 R /K 12 0 R>>', objects: objects ?? {} });

test('images are each there once, with the places where they are drawn, in form XObjects as well', async () => {
  const form = {
    dictionary: '/Subtype /Form /Matrix [1 0 0 1 5 0] /Resources <</XObject <</I 10 0 R>>>>',
    data: 'q 10 0 0 10 0 0 cm /I Do Q',
  };
  const pdf = drawing('q 100 0 0 50 20 30 cm /I Do Q /J Do', { 10: RED_AND_BLUE, 11: form });
  const found = await extracted(pdf, 'images');
  expect(found.images).toMatchObject([{ type: 'image/png', width: 2, height: 1 }]);
  expect(found.images?.[0]?.places).toEqual([
    { page: 1, x: 20, y: 320, width: 100, height: 50 },
    { page: 1, x: 5, y: 390, width: 10, height: 10 },
  ]);
  expect(pixelsOf(found)).toEqual([{ width: 2, height: 1, pixels: ['ff0000ff', '0000ffff'] }]);
});

test('images have their masks as alpha, and inline images are images', async () => {
  const mask = { dictionary: `${IMAGE} /ColorSpace /DeviceGray`, data: '\x80\xff' };
  const masked = { ...RED_AND_BLUE, dictionary: `${RED_AND_BLUE.dictionary} /SMask 11 0 R` };
  const inline = 'q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x40 EI Q';
  const found = await extracted(drawing(`q 9 0 0 9 0 0 cm /I Do Q ${inline} ${inline}`, { 10: masked, 11: mask }), 'images');
  expect(pixelsOf(found).map(({ pixels }) => pixels)).toEqual([['404040ff'], ['ff000080', '0000ffff']]);
});

test('images of hidden layers are there, and those that cannot be read are reported', async () => {
  const layer = '/OCProperties <</OCGs [13 0 R] /D <</OFF [13 0 R]>>>>';
  const pdf = drawing(
    'q 9 0 0 9 0 0 cm /I Do /J Do /K Do Q',
    {
      10: { ...RED_AND_BLUE, dictionary: `${RED_AND_BLUE.dictionary} /OC 13 0 R` },
      11: { dictionary: `${IMAGE} /ColorSpace /DeviceRGB /Filter /JPXDecode`, data: 'none' },
      12: { dictionary: IMAGE.replace('/Width 2', '/Width 2000000000'), data: '' },
      13: '<</Type /OCG /Name (hidden)>>',
    },
    layer,
  );
  const found = await extracted(pdf, 'images');
  expect(found.images).toHaveLength(1);
  expect(found.dropped.map(({ what, why }) => `${what}: ${why}`)).toEqual([
    'images: an image of page 1 has no size, or more than 25000000 pixels',
    'images: an image of page 1 cannot be decoded, or shows nothing',
  ]);
});

test('images are limited', async () => {
  const pdf = drawing('q 9 0 0 9 0 0 cm /I Do Q', { 10: RED_AND_BLUE });
  await expect(extracted(pdf, 'images', 10)).rejects.toThrow('asks for images that are larger than 10 bytes together');
  const many = Array.from({ length: 1_001 }, (_, index) => `BI /W 1 /H 1 /BPC 8 /CS /G ID ${String(index).padStart(4, '0')} EI`);
  await expect(extracted(drawing(many.join(' '), {}), 'images')).rejects.toThrow('asks for more than 1000 images');
  const often = drawing('/I Do '.repeat(20_001), { 10: RED_AND_BLUE });
  await expect(extracted(often, 'images')).rejects.toThrow('asks for images that are drawn more than 20000 times');
});

test('a long text is given away in pieces', async () => {
  const lines = Array.from(
    { length: 40 },
    (_, line) => `1 0 0 1 10 ${900 - 20 * line} Tm (${`line ${line} `.repeat(10)}) Tj`,
  ).join(' ');
  const page = { content: `BT /F 4 Tf ${lines} ET`, size: [400, 1_000] as [number, number] };
  const pdf = await PDF.load(smallPdf(Array.from({ length: 60 }, () => page)));
  const kept: Uint8Array[] = [];
  const keep = async (bytes: Uint8Array) => void kept.push(bytes);

  const end = await extract(new ForeignPdf(pdf), { what: ['text', 'bookmarks'] }, [], { maxBytes: 10_000_000, keep });

  expect(kept.length).toBeGreaterThan(1);
  const { pages, bookmarks } = JSON.parse(Buffer.concat([...kept, end]).toString()) as Extracted;
  expect(bookmarks).toEqual([]);
  expect(pages.map(({ text }) => text?.split('\n').length)).toEqual(Array.from({ length: 60 }, () => 40));
});

test('a text of more bytes than a result may have is refused and not sent', async () => {
  const page = { content: `BT /F 4 Tf 10 100 Td (${'word '.repeat(200)}) Tj ET` };
  const pdf = new ForeignPdf(await PDF.load(smallPdf(Array.from({ length: 200 }, () => page))));
  const options = { maxBytes: 50_000, keep: undefined };
  await expect(extract(pdf, { what: ['text'] }, [], options)).rejects.toMatchObject({ code: 'resource_limit' });
});
