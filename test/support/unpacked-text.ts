/** Reads the compressed parts of a PDF. */
import { inflateSync } from 'node:zlib';

/** The streams that are compressed with deflate. */
export function unpackStreams(pdf: Uint8Array): Buffer[] {
  const text = Buffer.from(pdf).toString('latin1');
  return [...text.matchAll(/\/FlateDecode[^>]*>>\s*stream\n/g)].map(({ 0: head, index }) => {
    const start = index + head.length;
    return inflateSync(Buffer.from(text.slice(start, text.indexOf('\nendstream', start)), 'latin1'));
  });
}

/** The file and its streams, one after the other, as Latin-1. */
export function unpackedText(pdf: Buffer): string {
  return [pdf, ...unpackStreams(pdf)].map((part) => part.toString('latin1')).join('\n');
}
