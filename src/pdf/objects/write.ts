/** Writes a finished PDF with a classic cross-reference table: an editable PDF in, bytes in chunks out. */
import { PdfArray, PdfDict, PdfNumber, type PdfObject, PdfStream, PdfString } from '@libpdf/core';
import type { EditablePdf } from './editable-pdf.ts';
import { type ByteCipher, type PdfVersion, toText } from './syntax.ts';

export function writePlain(editable: EditablePdf): Parts {
  const parts = new Parts();
  parts.version = editable.version;
  const offsets: number[] = [];
  for (const object of editable.objects()) {
    offsets[object.id] = parts.length;
    parts.addObject(object.id, 'raw' in object ? object.raw : toBody(object.value));
  }
  endPlain(parts, offsets, PdfDict.of(trailerEntries(editable)));
  return parts;
}

export function trailerEntries({ root, info, id }: EditablePdf): Record<string, PdfObject> {
  return { Root: root, ...(info && { Info: info }), ...(id && { ID: identifier(id) }) };
}

/** A file identifier whose permanent and changing parts are equal (ISO 32000-1, 14.4). */
export function identifier(id: Uint8Array): PdfArray {
  const part = new PdfString(id);
  return PdfArray.of(part, part);
}

/** Writes the cross-reference table and the trailer. `offsets` is indexed by object number. */
export function endPlain(parts: Parts, offsets: number[], trailer: PdfDict): void {
  const free = (id: number) => `0000000000 ${id ? '00000' : '65535'} f \n`;
  const entry = (offset: number | undefined, id: number) =>
    offset === undefined ? free(id) : `${String(offset).padStart(10, '0')} 00000 n \n`;
  const table = Array.from(offsets, entry);
  trailer.set('Size', PdfNumber.of(table.length));
  const start = parts.length;
  parts.add(`xref\n0 ${table.length}\n${table.join('')}trailer\n${toText(trailer)}\n`);
  parts.end(start);
}

function pdfHeader(version: PdfVersion): string {
  return `%PDF-${version}\n%\xe2\xe3\xcf\xd3\n`;
}

/** A file without what `takeWritten` has taken of it. */
export interface WithoutBody {
  content: Uint8Array;
  headerBytes: number;
}

/** Puts back, after the header, what was taken. */
export function putBack({ content, headerBytes }: WithoutBody, taken: readonly Uint8Array[]): Buffer {
  return Buffer.concat([content.subarray(0, headerBytes), ...taken, content.subarray(headerBytes)]);
}

/** Less is not worth to be taken. */
const MIN_TAKEN_BYTES = 4_194_304;

export class Parts {
  readonly #parts: Uint8Array[] = [];
  length = 0;
  #takenBytes = 0;

  constructor() {
    this.add(pdfHeader('1.7'));
  }

  set version(version: PdfVersion) {
    this.#parts[0] = Buffer.from(pdfHeader(version), 'latin1');
  }

  get headerBytes(): number {
    return this.#parts[0]?.length ?? 0;
  }

  /** Adds bytes, or text in Latin-1. */
  add(part: string | Uint8Array): void {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  addObject(id: number, ...body: Array<string | Uint8Array>): void {
    this.add(`${id} 0 obj\n`);
    for (const part of body) this.add(part);
    this.add('\nendobj\n');
  }

  /** `start` is the offset of the cross-reference table or stream. */
  end(start: number): void {
    this.add(`startxref\n${start}\n%%EOF\n`);
  }

  /** Takes what was added since the last call, in one piece, so that larger buffers around it can be freed. `length` stays. */
  take(): Buffer {
    return Buffer.concat(this.#parts.splice(0));
  }

  /** Takes what was added since the last call if it is much, but for the header, which may still change. */
  takeWritten(): Buffer | undefined {
    if (this.length - this.#takenBytes < MIN_TAKEN_BYTES) return undefined;
    this.#takenBytes = this.length;
    return Buffer.concat(this.#parts.splice(1));
  }

  /** Copies what has not been taken into memory of its own, which can be transferred to another thread. */
  join(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }
}

/** The bytes of an object between `obj` and `endobj`. With `cipher`, its strings and its stream are encrypted. */
export function toBody(object: PdfObject, cipher?: ByteCipher): string | Uint8Array {
  if (!(object instanceof PdfStream)) return toText(object, cipher);
  const data = cipher ? cipher(object.data) : object.data;
  const dictionary = new PdfDict(object);
  dictionary.set('Length', PdfNumber.of(data.length));
  return Buffer.concat([Buffer.from(`${toText(dictionary, cipher)}\nstream\n`, 'latin1'), data, Buffer.from('\nendstream')]);
}
