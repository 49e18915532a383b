/** Corrects what Chromium writes in another way than the document says it: links, page sizes and the ids of elements. */
import type { PageSize as PaperSize } from '../../chromium/print/page-sizes.ts';
import type { Deadline } from '../../deadline.ts';
import { scaleLinkDestinations } from '../../pdf/edit/link-destinations.ts';
import { normalizeElementIds } from '../../pdf/edit/normalize-element-ids.ts';
import { correctPageSizes, type PageSize } from '../../pdf/edit/page-boxes.ts';
import { makeLinksRelative } from '../../pdf/edit/relative-links.ts';
import { POINTS_PER_INCH } from '../../units.ts';
import type { PrintedDocument } from './printed-document.ts';

export async function correctPrint(
  { chunks, assetOrigin, sizes, scale, settings: { tagged, outline } }: PrintedDocument,
  deadline: Deadline,
): Promise<void> {
  if (assetOrigin) makeLinksRelative(chunks, assetOrigin);
  scaleLinkDestinations(chunks, scale);
  correctPageSizes(chunks, sizes.map(inPoints));
  if (tagged || outline) await deadline.race(normalizeElementIds(chunks));
}

function inPoints({ widthInches, heightInches }: PaperSize): PageSize {
  return { width: widthInches * POINTS_PER_INCH, height: heightInches * POINTS_PER_INCH };
}
