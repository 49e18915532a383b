/** Writes page labels, by which readers name pages (ISO 32000-1, 12.4.2). */
import { PdfArray, PdfDict, PdfName, PdfNumber, PdfString } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';

/** The number of a page and its style: decimal, roman or Latin letters, in lower or upper case, or none. */
export interface PageLabel {
  number: number;
  style: 'D' | 'r' | 'R' | 'a' | 'A';
}

export function addPageLabels(editable: EditablePdf, labels: readonly PageLabel[] | undefined): void {
  if (!labels?.length) return;
  const Nums = new PdfArray();
  for (const [page, { number, style }] of labels.entries()) {
    const before = labels[page - 1];
    if (before && before.number > 0 && before.style === style && before.number === number - 1) continue;
    Nums.push(PdfNumber.of(page));
    Nums.push(toDictionary(number, style));
  }
  editable.catalog.set('PageLabels', PdfDict.of({ Nums }));
}

/** Numbers of labels begin with 1, so that others are written as a prefix. */
function toDictionary(number: number, style: PageLabel['style']): PdfDict {
  if (number < 1) return PdfDict.of({ P: new PdfString(Buffer.from(String(number))) });
  return PdfDict.of({ S: PdfName.of(style), St: PdfNumber.of(number) });
}
