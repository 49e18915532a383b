/** Encodes drawn pages: red, green, blue and alpha of each pixel in; a PNG, JPEG or TIFF out. */
import { deflateSync } from 'node:zlib';
import { encodeJpeg } from '../pdf/images/jpeg-codec.ts';
import { encodePng, type Size } from './pdfium.ts';

export interface ImageEncoding {
  format: 'png' | 'jpeg' | 'tiff';
  /** Of a JPEG: 1 to 100. */
  quality: number;
}

const CHANNELS = 4;

/** `dpi` is written into a TIFF. */
export async function encodeImage(
  size: Size,
  pixels: Uint8Array,
  { format, quality }: ImageEncoding,
  dpi: number,
): Promise<Uint8Array> {
  if (format === 'png') return encodePng(size, pixels);
  if (format === 'jpeg') return encodeJpeg({ ...size, channels: CHANNELS, data: pixels }, quality);
  return encodeTiff(size, pixels, dpi);
}

/** The types of values in a TIFF. */
const [SHORT, LONG, RATIONAL] = [3, 4, 5];
const [DEFLATE, RGB, INCHES] = [8, 2, 2];
const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

/** One strip, compressed without loss, as in TIFF 6.0 (https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf). */
function encodeTiff({ width, height }: Size, pixels: Uint8Array, dpi: number): Uint8Array {
  const strip = deflateSync(withoutAlpha(pixels));
  const [depths, resolution] = [Buffer.alloc(6), Buffer.alloc(8)];
  for (const offset of [0, 2, 4]) depths.writeUInt16LE(8, offset);
  resolution.writeUInt32LE(dpi, 0);
  resolution.writeUInt32LE(1, 4);
  const depthsAt = HEADER_BYTES + strip.length + (strip.length % 2);
  const resolutionAt = depthsAt + depths.length;
  const directoryAt = resolutionAt + resolution.length;
  const entries: Array<[tag: number, type: number, count: number, value: number]> = [
    [256, LONG, 1, width],
    [257, LONG, 1, height],
    [258, SHORT, 3, depthsAt],
    [259, SHORT, 1, DEFLATE],
    [262, SHORT, 1, RGB],
    [273, LONG, 1, HEADER_BYTES],
    [277, SHORT, 1, 3],
    [278, LONG, 1, height],
    [279, LONG, 1, strip.length],
    [282, RATIONAL, 1, resolutionAt],
    [283, RATIONAL, 1, resolutionAt],
    [296, SHORT, 1, INCHES],
  ];
  const directory = Buffer.alloc(2 + entries.length * ENTRY_BYTES + 4);
  directory.writeUInt16LE(entries.length);
  for (const [index, [tag, type, count, value]] of entries.entries()) {
    const at = 2 + index * ENTRY_BYTES;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(count, at + 4);
    directory.writeUInt32LE(value, at + 8); // in little endian, a short is at the beginning of its four bytes
  }
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(directoryAt, 4);
  return Buffer.concat([header, strip, Buffer.alloc(strip.length % 2), depths, resolution, directory]);
}

function withoutAlpha(pixels: Uint8Array): Buffer {
  const rgb = Buffer.alloc((pixels.length / CHANNELS) * 3);
  for (let from = 0, to = 0; from < pixels.length; from += CHANNELS, to += 3) rgb.set(pixels.subarray(from, from + 3), to);
  return rgb;
}
