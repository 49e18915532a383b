/** Guards walks over trees of others, which may be circles, and as deep as they like. */
import { type PdfObject, PdfRef } from '@libpdf/core';

export const MAX_DEPTH = 500;

/** Whether a field or an element has been met before. Those of others may contain each other, which would take forever. */
export function isRepeated(seen: Set<number>, ref: PdfObject): boolean {
  if (!(ref instanceof PdfRef)) return false;
  const isKnown = seen.has(ref.objectNumber);
  seen.add(ref.objectNumber);
  return isKnown;
}
