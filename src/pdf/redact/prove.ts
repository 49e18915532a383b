/** Searches the text of the pages of a written PDF with PDFium, which shares no code with what redacts it. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import type { Search } from './search.ts';

/** What PDFium writes for a hyphen at the end of a line. */
const WRAPPED = /[\p{Cc}\ufffe]\s*/gu;

/** The index of the first page whose text has what is searched. */
export async function findWithPdfium(pdf: Uint8Array, search: Search): Promise<number | undefined> {
  const program = await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  const wasmBinary = Uint8Array.from(program).buffer;
  using library = disposable(await PDFiumLibrary.init({ wasmBinary }));
  using document = disposable(await library.value.loadDocument(pdf));
  for (const page of document.value.pages()) {
    const text = page.getText();
    if (search.matches(text) || search.matches(text.replace(WRAPPED, ''))) return page.number;
  }
  return undefined;
}

function disposable<T extends { destroy(): void }>(value: T) {
  return { value, [Symbol.dispose]: () => value.destroy() };
}
