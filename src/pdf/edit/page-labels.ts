/** Reads the labels of pages, and writes them for other pages (ISO 32000-1, 12.4.2). */
import { PdfArray, PdfDict, PdfName, PdfNumber } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';

/** The label of one page: how its range is numbered, and its number in it. */
export interface PageLabel {
  range: PdfDict;
  number: number;
}

/** A label for each page. Undefined if the PDF has none. */
export function readLabels(pdf: EditablePdf): Array<PageLabel | undefined> | undefined {
  const root = pdf.catalog.get('PageLabels');
  if (!pdf.asDict(root)) return undefined;
  const ranges = [...treeEntries(pdf, root, 'Nums')].flatMap(([key, value]) => {
    const range = pdf.asDict(value);
    return key instanceof PdfNumber && range ? [{ from: key.value, range }] : [];
  });
  return pdf.pages().map((_, page) => {
    const found = ranges.findLast(({ from }) => from <= page);
    return found && { range: found.range, number: (pdf.number(found.range, 'St') ?? 1) + page - found.from };
  });
}

/** A page without a label has its number. */
export function writeLabels(pdf: EditablePdf, labels: ReadonlyArray<PageLabel | undefined>): void {
  const Nums = new PdfArray();
  for (const [page, label] of labels.entries()) {
    const before = labels[page - 1];
    if (page && before?.range === label?.range && (!label || before?.number === label.number - 1)) continue;
    const range = label?.range.clone() ?? PdfDict.of({ S: PdfName.of('D') });
    range.set('St', PdfNumber.of(label?.number ?? page + 1));
    Nums.push(PdfNumber.of(page));
    Nums.push(range);
  }
  pdf.catalog.set('PageLabels', PdfDict.of({ Nums }));
}
