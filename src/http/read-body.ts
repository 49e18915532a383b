/** A request body: bytes from the socket in, one buffer out, unpacked, or an error before more is held than there is room for. */
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, ServiceError } from '../errors.ts';
import { unpackerFor } from './content-coding.ts';
import { sendContinue } from './expectations.ts';
import { memoryOf } from './request-memory.ts';

/** A body is held as bytes and then, as long as its request, as text of one or two bytes a character and what is decoded of it. */
const HELD_PER_BYTE = 2;
/** What V8 takes for a value beside its text. Objects and arrays within others are counted twice, and take twice as much. */
const HELD_PER_VALUE = 64;
/** Room for a body of unknown length: at first, then twice as much again and again. */
const FIRST_ROOM_BYTES = 65_536;

/** A packed body may be so much larger than what is in it: blocks that unpack to nothing would keep a thread busy for ever. */
const MAX_PACKING_BYTES = 65_536;

/** What a body takes until its request is answered. */
export function heldBytes(bodyBytes: number, values = 0): number {
  return HELD_PER_BYTE * bodyBytes + HELD_PER_VALUE * values;
}

/**
 * Throws `unsupported_media_type`, `content_too_large`, `memory_limited` and `overloaded`, at best before anything is read, and
 * `invalid_request` and `client_closed`. `limit` is that of the bytes once they are unpacked.
 */
export async function readBody(request: FastifyRequest, limit = request.routeOptions.bodyLimit): Promise<Buffer> {
  const unpacker = unpackerFor(request.headers['content-encoding']);
  const body = new Body(request, limit, !unpacker);
  sendContinue(request.raw);
  await (unpacker ? unpack(request.raw, unpacker, body) : pour(request.raw, body)).catch((error: unknown) => {
    letGo(body.bytes);
    throw error instanceof ServiceError ? error : clientClosed();
  });
  return body.bytes;
}

/** Gives the bytes back now, where they would wait for the garbage collector. */
export function letGo(body: Buffer): void {
  if (body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
}

/** Ends at the first byte that is too much: what the rest would unpack to is never made. */
async function unpack(source: IncomingMessage, unpacker: Transform, body: Body): Promise<void> {
  const lost = () => unpacker.destroy(clientClosed());
  let packedBytes = 0;
  const count = (chunk: Buffer) => {
    packedBytes += chunk.length;
    if (packedBytes > body.limit + MAX_PACKING_BYTES) unpacker.destroy(body.tooLarge());
  };
  source.once('error', lost);
  source.on('data', count);
  try {
    await pour(source.pipe(unpacker), body);
  } catch (error) {
    throw error instanceof ServiceError ? error : notPacked();
  } finally {
    source.unpipe(unpacker);
    source.off('error', lost);
    source.off('data', count);
    unpacker.destroy();
  }
}

/** What is left after an error is read by whoever answers. */
function pour(source: Readable, body: Body): Promise<void> {
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

function notPacked(): ServiceError {
  return invalidRequest([
    { path: 'Content-Encoding', message: 'names a coding in which the body is not packed, or not to its end' },
  ]);
}

/** Chunks are copied together as they come: a chunk of one byte kept for itself takes hundreds. */
class Body {
  readonly #request: FastifyRequest;
  readonly limit: number;
  #room: Buffer;
  #length = 0;

  /** `isPlain`: as many bytes come as are announced. */
  constructor(request: FastifyRequest, limit: number, isPlain: boolean) {
    const announced = isPlain ? request.headers['content-length'] : undefined;
    this.#request = request;
    this.limit = limit;
    if (announced !== undefined && Number(announced) > this.limit) throw this.tooLarge({ actual: Number(announced) });
    this.#room = this.#makeRoom(announced === undefined ? FIRST_ROOM_BYTES : Number(announced));
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.limit) throw this.tooLarge();
    if (length > this.#room.length) {
      const larger = this.#makeRoom(Math.max(length, Math.min(2 * this.#room.length, this.limit)));
      this.#room.copy(larger, 0, 0, this.#length);
      letGo(this.#room);
      this.#room = larger;
    }
    chunk.copy(this.#room, this.#length);
    this.#length = length;
  }

  #makeRoom(bytes: number): Buffer {
    memoryOf(this.#request).resize(heldBytes(bytes));
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** Where it was not announced, nobody knows how large it is. */
  tooLarge(known: { actual?: number } = {}): ServiceError {
    const limit = this.limit;
    return new ServiceError('content_too_large', `the request body is larger than ${limit} bytes`, {
      members: { limit, ...known },
    });
  }
}
