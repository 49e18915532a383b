/** A limit of what streams of PDFs may unpack to while they are parsed: a few bytes of a file can stand for gigabytes. */
import { inflateSync } from 'node:zlib';
import { PdfArray, PdfName, PdfStream } from '@libpdf/core';

let bytesLeft = Number.POSITIVE_INFINITY;

/** Holds for the whole process, from now until it is called again. Unpacking more throws. */
export function limitDecoding(bytes: number): void {
  bytesLeft = bytes;
}

const decode = PdfStream.prototype.getDecodedData;

PdfStream.prototype.getDecodedData = function () {
  if (Number.isFinite(bytesLeft)) bytesLeft -= unpackedBytes(this);
  return decode.call(this);
};

/** What is unpacked by the parser itself grows without a limit: it is unpacked here before. */
function unpackedBytes(stream: PdfStream): number {
  const given = stream.get('Filter');
  const [filter, ...more] = given instanceof PdfArray ? given.toArray() : [given];
  if (filter === undefined) return 0;
  if (more.length || !(filter instanceof PdfName) || filter.value !== 'FlateDecode')
    throw new Error('the PDF packs its objects in an unusual way');
  try {
    return inflateSync(stream.data, { maxOutputLength: Math.max(1, bytesLeft) }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Error('the PDF unpacks to too much', { cause: error });
    return 0; // the parser finds what is wrong with it; until there, it was not too much
  }
}
