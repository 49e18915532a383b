/** Reads bookmarks and links of a PDF, with the pages they lead to, by pdf.js. */
import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { openPdf } from './open-pdf.ts';

export interface Bookmark {
  title: string;
  /** The page number, counted from 1. */
  page: number;
  below: Bookmark[];
}

type Outline = Array<{ title: string; dest: unknown; items: Outline }>;

export async function readBookmarks(pdf: Uint8Array): Promise<Bookmark[]> {
  await using opened = await openPdf(pdf);
  const outline = (await opened.document.getOutline()) ?? [];
  return await bookmarksOf(opened.document, outline as unknown as Outline);
}

/** Returns, for each page, the pages that its internal links lead to. */
export async function readLinks(pdf: Uint8Array): Promise<number[][]> {
  await using opened = await openPdf(pdf);
  const { document } = opened;
  const pages: number[][] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const annotations = await (await document.getPage(number)).getAnnotations();
    const within = annotations.filter(({ dest }) => dest);
    pages.push(await Promise.all(within.map(({ dest }) => pageOf(document, dest))));
  }
  return pages;
}

function bookmarksOf(document: PDFDocumentProxy, outline: Outline): Promise<Bookmark[]> {
  return Promise.all(
    outline.map(async ({ title, dest, items }) => ({
      title,
      page: await pageOf(document, dest),
      below: await bookmarksOf(document, items),
    })),
  );
}

async function pageOf(document: PDFDocumentProxy, dest: unknown): Promise<number> {
  const place = typeof dest === 'string' ? await document.getDestination(dest) : (dest as unknown[]);
  return 1 + (await document.getPageIndex(place?.[0] as Parameters<PDFDocumentProxy['getPageIndex']>[0]));
}
