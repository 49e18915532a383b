/** The size limits for streams that are decompressed for inspection. */
import { deflateSync } from 'node:zlib';
import { PdfDict, PdfName, PdfStream } from '@libpdf/core';
import { expect, test } from 'vitest';
import { StreamDecoder } from '../../src/pdf/content/streams.ts';

const compressed = (bytes: number) =>
  new PdfStream(PdfDict.of({ Filter: PdfName.of('FlateDecode') }), deflateSync(Buffer.alloc(bytes)));

test('limits each stream and all streams of a document', () => {
  const decoder = new StreamDecoder();
  expect(() => decoder.decode(compressed(67_108_865))).toThrow('more than 67108864 bytes');
  const large = compressed(60_000_000);
  for (let count = 0; count < 4; count++) expect(decoder.decode(large)).toHaveLength(60_000_000);
  expect(() => decoder.decode(large)).toThrow('more than 268435456 bytes');
});
