/** The process that draws pages of PDFs: a file and a page or several in, images or the reason for failure out. */
import type { PDFiumPage } from '@hyzyla/pdfium';
import { choosePages } from '../pdf/assemble/page-choice.ts';
import { inTime, serveTasks } from '../queue/serve-tasks.ts';
import { POINTS_PER_INCH } from '../units.ts';
import { encodeImage, type ImageEncoding } from './encode-image.ts';
import { drawPage, encodePng, openPdf, orEnd, pageSize, type WhyClosed } from './pdfium.ts';

export interface DrawTask {
  content: Uint8Array;
  /** The page number, counted from 1. */
  page: number;
  /** Pixels. A page that would have too many pixels is drawn smaller, unless `isExact` is set. */
  width: number;
  isExact: boolean;
  maxPixels: number;
}

export type Drawn = { png: Uint8Array } | { maxWidth: number } | WhyClosed | 'no such page';

export interface DrawManyTask {
  content: Uint8Array;
  /** As in `pdf/assemble/page-choice.ts`. Undefined for all pages. */
  pages: string | undefined;
  /** How many of the pages have been drawn. */
  done: number;
  dpi: number;
  encoding: ImageEncoding;
  maxPixels: number;
}

export interface PageImage {
  /** The page number, counted from 1. */
  page: number;
  image: Uint8Array;
}

/** Some of the pages, and how many remain, because a task has little time. */
export type DrawnMany =
  | { images: PageImage[]; left: number }
  /** The number of a page that the PDF lacks; undefined if no page is chosen. */
  | { missing: number | undefined; count: number }
  | { page: number; maxDpi: number }
  | WhyClosed;

/** No page is begun after this time or this many bytes, so that a task ends in time and owners take turns. */
const TURN_MS = 5_000;
const TURN_BYTES = 33_554_432;

serveTasks((task: DrawTask | DrawManyTask) => orEnd<Drawn | DrawnMany>('dpi' in task ? drawMany(task) : draw(task)));

async function draw({ content, page, ...task }: DrawTask): Promise<Drawn> {
  const document = await openPdf(content);
  if (typeof document === 'string') return document;
  if (page > document.getPageCount()) return 'no such page';
  return drawAtWidth(
    inTime(() => document.getPage(page - 1)),
    task,
  );
}

async function drawAtWidth(page: PDFiumPage, { width, isExact, maxPixels }: Omit<DrawTask, 'content' | 'page'>): Promise<Drawn> {
  const original = pageSize(page);
  if (!original) return 'unreadable';
  const heightOf = (pixels: number) => Math.max(1, Math.round((pixels * original.height) / original.width));
  const maxWidth = Math.floor(Math.sqrt((maxPixels * original.width) / original.height));
  if (isExact && width * heightOf(width) > maxPixels) return { maxWidth };
  const drawnWidth = Math.max(1, Math.min(width, maxWidth));
  const size = { width: drawnWidth, height: Math.min(heightOf(drawnWidth), Math.floor(maxPixels / drawnWidth)) };
  return { png: encodePng(size, await drawPage(page, size)) };
}

async function drawMany({ content, pages, done, ...task }: DrawManyTask): Promise<DrawnMany> {
  const document = await openPdf(content);
  if (typeof document === 'string') return document;
  const count = document.getPageCount();
  const chosen = choosePages(pages, count);
  if ('missing' in chosen) return { missing: chosen.missing, count };
  if (!chosen.length) return { missing: undefined, count };
  const end = performance.now() + TURN_MS;
  const images: PageImage[] = [];
  let bytes = 0;
  for (const index of chosen.slice(done)) {
    const drawn = await drawAtResolution(
      inTime(() => document.getPage(index)),
      task,
    );
    if (!drawn) return 'unreadable';
    if ('maxDpi' in drawn) return { page: index + 1, ...drawn };
    images.push({ page: index + 1, ...drawn });
    bytes += drawn.image.length;
    if (performance.now() > end || bytes > TURN_BYTES) break;
  }
  return { images, left: chosen.length - done - images.length };
}

/** Undefined if the page is damaged. */
async function drawAtResolution(
  page: PDFiumPage,
  { dpi, encoding, maxPixels }: Pick<DrawManyTask, 'dpi' | 'encoding' | 'maxPixels'>,
): Promise<{ image: Uint8Array } | { maxDpi: number } | undefined> {
  const original = pageSize(page);
  if (!original) return undefined;
  const toPixels = (points: number) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH));
  const size = { width: toPixels(original.width), height: toPixels(original.height) };
  if (size.width * size.height > maxPixels)
    return { maxDpi: Math.floor(POINTS_PER_INCH * Math.sqrt(maxPixels / (original.width * original.height))) };
  return { image: await encodeImage(size, await drawPage(page, size), encoding, dpi) };
}
