/** What a reader sees of a PDF, whichever tool made it: lines of text in the order of their places, sizes, colours, bookmarks. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { PDF, type PDFPage } from '@libpdf/core';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { openPdf } from '../support/open-pdf.ts';
import { type Bookmark, readBookmarks, readLinks } from '../support/read-bookmarks.ts';

/** CSS pixels from the upper left corner of the page to the start of the baseline. */
interface Text {
  text: string;
  x: number;
  y: number;
  width: number;
  /** The height of the font. */
  size: number;
}

export interface PrintedPage {
  /** CSS pixels, as the page is shown. */
  width: number;
  height: number;
  /** Lines from the upper to the lower edge. */
  lines: string[];
  texts: Text[];
}

/** The edges of a box in points. */
export interface PageBox {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

const PROGRAM = readFile(fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm')));
const PIXELS_PER_POINT = 96 / 72;
/** Baselines that are less apart are one line, so that raised numbers belong to theirs. */
const LINE_PIXELS = 7;

export class Printed {
  readonly bytes: Uint8Array;
  readonly pages: readonly PrintedPage[];
  readonly bookmarks: readonly Bookmark[];
  /** For each page, the pages that its links lead to. */
  readonly links: readonly number[][];
  /** The titles of the bookmarks of the first level that are closed. */
  readonly closed: readonly string[];

  static async read(bytes: Uint8Array): Promise<Printed> {
    await using opened = await openPdf(bytes);
    const { document } = opened;
    const numbers = Array.from({ length: document.numPages }, (_, index) => index + 1);
    const pages = await Promise.all(numbers.map(async (number) => readPage(await document.getPage(number))));
    const outline = (await document.getOutline()) ?? [];
    const closed = outline.filter(({ count = 0 }) => count < 0).map(({ title }) => title);
    return new Printed(bytes, { pages, closed, bookmarks: await readBookmarks(bytes), links: await readLinks(bytes) });
  }

  private constructor(bytes: Uint8Array, read: Pick<Printed, 'pages' | 'bookmarks' | 'links' | 'closed'>) {
    this.bytes = bytes;
    this.pages = read.pages;
    this.bookmarks = read.bookmarks;
    this.links = read.links;
    this.closed = read.closed;
  }

  /** The text of each page. */
  get texts(): string[] {
    return this.pages.map(({ lines }) => lines.join(' '));
  }

  /** Where a word begins that is once on its page. Throws if it is not there. */
  find(page: number, word: string): Omit<Text, 'text'> {
    for (const { text, x, width, ...rest } of this.pages[page - 1]?.texts ?? []) {
      const index = text.indexOf(word);
      const perCharacter = width / text.length;
      if (index >= 0) return { ...rest, x: x + index * perCharacter, width: word.length * perCharacter };
    }
    throw new Error(`page ${page} has no “${word}”`);
  }

  /** The boxes of a page in points. */
  async boxes(page: number): Promise<Record<'media' | 'bleed' | 'trim', PageBox>> {
    const { [page - 1]: opened } = (await PDF.load(this.bytes)).getPages();
    if (!opened) throw new Error(`there is no page ${page}`);
    return { media: edges(opened.getMediaBox()), bleed: edges(opened.getBleedBox()), trim: edges(opened.getTrimBox()) };
  }

  /** Draws a page with one dot for each CSS pixel, and returns the colours of places as #rrggbb. */
  async colours(page: number, places: ReadonlyArray<readonly [x: number, y: number]>): Promise<string[]> {
    const { buffer, byteOffset, byteLength } = await PROGRAM;
    const library = await PDFiumLibrary.init({ wasmBinary: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer });
    const document = await library.loadDocument(this.bytes);
    const { data, width } = await document.getPage(page - 1).render({ scale: PIXELS_PER_POINT, render: 'bitmap' });
    const colours = places.map(([x, y]) => {
      const at = 4 * (Math.round(y) * width + Math.round(x));
      return `#${Buffer.from(data.subarray(at, at + 3)).toString('hex')}`;
    });
    document.destroy();
    library.destroy();
    return colours;
  }
}

/** libpdf gives the far corner as the size. */
function edges({ x, y, width, height }: ReturnType<PDFPage['getMediaBox']>): PageBox {
  return { left: x, bottom: y, right: width, top: height };
}

async function readPage(page: PDFPageProxy): Promise<PrintedPage> {
  const viewport = page.getViewport({ scale: PIXELS_PER_POINT });
  const { items } = await page.getTextContent({ disableNormalization: false });
  const texts = items.flatMap((item) => {
    if (!('str' in item) || !item.str.trim()) return [];
    const [x = 0, y = 0] = viewport.convertToViewportPoint(item.transform[4], item.transform[5]);
    return [{ text: item.str, x, y, width: item.width * PIXELS_PER_POINT, size: item.height * PIXELS_PER_POINT }];
  });
  return { width: viewport.width, height: viewport.height, texts, lines: linesOf(texts) };
}

function linesOf(texts: readonly Text[]): string[] {
  const lines: Text[][] = [];
  for (const text of texts.toSorted((one, other) => one.y - other.y)) {
    const line = lines.at(-1);
    if (line?.[0] && text.y - line[0].y < LINE_PIXELS) line.push(text);
    else lines.push([text]);
  }
  return lines.map(joinLine);
}

/** Joins texts, with a space where there is a gap. */
function joinLine(line: Text[]): string {
  let joined = '';
  let end = 0;
  for (const { text, x, width, size } of line.sort((one, other) => one.x - other.x)) {
    joined += joined && x - end > size / 8 ? ` ${text}` : text;
    end = x + width;
  }
  return joined.replace(/\s+/g, ' ').trim();
}
