/**
 * Reads facts out of a PDF that Chromium printed without parsing all of it: trailer -> /Root -> /Pages -> /Count (ISO 32000-1,
 * 7.7.2).
 */
import { match, objectOf, readCrossReference } from './cross-reference.ts';
import { Pieces } from './pieces.ts';

/** Number of pages of a PDF given in pieces. Throws when it is not such a PDF. */
export function countPages(chunks: readonly Buffer[]): number {
  const file = new Pieces(chunks);
  const references = readCrossReference(file);
  const catalog = objectOf(file, references, 'Root', references.trailer);
  const pages = objectOf(file, references, 'Pages', catalog.text);
  return Number(match(/\/Count\s+(\d+)/, pages.text));
}
