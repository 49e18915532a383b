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
  let number = 1;
  let end = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const take = () => {
    const bytes = length > maxBytes ? undefined : Buffer.concat(parts);
    [parts, length] = [[], 0];
    return bytes;
  };
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      add(chunk.subarray(from, at));
      yield { number: number++, end: end + at + 1, bytes: take() };
      from = at + 1;
    }
    add(chunk.subarray(from));
    end += chunk.length;
  }
  if (length) yield { number, end, bytes: take() };
}
