/** Opens a PDF and reads the sizes of its pages. pdf.js does not run scripts of documents or turn their content into markup. */
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.mjs?worker&url';
import { CSS_PER_POINT, type PageSize } from './page-sizes.ts';
import {
  type Attachment,
  attachmentsOf,
  type Destination,
  findDestination,
  type OutlineEntry,
  outlineOf,
  type RawDestination,
} from './pdf-contents.ts';

GlobalWorkerOptions.workerSrc = workerAddress;

/** Further pages get the size of the last measured page. */
const MEASURED = 400;

export interface OpenPdf {
  sizes: PageSize[];
  /** `number` counts from 1. */
  page(number: number): Promise<PDFPageProxy>;
  findDestination(raw: RawDestination): Promise<Destination | undefined>;
  contents(): Promise<PdfContents>;
  close(): Promise<void>;
}

export interface PdfContents {
  outline: OutlineEntry[];
  attachments: Attachment[];
}

export async function openPdf(bytes: Uint8Array, password: string | undefined): Promise<OpenPdf> {
  // PDFs of the service contain their fonts, and the page's policy forbids WebAssembly.
  const task = getDocument({
    data: bytes.slice(), // the bytes are transferred to the worker
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
    findDestination: (raw) => findDestination(pdf, raw),
    contents: async () => ({ outline: await outlineOf(pdf), attachments: await attachmentsOf(pdf) }),
    close: () => task.destroy(),
  };
}

async function measure(pdf: PDFDocumentProxy): Promise<PageSize[]> {
  const numbers = Array.from({ length: Math.min(pdf.numPages, MEASURED) }, (_, index) => index + 1);
  const sizes = await Promise.all(numbers.map(async (number) => pageSize(await pdf.getPage(number))));
  const last = sizes.at(-1) ?? { width: 1, height: 1 };
  return [...sizes, ...Array.from({ length: pdf.numPages - sizes.length }, () => last)];
}

function pageSize(page: PDFPageProxy): PageSize {
  const { width, height } = page.getViewport({ scale: CSS_PER_POINT });
  return { width, height };
}
