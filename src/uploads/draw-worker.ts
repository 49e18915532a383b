/** The process that draws pages of stored PDFs: a file, a page number and a width in, a PNG or the reason for failure out. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';
import { PNG } from 'pngjs';
import { inTime, serveTasks } from '../queue/serve-tasks.ts';

export interface DrawTask {
  content: Uint8Array;
  /** The page number, counted from 1. */
  page: number;
  /** Pixels. A page that would have too many pixels is drawn smaller, unless `isExact` is set. */
  width: number;
  isExact: boolean;
  maxPixels: number;
}

export type Drawn = { png: Uint8Array } | { maxWidth: number } | 'protected' | 'unreadable' | 'no such page';

/** Matches the error message for a missing password. The library reports it in no other way. */
const NEEDS_PASSWORD = /password/i;
/** Pages are opaque, so the PNG needs no alpha channel. The Paeth filter and level 6 balance size and time. */
const ENCODING = { colorType: 2, inputHasAlpha: true, deflateLevel: 6, filterType: 4 } as const;

const PROGRAM = readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));

serveTasks(drawOrEnd);

/** Any failure other than a damaged file means a lack of memory or time. The process then ends, as one without memory does. */
async function drawOrEnd(task: DrawTask): Promise<Drawn> {
  try {
    return await draw(task);
  } catch {
    process.kill(process.pid, 'SIGKILL');
    return 'unreadable';
  }
}

async function draw({ content, page, ...task }: DrawTask): Promise<Drawn> {
  const library = await loadLibrary();
  const document = await inTime(() => library.loadDocument(content)).catch(whyUnreadable);
  if (typeof document === 'string') return document;
  if (page > document.getPageCount()) return 'no such page';
  return drawPage(
    inTime(() => document.getPage(page - 1)),
    task,
  );
}

/** Each task gets a new instance with its own memory, so that a file that corrupts the library cannot affect other files. */
async function loadLibrary(): Promise<PDFiumLibrary> {
  const { buffer, byteOffset, byteLength } = await PROGRAM;
  return PDFiumLibrary.init({ wasmBinary: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
}

function whyUnreadable(error: Error): 'protected' | 'unreadable' {
  if (error.name === 'RuntimeError') throw error;
  return NEEDS_PASSWORD.test(error.message) ? 'protected' : 'unreadable';
}

async function drawPage(page: PDFiumPage, { width, isExact, maxPixels }: Omit<DrawTask, 'content' | 'page'>): Promise<Drawn> {
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (!(originalWidth > 0 && originalHeight > 0)) return 'unreadable';
  const heightOf = (pixels: number) => Math.max(1, Math.round((pixels * originalHeight) / originalWidth));
  const maxWidth = Math.floor(Math.sqrt((maxPixels * originalWidth) / originalHeight));
  if (isExact && width * heightOf(width) > maxPixels) return { maxWidth };
  const drawnWidth = Math.max(1, Math.min(width, maxWidth));
  const size = { width: drawnWidth, height: Math.min(heightOf(drawnWidth), Math.floor(maxPixels / drawnWidth)) };
  const { data } = await inTime(() => page.render({ ...size, render: 'bitmap', renderFormFields: true }));
  return { png: PNG.sync.write({ ...size, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) } as PNG, ENCODING) };
}
