/** Splits a PDF with a classic cross-reference table into its objects: bytes in, the unparsed bytes of each object out. */

import { ChunkedBuffer } from './chunked-buffer.ts';
import { allOffsets, readCrossReference } from './cross-reference.ts';

export class RawFile {
  /** One more than the highest object number. */
  readonly size: number;
  readonly #bytes: Buffer;
  /** Offsets by object number; 0 for a free entry. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  /** Throws if the PDF has no classic cross-reference table. */
  constructor(bytes: Buffer) {
    const file = new ChunkedBuffer([bytes]);
    const references = readCrossReference(file);
    this.#bytes = bytes;
    this.size = references.size;
    this.#starts = allOffsets(file, references);
    this.#ends = findEnds(this.#starts, references.start);
  }

  /** An object from its number to its `endobj`. */
  whole(id: number): Buffer | undefined {
    const start = this.#starts[id];
    return start ? this.#bytes.subarray(start, this.#ends[id]) : undefined;
  }

  /** The bytes between `obj` and `endobj`, without surrounding white space. */
  body(id: number): Buffer | undefined {
    const whole = this.whole(id);
    if (!whole) return undefined;
    const head = /^\d+ 0 obj\s+/.exec(whole.toString('latin1', 0, 32))?.[0];
    const end = whole.lastIndexOf('endobj');
    if (!head || end < 0) throw new Error(`the PDF's object ${id} is not where its table says`);
    return whole.subarray(head.length, end).subarray(0, trimmedLength(whole, head.length, end));
  }
}

const ENDSTREAM = Buffer.from('endstream');

/** Whether the body of an object is a stream. No other object can end with `endstream`. */
export function isStream(body: Buffer): boolean {
  return body.length > ENDSTREAM.length && body.subarray(-ENDSTREAM.length).equals(ENDSTREAM);
}

function findEnds(starts: Float64Array, last: number): Float64Array {
  const sorted = starts.toSorted();
  const next = new Map<number, number>();
  for (const [index, start] of sorted.entries()) next.set(start, sorted[index + 1] ?? last);
  return starts.map((start) => next.get(start) ?? last);
}

const SPACE = 32;

function trimmedLength(bytes: Buffer, start: number, end: number): number {
  let length = end - start;
  while (length > 0 && (bytes[start + length - 1] ?? SPACE) <= SPACE) length--;
  return length;
}
