/** Lists the bookmarks of a PDF (ISO 32000-1, 12.3.3) in their order. */
import { PdfDict, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';

/** Do not change the items; change copies of them. */
export function outlineItems(editable: EditablePdf): Array<{ ref: PdfRef; item: PdfDict }> {
  const items: Array<{ ref: PdfRef; item: PdfDict }> = [];
  const outlines = editable.resolve(editable.catalog.get('Outlines'));
  const waiting = outlines instanceof PdfDict ? [outlines.get('First')] : [];
  while (waiting.length) {
    const ref = waiting.pop();
    const item = editable.resolve(ref);
    if (!(ref instanceof PdfRef) || !(item instanceof PdfDict)) continue;
    items.push({ ref, item });
    waiting.push(item.get('Next'), item.get('First'));
  }
  return items;
}
