/** Removes what images show inside areas: an image in, the same with empty samples there, or an image that shows nothing, out. */
import { deflateSync } from 'node:zlib';
import { PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream } from '@libpdf/core';
import { decodeJpeg } from '../images/jpeg-codec.ts';
import type { Size } from '../images/scale-pixels.ts';
import { unwrapJpeg } from '../images/wrapped-jpeg.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { inverse, type Matrix, transform } from '../objects/matrix.ts';
import { entriesOf, numbers } from '../objects/syntax.ts';
import { drawSamples, type Samples } from './draw-image.ts';
import { boundsOf, overlaps, type Polygon, UNIT_SQUARE } from './shapes.ts';

/** A part of an image: shares of its width and height, from its upper left corner. */
export interface Region {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Entries that could tell what the image showed. */
const DROPPED = ['Metadata', 'Alternates', 'OPI', 'PieceInfo', 'PtData', 'DecodeParms', 'Intent', 'Length'];

/** The parts of an image that areas cover. */
export function coveredRegions(matrix: Matrix, areas: readonly Polygon[]): Region[] {
  const toImage = inverse(matrix);
  if (!toImage) return [];
  return areas.flatMap((area) => {
    const inImage = area.map(([x, y]) => transform(toImage, x, y));
    if (!overlaps(inImage, UNIT_SQUARE)) return [];
    const { left, bottom, right, top } = boundsOf(inImage);
    return [{ left: Math.max(0, left), top: Math.max(0, 1 - top), right: Math.min(1, right), bottom: Math.min(1, 1 - bottom) }];
  });
}

/** Masks lose the same parts. An image that cannot be decoded is removed as a whole, which `onRemoved` is told. */
export async function redactImage(
  pdf: EditablePdf,
  image: PdfStream,
  regions: readonly Region[],
  onRemoved: () => void,
): Promise<PdfStream> {
  const samples = await readSamples(pdf, image);
  if (!samples) {
    onRemoved();
    return nothing();
  }
  for (const region of regions) clear(samples, region);
  const entries = entriesOf(image);
  for (const entry of DROPPED) delete entries[entry];
  for (const entry of ['SMask', 'Mask']) {
    const mask = pdf.stream(image, entry);
    if (mask) entries[entry] = pdf.add(await redactImage(pdf, mask, regions, onRemoved));
  }
  return new PdfStream(PdfDict.of({ ...entries, ...samples.entries, Filter: PdfName.FlateDecode }), deflateSync(samples.data));
}

/** A mask of one pixel, which paints nothing. */
function nothing(): PdfStream {
  const size = { Width: PdfNumber.of(1), Height: PdfNumber.of(1), BitsPerComponent: PdfNumber.of(1) };
  const kind = { Type: PdfName.of('XObject'), Subtype: PdfName.of('Image'), ImageMask: PdfBool.TRUE };
  return PdfStream.fromDict({ ...kind, ...size, Decode: numbers(0, 1) }, Uint8Array.of(0x80));
}

async function readSamples(pdf: EditablePdf, image: PdfStream): Promise<Samples | undefined> {
  const [width, height] = [pdf.number(image, 'Width') ?? 0, pdf.number(image, 'Height') ?? 0];
  const isMask = pdf.resolve(image.get('ImageMask')) === PdfBool.TRUE;
  const bits = isMask ? 1 : (pdf.number(image, 'BitsPerComponent') ?? 8);
  const components = isMask ? 1 : countComponents(pdf, image.get('ColorSpace'));
  const bitsPerPixel = bits * components;
  try {
    const data = await decodeImage(pdf, image, { width, height, components });
    const isWhole = bitsPerPixel > 0 && data.length >= Math.ceil((width * bitsPerPixel) / 8) * height;
    if (isWhole) return { width, height, bitsPerPixel, data };
  } catch {} // PDFium knows other encodings
  const hasOwnMask = pdf.resolve(image.get('Mask')) instanceof PdfArray || (pdf.number(image, 'SMaskInData') ?? 0) > 0;
  if (hasOwnMask || ![0, 1, 3].includes(components)) return undefined; // it would get other colours
  return drawSamples(pdf, image, { width, height, isMask, isBilevel: bits === 1 }).catch(() => undefined);
}

async function decodeImage(pdf: EditablePdf, image: PdfStream, size: Size & { components: number }): Promise<Uint8Array> {
  const jpeg = unwrapJpeg(pdf, image);
  return jpeg ? readJpeg(jpeg, size) : Uint8Array.from(image.getDecodedData());
}

async function readJpeg(jpeg: Uint8Array, { width, height, components }: Size & { components: number }) {
  if (components !== 1 && components !== 3) throw new Error('the JPEG has other colours than grey or RGB');
  const pixels = await decodeJpeg(jpeg, components);
  if (pixels.width !== width || pixels.height !== height) throw new Error('the JPEG has another size');
  return pixels.data;
}

const COMPONENTS: Readonly<Record<string, number>> = {
  ...{ DeviceGray: 1, G: 1, CalGray: 1, Indexed: 1, I: 1, Separation: 1 },
  ...{ DeviceRGB: 3, RGB: 3, CalRGB: 3, Lab: 3, DeviceCMYK: 4, CMYK: 4 },
};

/** 0 for a colour space that is not known. */
function countComponents(pdf: EditablePdf, given: PdfObject | undefined): number {
  const space = pdf.resolve(given);
  const [family, second] = space instanceof PdfArray ? space.toArray().map((each) => pdf.resolve(each)) : [space];
  if (!(family instanceof PdfName)) return 0;
  if (family.value === 'ICCBased') return pdf.number(pdf.asDict(second), 'N') ?? 0;
  if (family.value === 'DeviceN') return second instanceof PdfArray ? second.length : 0;
  return COMPONENTS[family.value] ?? 0;
}

/** Sets all bits of a part to 0. */
function clear({ width, height, bitsPerPixel, data }: Samples, { left, top, right, bottom }: Region): void {
  const bytesPerRow = Math.ceil((width * bitsPerPixel) / 8);
  const [fromX, toX] = [Math.floor(left * width), Math.min(width, Math.ceil(right * width))];
  const [fromY, toY] = [Math.floor(top * height), Math.min(height, Math.ceil(bottom * height))];
  for (let y = fromY; y < toY; y++) clearBits(data, 8 * y * bytesPerRow, fromX * bitsPerPixel, toX * bitsPerPixel);
}

function clearBits(data: Uint8Array, start: number, from: number, to: number): void {
  const [first, last] = [Math.ceil((start + from) / 8), Math.floor((start + to) / 8)];
  if (first <= last) data.fill(0, first, last);
  for (let bit = start + from; bit < Math.min(8 * first, start + to); bit++) clearBit(data, bit);
  for (let bit = Math.max(8 * last, start + from); bit < start + to; bit++) clearBit(data, bit);
}

function clearBit(data: Uint8Array, bit: number): void {
  data[bit >> 3] = (data[bit >> 3] ?? 0) & ~(0x80 >> (bit & 7));
}
