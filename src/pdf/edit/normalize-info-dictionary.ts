/**
 * Removes the dates from a PDF and names Platen as its producer, in place and without changing the length. Nothing else that
 * Chromium writes depends on the time, so the same request gives the same bytes.
 */

import type { PdfMetadata } from '../finish-settings.ts';
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { ENTRY_BYTES, readCrossReference, readReferenced } from '../objects/cross-reference.ts';

/**
 * Entries of the information dictionary as Skia writes them:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFMetadata.cpp
 */
const DATES = /\/(CreationDate|ModDate) \(D:[^()]*\)/g;
const MAKERS = /\/(Creator|Producer) \((Chromium|Skia\/PDF m\d+)\)/g;

/**
 * Removes the dates and names Platen as creator and producer, for a PDF that needs no other change. Entries that Chromium did not
 * write are left unchanged. Throws if Chromium did not print the PDF.
 */
export function normalizeInfoDictionary(chunks: Buffer[]): void {
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  if (!/\/Info\s/.test(references.trailer)) return;
  const { offset, text } = readReferenced(file, references, 'Info', references.trailer);
  const normalized = text
    .replace(DATES, (entry) => ' '.repeat(entry.length))
    .replace(MAKERS, (entry, name: string) => `/${name} (Platen)`.padEnd(entry.length));
  file.overwrite(offset, normalized);
}

/**
 * Adds author, subject and keywords to a PDF that needs no other change. Writes a new information dictionary after the other
 * objects and overwrites the old one with spaces. Modifies the chunks.
 */
export function withMetadata(chunks: Buffer[], { author, subject, keywords }: PdfMetadata): Buffer[] {
  const given = Object.entries({ Author: author, Subject: subject, Keywords: keywords?.join(', ') });
  const entries = given.map(([name, text]) => (text ? `\n/${name} ${textString(text)}` : '')).join('');
  if (!entries) return chunks;
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const { start, entries: table, trailer } = references;
  const { offset, text } = readReferenced(file, references, 'Info', trailer);
  const object = `${text.slice(0, text.lastIndexOf('>>'))}${entries}>>\nendobj\n`;
  file.overwrite(offset, ' '.repeat(text.length + '\nendobj'.length));
  file.overwrite(table + Number.parseInt(text, 10) * ENTRY_BYTES, `${start}`.padStart(10, '0'));
  const tail = file.text(start, file.length - start).replace(/startxref\s+\d+/, `startxref\n${start + object.length}`);
  return [...file.upTo(start), Buffer.from(object + tail, 'latin1')];
}

/** A text string in UTF-16 (ISO 32000-1, 7.9.2.2), written as hexadecimal digits. */
function textString(text: string): string {
  return `<${Buffer.from(`\uFEFF${text}`, 'utf16le').swap16().toString('hex')}>`;
}
