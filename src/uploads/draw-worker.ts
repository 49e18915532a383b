/** The process that draws pages of stored PDFs: a file, a page number and a width in, a PNG or the reason for failure out. */
import type { PDFiumPage } from '@hyzyla/pdfium';
import { inTime, serveTasks } from '../queue/serve-tasks.ts';
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

serveTasks((task: DrawTask) => orEnd(draw(task)));

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
