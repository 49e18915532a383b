/** The step `compose` with PDFs of other programs. */
import { PDF, PdfArray, type PdfDict, PdfNumber, type PdfObject } from '@libpdf/core';
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
  return { ...(await readPdf((files[0] as { content: Uint8Array }).content)), dropped };
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

test('the report says what could not be drawn', async () => {
  const link = '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://example.com) >> >>';
  const { dropped } = await composed(smallPdf([{ ...say('left'), annotations: [link] }]));
  expect(dropped.map(({ what }) => what)).toEqual(['links and other annotations']);
});
