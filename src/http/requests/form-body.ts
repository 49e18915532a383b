/**
 * Parses `multipart/form-data` (RFC 7578): the bytes of a body in, its parts out. The limits are those of the parser, which alone
 * decides what a boundary and a part are.
 */
import { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { invalidField, type ServiceError } from '../../errors.ts';
import { freeBuffer } from './read-body.ts';

export interface Part {
  name: string;
  /** The name may include folders. */
  filename: string | undefined;
  type: string | undefined;
  content: Buffer;
}

/** The parser finishes the chunk in which it is stopped, so a chunk must not have room for many parts. */
const CHUNK_BYTES = 16_384;
const MAX_HEADER_BYTES = 8_192;

/** Copies the parts and frees the body. Throws `invalid_request`. */
export async function readForm(body: Buffer, contentType: string, maxParts: number): Promise<Part[]> {
  try {
    return await parse(Readable.from(splitIntoChunks(body)), openForm(contentType, maxParts), maxParts);
  } finally {
    freeBuffer(body);
  }
}

function parse(source: Readable, form: ReturnType<typeof openForm>, maxParts: number): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Part[]>();
  const parts: Part[] = [];
  const stop = (error: Error) => {
    source.destroy(); // at once: the streams keep the event loop from running what awaits the promise
    reject(error);
  };
  form.on('file', (name: string | undefined, stream, filename, _encoding, type) => {
    if (name === undefined) return stop(invalid('has a part without a name'));
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => parts.push({ name, filename, type, content: Buffer.concat(chunks) }));
    stream.on('error', stop);
  });
  form.on('partsLimit', () => stop(invalid(`has more than ${maxParts} parts`)));
  form.on('error', () => stop(notAForm()));
  form.on('finish', () => {
    source.destroy(); // the parser would look for delimiters in what follows the last one
    resolve(parts);
  });
  source.pipe(form);
  return promise;
}

function* splitIntoChunks(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += CHUNK_BYTES) yield body.subarray(at, at + CHUNK_BYTES);
}

function openForm(contentType: string, maxParts: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: () => true, // text parts are delivered as bytes, too
      limits: { parts: maxParts, headerSize: MAX_HEADER_BYTES },
    });
  } catch {
    throw notAForm();
  }
}

function notAForm(): ServiceError {
  return invalid('is not multipart/form-data with the boundary that Content-Type names');
}

function invalid(what: string): ServiceError {
  return invalidField('', `the body ${what}`);
}
