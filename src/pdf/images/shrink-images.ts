/**
 * Makes the images of a PDF smaller, as the caller chose: pictures that Chromium stores without loss become JPEGs, and pictures with
 * more pixels than the paper needs are scaled down. Masks stay without loss. See docs/decisions/0068-images.md.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream } from '@libpdf/core';
import { POINTS_PER_INCH } from '../../units.ts';
import type { ImageSettings } from '../finish-settings.ts';
import type { EditableObject, EditablePdf } from '../objects/editable-pdf.ts';
import { isStream } from '../objects/raw-file.ts';
import { drawnSizes, isImage } from './drawn-sizes.ts';
import { decodeJpeg, encodeJpeg, type Pixels } from './jpeg-codec.ts';
import { type Size, scaleDown } from './scale-pixels.ts';
import { unwrapJpeg } from './wrapped-jpeg.ts';

/** The quality of a JPEG that is scaled down, if the caller chose none. */
const DEFAULT_QUALITY = 90;
/** A larger picture stays as it is, so that a thread needs less than a gigabyte. */
const MAX_PIXELS = 50_000_000;
const HEAD_BYTES = 2_048;

/** JPEGs are encoded again with `quality` if `recodesJpegs` is set, or if they are scaled down. */
export async function shrinkImages(
  editable: EditablePdf,
  settings: ImageSettings | undefined,
  recodesJpegs = false,
): Promise<void> {
  if (!settings) return;
  const { quality, maxDpi = Number.POSITIVE_INFINITY } = settings;
  const sizes = settings.maxDpi === undefined ? undefined : drawnSizes(editable);
  for (const { id, stream } of findImages(editable)) {
    const picture = readPicture(editable, stream);
    if (!picture) continue;
    const to = targetSize(picture, sizes?.get(id), maxDpi);
    const shrunk = to ? await scale(editable, picture, to, quality) : await compress(picture, quality, recodesJpegs);
    if (shrunk) editable.change(PdfRef.of(id), shrunk);
  }
}

function* findImages(editable: EditablePdf): Generator<{ id: number; stream: PdfStream }> {
  for (const object of [...editable.objects()]) {
    const stream = mayBeImage(object) ? editable.resolve(PdfRef.of(object.id)) : undefined;
    if (stream instanceof PdfStream && isImage(stream)) yield { id: object.id, stream };
  }
}

/** Without parsing objects that are certainly none. */
function mayBeImage(object: EditableObject): boolean {
  if ('value' in object) return object.value instanceof PdfStream;
  const { raw } = object;
  return isStream(raw) && raw.toString('latin1', 0, HEAD_BYTES).includes('/Image');
}

interface Picture extends Size {
  stream: PdfStream;
  channels: number;
  /** Undefined for a picture that is stored without loss. */
  jpeg: Uint8Array | undefined;
}

/** Undefined for an image that is not a picture as Chromium writes them, such as a mask of one bit. */
function readPicture(editable: EditablePdf, stream: PdfStream): Picture | undefined {
  const number = (entry: string) => editable.number(stream, entry) ?? 0;
  const [width, height] = [number('Width'), number('Height')];
  const filters = editable.listOrOne(stream, 'Filter').map((each) => editable.label(each));
  const channels = countChannels(editable, stream.get('ColorSpace'));
  const isPlain = !['DecodeParms', 'Decode', 'ImageMask', 'Mask'].some((entry) => stream.has(entry));
  if (!isPlain || !channels || number('BitsPerComponent') !== 8 || width * height > MAX_PIXELS) return undefined;
  const jpeg = findJpeg(editable, stream);
  return jpeg || filters.join() === 'FlateDecode' ? { stream, width, height, channels, jpeg } : undefined;
}

function findJpeg(editable: EditablePdf, stream: PdfStream): Uint8Array | undefined {
  try {
    return unwrapJpeg(editable, stream);
  } catch {
    return undefined;
  }
}

/** 1 for grey, 3 for red, green and blue, 0 for another colour space. */
function countChannels(editable: EditablePdf, given: PdfObject | undefined): number {
  const space = editable.resolve(given);
  if (space instanceof PdfName) return { DeviceGray: 1, DeviceRGB: 3 }[space.value] ?? 0;
  const [family, profile] = space instanceof PdfArray ? space.toArray() : [];
  if (!(family instanceof PdfName) || family.value !== 'ICCBased') return 0;
  const count = editable.number(editable.asDict(profile), 'N') ?? 0;
  return [1, 3].includes(count) ? count : 0;
}

/** The size with which a picture has at most `maxDpi`; undefined if it has. `drawn` is in points. */
function targetSize({ width, height }: Size, drawn: Size | undefined, maxDpi: number): Size | undefined {
  if (!drawn) return undefined;
  const most = (points: number) => Math.max(1, Math.round((points / POINTS_PER_INCH) * maxDpi));
  const to = { width: Math.min(width, most(drawn.width)), height: Math.min(height, most(drawn.height)) };
  return to.width < width || to.height < height ? to : undefined;
}

/** The picture as a JPEG, if that is smaller. */
async function compress(picture: Picture, quality: number | undefined, recodesJpegs: boolean): Promise<PdfStream | undefined> {
  const { stream, jpeg: given, channels } = picture;
  if (quality === undefined || !(given ? recodesJpegs : channels === 3)) return undefined;
  const pixels = await readPixels(picture);
  const jpeg = pixels && (await encodeJpeg(pixels, quality));
  return jpeg && jpeg.length < stream.data.length ? withData(stream, jpeg, 'DCTDecode', picture) : undefined;
}

/** Undefined for a picture that cannot be read, or has another size than it says. */
async function readPixels(picture: Picture): Promise<Pixels | undefined> {
  const { jpeg, channels, width, height } = picture;
  const pixels = jpeg ? await decodeJpeg(jpeg, channels).catch(() => undefined) : inflatePixels(picture);
  return pixels?.width === width && pixels.height === height ? pixels : undefined;
}

/** Undefined for a JPEG that cannot be read. */
async function scale(
  editable: EditablePdf,
  picture: Picture,
  to: Size,
  quality: number | undefined,
): Promise<PdfStream | undefined> {
  const { stream, jpeg } = picture;
  const pixels = await readPixels(picture);
  if (!pixels) return undefined;
  const mask = readMask(editable, picture);
  const scaled = scaleDown(pixels, to, mask?.data);
  const shrunk = jpeg
    ? withData(stream, await encodeJpeg(scaled, quality ?? DEFAULT_QUALITY), 'DCTDecode', to)
    : withData(stream, deflateSync(scaled.data), 'FlateDecode', to);
  if (mask) shrunk.set('SMask', editable.add(withData(mask.stream, deflateSync(scaleDown(mask, to).data), 'FlateDecode', to)));
  return (await compress({ ...picture, ...to, stream: shrunk }, quality, false)) ?? shrunk;
}

/** The soft mask of a picture, if it has the same size. */
function readMask(editable: EditablePdf, { stream, width, height }: Picture): (Pixels & { stream: PdfStream }) | undefined {
  const mask = editable.stream(stream, 'SMask');
  const picture = mask && readPicture(editable, mask);
  const pixels =
    !picture || picture.jpeg || picture.width !== width || picture.height !== height ? undefined : inflatePixels(picture);
  return pixels && mask && { ...pixels, stream: mask };
}

/** Undefined if the data is damaged, or not as long as its size says. */
function inflatePixels({ stream, width, height, channels }: Picture): Pixels | undefined {
  const bytes = width * height * channels;
  try {
    const data = inflateSync(stream.data, { maxOutputLength: bytes + 1 });
    return data.length === bytes ? { width, height, channels, data } : undefined;
  } catch {
    return undefined;
  }
}

function withData(stream: PdfStream, data: Uint8Array, filter: string, { width, height }: Size): PdfStream {
  const dict = new PdfDict(stream);
  dict.set('Width', PdfNumber.of(width));
  dict.set('Height', PdfNumber.of(height));
  dict.set('Filter', PdfName.of(filter));
  return new PdfStream(dict, data);
}
