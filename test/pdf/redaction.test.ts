/** The step `redact`: texts that are hidden in all places of a PDF are gone, and what stays is there. */
import { PDF, type PDFPage, PdfRef, PdfStream } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { encodeJpeg } from '../../src/pdf/images/jpeg-codec.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { findTexts } from '../support/find-text.ts';
import { HIDING_PLACES, pageWith } from '../support/hidden-texts.ts';
import { openPdf } from '../support/open-pdf.ts';
import { readLinks } from '../support/read-bookmarks.ts';
import { readPdf } from '../support/read-pdf.ts';
import { unpackedText } from '../support/unpacked-text.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));
const NOTHING = { texts: [], expressions: [], ignoresCase: false, boxes: [], color: [0, 0, 0], dropsAttachments: false };

async function redacted(content: Uint8Array, wanted: object) {
  const part = { content, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const steps = [{ number: 0, step: { redact: { ...NOTHING, ...wanted } } }];
  const { files, dropped } = await assembly.assemble('ada', { parts: [part], steps });
  return { pdf: Buffer.from((files[0] as { content: Uint8Array }).content), dropped };
}

describe('a text is removed from', () => {
  test.each(Object.entries(HIDING_PLACES))('%s', async (_, hide) => {
    const text = 'Zeta 4711 Quux';
    const given = hide(text);
    const { pdf } = await redacted(given, { texts: [text, text.replaceAll(' ', '')] });
    expect(await findTexts(pdf, [text, '11 Quux'])).toEqual([]);
    // Some places divide it.
    expect(await findTexts(given, [text, '11 Quux'])).not.toEqual([]);
    expect((await readPdf(pdf)).pages[0]).toContain('What stays is here.');
  });
});

const errorOf = (content: Uint8Array, wanted: object) =>
  redacted(content, wanted).then(
    () => 'none',
    (error) => `${error.members.errors[0].path}: ${error.members.errors[0].message}`,
  );
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about="" dc:format="application/pdf"/></rdf:RDF></x:xmpmeta>`;
const textOf = async (pdf: Uint8Array) => (await readPdf(pdf)).pages[0];

test.each(['about', 'format', 'x', '[a-z]+'])('%s is removed, although the markup of metadata has it', async (expression) => {
  const given = pageWith({
    content: 'BT /F 12 Tf 50 200 Td (about x format) Tj ET',
    catalog: '/Metadata 10 0 R',
    objects: { 10: { dictionary: '/Type /Metadata /Subtype /XML', data: XMP } },
  });
  const { pdf, dropped } = await redacted(given, { expressions: [expression] });
  expect(await textOf(pdf)).not.toMatch(new RegExp(expression));
  expect(dropped).toEqual([{ what: 'xmp', why: 'it had what is redacted, and was written anew' }]);
});

const findShown = (content: string) => content.match(/\(Hidden\)|48696464656e/gi) ?? [];

describe('what is drawn in many places is refused under an area, and stays elsewhere', () => {
  const TILE = '/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 99 99] /XStep 99 /YStep 99';
  const image = { dictionary: '/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray', data: '0' };
  const withImage = { dictionary: `${TILE} /Resources <</XObject <</I 11 0 R>>>>`, data: '99 0 0 99 0 0 cm /I Do' };
  const withText = { dictionary: `${TILE} /Resources <</Font <</F 6 0 R>>>>`, data: 'BT /F 9 Tf (Zeta) Tj ET' };
  const withMask = { dictionary: `${TILE} /Resources <</ExtGState <</G 13 0 R>>>>`, data: '/G gs 0 0 9 9 re f' };
  const state = '<</SMask <</S /Luminosity /G 14 0 R>>>>';
  const group = { ...withImage, dictionary: '/Subtype /Form /BBox [50 50 250 300] /Resources <</XObject <</I 11 0 R>>>>' };
  const form = { dictionary: '/Subtype /Form /BBox [0 0 400 400]', data: '50 100 200 200 re f' };
  const resources = '/Pattern <</P 10 0 R / 10 0 R>> /XObject <</X 12 0 R>> /ExtGState <</G 13 0 R>>';
  const page = (content: string, pattern = withImage) =>
    pageWith({ content, resources, objects: { 10: pattern, 11: image, 12: form, 13: state, 14: group } });
  const box = (x: number) => ({ boxes: [{ page: 1, x, y: 150, width: 20, height: 20 }] });
  const FILL = '/Pattern cs /P scn 50 100 200 200 re f';

  test.each([
    ['an image in a pattern', page(FILL), 'a pattern'],
    ['text in a pattern', page(FILL, withText), 'a pattern'],
    ['an image in a pattern with an empty name', page(FILL.replace('/P scn', '/ scn')), 'a pattern'],
    ['an image in the mask of a pattern', page(FILL, withMask), 'a pattern'],
    ['the pattern of a wide line', page('/Pattern CS /P SCN 100 w 50 200 m 250 201 l S'), 'a pattern'],
    ['the pattern of a text', page('/Pattern cs /P scn BT /F 150 Tf 50 190 Td (MM) Tj ET'), 'a pattern'],
    ['a pattern that a form has from its page', page('/Pattern cs /P scn /X Do'), 'a pattern'],
    ['an image in a soft mask', page('/G gs 0 0 400 400 re f'), 'a soft mask'],
  ])('%s', async (_, pdf, what) => {
    expect(await errorOf(pdf, box(100))).toContain(`page 1 of parts[0] has ${what} with an image`);
    expect(await errorOf(pdf, box(380))).toBe('none');
  });
});

describe('a glyph of a Type 3 font', () => {
  const font = (data: string) => {
    const entries =
      '/Encoding <</Differences [65 /A /B]>> /CharProcs <</A 11 0 R /B 12 0 R>> /Resources <</XObject <</I 13 0 R>>>>';
    return pageWith({
      content: 'BT /T 20 Tf 100 200 Td (A) Tj 200 0 Td (B) Tj ET',
      resources: '/Font <</F 6 0 R /T 10 0 R>>',
      objects: {
        10: `<</Type /Font /Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [1 0 0 1 0 0] /FirstChar 65 /LastChar 66 /Widths [1 1] ${entries}>>`,
        11: { dictionary: '', data: `1 0 d0 ${data}` },
        12: { dictionary: '', data: '1 0 d0 0 0 1 1 re f' },
        13: { dictionary: '/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray', data: 'Z' },
      },
    });
  };
  const inline = (size: number) => `q ${size} 0 0 ${size} 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID Z EI Q`;
  const box = (x: number, y: number) => ({ boxes: [{ page: 1, x, y, width: 20, height: 20 }] });
  const REFUSAL = 'page 1 of parts[0] has a glyph with an image or text';

  test('is gone if it is removed and shown nowhere else', async () => {
    const { pdf } = await redacted(font(inline(1)), box(100, 180));
    expect(await unpackedText(pdf)).not.toContain('ID Z EI');
    expect(await unpackedText((await redacted(font(inline(1)), box(300, 180))).pdf)).toContain('ID Z EI');
  });

  test('is refused if it draws other images or text under an area', async () => {
    expect(await errorOf(font('/I Do'), box(100, 180))).toContain(REFUSAL);
    expect(await errorOf(font('BT /F 1 Tf (Zeta) Tj ET'), box(100, 180))).toContain(REFUSAL);
    expect(await errorOf(font('/I Do'), box(300, 180))).toBe('none');
  });

  test('is refused if it is an image that reaches under an area from elsewhere', async () => {
    expect(await errorOf(font(inline(8)), box(200, 100))).toContain(REFUSAL);
    expect(await errorOf(font(inline(8)), box(300, 100))).toBe('none');
  });

  test('is refused if it shows text in another font, and a text is searched', async () => {
    expect(await errorOf(font('BT /F 1 Tf (Zeta) Tj ET'), { texts: ['Quux'] })).toContain('shows text in another font');
  });
});

describe('texts and expressions', () => {
  const page = pageWith({ content: 'BT /F 12 Tf 50 200 Td (Call Ada at 555-1234, or ADA at 555-9876.) Tj ET' });

  test('are found with their case, or without it', async () => {
    expect(await textOf((await redacted(page, { texts: ['Ada'] })).pdf)).toMatch(/Call +at 555-1234, or ADA at/);
    const { pdf } = await redacted(page, { texts: ['Ada'], ignoresCase: true });
    expect(await textOf(pdf)).not.toMatch(/ada/i);
  });

  test('follow the syntax of RE2', async () => {
    const { pdf } = await redacted(page, { expressions: ['\\d{3}-\\d{4}'] });
    expect(await textOf(pdf)).toMatch(/Call Ada at +, or ADA at +\./);
  });

  test('are found in bitmap fonts of TeX, whose glyphs have the names of codes', async () => {
    const codes = [...'Hidden'].map((letter) => letter.charCodeAt(0));
    const differences = codes.map((code) => `${code} /a${code}`).join(' ');
    const glyphs = [...new Set(codes)].map((code) => `/a${code} 11 0 R`).join(' ');
    const widths = Array(256).fill(50).join(' ');
    const tex = pageWith({
      content: 'BT /B 1 Tf 12 0 0 12 50 200 Tm (Hidden) Tj ET',
      objects: {
        7: `<</Type /Font /Subtype /Type3 /FontBBox [0 0 50 50] /FontMatrix [.01 0 0 .01 0 0] /FirstChar 0 /LastChar 255 /Widths [${widths}] /Encoding <</Differences [${differences}]>> /CharProcs <<${glyphs}>> /Resources <<>>>>`,
        11: { dictionary: '', data: '50 0 d0 5 0 40 50 re f' },
      },
    });
    const { pdf } = await redacted(tex, { texts: ['Hidden'] });
    expect(findShown(unpackedText(pdf))).toEqual([]);
    expect(findShown(unpackedText(tex))).not.toEqual([]);
  });

  test('are found in addresses that encode them', async () => {
    const link = (uri: string, id: number) => ({
      [id]: `<</Type /Annot /Subtype /Link /Rect [50 350 90 360] /A <</S /URI /URI (${uri})>>>>`,
    });
    const uris = ['https://x.test/?n=J%C3%B6rg%20Roe', 'https://x.test/?n=J%c3%b6rg+Roe&a=1+2', 'https://x.test/?n=50%25+%zz'];
    const annotated = pageWith({
      page: '/Annots [11 0 R 12 0 R 13 0 R]',
      objects: Object.assign({}, ...uris.map((uri, index) => link(uri, 11 + index))),
    });
    const { pdf } = await redacted(annotated, { texts: ['Jörg Roe'] });
    await using opened = await openPdf(pdf);
    const annotations = await (await opened.document.getPage(1)).getAnnotations();
    expect(annotations.map(({ unsafeUrl }) => unsafeUrl)).toEqual([
      'https://x.test/?n=',
      'https://x.test/?n=&a=1%202',
      'https://x.test/?n=50%25+%zz',
    ]);
  });

  test('leave percent and plus signs of other texts alone', async () => {
    const titled = pageWith({
      page: '/Annots [11 0 R]',
      objects: { 11: '<</Type /Annot /Subtype /Text /Rect [9 9 20 20] /Contents (C++ by Jane Roe, 5%25 off)>>' },
    });
    await using opened = await openPdf((await redacted(titled, { texts: ['Jane Roe'] })).pdf);
    const [note] = await (await opened.document.getPage(1)).getAnnotations();
    expect(note.contentsObj.str).toBe('C++ by , 5%25 off');
  });

  test('leave what is beside them where it was', async () => {
    const placesOf = async (pdf: Uint8Array) =>
      (await readPdf(pdf)).placed[0]?.map(({ text, x }) => [text.trim(), Math.round(x)]);
    const { pdf } = await redacted(page, { texts: ['Call Ada'] });
    const [, x = 0] = (await placesOf(pdf))?.at(-1) ?? [];
    expect(x).toBeGreaterThan(50 + 8 * 5);
    expect(await textOf(pdf)).toMatch(/ at 555-1234, or ADA at 555-9876\.$/);
  });

  test('do not join words that are apart', async () => {
    const apart = pageWith({ content: 'BT /F 12 Tf 50 200 Td [(star) -300 (terrible)] TJ ET' });
    expect(await textOf((await redacted(apart, { texts: ['arte'] })).pdf)).toMatch(/star ?terrible/);
  });

  test('leave links to destinations with other names', async () => {
    const { pdf } = await redacted(HIDING_PLACES['a named destination']?.('Zeta') as Buffer, { texts: ['Zeta'] });
    expect(await readLinks(pdf)).toEqual([[1, 1]]);
  });

  test('of attachments remove these, and one that is no text is refused', async () => {
    const { dropped } = await redacted(HIDING_PLACES['an attachment']?.('Zeta') as Buffer, { texts: ['Zeta'] });
    expect(dropped).toEqual([{ what: 'attachments', why: 'a.txt was removed by the step redact' }]);
    const binary = HIDING_PLACES['an attachment']?.('\x01\x02\x03') as Buffer;
    expect(await errorOf(binary, { texts: ['Zeta'] })).toBe(
      'steps[0].redact: cannot be carried out: the document has the attachment a.txt, which is no text and cannot be searched; remove it with drop_attachments',
    );
    expect((await redacted(binary, { texts: ['Zeta'], dropsAttachments: true })).dropped).toHaveLength(1);
  });
});

describe('the step is refused with the page', () => {
  const objects = (font: string) => ({
    4: '<</Type /Page /Parent 3 0 R /MediaBox [0 0 400 400] /Contents 5 0 R /Resources <</Font <</F 6 0 R /C 10 0 R>>>>>>',
    10: font,
    11: '<</Type /Font /Subtype /CIDFontType2 /BaseFont /Any /CIDSystemInfo <</Registry (Adobe) /Ordering (Identity) /Supplement 0>>>>',
  });
  const shown = 'BT /C 12 Tf 50 200 Td <0041> Tj ET';

  test.each([
    [
      'whose font does not say what its characters are',
      pageWith({
        content: shown,
        objects: objects('<</Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [11 0 R]>>'),
      }),
      'has text in the font Any, which does not say what its characters are',
    ],
    [
      'whose glyphs have names of their own',
      pageWith({
        content: 'BT /C 12 Tf 50 200 Td (A) Tj ET',
        objects: objects(
          '<</Type /Font /Subtype /Type1 /BaseFont /Any /Encoding <</BaseEncoding /WinAnsiEncoding /Differences [65 /x123]>>>>',
        ),
      }),
      'has text in the font Any, which does not say what its characters are',
    ],
    [
      'whose content cannot be decompressed',
      pageWith({ objects: { 5: { dictionary: '/Filter /FlateDecode', data: 'no' } } }),
      'has content that cannot be decompressed',
    ],
    ['whose content cannot be parsed', pageWith({ content: 'BT (open' }), 'has content that cannot be parsed'],
  ])('%s', async (_, content, message) => {
    expect(await errorOf(content, { texts: ['Zeta'] })).toBe(
      `steps[0].redact: cannot be carried out: page 1 of parts[0] ${message}`,
    );
  });
});

describe('a box', () => {
  const BOX = { page: 1, x: 40, y: 40, width: 70, height: 20 }; // over `What stays is here.` up to `stays`

  test('removes the text, paths, images and annotations under it', async () => {
    const pixels = Buffer.alloc(16 * 16 * 3, 0x7f);
    const given = pageWith({
      content: '0 0 9 9 re f 60 352 m 70 352 l 70 358 l h f q 100 0 0 100 0 300 cm /I Do Q',
      resources: '/XObject <</I 10 0 R>>',
      page: '/Annots [11 0 R 12 0 R]',
      objects: {
        10: {
          dictionary: '/Subtype /Image /Width 16 /Height 16 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
          data: pixels.toString('latin1'),
        },
        11: '<</Type /Annot /Subtype /Link /Rect [50 350 90 360] /A <</S /URI /URI (https://x.test/)>>>>',
        12: '<</Type /Annot /Subtype /Link /Rect [50 50 90 60] /A <</S /URI /URI (https://y.test/)>>>>',
      },
    });
    const { pdf } = await redacted(given, { boxes: [BOX] });
    expect(await textOf(pdf)).toBe('is here.');
    const loaded = await PDF.load(pdf);
    const page = loaded.getPage(0) as PDFPage;
    expect(page.getAnnotations().map(({ rect }) => Math.round(rect.y))).toEqual([50]);
    const streams = streamsOf(loaded);
    const image = streams.find(({ dict }) => dict.has('Width'))?.content as Buffer;
    const isCleared = (x: number, y: number) => image.readUIntBE((16 * y + x) * 3, 3) === 0;
    expect([isCleared(10, 8), isCleared(2, 8), isCleared(10, 14)]).toEqual([true, false, false]);
    const content = streams.map((each) => each.content.toString('latin1')).find((text) => text.includes('TJ')) as string;
    expect(content).toContain('0 0 9 9 re');
    expect(content).not.toContain('70 358 l');
    expect(content).toMatch(/0 0 0 rg\n40 340 m 110 340 l 110 360 l 40 360 l h f/);
  });

  const COVERED = { page: 1, x: 0, y: 200, width: 400, height: 200 }; // the lower half
  const pageOf = (dictionary: string, data: Buffer) =>
    pageWith({
      content: 'q 400 0 0 400 0 0 cm /I Do Q',
      resources: '/XObject <</I 10 0 R>>',
      objects: { 10: { dictionary: `/Subtype /Image /Width 16 /Height 16 ${dictionary}`, data: data.toString('latin1') } },
    });
  const imageIn = async (given: Buffer) => {
    const { pdf, dropped } = await redacted(given, { boxes: [COVERED] });
    expect(dropped).toEqual([]);
    return streamsOf(await PDF.load(pdf)).find(({ dict }) => dict.has('Width'))?.content as Buffer;
  };
  const WHITE_FAX = Buffer.from('ffff001001', 'hex'); // sixteen rows as the one before, which is white, and the end
  const FAX = '/Filter /CCITTFaxDecode /DecodeParms <</K -1 /Columns 16 /Rows 16>> /BitsPerComponent 1';
  const half = (above: number, below: number, bytes: number) =>
    Buffer.concat([Buffer.alloc(bytes, above), Buffer.alloc(bytes, below)]);

  test('removes a part of a fax', async () => {
    expect(await imageIn(pageOf(`${FAX} /ColorSpace /DeviceGray`, WHITE_FAX))).toEqual(half(0xff, 0, 16));
    const inverted = `${FAX} /ColorSpace [/Indexed /DeviceRGB 1 <FF00000000FF>]`;
    const blue = await imageIn(pageOf(inverted, WHITE_FAX));
    expect([blue.readUIntBE(0, 3), blue.readUIntBE(3 * 255, 3), blue.length]).toEqual([0xff, 0, 768]);
  });

  test('removes a part of a mask of a fax', async () => {
    expect(await imageIn(pageOf(`${FAX} /ImageMask true /Decode [1 0]`, WHITE_FAX))).toEqual(half(0, 0, 16));
  });

  test('removes a part of a JPEG in another encoding', async () => {
    const grey = Buffer.from(await encodeJpeg({ width: 16, height: 16, channels: 1, data: new Uint8Array(256).fill(200) }, 90));
    const dictionary = '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter [/ASCIIHexDecode /DCTDecode]';
    expect(await imageIn(pageOf(dictionary, Buffer.from(`${grey.toString('hex')}>`)))).toEqual(half(200, 0, 128));
  });

  test('removes an image that cannot be decoded, and reports it', async () => {
    const given = pageWith({
      content: 'q 400 0 0 400 0 0 cm /I Do Q',
      resources: '/XObject <</I 10 0 R>>',
      objects: {
        10: {
          dictionary: '/Subtype /Image /Width 16 /Height 16 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /JPXDecode',
          data: 'a picture',
        },
      },
    });
    const { pdf, dropped } = await redacted(given, { boxes: [BOX] });
    expect(dropped).toEqual([{ what: 'images', why: 'one that cannot be decoded was removed as a whole' }]);
    expect(pdf.includes('a picture')).toBe(false);
    expect((await readPdf(pdf)).images).toBeLessThan(2);
  });

  test('of a page as it is shown, which may be turned', async () => {
    const turned = pageWith({ page: '/Rotate 90' });
    const { pdf } = await redacted(turned, { boxes: [{ page: -1, x: 340, y: 40, width: 20, height: 70 }] });
    expect(await textOf(pdf)).toBe('is here.');
  });

  test('changes what is also drawn elsewhere only there', async () => {
    const form = {
      dictionary: '/Subtype /Form /BBox [0 0 400 400] /Resources <</Font <</F 6 0 R>>>>',
      data: 'BT /F 12 Tf (HEAD) Tj ET',
    };
    const given = pageWith({
      content: 'q 1 0 0 1 50 348 cm /X Do Q q 1 0 0 1 50 100 cm /X Do Q',
      resources: '/XObject <</X 10 0 R>>',
      objects: { 10: form },
    });
    const { pdf } = await redacted(given, { boxes: [BOX] });
    expect((await textOf(pdf))?.match(/HEAD/g)).toHaveLength(1);
  });

  test('on a page that is not there is refused', async () => {
    expect(await errorOf(pageWith({}), { boxes: [{ ...BOX, page: 2 }] })).toBe(
      'steps[0].redact.boxes[0].page: names page 2, but the document has 1 page',
    );
  });
});

function streamsOf(pdf: PDF): Array<{ dict: PdfStream; content: Buffer }> {
  const ids = Array.from({ length: pdf.context.registry.nextObjectNumber }, (_, id) => pdf.getObject(PdfRef.of(id)));
  const streams = ids.filter((each) => each instanceof PdfStream);
  return streams.map((dict) => ({ dict, content: Buffer.from(dict.getDecodedData()) }));
}
