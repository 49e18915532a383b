/**
 * Photographs that are stored sideways: a JPEG with an EXIF orientation in, an SVG of the upright picture that embeds it out. Skia's
 * PDF writer embeds a JPEG only without an orientation; any other, it unpacks and compresses without loss, to 20 times the size:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFBitmap.cpp (do_jpeg). In the SVG, the
 * orientation is a matrix, and the pixels stay those of the JPEG. See docs/decisions/0068-images.md.
 */

import { type ExifTags, readExifTags, TAGS } from './exif-tags.ts';
import type { Content, HostedFile, HostedFiles } from './load-settings.ts';

const SVG_TYPE = 'image/svg+xml';
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const EXIF = Buffer.from('Exif\0');
const [MARKER, APP1, START_OF_SCAN, END_OF_IMAGE] = [0xff, 0xe1, 0xda, 0xd9];
/** The markers of frames begin with 0xC, and these are not frames (ITU-T T.81, table B.1). */
const NO_FRAMES = [0xc4, 0xc8, 0xcc];
/** Where the TIFF data begins in the segment of EXIF. */
const TIFF_OFFSET = 10;
const INCHES = 2;
const DEFAULT_RESOLUTION = 72;
/** The matrix of each orientation, for the size of the JPEG. */
const MATRICES: Record<number, (width: number, height: number) => number[]> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (_, height) => [0, 1, -1, 0, height, 0],
  7: (width, height) => [0, -1, -1, 0, height, width],
  8: (width) => [0, -1, 1, 0, 0, width],
};
/** CSS that has another effect on an SVG than on a JPEG, and the property of `createImageBitmap`. */
const TELLS_APART = /image-(?:set|orientation)|imageOrientation/i;
/** A picture in an attribute or in CSS, with what is before it. */
const DATA_URL =
  /((?:\bsrc|href|poster|background)\s*=\s*["']?|\burl\(\s*(?:["']|&quot;|&#3[49];)?)data:image\/jpe?g;base64,([\w+/=\r\n]+)/gi;

/** Whether the document shows a turned picture like the photograph itself. Style sheets of sites are not known. */
export function mayTurnPhotos(content: Content): boolean {
  if (content.kind === 'url') return true;
  const styles = [...(content.assets?.values() ?? [])].filter(({ type }) => type.startsWith('text/css'));
  return ![content.html, ...styles.map((style) => style.content.toString('latin1'))].some((text) => TELLS_APART.test(text));
}

/** Replaces photographs in `data:` URLs of the markup, and lets assets answer requests for images with upright pictures. */
export function withUprightPhotos(content: Content): Content {
  if (content.kind === 'url' || !mayTurnPhotos(content)) return content;
  const { html, assets } = content;
  return { ...content, html: withUprightData(html), assets: assets && new UprightFiles(assets) };
}

/** Photographs that scripts contain stay as they are. */
function withUprightData(html: string): string {
  if (!html.includes('data:image/jp')) return html;
  return html.replace(DATA_URL, (whole, before: string, data: string) => {
    const photo = uprightPhoto(Buffer.from(data, 'base64'));
    return photo ? `${before}data:${SVG_TYPE};base64,${Buffer.from(photo).toString('base64')}` : whole;
  });
}

/** The files of a folder are read when they are requested, so that they cannot be listed. */
class UprightFiles extends Map<string, HostedFile> {
  readonly #files: HostedFiles;

  constructor(files: HostedFiles) {
    super(files);
    this.#files = files;
  }

  override get(path: string): HostedFile | undefined {
    const file = this.#files.get(path);
    if (!file || !readPhoto(file.content)) return file;
    return { ...file, asImage: () => ({ type: SVG_TYPE, content: Buffer.from(uprightPhoto(file.content) ?? '') }) };
  }
}

/** Undefined for everything else than a JPEG with an orientation, and for one that Skia would not embed either. */
export function uprightPhoto(jpeg: Buffer): string | undefined {
  const photo = readPhoto(jpeg);
  const matrix = photo && MATRICES[photo.orientation]?.(photo.width, photo.height);
  if (!matrix) return undefined;
  const { width, height, orientation } = photo;
  const [across, down] = orientation > 4 ? [height, width] : [width, height];
  const size = (x: number, y: number) => `width="${x}" height="${y}" preserveAspectRatio="none"`;
  const data = withoutOrientation(jpeg, photo).toString('base64');
  const image = `<image ${size(width, height)} transform="matrix(${matrix.join(' ')})" href="data:image/jpeg;base64,${data}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${down}" ${size(across, down)}>${image}</svg>`;
}

interface Photo {
  width: number;
  height: number;
  /** 2 to 8. */
  orientation: number;
  tags: ExifTags;
  /** The offset of the tags in the file. */
  tagsAt: number;
}

/** The orientation is set to "upright", and everything else stays. */
function withoutOrientation(jpeg: Buffer, { tags, tagsAt }: Photo): Buffer {
  const copy = Buffer.from(jpeg);
  for (const { at, isLittle } of tags.orientations)
    if (isLittle) copy.writeUInt16LE(1, tagsAt + at);
    else copy.writeUInt16BE(1, tagsAt + at);
  return copy;
}

function readPhoto(jpeg: Buffer): Photo | undefined {
  if (!jpeg.subarray(0, JPEG_START.length).equals(JPEG_START)) return undefined;
  const segments = [...readSegments(jpeg)];
  const exif = segments.find((segment) => isExif(jpeg, segment));
  const frame = segments.find(isFrame);
  if (!exif || !frame) return undefined;
  const tagsAt = exif.start + TIFF_OFFSET;
  const tags = readExifTags(jpeg.subarray(tagsAt, exif.end));
  const size = { height: jpeg.readUInt16BE(frame.start + 5), width: jpeg.readUInt16BE(frame.start + 7) };
  const orientation = tags.values.get(TAGS.orientation) ?? 1;
  const isEmbeddable = [1, 3].includes(jpeg[frame.start + 9] ?? 0); // grey or colour, but not CMYK
  if (orientation === 1 || !isEmbeddable || hasOtherSize(tags, size)) return undefined;
  return { ...size, orientation, tags, tagsAt };
}

interface Segment {
  marker: number;
  /** The offset of the marker. */
  start: number;
  end: number;
}

function isExif(jpeg: Buffer, { marker, start, end }: Segment): boolean {
  return marker === APP1 && end - start > TIFF_OFFSET && jpeg.subarray(start + 4, start + 9).equals(EXIF);
}

function isFrame({ marker, start, end }: Segment): boolean {
  return (marker & 0xf0) === 0xc0 && !NO_FRAMES.includes(marker) && end - start > TIFF_OFFSET;
}

/** The segments before the first scan. */
function* readSegments(jpeg: Buffer): Generator<Segment> {
  for (let start = 2; start + 4 <= jpeg.length; ) {
    const marker = jpeg[start + 1] ?? 0;
    if (jpeg[start] !== MARKER || marker === START_OF_SCAN || marker === END_OF_IMAGE) return;
    if (marker === MARKER)
      start++; // fill bytes may precede a marker
    else {
      const end = start + 2 + jpeg.readUInt16BE(start + 2);
      if (end > jpeg.length) return;
      yield { marker, start, end };
      start = end;
    }
  }
}

/** Whether the EXIF data gives the image another size than its pixels (https://html.spec.whatwg.org/#density-corrected-intrinsic-width-and-height). */
function hasOtherSize({ values }: ExifTags, { width, height }: { width: number; height: number }): boolean {
  const [x, y] = [values.get(TAGS.xResolution), values.get(TAGS.yResolution)];
  if (values.get(TAGS.resolutionUnit) !== INCHES || !x || !y) return false;
  const [across, down] = [Math.round((width * DEFAULT_RESOLUTION) / x), Math.round((height * DEFAULT_RESOLUTION) / y)];
  return across === values.get(TAGS.width) && down === values.get(TAGS.height) && (across !== width || down !== height);
}
