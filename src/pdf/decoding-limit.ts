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

/** Filters for bytes as text. The letter `z` stands for four bytes, and nothing for more. */
const TEXT_FILTERS = ['ASCII85Decode', 'ASCIIHexDecode'];
const BYTES_PER_LETTER = 4;

/** Decompresses the stream to get its size, because the parser itself has no limit. */
function unpackedBytes(stream: PdfStream): number {
  const [first, ...others] = filtersOf(stream);
  if (first === undefined) return 0;
  const isText = TEXT_FILTERS.includes(first);
  const [filter = 'FlateDecode', ...more] = isText ? others : [first, ...others];
  if (more.length || filter !== 'FlateDecode') throw new Error('the PDF compresses its objects with an unsupported filter');
  if (!isText) return inflatedBytes(stream.data);
  const bytes = stream.data.length * BYTES_PER_LETTER;
  if (bytes > bytesLeft) throw new Error('the PDF decompresses to too many bytes');
  return others.length ? inflatedBytes(fromText(stream, first)) : bytes;
}

function filtersOf(stream: PdfStream): string[] {
  const given = stream.get('Filter');
  const filters = given instanceof PdfArray ? given.toArray() : [given];
  return filters.flatMap((each) => (each === undefined ? [] : each instanceof PdfName ? each.value : ''));
}

function fromText({ data }: PdfStream, filter: string): Uint8Array {
  return decode.call(PdfStream.fromDict({ Filter: PdfName.of(filter) }, data));
}

function inflatedBytes(data: Uint8Array): number {
  try {
    return inflateSync(data, { maxOutputLength: Math.max(1, bytesLeft) }).length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Error('the PDF decompresses to too many bytes', { cause: error });
    return 0; // the parser reports the error; the data before the error is within the limit
  }
}
