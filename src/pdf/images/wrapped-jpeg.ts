/** Finds the JPEG in an image, which may be wrapped in other encodings, as ReportLab does it: an image in, the bytes of its JPEG out. */
import { PdfArray, PdfDict, PdfStream } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';

/** Undefined for another image. Throws if the other encodings cannot be decoded. */
export function unwrapJpeg(pdf: PdfReader, image: PdfStream): Uint8Array | undefined {
  const filters = pdf.listOrOne(image, 'Filter');
  if (pdf.label(filters.at(-1)) !== 'DCTDecode') return undefined;
  if (filters.length === 1) return image.data;
  const outer = (entry: string) => PdfArray.of(...pdf.listOrOne(image, entry).slice(0, filters.length - 1));
  const entries = PdfDict.of({ Filter: outer('Filter'), DecodeParms: outer('DecodeParms') });
  return new PdfStream(entries, image.data).getDecodedData();
}
