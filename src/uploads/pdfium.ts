/** Opens and draws PDFs with PDFium, in the processes that may fail: bytes in; pages, pixels and PNGs out. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type PDFiumDocument, PDFiumLibrary, type PDFiumPage } from '@hyzyla/pdfium';
import { PNG } from 'pngjs';
import { inTime } from '../queue/serve-tasks.ts';

export interface Size {
  width: number;
  height: number;
}

export type WhyClosed = 'protected' | 'unreadable';

/** Matches the error message for a missing password. The library reports it in no other way. */
const NEEDS_PASSWORD = /password/i;
/** Pages are opaque, so the PNG needs no alpha channel. The Paeth filter and level 6 balance size and time. */
const ENCODING = { colorType: 2, inputHasAlpha: true, deflateLevel: 6, filterType: 4 } as const;

const PROGRAM = readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));

/** Each call gets a new instance with its own memory, so that a file that corrupts the library cannot affect other files. */
export async function openPdf(content: Uint8Array): Promise<PDFiumDocument | WhyClosed> {
  const { buffer, byteOffset, byteLength } = await PROGRAM;
  const wasmBinary = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  const library = await PDFiumLibrary.init({ wasmBinary });
  return inTime(() => library.loadDocument(content)).catch(explain);
}

function explain(error: Error): WhyClosed {
  if (error.name === 'RuntimeError') throw error;
  return NEEDS_PASSWORD.test(error.message) ? 'protected' : 'unreadable';
}

/** The size of a page in points. Undefined if the page is damaged. */
export function pageSize(page: PDFiumPage): Size | undefined {
  const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
  return width > 0 && height > 0 && Number.isFinite(width * height) ? { width, height } : undefined;
}

/** Four bytes per pixel: red, green, blue and an opaque alpha. Closes the page. */
export async function drawPage(page: PDFiumPage, size: Size): Promise<Uint8Array> {
  return (await inTime(() => page.render({ ...size, render: 'bitmap', renderFormFields: true }))).data;
}

export function encodePng(size: Size, { buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return PNG.sync.write({ ...size, data: Buffer.from(buffer, byteOffset, byteLength) } as PNG, ENCODING);
}

/** Any failure other than a damaged file means a lack of memory or time. The process then ends, as one without memory does. */
export async function orEnd<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    process.kill(process.pid, 'SIGKILL');
    throw error;
  }
}
