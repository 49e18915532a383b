/** A PDF in chunks, read and written by offset as if it were one buffer, without joining the chunks. */
export class ChunkedBuffer {
  readonly length: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.length = chunks.reduce((total, { length }) => total + length, 0);
  }

  /** `size` bytes from `start` as Latin-1, less where the file ends. */
  text(start: number, size: number): string {
    let text = '';
    this.#eachPart(start, size, (part) => {
      text += part.toString('latin1');
    });
    return text;
  }

  /** Puts Latin-1 text in the place of what is at `start`. */
  overwrite(start: number, text: string): void {
    let written = 0;
    this.#eachPart(start, text.length, (part) => {
      part.write(text.slice(written, written + part.length), 'latin1');
      written += part.length;
    });
  }

  /** What is before `end`. */
  upTo(end: number): Buffer[] {
    const parts: Buffer[] = [];
    this.#eachPart(0, end, (part) => parts.push(part));
    return parts;
  }

  /** Where Latin-1 text stands, also where two chunks meet. */
  positionsOf(text: string): number[] {
    const positions: number[] = [];
    let at = 0;
    for (const chunk of this.#chunks) {
      for (let found = chunk.indexOf(text, 0, 'latin1'); found >= 0; found = chunk.indexOf(text, found + 1, 'latin1'))
        positions.push(at + found);
      at += chunk.length;
      const seam = Math.max(0, at - text.length + 1);
      const across = this.text(seam, 2 * (text.length - 1)).indexOf(text);
      if (across >= 0) positions.push(seam + across);
    }
    return positions;
  }

  #eachPart(start: number, size: number, visit: (part: Buffer) => void): void {
    let at = 0;
    for (const chunk of this.#chunks) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, start + size - at);
      if (from < to) visit(chunk.subarray(from, to));
      at += chunk.length;
    }
  }
}
