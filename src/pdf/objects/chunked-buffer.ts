/** A PDF in chunks, read and written by offset as if it were one buffer, without joining the chunks. */
export class ChunkedBuffer {
  readonly length: number;
  readonly #chunks: readonly Buffer[];
  readonly #starts: number[] = [];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    let length = 0;
    for (const chunk of chunks) {
      this.#starts.push(length);
      length += chunk.length;
    }
    this.length = length;
  }

  /** `size` bytes from `start` as Latin-1, or fewer at the end of the file. */
  text(start: number, size: number): string {
    let text = '';
    this.#eachPart(start, size, (part) => {
      text += part.toString('latin1');
    });
    return text;
  }

  /** Overwrites the bytes at `start` with Latin-1 text. */
  overwrite(start: number, text: string): void {
    let written = 0;
    this.#eachPart(start, text.length, (part) => {
      part.write(text.slice(written, written + part.length), 'latin1');
      written += part.length;
    });
  }

  upTo(end: number): Buffer[] {
    const parts: Buffer[] = [];
    this.#eachPart(0, end, (part) => parts.push(part));
    return parts;
  }

  /** The offsets of Latin-1 text, also across chunks. There can be millions, so callers must limit their work. */
  *findPositions(text: string): Generator<number> {
    let at = 0;
    for (const chunk of this.#chunks) {
      for (let found = chunk.indexOf(text, 0, 'latin1'); found >= 0; found = chunk.indexOf(text, found + 1, 'latin1'))
        yield at + found;
      at += chunk.length;
      const seam = Math.max(0, at - text.length + 1);
      const across = this.text(seam, 2 * (text.length - 1)).indexOf(text);
      if (across >= 0) yield seam + across;
    }
  }

  #eachPart(start: number, size: number, visit: (part: Buffer) => void): void {
    for (let index = this.#starts.findLastIndex((at) => at <= start); index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index] as Buffer;
      const at = this.#starts[index] as number;
      if (at >= start + size) return;
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, start + size - at);
      if (from < to) visit(chunk.subarray(from, to));
    }
  }
}
