/**
 * Who made a PDF, and when: Chromium's answers out, Platen's in, in place and of the same length. Nothing else in what Chromium
 * prints depends on the moment: the same request gives the same bytes.
 */

import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import { objectOf, readCrossReference } from '../objects/cross-reference.ts';

/** Entries of the information dictionary as Skia writes them: https://skia.org (SkPDFMetadata.cpp). */
const DATES = /\/(CreationDate|ModDate) \(D:[^)]*\)/g;
const MAKERS = /\/(Creator|Producer) \((Chromium|Skia\/PDF m\d+)\)/g;

/**
 * Changes a PDF for which nothing else is to be done. It tells no date, and names Platen as creator and producer. What does not
 * look like Chromium's is left as it is. Throws when it is no such PDF.
 */
export function normalizeInfoDictionary(pieces: Buffer[]): void {
  const file = new ChunkedBuffer(pieces);
  const references = readCrossReference(file);
  if (!/\/Info\s/.test(references.trailer)) return;
  const { offset, text } = objectOf(file, references, 'Info', references.trailer);
  const settled = text
    .replace(DATES, (entry) => ' '.repeat(entry.length))
    .replace(MAKERS, (entry, name: string) => `/${name} (Platen)`.padEnd(entry.length));
  file.overwrite(offset, settled);
}
