/** Reads and decompresses a request body into one buffer. It fails before more memory is used than the budget allows. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { invalidField, ServiceError } from '../../errors.ts';
import { createDecompressor } from '../server/content-coding.ts';
import { sendContinue } from '../server/expect-continue.ts';
import { requestMemory } from './request-memory.ts';

/**
 * A body is first held as bytes and then, until its request ends, as text with one or two bytes per character, and as decoded
 * values.
 */
const MEMORY_PER_BYTE = 2;
/** Bytes that V8 uses for a value besides its text. Nested objects and arrays count twice, because they use twice as much. */
const MEMORY_PER_VALUE = 64;
/** The first buffer for a body of unknown length. It doubles whenever it is full. */
const INITIAL_BUFFER_BYTES = 65_536;

/** By how much a compressed body may exceed the limit of its content. Endless empty blocks would otherwise keep a thread busy forever. */
const MAX_COMPRESSION_OVERHEAD_BYTES = 65_536;

/** Memory that a body uses until its request has been answered. */
export function memoryOfBody(bodyBytes: number, values = 0): number {
  return MEMORY_PER_BYTE * bodyBytes + MEMORY_PER_VALUE * values;
}

/**
 * Throws `unsupported_media_type`, `content_too_large`, `memory_limited` and `overloaded`, if possible before anything is read, and
 * `invalid_request` and `client_closed`. `limit` applies to the decompressed bytes.
 */
export async function readBody(request: FastifyRequest, limit = request.routeOptions.bodyLimit): Promise<Buffer> {
  const unpacker = createDecompressor(request.headers['content-encoding']);
  const body = new Body(request, limit, !unpacker);
  sendContinue(request.raw);
  await (unpacker ? decompress(request.raw, unpacker, body) : collect(request.raw, body)).catch((error: unknown) => {
    freeBuffer(body.bytes);
    throw error instanceof ServiceError ? error : clientClosed();
  });
  return body.bytes;
}

/** Frees the bytes at once instead of leaving them to the garbage collector. */
export function freeBuffer(body: Buffer): void {
  if (body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
}

/** Stops at the first byte beyond the limit, so that the rest is never decompressed. */
async function decompress(source: IncomingMessage, unpacker: Transform, body: Body): Promise<void> {
  const lost = () => unpacker.destroy(clientClosed());
  let packedBytes = 0;
  const count = (chunk: Buffer) => {
    packedBytes += chunk.length;
    if (packedBytes > body.limit + MAX_COMPRESSION_OVERHEAD_BYTES) unpacker.destroy(body.tooLarge());
  };
  source.once('error', lost);
  source.on('data', count);
  try {
    await collect(source.pipe(unpacker), body);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidField('Content-Encoding', 'does not match the body, or the compressed body is incomplete');
  } finally {
    source.unpipe(unpacker);
    source.off('error', lost);
    source.off('data', count);
    unpacker.destroy();
  }
}

/** After an error, the rest of the body is read by the code that sends the answer. */
function collect(source: Readable, body: Body): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const add = (chunk: Buffer) => {
    try {
      body.add(chunk);
    } catch (error) {
      source.off('data', add);
      reject(error);
    }
  };
  source.on('data', add);
  source.once('end', resolve);
  source.once('error', reject);
  return promise;
}

function clientClosed(): ServiceError {
  return new ServiceError('client_closed', 'the client closed the connection');
}

/** Copies chunks into one buffer as they arrive, because a separate chunk of one byte would use hundreds of bytes. */
class Body {
  readonly #request: FastifyRequest;
  readonly limit: number;
  #buffer: Buffer;
  #length = 0;

  /** `isPlain` means that the body is not compressed and has the announced length. */
  constructor(request: FastifyRequest, limit: number, isPlain: boolean) {
    const announced = isPlain ? request.headers['content-length'] : undefined;
    this.#request = request;
    this.limit = limit;
    if (announced !== undefined && Number(announced) > this.limit) throw this.tooLarge({ actual: Number(announced) });
    this.#buffer = this.#allocate(announced === undefined ? INITIAL_BUFFER_BYTES : Number(announced));
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.limit) throw this.tooLarge();
    if (length > this.#buffer.length) {
      const larger = this.#allocate(Math.max(length, Math.min(2 * this.#buffer.length, this.limit)));
      this.#buffer.copy(larger, 0, 0, this.#length);
      freeBuffer(this.#buffer);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #allocate(bytes: number): Buffer {
    requestMemory(this.#request).resize(memoryOfBody(bytes));
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** The size is unknown if it was not announced. */
  tooLarge(known: { actual?: number } = {}): ServiceError {
    const limit = this.limit;
    return new ServiceError('content_too_large', `the request body is larger than ${limit} bytes`, {
      members: { limit, ...known },
    });
  }
}
