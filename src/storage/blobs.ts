/** The interface of the content store: names in, bytes out. It knows nothing about the meaning of a blob. */
import type { Readable } from 'node:stream';

export interface ByteRange {
  /** First byte. */
  start: number;
  /** Last byte, included. */
  end: number;
}

export interface Blobs {
  /** Writes a new blob. When it resolves the blob is whole and outlives a loss of power; when it rejects there is none. Throws `storage_failed`. */
  put(name: string, chunks: Iterable<Buffer>): Promise<void>;
  /** The bytes of a blob, or of a part of it; undefined when there is none. */
  read(name: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Writes what is read once, under no name: it is gone once the stream has ended or is destroyed, also when the process dies. */
  spool(chunks: Iterable<Buffer>): Promise<Readable>;
  /** Resolves when the blob is gone, also when there was none. */
  remove(name: string): Promise<void>;
  /** Names of the blobs written before a time, a batch at a time. */
  names(writtenBefore: number): AsyncIterable<string[]>;
  /** Removes what was left half-written before a time. */
  removeUnfinished(startedBefore: number): Promise<number>;
}
