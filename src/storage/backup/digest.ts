/** Computes the size and the SHA-256 of content while it passes. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Digest {
  bytes: number;
  sha256: string;
}

export class Digesting {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  /** The error with which the content ended, whatever its reader makes of it. */
  error: unknown;

  async *pass(content: Readable): AsyncIterable<Buffer> {
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      this.error = error;
      throw error;
    }
  }

  digest(): Digest {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

/** Reads the content to its end, and writes it into `target` if there is one. */
export async function digestContent(content: Readable, target?: NodeJS.WritableStream): Promise<Digest> {
  const digesting = new Digesting();
  // With a generator in place of a stream, `pipeline` would not wait until a reader has taken the entry of an archive.
  if (target) await pipeline(Readable.from(digesting.pass(content), { objectMode: false }), target);
  else for await (const _ of digesting.pass(content));
  return digesting.digest();
}
