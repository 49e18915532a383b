/** Adds an sRGB output intent to an editable PDF (ISO 19005-2, 6.2.3), with an ICC profile that is built here. */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream, textString } from '../objects/syntax.ts';

const SRGB = 'sRGB IEC61966-2.1';

export function addOutputIntent(editable: EditablePdf): void {
  editable.catalog.set('OutputIntents', PdfArray.of(outputIntent((profile) => editable.add(profile))));
}

/** `add` stores the stream of the ICC profile and returns its reference. */
export function outputIntent(add: (profile: PdfStream) => PdfRef): PdfDict {
  return PdfDict.of({
    Type: PdfName.of('OutputIntent'),
    S: PdfName.of('GTS_PDFA1'),
    OutputConditionIdentifier: textString(SRGB),
    Info: textString(SRGB),
    DestOutputProfile: add(srgbStream()),
  });
}

let made: PdfStream | undefined;

/** The profile stream, which is built once. */
function srgbStream(): PdfStream {
  made ??= deflatedStream({ N: PdfNumber.of(3) }, srgbProfile());
  return new PdfStream(made, made.data);
}

const HEADER_BYTES = 128;
const CURVE_POINTS = 1_024;

/** ICC.1:2001-04, 6.4 and 6.5: primaries and white point of sRGB, adapted to D50, and its transfer curve. */
function srgbProfile(): Buffer {
  const curve = transferCurve();
  const tags: Array<[name: string, data: Buffer]> = [
    ['desc', description(SRGB)],
    ['cprt', encodeTag('text', Buffer.from('No copyright, use freely\0', 'latin1'))],
    ['wtpt', xyz(0.9642, 1, 0.8249)],
    ['rXYZ', xyz(0.43607, 0.22249, 0.01392)],
    ['gXYZ', xyz(0.38515, 0.71687, 0.09708)],
    ['bXYZ', xyz(0.14307, 0.06061, 0.7141)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  const places = new Map<Buffer, number>();
  const bodies: Buffer[] = [];
  let at = HEADER_BYTES + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    if (!places.has(data)) {
      places.set(data, at);
      bodies.push(data);
      at += data.length;
    }
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(places.get(data) ?? 0, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
  }
  return Buffer.concat([header(at), table, ...bodies]);
}

/** The header of an RGB display profile (6.1), with a fixed date so that the output is reproducible. */
function header(size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(size);
  bytes.writeUInt32BE(0x02100000, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  for (const [index, part] of [2000, 1, 1, 0, 0, 0].entries()) bytes.writeUInt16BE(part, 24 + index * 2);
  bytes.write('acsp', 36, 'latin1');
  for (const [index, value] of [0.9642, 1, 0.8249].entries()) bytes.writeInt32BE(toFixedPoint(value), 68 + index * 4);
  return bytes;
}

function encodeTag(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  const padding = Buffer.alloc((4 - (data.length % 4)) % 4);
  return Buffer.concat([head, data, padding]);
}

function xyz(...values: number[]): Buffer {
  const data = Buffer.alloc(12);
  for (const [index, value] of values.entries()) data.writeInt32BE(toFixedPoint(value), index * 4);
  return encodeTag('XYZ ', data);
}

function toFixedPoint(value: number): number {
  return Math.round(value * 65_536);
}

function transferCurve(): Buffer {
  const data = Buffer.alloc(4 + CURVE_POINTS * 2);
  data.writeUInt32BE(CURVE_POINTS);
  for (let index = 0; index < CURVE_POINTS; index++) {
    const value = index / (CURVE_POINTS - 1);
    const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    data.writeUInt16BE(Math.round(linear * 65_535), 4 + index * 2);
  }
  return encodeTag('curv', data);
}

/** A textDescriptionType with the text in ASCII, and empty Unicode and Macintosh texts (6.5.17). */
function description(text: string): Buffer {
  const ascii = Buffer.from(`${text}\0`, 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(ascii.length);
  return encodeTag('desc', Buffer.concat([length, ascii, Buffer.alloc(4 + 4 + 2 + 1 + 67)]));
}
