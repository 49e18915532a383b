/** Limits the size of decompressed PDF streams while a PDF is parsed, because a few bytes can expand to gigabytes. */
import { inflateSync } from 'node:zlib';
import { PdfArray, PdfName, PdfStream } from '@libpdf/core';

let bytesLeft = Number.POSITIVE_INFINITY;

/** Sets the limit for this thread until the next call. Parsing more throws. */
export function limitDecoding(bytes: number): void {
  bytesLeft = bytes;
}

const decode = PdfStream.prototype.getDecodedData;

PdfStream.prototype.getDecodedData = function () {
  if (Number.isFinite(bytesLeft)) bytesLeft -= unpackedBytes(this);
  return decode.call(this);
};

/** Decompresses the stream to get its size, because the parser itself has no limit. */
function unpackedBytes(stream: PdfStream): number {
  const given = stream.get('Filter');
  const [filter, ...more] = given instanceof PdfArray ? given.toArray() : [given];
  if (filter === undefined) return 0;
  if (more.length || !(filter instanceof PdfName) || filter.value !== 'FlateDecode')
    throw new Error('the PDF compresses its objects with an unsupported filter');
  try {
    return inflateSync(stream.data, { maxOutputLength: Math.max(1, bytesLeft) }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Error('the PDF decompresses to too many bytes', { cause: error });
    return 0; // the parser reports the error; the data before the error is within the limit
  }
}
