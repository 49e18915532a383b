/** Draws pages with PDFium, pixel by pixel on nothing: a PDF whose pages are as large as images in, a PNG of each out. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PNG } from 'pngjs';

interface Size {
  width: number;
  height: number;
}

const CHANNELS = 4;
const [RGB, RGBA] = [2, 6] as const;
const OPAQUE = 255;

/** `sizes` are those of the pages. Undefined for a page on which nothing is drawn. */
export async function* drawPngs(pdf: Uint8Array, sizes: readonly Size[]): AsyncGenerator<Uint8Array | undefined> {
  const program = await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  const library = await PDFiumLibrary.init({ wasmBinary: Uint8Array.from(program).buffer });
  const document = await library.loadDocument(pdf);
  for (const [index, { width, height }] of sizes.entries()) {
    const { data } = await document.getPage(index).render({ width, height, render: 'bitmap', transparent: true });
    yield encode({ width, height }, data);
  }
  document.destroy();
  library.destroy();
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
