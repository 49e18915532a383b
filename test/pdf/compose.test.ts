/** The step `compose` with PDFs of other programs. */
import { PDF, PdfArray, type PdfDict, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core';
import { expect, test } from 'vitest';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { pageWith } from '../support/hidden-texts.ts';
import { readPdf } from '../support/read-pdf.ts';
import { smallPdf } from '../support/small-pdf.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));

async function composed(content: Uint8Array) {
  const part = { content, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const steps = [{ number: 0, step: { compose: { perSheet: 2 as const, isBooklet: false } } }];
  const { files, dropped } = await assembly.assemble('ada', { parts: [part], steps });
  const { content: file } = files[0] as { content: Uint8Array };
  return { ...(await readPdf(file)), file, dropped };
}

const say = (text: string) => ({ content: `BT /F 10 Tf 120 70 Td (${text}) Tj ET` });

/** Pages that have their fonts and their size from the page tree, and do not begin at the origin. */
async function withInherited(given: Uint8Array): Promise<Uint8Array> {
  const pdf = await PDF.load(given);
  for (const page of pdf.getPages()) {
    const tree = pdf.getObject(page.dict.get('Parent') as never) as PdfDict;
    tree.set('Resources', page.dict.get('Resources') as PdfObject);
    tree.set('MediaBox', PdfArray.of(...[100, 50, 400, 250].map((each) => PdfNumber.of(each))));
    page.dict.delete('Resources');
    page.dict.delete('MediaBox');
  }
  return pdf.save();
}

test('pages keep what they inherit', async () => {
  const { fonts, placed, sizes, dropped } = await composed(await withInherited(smallPdf([say('left'), say('right')])));
  expect(sizes).toEqual([{ width: 200, height: 300 }]);
  expect(fonts).toEqual(['Helvetica']);
  const scale = 100 / 300;
  const y = 150 + (200 * scale) / 2 - 20 * scale;
  const [left, right] = placed[0] ?? [];
  expect([left?.text, right?.text]).toEqual(['left', 'right']);
  expect(left?.x).toBeCloseTo(20 * scale, 1);
  expect(right?.x).toBeCloseTo(100 + 20 * scale, 1);
  expect([left?.y, right?.y].map((each) => each?.toFixed(1))).toEqual([y.toFixed(1), y.toFixed(1)]);
  expect(dropped).toEqual([]);
});

test('what fields show stays', async () => {
  const widget = '/Type /Annot /Subtype /Widget /Rect [50 100 150 120] /F 4';
  const form = pageWith({
    catalog: '/AcroForm <</Fields [10 0 R] /DA (/F 12 Tf 0 g) /DR <</Font <</F 6 0 R>>>>>>',
    page: '/Annots [10 0 R]',
    objects: {
      10: `<<${widget} /FT /Tx /T (who) /V (Ada) /DA (/F 12 Tf 0 g) /P 4 0 R /AP <</N 11 0 R>>>>`,
      11: {
        dictionary: '/Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</F 6 0 R>>>>',
        data: 'BT /F 12 Tf 2 5 Td (Ada) Tj ET',
      },
    },
  });
  const { pages, dropped } = await composed(form);
  expect(pages[0]).toContain('Ada');
  expect(dropped.map(({ what }) => what)).toEqual(['form fields']);
});

/** The links of a sheet with what they lead to: an address, or a sheet with a point. */
async function linksOf(file: Uint8Array) {
  const pdf = await PDF.load(file);
  const sheets = pdf.getPages();
  return sheets.map(({ dict }) => {
    const links = dict.getArray('Annots', (ref) => pdf.getObject(ref))?.toArray() ?? [];
    return links.map((ref) => {
      const link = pdf.getObject(ref as PdfRef) as PdfDict;
      const [sheet, , ...point] = link.getArray('Dest')?.toArray() ?? [];
      const to = sheets.findIndex(({ ref: own }) => own.objectNumber === (sheet as PdfRef | undefined)?.objectNumber);
      const uri = link.getDict('A')?.getString('URI')?.asString();
      return {
        rectangle: toNumbers(link.getArray('Rect')),
        ...(uri ? { uri } : { to, point: toNumbers(PdfArray.of(...point)) }),
      };
    });
  });
}

function toNumbers(array: PdfArray | undefined): number[] {
  return (array?.toArray() ?? []).flatMap((each) => (each instanceof PdfNumber ? Math.round(each.value) : []));
}

test('links stay links, and lead to the sheets', async () => {
  const link = (rectangle: string, target: string) => `<</Type /Annot /Subtype /Link /Rect [${rectangle}] ${target}>>`;
  const annotations = [
    link('0 0 100 50', '/A <</S /URI /URI (https://example.com)>>'),
    link('100 50 200 100', '/A <</S /GoTo /D [9 0 R /XYZ 100 200 0]>>'),
    link('0 0 10 10', '/Dest /Missing'),
  ];
  const { file, dropped } = await composed(smallPdf([{ ...say('1'), annotations }, say('2'), say('3')]));
  expect(await linksOf(file)).toEqual([
    [
      { rectangle: [0, 117, 33, 133], uri: 'https://example.com' },
      { rectangle: [33, 133, 67, 150], to: 1, point: [33, 183] },
    ],
    [],
  ]);
  expect(dropped).toEqual([]);
});

test('what annotations show becomes content, and the report says so', async () => {
  const note = '<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (note)>>';
  const { dropped } = await composed(smallPdf([{ ...say('left'), annotations: [note] }]));
  expect(dropped.map(({ what }) => what)).toEqual(['annotations', 'annotations other than links']);
});
