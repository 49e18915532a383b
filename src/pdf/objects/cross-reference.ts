/**
 * Finds objects by the classic cross-reference table that Chromium writes: `startxref` -> table and trailer -> offset of an
 * object (ISO 32000-1, 7.5.4, 7.5.5). Throws if the PDF has no such table. See
 * `emitCrossReferenceTable`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDocument.cpp
 */
import { ChunkedBuffer } from './chunked-buffer.ts';

export const ENTRY_BYTES = 20;
const HEADER_BYTES = 32;

export interface CrossReference {
  /** The offset of the table, which is also the end of the objects. */
  start: number;
  /** The number of entries, including the free entry 0. */
  size: number;
  /** The offset of the first entry. Entries are read on demand, because a large file has many. */
  entries: number;
  trailer: string;
}

export function readCrossReference(file: ChunkedBuffer): CrossReference {
  const start = readStart(file);
  const header = /^xref\s+0\s+(\d+)\s*\n/.exec(file.text(start, HEADER_BYTES));
  if (!header) throw new Error('the PDF has no single cross-reference table');
  const [size, entries] = [Number(header[1]), start + header[0].length];
  const end = entries + size * ENTRY_BYTES;
  return { start, size, entries, trailer: file.text(end, file.length - end) };
}

/** Whether the PDF is encrypted, according to its trailer or the dictionary of its cross-reference stream. */
export function isEncrypted(file: ChunkedBuffer): boolean {
  const start = readStart(file);
  const tail = file.text(start, file.length - start);
  const trailer = tail.startsWith('xref') ? tail.slice(tail.lastIndexOf('trailer')) : tail.slice(0, tail.indexOf('\nstream'));
  return /\/Encrypt\b/.test(trailer);
}

/** Does the same for a file of others, which may be damaged. */
export function isProtected({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  try {
    return isEncrypted(new ChunkedBuffer([Buffer.from(buffer, byteOffset, byteLength)]));
  } catch {
    return false; // the file has no valid `startxref` at its end
  }
}

/** The offset of the cross-reference table or stream that counts. */
export function readStart(file: ChunkedBuffer): number {
  return Number(match(/startxref\s+(\d+)\s+%%EOF\s*$/, file.text(file.length - 64, 64)));
}

/** Where each object of the file is, in the order of the file. */
export function readObjects(file: ChunkedBuffer): Array<{ id: number; start: number; end: number }> {
  const { entries, size, start: tableStart } = readCrossReference(file);
  const table = file.text(entries, size * ENTRY_BYTES);
  const starts = Array.from({ length: size }, (_, id) => ({ id, start: readOffset(table, id * ENTRY_BYTES) }));
  const sorted = starts.filter(({ start }) => start > 0).sort((one, other) => one.start - other.start);
  return sorted.map(({ id, start }, index) => ({ id, start, end: sorted[index + 1]?.start ?? tableStart }));
}

function readOffset(table: string, at: number): number {
  return table[at + 17] === 'n' ? Number(table.slice(at, at + 10)) : 0;
}

/** The text of an object up to its `endobj`, with its offset. */
export function readObjectAt(file: ChunkedBuffer, offset: number): { offset: number; text: string } {
  for (let size = 4_096; ; size *= 4) {
    const text = file.text(offset, size);
    const end = text.indexOf('\nendobj'); // in a string a line feed is escaped
    if (end >= 0) return { offset, text: text.slice(0, end) };
    if (offset + size >= file.length) throw new Error(`the PDF's object at ${offset} has no end`);
  }
}

/** The object that an entry of a dictionary refers to, such as `Root` of the trailer. */
export function readReferenced(
  file: ChunkedBuffer,
  references: CrossReference,
  entry: string,
  dictionary: string,
): ReturnType<typeof readObjectAt> {
  return readObject(file, references, Number(match(new RegExp(`/${entry}\\s+(\\d+)\\s+0\\s+R`), dictionary)));
}

export function readObject(file: ChunkedBuffer, references: CrossReference, id: number): ReturnType<typeof readObjectAt> {
  const offset = id < references.size ? readOffset(file.text(references.entries + id * ENTRY_BYTES, ENTRY_BYTES), 0) : 0;
  if (!offset) throw new Error(`the PDF has no object ${id}`);
  return readObjectAt(file, offset);
}

/** The text that the first group of a pattern matches. Throws if there is no match. */
export function match(pattern: RegExp, text: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`the PDF has no ${pattern.source}`);
  return found;
}
