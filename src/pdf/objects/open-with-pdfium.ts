/** Opens PDFs with PDFium, which shares no code with what writes them here. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';

/** Each call gets memory of its own, which is freed with what it returns. */
export async function openWithPdfium(pdf: Uint8Array): Promise<{ document: PDFiumDocument } & Disposable> {
  const program = await readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
  const wasmBinary = Uint8Array.from(program).buffer;
  using opened = new DisposableStack();
  const library = opened.adopt(await PDFiumLibrary.init({ wasmBinary }), (each) => each.destroy());
  const document = opened.adopt(await library.loadDocument(pdf), (each) => each.destroy());
  const kept = opened.move();
  return { document, [Symbol.dispose]: () => kept.dispose() };
}
