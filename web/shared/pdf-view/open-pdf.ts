/** A PDF in, its pages with their sizes out. pdf.js runs no scripts of documents, and nothing of them becomes markup. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import type { SheetSize } from './page-sizes.ts';
import { CSS_PER_POINT } from './page-view.ts';

GlobalWorkerOptions.workerSrc = workerAddress;

/** Sizes of pages beyond are taken from the page before. */
const MEASURED = 400;

export interface OpenPdf {
  sizes: SheetSize[];
  /** `number` counts from 1. */
  page(number: number): Promise<PDFPageProxy>;
  close(): Promise<void>;
}

export async function openPdf(bytes: Uint8Array, password: string | undefined): Promise<OpenPdf> {
  // Fonts are inside what the service prints, and WebAssembly is not allowed by the page's policy.
  const task = getDocument({
    data: bytes.slice(), // it is handed to the worker
    ...(password !== undefined && { password }),
    useWasm: false,
    useSystemFonts: false,
    enableXfa: false,
    verbosity: 0,
  });
  const pdf = await task.promise;
  return {
    sizes: await measure(pdf),
    page: (number) => pdf.getPage(number),
    close: () => task.destroy(),
  };
}

async function measure(pdf: PDFDocumentProxy): Promise<SheetSize[]> {
  const numbers = Array.from({ length: Math.min(pdf.numPages, MEASURED) }, (_, index) => index + 1);
  const sizes = await Promise.all(numbers.map(async (number) => sizeOf(await pdf.getPage(number))));
  const last = sizes.at(-1) ?? { width: 1, height: 1 };
  return [...sizes, ...Array.from({ length: pdf.numPages - sizes.length }, () => last)];
}

function sizeOf(page: PDFPageProxy): SheetSize {
  const { width, height } = page.getViewport({ scale: CSS_PER_POINT });
  return { width, height };
}
