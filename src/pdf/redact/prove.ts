/** Searches the text of the pages of a written PDF with PDFium. */
import { openWithPdfium } from '../objects/open-with-pdfium.ts';
import type { Search } from './search.ts';

/** What PDFium writes for a hyphen at the end of a line. */
const WRAPPED = /[\p{Cc}\ufffe]\s*/gu;

/** The index of the first page whose text has what is searched. */
export async function findWithPdfium(pdf: Uint8Array, search: Search): Promise<number | undefined> {
  using opened = await openWithPdfium(pdf);
  for (const page of opened.document.pages()) {
    const text = page.getText();
    if (search.matches(text) || search.matches(text.replace(WRAPPED, ''))) return page.number;
  }
  return undefined;
}
