/** Lists the bookmarks of a PDF (ISO 32000-1, 12.3.3) in their order. */
import { type PdfDict, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';

/** Do not modify the items; call `update`. */
export function outlineItems(editable: EditablePdf): Array<{ ref: PdfRef; item: PdfDict }> {
  const items: Array<{ ref: PdfRef; item: PdfDict }> = [];
  const waiting = [editable.dict(editable.catalog, 'Outlines')?.get('First')];
  while (waiting.length) {
    const ref = waiting.pop();
    const item = editable.asDict(ref);
    if (!(ref instanceof PdfRef) || !item) continue;
    items.push({ ref, item });
    waiting.push(item.get('Next'), item.get('First'));
  }
  return items;
}
