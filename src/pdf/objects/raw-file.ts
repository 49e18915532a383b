/** A PDF with a classic cross-reference table, cut into its objects: bytes in, the bytes of each object out, none of them parsed. */

import { ChunkedBuffer } from './chunked-buffer.ts';
import { allOffsets, readCrossReference } from './cross-reference.ts';

export class RawFile {
  /** One more than the highest object number. */
  readonly size: number;
  readonly #bytes: Buffer;
  /** By number; 0 where there is none. */
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  /** Throws when it is not such a PDF. */
  constructor(bytes: Buffer) {
    const file = new ChunkedBuffer([bytes]);
    const references = readCrossReference(file);
    this.#bytes = bytes;
    this.size = references.size;
    this.#starts = allOffsets(file, references);
    this.#ends = endsOf(this.#starts, references.start);
  }

  /** An object from its number to its `endobj`. */
  whole(id: number): Buffer | undefined {
    const start = this.#starts[id];
    return start ? this.#bytes.subarray(start, this.#ends[id]) : undefined;
  }

  /** What is between `obj` and `endobj`, without the white space around it. */
  body(id: number): Buffer | undefined {
    const whole = this.whole(id);
    if (!whole) return undefined;
    const head = /^\d+ 0 obj\s+/.exec(whole.toString('latin1', 0, 32))?.[0];
    const end = whole.lastIndexOf('endobj');
    if (!head || end < 0) throw new Error(`the PDF's object ${id} is not where its table says`);
    return whole.subarray(head.length, end).subarray(0, trimmed(whole, head.length, end));
  }
}

const ENDSTREAM = Buffer.from('endstream');

/** Whether the body of an object is that of a stream: nothing else can end so. */
export function isStream(body: Buffer): boolean {
  return body.length > ENDSTREAM.length && body.subarray(-ENDSTREAM.length).equals(ENDSTREAM);
}

function endsOf(starts: Float64Array, last: number): Float64Array {
  const sorted = starts.toSorted();
  const next = new Map<number, number>();
  for (const [index, start] of sorted.entries()) next.set(start, sorted[index + 1] ?? last);
  return starts.map((start) => next.get(start) ?? last);
}

const SPACE = 32;

function trimmed(bytes: Buffer, start: number, end: number): number {
  let length = end - start;
  while (length > 0 && (bytes[start + length - 1] ?? SPACE) <= SPACE) length--;
  return length;
}
