/**
 * Reads facts out of a finished PDF without parsing all of it. Works for the classic cross-reference table that Chromium
 * writes: `startxref` -> table and trailer -> /Root -> /Pages -> /Count (ISO 32000-1, 7.5.4, 7.5.5, 7.7.2).
 */

/** Number of pages of a PDF given in pieces. Throws when it is not such a PDF. */
export function countPages(chunks: readonly Buffer[]): number {
  const file = new Pieces(chunks);
  const startXref = Number(match(/startxref\s+(\d+)\s+%%EOF\s*$/, file.text(file.length - 64, 64)));
  const table = file.text(startXref, file.length - startXref);
  const catalog = objectAt(file, table, match(/\/Root\s+(\d+)\s+0\s+R/, table));
  const pages = objectAt(file, table, match(/\/Pages\s+(\d+)\s+0\s+R/, catalog));
  return Number(match(/\/Count\s+(\d+)/, pages));
}

const XREF_ENTRY_BYTES = 20;

/** The text of an object, up to its `endobj`. */
function objectAt(file: Pieces, table: string, id: string): string {
  const header = /^xref\s+0\s+\d+\s*\n/.exec(table);
  if (!header) throw new Error('the PDF has no single cross-reference table');
  const entry = header[0].length + Number(id) * XREF_ENTRY_BYTES;
  const offset = Number(table.slice(entry, entry + 10));
  for (let size = 4_096; ; size *= 4) {
    const text = file.text(offset, size);
    const end = text.indexOf('endobj');
    if (end >= 0) return text.slice(0, end);
    if (offset + size >= file.length) throw new Error(`the PDF's object ${id} has no end`);
  }
}

function match(pattern: RegExp, text: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`the PDF has no ${pattern.source}`);
  return found;
}

class Pieces {
  readonly length: number;
  readonly #chunks: readonly Buffer[];

  constructor(chunks: readonly Buffer[]) {
    this.#chunks = chunks;
    this.length = chunks.reduce((total, { length }) => total + length, 0);
  }

  /** `size` bytes from `start` as Latin-1, less where the file ends. */
  text(start: number, size: number): string {
    let at = 0;
    let text = '';
    for (const chunk of this.#chunks) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, start + size - at);
      if (from < to) text += chunk.toString('latin1', from, to);
      at += chunk.length;
    }
    return text;
  }
}
