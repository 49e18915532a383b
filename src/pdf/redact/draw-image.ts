/** Decodes images that PDFium can decode and libpdf cannot, such as those of scanners: an image in, its samples out. */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from '@libpdf/core';
import type { Size } from '../images/scale-pixels.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { writeWithObjectStreams } from '../objects/object-streams.ts';
import { openWithPdfium } from '../objects/open-with-pdfium.ts';
import { numbers } from '../objects/syntax.ts';

export interface Samples extends Size {
  bitsPerPixel: number;
  data: Uint8Array;
  /** What the image says of them from then on. */
  entries?: Record<string, PdfObject>;
}

interface Kind extends Size {
  isMask: boolean;
  /** Whether all of its samples are black or white. */
  isBilevel: boolean;
}

/** Each takes four bytes. */
const MAX_PIXELS = 25_000_000;
const CHANNELS = 4;
/** Entries of an image that would hide parts of it. */
const MASKS = ['SMask', 'Mask', 'OC'];
const HALF = 128;

/** Samples of a mask, or grey or RGB, without the masks of the image. Undefined if PDFium shows nothing, or not all of it. */
export async function drawSamples(pdf: EditablePdf, image: PdfStream, kind: Kind): Promise<Samples | undefined> {
  const { width, height, isMask, isBilevel } = kind;
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS)) return undefined;
  using opened = await openWithPdfium(writeAlone(pdf, image, width, height));
  const { data } = await opened.document.getPage(0).render({ width, height, render: 'bitmap', transparent: true });
  if (isMask) return toBits(data, { ...kind, channel: 3, isPainted: (value) => value < HALF });
  let isGrey = true;
  for (let at = 0; at < data.length; at += CHANNELS) {
    if (data[at + 3] !== 0xff) return undefined;
    isGrey &&= data[at] === data[at + 1] && data[at] === data[at + 2];
  }
  if (isGrey && isBilevel) return toBits(data, { ...kind, channel: 0, isPainted: (value) => value >= HALF });
  return toBytes(data, kind, isGrey ? 1 : 3);
}

/** A PDF of one page, on which only the image is. */
function writeAlone(pdf: EditablePdf, image: PdfStream, width: number, height: number): Uint8Array {
  const alone = new PdfStream(image, image.data);
  for (const entry of MASKS) alone.delete(entry);
  const Parent = pdf.add(new PdfDict());
  const page = PdfDict.of({
    ...{ Type: PdfName.of('Page'), Parent, MediaBox: numbers(0, 0, width, height) },
    Resources: PdfDict.of({ XObject: PdfDict.of({ I: pdf.add(alone) }) }),
    Contents: pdf.add(PdfStream.fromDict({}, Buffer.from(`${width} 0 0 ${height} 0 0 cm /I Do`))),
  });
  pdf.change(Parent, PdfDict.of({ Type: PdfName.of('Pages'), Kids: PdfArray.of(pdf.add(page)), Count: PdfNumber.of(1) }));
  const kept = [...pdf.catalog];
  try {
    for (const [{ value: name }] of kept) if (name !== 'Type') pdf.catalog.delete(name);
    pdf.catalog.set('Pages', Parent);
    return writeWithObjectStreams(pdf).join();
  } finally {
    for (const [{ value: name }, value] of kept) pdf.catalog.set(name, value);
  }
}

type Bits = Kind & { channel: number; isPainted(value: number): boolean };

function toBits(pixels: Uint8Array, { width, height, isMask, channel, isPainted }: Bits): Samples {
  const bytesPerRow = Math.ceil(width / 8);
  const data = new Uint8Array(bytesPerRow * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * bytesPerRow + (x >> 3);
      if (isPainted(pixels[(y * width + x) * CHANNELS + channel] ?? 0)) data[at] = (data[at] ?? 0) | (0x80 >> (x & 7));
    }
  const space = isMask ? {} : { ColorSpace: PdfName.of('DeviceGray') };
  const entries = { ...space, BitsPerComponent: PdfNumber.of(1), Decode: numbers(0, 1) };
  return { width, height, bitsPerPixel: 1, data, entries };
}

function toBytes(pixels: Uint8Array, { width, height }: Kind, components: 1 | 3): Samples {
  const data = new Uint8Array(width * height * components);
  for (let from = 0, to = 0; to < data.length; from += CHANNELS, to += components)
    data.set(pixels.subarray(from, from + components), to);
  const [space, decode] = components === 1 ? ['DeviceGray', [0, 1]] : ['DeviceRGB', [0, 1, 0, 1, 0, 1]];
  const entries = {
    ColorSpace: PdfName.of(space as string),
    BitsPerComponent: PdfNumber.of(8),
    Decode: numbers(...(decode as number[])),
  };
  return { width, height, bitsPerPixel: 8 * components, data, entries };
}
