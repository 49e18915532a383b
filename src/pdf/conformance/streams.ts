/** The data of PDF streams without their compression. */
import { inflateSync } from 'node:zlib';
import { PdfName, type PdfStream } from '@libpdf/core';

export function decoded(stream: PdfStream): Buffer {
  const filter = stream.get('Filter');
  if (!filter) return Buffer.from(stream.data);
  if (filter instanceof PdfName && filter.value === 'FlateDecode' && !stream.has('DecodeParms')) return inflateSync(stream.data);
  return Buffer.from(stream.getDecodedData());
}
