/** Reads images, so that tests can assert on what they show. */
import { PNG } from 'pngjs';

export interface ReadPng {
  width: number;
  height: number;
  /** The colour of a pixel as #rrggbbaa. */
  colorAt(x: number, y: number): string;
}

export function readPng(bytes: Buffer): ReadPng {
  const { width, height, data } = PNG.sync.read(bytes);
  const colorAt = (x: number, y: number) => `#${data.toString('hex', 4 * (y * width + x), 4 * (y * width + x) + 4)}`;
  return { width, height, colorAt };
}

/** Reads the format and the size in pixels from the header of the file. */
export function readImageHeader(bytes: Buffer): { format: string; width: number; height: number } {
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 8, 12) === 'WEBP') return { format: 'webp', ...sizeOfWebp(bytes) };
  if (bytes.readUInt16BE(0) === 0xffd8) return { format: 'jpeg', ...sizeOfJpeg(bytes) };
  throw new Error('neither PNG nor JPEG nor WebP');
}

function sizeOfWebp(bytes: Buffer): { width: number; height: number } {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** Reads the size from the first frame header (SOF0 to SOF2). */
function sizeOfJpeg(bytes: Buffer): { width: number; height: number } {
  let at = 2;
  while (bytes.readUInt16BE(at) < 0xffc0 || bytes.readUInt16BE(at) > 0xffc2) at += 2 + bytes.readUInt16BE(at + 2);
  return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
}
