/** Decompresses PDF streams up to a total size per document, because a few bytes can expand to gigabytes. */
import { inflateSync } from 'node:zlib';
import { PdfArray, type PdfDict, PdfName, PdfStream } from '@libpdf/core';
import { ServiceError } from '../../errors.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';

const MAX_STREAM_BYTES = 67_108_864;
const MAX_DOCUMENT_BYTES = 268_435_456;
const LINE_FEED = Buffer.from('\n');

export class StreamDecoder {
  #bytesLeft = MAX_DOCUMENT_BYTES;

  /** Throws `resource_limit`. */
  decode(stream: PdfStream): Buffer {
    const content = stream.get('Filter') ? this.#unpack(stream) : Buffer.from(stream.data);
    if (content.length > this.#bytesLeft) throw tooLarge(MAX_DOCUMENT_BYTES);
    this.#bytesLeft -= content.length;
    return content;
  }

  /** The streams of a page one after the other. Throws `resource_limit`. */
  pageContent(pdf: PdfReader, page: PdfDict): Buffer {
    const streams = pdf.listOrOne(page, 'Contents').map((entry) => pdf.resolve(entry));
    const parts = streams.filter((stream) => stream instanceof PdfStream);
    return Buffer.concat(parts.flatMap((stream) => [this.decode(stream), LINE_FEED]));
  }

  /**
   * The decoder of the library has no limit, so the data is first decompressed here to check its size. Other filters are those of PDFs of
   * others, whose decoding is limited as a whole (see `decoding-limit.ts`).
   */
  #unpack(stream: PdfStream): Buffer {
    const given = stream.get('Filter');
    const [filter, ...more] = given instanceof PdfArray ? given.toArray() : [given];
    const isPlain = !more.length && filter instanceof PdfName && filter.value === 'FlateDecode';
    if (!isPlain) return Buffer.from(stream.getDecodedData());
    const content = this.#inflate(stream.data);
    return stream.has('DecodeParms') ? Buffer.from(stream.getDecodedData()) : content;
  }

  #inflate(data: Uint8Array): Buffer {
    const isLast = this.#bytesLeft < MAX_STREAM_BYTES;
    try {
      return inflateSync(data, { maxOutputLength: Math.max(1, isLast ? this.#bytesLeft : MAX_STREAM_BYTES) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      throw tooLarge(isLast ? MAX_DOCUMENT_BYTES : MAX_STREAM_BYTES);
    }
  }
}

function tooLarge(limit: number): ServiceError {
  const detail = `options.conformance: the content of the PDF unpacks to more than ${limit} bytes; make the document smaller`;
  return new ServiceError('resource_limit', detail, { members: { limit } });
}
