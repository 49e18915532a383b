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

const MEDIA_BOX = /^\/MediaBox\s*\[\s*(-?[\d.]+)\s+-?[\d.]+\s+(-?[\d.]+)/;
const MEDIA_BOX_BYTES = 80;

/** Width of the widest page of a PDF that Chromium wrote, in points. A box that lies across two pieces is not seen. */
export function widestPage(chunks: readonly Buffer[]): number {
  let widest = 0;
  for (const chunk of chunks) {
    for (let at = chunk.indexOf('/MediaBox'); at >= 0; at = chunk.indexOf('/MediaBox', at + 1)) {
      const [, left, right] = MEDIA_BOX.exec(chunk.toString('latin1', at, at + MEDIA_BOX_BYTES)) ?? [];
      widest = Math.max(widest, Number(right ?? 0) - Number(left ?? 0));
    }
  }
  return widest;
}
