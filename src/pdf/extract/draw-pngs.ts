/** Draws pages with PDFium, pixel by pixel on nothing: a PDF whose pages are as large as images in, a PNG of each out. */
import { PNG } from 'pngjs';
import { openWithPdfium } from '../objects/open-with-pdfium.ts';

interface Size {
  width: number;
  height: number;
}

const CHANNELS = 4;
const [RGB, RGBA] = [2, 6] as const;
const OPAQUE = 255;

/** `sizes` are those of the pages. Undefined for a page on which nothing is drawn. */
export async function* drawPngs(pdf: Uint8Array, sizes: readonly Size[]): AsyncGenerator<Uint8Array | undefined> {
  using opened = await openWithPdfium(pdf);
  for (const [index, { width, height }] of sizes.entries()) {
    const { data } = await opened.document.getPage(index).render({ width, height, render: 'bitmap', transparent: true });
    yield encode({ width, height }, data);
  }
}

function encode(size: Size, { buffer, byteOffset, byteLength }: Uint8Array): Uint8Array | undefined {
  const data = Buffer.from(buffer, byteOffset, byteLength);
  let [isShown, isOpaque] = [false, true];
  for (let at = CHANNELS - 1; at < data.length; at += CHANNELS) {
    if (data[at]) isShown = true;
    if (data[at] !== OPAQUE) isOpaque = false;
  }
  const encoding = { colorType: isOpaque ? RGB : RGBA, inputHasAlpha: true, deflateLevel: 6, filterType: 4 };
  return isShown ? PNG.sync.write({ ...size, data } as PNG, encoding) : undefined;
}
