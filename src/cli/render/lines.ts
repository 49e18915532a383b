/** Splits bytes into lines: only the current line is in memory, and a line that is too long is not kept. */

export interface Line {
  /** The line number, from 1. */
  number: number;
  /** The offset of its end in bytes. */
  end: number;
  /** Undefined if the line has more than `maxBytes` bytes. */
  bytes: Buffer | undefined;
}

const LINE_FEED = 0x0a;

export async function* readLines(input: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  const line = new LineBuffer(maxBytes);
  let number = 1;
  let end = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, at));
      yield { number: number++, end: end + at + 1, bytes: line.take() };
      from = at + 1;
    }
    line.add(chunk.subarray(from));
    end += chunk.length;
  }
  if (line.length) yield { number, end, bytes: line.take() };
}

class LineBuffer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.#maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  take(): Buffer | undefined {
    const bytes = this.length > this.#maxBytes ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    return bytes;
  }
}
