/**
 * Reads the tags of EXIF data as Chromium does: TIFF data in, the numbers of its tags out. Tags with another type or with several
 * values are ignored. https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/codec/SkExif.cpp
 */

export const TAGS = {
  orientation: 0x112,
  xResolution: 0x11a,
  yResolution: 0x11b,
  resolutionUnit: 0x128,
  exifDirectory: 0x8769,
  width: 0xa002,
  height: 0xa003,
};

export interface ExifTags {
  /** The first value of each tag. */
  values: Map<number, number>;
  /** The offsets of all orientations, and whether they are little-endian. */
  orientations: Array<{ at: number; isLittle: boolean }>;
}

interface Entry {
  tag: number;
  type: number;
  value: number;
  /** The offset of its value. */
  at: number;
}

const ENTRY_BYTES = 12;
const HEADER_BYTES = 8;
const MAGIC = 42;
const [SHORT, LONG, RATIONAL] = [3, 4, 5];
const MAX_ORIENTATION = 8;

export function readExifTags(tiff: Buffer): ExifTags {
  const order = tiff.toString('latin1', 0, 2);
  const isLittle = order === 'II';
  const found: ExifTags = { values: new Map(), orientations: [] };
  if (tiff.length < HEADER_BYTES || !(isLittle || order === 'MM')) return found;
  for (const { tag, type, value, at } of readEntries(new TiffReader(tiff, isLittle))) {
    const isOrientation = tag === TAGS.orientation;
    if (isOrientation && !(type === SHORT && value >= 1 && value <= MAX_ORIENTATION)) continue;
    if (isOrientation) found.orientations.push({ at, isLittle });
    if (!found.values.has(tag)) found.values.set(tag, value);
  }
  return found;
}

/** The entries of the first directory, and those of the directory for EXIF. */
function readEntries(reader: TiffReader): Entry[] {
  if (reader.short(2) !== MAGIC) return [];
  const entries = [...reader.readEntriesAt(reader.long(4))];
  const nested = entries.find(({ tag, type }) => tag === TAGS.exifDirectory && type === LONG);
  return nested ? [...entries, ...reader.readEntriesAt(nested.value)] : entries;
}

class TiffReader {
  readonly #tiff: Buffer;
  readonly isLittle: boolean;

  constructor(tiff: Buffer, isLittle: boolean) {
    this.#tiff = tiff;
    this.isLittle = isLittle;
  }

  short(at: number): number {
    return this.isLittle ? this.#tiff.readUInt16LE(at) : this.#tiff.readUInt16BE(at);
  }

  long(at: number): number {
    return this.isLittle ? this.#tiff.readUInt32LE(at) : this.#tiff.readUInt32BE(at);
  }

  /** The readable entries of a directory, even if it should have more. */
  *readEntriesAt(start: number): Generator<Entry> {
    const room = this.#tiff.length - start - 2;
    const count = room < 0 ? 0 : Math.min(this.short(start), Math.floor(room / ENTRY_BYTES));
    for (let index = 0; index < count; index++) {
      const at = start + 2 + index * ENTRY_BYTES;
      const [tag, type] = [this.short(at), this.short(at + 2)];
      const value = this.long(at + 4) === 1 ? this.#readValue(type, at + 8) : undefined;
      if (value !== undefined) yield { tag, type, value, at: at + 8 };
    }
  }

  #readValue(type: number, at: number): number | undefined {
    if (type === SHORT) return this.short(at);
    const value = this.long(at);
    if (type !== RATIONAL) return type === LONG ? value : undefined;
    return value + 8 <= this.#tiff.length ? this.long(value) / this.long(value + 4) : undefined;
  }
}
