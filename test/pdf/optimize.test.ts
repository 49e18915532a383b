/** The step `optimize` with PDFs of other programs: images become smaller however content and images are encoded. */
import { deflateSync } from 'node:zlib';
import { PDF, PdfRef, PdfStream } from '@libpdf/core';
import { expect, test } from 'vitest';
import { encodeJpeg } from '../../src/pdf/images/jpeg-codec.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { pageWith } from '../support/hidden-texts.ts';

const assembly = closeAfterAll(new UploadAssembly({ maxPdfBytes: 10_000_000 }));

const SIDE = 100;
const PIXELS = deflateSync(Buffer.alloc(SIDE * SIDE * 3, 0x7f));
const IMAGE = `/Subtype /Image /Width ${SIDE} /Height ${SIDE} /BitsPerComponent 8 /ColorSpace /DeviceRGB`;
const CONTENT = 'q 72 0 0 72 0 0 cm /A Do /B Do Q';

/** The widths of the images of a page that draws two on a square of an inch. */
async function optimizedWidths(filter: string, content: Buffer, [first, second]: [string, Buffer][]): Promise<number[]> {
  const image = ([given, data]: [string, Buffer] = ['', PIXELS]) => ({
    dictionary: `${IMAGE} ${given}`,
    data: data.toString('latin1'),
  });
  const pdf = pageWith({
    resources: '/XObject <</A 10 0 R /B 11 0 R>>',
    objects: {
      5: { dictionary: `/Filter ${filter}`, data: content.toString('latin1') },
      10: image(first),
      11: image(second),
    },
  });
  const part = { content: pdf, title: 'a', pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
  const steps = [{ number: 0, step: { optimize: { maxDpi: 50 } } }];
  const { files } = await assembly.assemble('ada', { parts: [part], steps });
  const read = await PDF.load((files[0] as { content: Uint8Array }).content);
  const ids = Array.from({ length: read.context.registry.nextObjectNumber }, (_, id) => read.getObject(PdfRef.of(id)));
  return ids.flatMap((each) => (each instanceof PdfStream ? (each.getNumber('Width')?.value ?? []) : []));
}

const HEX = Buffer.from(`${Buffer.from(CONTENT).toString('hex')}>`);
const BOTH = Buffer.from(`${deflateSync(CONTENT).toString('hex')}>`);

test.each([
  ['/FlateDecode', deflateSync(CONTENT)],
  ['/ASCIIHexDecode', HEX],
  ['[/ASCIIHexDecode /FlateDecode]', BOTH],
])('images of content in %s are scaled down', async (filter, content) => {
  const images: [string, Buffer][] = [
    ['/Filter /FlateDecode', PIXELS],
    ['/Filter [/FlateDecode]', PIXELS],
  ];
  expect(await optimizedWidths(filter, content, images)).toEqual([50, 50]);
});

test('JPEGs in another encoding are scaled down', async () => {
  const jpeg = await encodeJpeg({ width: SIDE, height: SIDE, channels: 3, data: new Uint8Array(SIDE * SIDE * 3) }, 90);
  const images: [string, Buffer][] = [
    ['/Filter [/DCTDecode]', Buffer.from(jpeg)],
    ['/Filter [/ASCIIHexDecode /DCTDecode]', Buffer.from(`${Buffer.from(jpeg).toString('hex')}>`)],
  ];
  expect(await optimizedWidths('/FlateDecode', deflateSync(CONTENT), images)).toEqual([50, 50]);
});

test('an image that is damaged stays as it is', async () => {
  const images: [string, Buffer][] = [
    ['/Filter /FlateDecode', PIXELS],
    ['/Filter /FlateDecode', Buffer.from('no image')],
  ];
  expect((await optimizedWidths('/FlateDecode', deflateSync(CONTENT), images)).toSorted()).toEqual([100, 50]);
});
