/** Writes PDF objects: values of libpdf in, Latin-1 text out (ISO 32000-1, 7.3). Unlike with libpdf, numbers keep all digits. */

import { deflateSync } from 'node:zlib';
import { PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';

export type PdfVersion = '1.4' | '1.7' | '2.0';

/** Transforms the bytes of each string and stream, for example by encryption. */
export type ByteCipher = (bytes: Uint8Array) => Uint8Array;

/** For a stream, returns only its dictionary. */
export function toText(object: PdfObject, cipher?: ByteCipher): string {
  if (object instanceof PdfDict) return dictionary(object, cipher);
  if (object instanceof PdfArray) return array(object, cipher);
  if (object instanceof PdfString) return `<${Buffer.from(cipher ? cipher(object.bytes) : object.bytes).toString('hex')}>`;
  if (object instanceof PdfName) return name(object.value);
  if (object instanceof PdfNumber) return decimal(object.value);
  if (object instanceof PdfRef) return `${object.objectNumber} ${object.generation} R`;
  return object instanceof PdfBool ? String(object.value) : 'null';
}

/** A text string (7.9.2.2) with any Unicode characters, in UTF-16 unless all are printable ASCII. */
export function textString(text: string): PdfString {
  return /^[\x20-\x7e]*$/.test(text) ? new PdfString(Buffer.from(text, 'latin1')) : unicodeString(text);
}

/** An entry of the information dictionary. `Trapped` is the only one that is a name (ISO 32000-1, 14.3.3). */
export function infoEntry(name: string, value: string): PdfName | PdfString {
  return name === 'Trapped' ? PdfName.of(value) : textString(value);
}

/** A text string that is always in UTF-16. */
export function unicodeString(text: string): PdfString {
  return new PdfString(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
}

/** `level` is that of zlib, by default 6. */
export function deflatedStream(entries: Record<string, PdfObject>, data: Uint8Array, level?: number): PdfStream {
  return new PdfStream(PdfDict.of({ ...entries, Filter: PdfName.FlateDecode }), deflateSync(data, level ? { level } : {}));
}

export function entriesOf(dict: PdfDict): Record<string, PdfObject> {
  return Object.fromEntries([...dict].map(([key, value]) => [key.value, value]));
}

export function numbers(...values: number[]): PdfArray {
  return PdfArray.of(...values.map(PdfNumber.of));
}

/** PDF does not allow exponents in numbers (7.3.3). */
export function decimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(10) : text;
}

export function roundedDecimal(value: number): string {
  return decimal(Math.round(value * 1_000) / 1_000);
}

function dictionary(dict: PdfDict, cipher?: ByteCipher): string {
  let text = '<<';
  for (const [key, value] of dict) text += `${name(key.value)} ${toText(value, cipher)}`;
  return `${text}>>`;
}

function array(items: PdfArray, cipher?: ByteCipher): string {
  const texts = Array.from(items, (item) => toText(item, cipher));
  return `[${texts.join(' ')}]`;
}

function name(value: string): string {
  const bytes = Buffer.from(value).toString('latin1');
  const escaped = (character: string) => `#${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `/${bytes.replace(/[^!-~]|[#()<>[\]{}/%]/g, escaped)}`;
}
