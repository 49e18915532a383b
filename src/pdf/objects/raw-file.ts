/** Splits a PDF with a classic cross-reference table into its objects: bytes in, the unparsed bytes of each object out. */

import { PdfDict } from '@libpdf/core';
import { ChunkedBuffer } from './chunked-buffer.ts';
import { readCrossReference, readObjects } from './cross-reference.ts';
import { parseObject } from './parse-object.ts';

export class RawFile {
  /** One more than the highest object number. */
  readonly size: number;
  readonly bytes: Buffer;
  readonly #trailer: string;
  /** By object number. */
  readonly #places: Array<{ start: number; end: number }> = [];

  /** Throws if the PDF has no classic cross-reference table. */
  constructor(bytes: Buffer) {
    const file = new ChunkedBuffer([bytes]);
    this.bytes = bytes;
    const { size, trailer } = readCrossReference(file);
    this.size = size;
    this.#trailer = trailer;
    for (const object of readObjects(file)) this.#places[object.id] = object;
  }

  /** A new copy. */
  get trailer(): PdfDict {
    const dict = parseObject(this.#trailer.slice(this.#trailer.indexOf('<<'), this.#trailer.lastIndexOf('>>') + 2));
    if (!(dict instanceof PdfDict)) throw new Error('the PDF has no trailer');
    return dict;
  }

  /** An object from its number to its `endobj`. */
  whole(id: number): Buffer | undefined {
    const place = this.#places[id];
    return place && this.bytes.subarray(place.start, place.end);
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

/** The keyword between the dictionary and the data of a stream. */
export const STREAM = 'stream\n';

/** The length of the text of an object: all of it, or the dictionary of a stream. */
export function textLength(body: Buffer): number {
  return isStream(body) ? body.indexOf(STREAM) : body.length;
}

/**
 * A string, which may contain any text, or a reference. Skia escapes parentheses in strings (`write_literal_byte_string`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFTypes.cpp).
 */
const STRING_OR_REFERENCE = /\([^\\()]*(?:\\[\s\S][^\\()]*)*\)|\b(\d+) 0 R\b/g;

const STRING = /\([^\\()]*(?:\\[\s\S][^\\()]*)*\)/g;

/** Blanks the strings in the text of an object, so that only what is outside of them is found, and at the same place. */
export function maskStrings(text: string): string {
  return text.includes('(') ? text.replace(STRING, (string) => `(${' '.repeat(string.length - 2)})`) : text;
}

/** Replaces the references in the text of an object as Chromium wrote it. */
export function replaceReferences(text: string, replace: (id: number) => string): string {
  return text.replace(STRING_OR_REFERENCE, (found, id?: string) => (id === undefined ? found : replace(Number(id))));
}

const SPACE = 32;

function trimmedLength(bytes: Buffer, start: number, end: number): number {
  let length = end - start;
  while (length > 0 && (bytes[start + length - 1] ?? SPACE) <= SPACE) length--;
  return length;
}
