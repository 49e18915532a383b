/** The interface of the content store: names in, bytes out. It knows nothing about the meaning of a blob. */
import type { Readable } from 'node:stream';

export interface ByteRange {
  /** The first byte. */
  start: number;
  /** The last byte, inclusive. */
  end: number;
}

export interface Blobs {
  /** Whether other processes write here, or times come from another machine. A blob without a row may then get one later. */
  readonly isShared: boolean;
  /**
   * Writes a new blob. When it resolves, the blob is complete and survives a loss of power. When it rejects, no blob exists.
   * Throws `storage_failed`.
   */
  put(name: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>;
  /** Reads a blob or a part of it. Resolves to undefined if it does not exist. */
  read(name: string, range?: ByteRange): Promise<Readable | undefined>;
  /** The size of a blob in bytes. Resolves to undefined if it does not exist. */
  size(name: string): Promise<number | undefined>;
  /**
   * Writes content without a name, to be read once. It is removed when the stream ends or is destroyed, and when the process
   * dies.
   */
  spool(chunks: Iterable<Buffer>): Promise<Readable>;
  /** Resolves when the blob does not exist any more, or never did. */
  remove(name: string): Promise<void>;
  /** Returns the names of blobs written before a time, in batches. */
  names(writtenBefore: number): AsyncIterable<string[]>;
  /** Removes incomplete files that were begun before a time. */
  removeUnfinished(startedBefore: number): Promise<number>;
  /** Throws `storage_failed` if the store cannot be reached. A result may be reused for a few seconds. */
  check(): Promise<void>;
  close(): Promise<void>;
}
