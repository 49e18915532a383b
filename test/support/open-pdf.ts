/** Opens a PDF with pdf.js. */
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';

interface OpenPdf extends AsyncDisposable {
  document: PDFDocumentProxy;
}

/** Throws the errors of pdf.js, such as `PasswordException`. */
export async function openPdf(pdf: ArrayBuffer | Uint8Array, options: { password?: string | undefined } = {}): Promise<OpenPdf> {
  // pdf.js reports font names only with `fontExtraProperties`.
  const settings = { useSystemFonts: false, fontExtraProperties: true, verbosity: 0 };
  const task = getDocument({ data: new Uint8Array(pdf), ...settings, ...options } as Parameters<typeof getDocument>[0]);
  const close = () => task.destroy();
  return { document: await task.promise, [Symbol.asyncDispose]: close };
}
