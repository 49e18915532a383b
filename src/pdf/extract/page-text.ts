/** Reads pages for all that is extracted of them: a page in; its content, and lines with their boxes, out. */
import type { PdfDict, PdfRef } from '@libpdf/core';
import { foreignContent } from '../content/graphics-balance.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import type { Point } from '../objects/matrix.ts';
import { findResources, type PageView, toShown } from '../objects/page-view.ts';
import { ContentReader, decode, type Glyph, type ReadContent, UnreadableError } from '../redact/read-content.ts';
import { readLines } from '../redact/readings.ts';

export interface Box {
  /** In points, from the upper left corner of the page as it is shown. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A line of text. */
export interface TextLine {
  text: string;
  box(): Box;
}

export interface PageContent {
  content: ReadContent | undefined;
  /** What of the page cannot be read, such as `has text in a font F1 that is missing`. Some of its glyphs may then have no known text. */
  unreadable: string | undefined;
}

/** What a line reaches above and below its base line, in proportion to the font size. */
const ASCENT = 0.8;
const DESCENT = -0.2;
/** The character for what has no known one. */
const UNKNOWN = '\ufffd';

export class PageReader {
  readonly #pdf: ForeignPdf;
  readonly #reader: ContentReader;
  readonly #lenient: ContentReader;
  #others: ReturnType<ForeignPdf['pdf']['extractText']> | undefined;

  constructor(pdf: ForeignPdf) {
    this.#pdf = pdf;
    this.#reader = new ContentReader(pdf, true);
    this.#lenient = new ContentReader(pdf, false);
  }

  read(ref: PdfRef, page: PdfDict): PageContent {
    try {
      return { content: this.#readWith(this.#reader, ref, page), unreadable: undefined };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return { content: this.#readLeniently(ref, page), unreadable: error.message };
    }
  }

  /** From top to bottom. A page that cannot be read at all is left to libpdf, which guesses, and reads no form XObjects. */
  lines({ content }: PageContent, index: number, view: PageView): TextLine[] {
    if (!content) return this.#readOtherwise(index);
    return readLines(content.glyphs).map(({ text, glyphs }) => ({ text, box: () => boxOf(glyphs, view) }));
  }

  #readWith(reader: ContentReader, ref: PdfRef, page: PdfDict): ReadContent {
    const content = foreignContent(this.#pdf, page, decode);
    return reader.read(content, findResources(this.#pdf, page), ref.objectNumber);
  }

  #readLeniently(ref: PdfRef, page: PdfDict): ReadContent | undefined {
    try {
      const content = this.#readWith(this.#lenient, ref, page);
      for (const glyph of content.glyphs) glyph.text ??= UNKNOWN;
      return content;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return undefined;
    }
  }

  #readOtherwise(index: number): TextLine[] {
    this.#others ??= this.#pdf.pdf.extractText();
    const read = this.#others[index];
    return (read?.lines ?? []).map(({ text, bbox: { x, y, width, height } }) => {
      return { text, box: () => ({ x, y: (read?.height ?? 0) - y - height, width, height }) };
    });
  }
}

function boxOf(glyphs: readonly Glyph[], view: PageView): Box {
  const corners: Point[] = [];
  for (const { start, end, up } of glyphs)
    corners.push(along(start, up, ASCENT), along(start, up, DESCENT), along(end, up, ASCENT), along(end, up, DESCENT));
  return shownBox(view, corners);
}

function along([x, y]: Point, [upX, upY]: Point, share: number): Point {
  return [x + share * upX, y + share * upY];
}

/** The box around points of a page. */
export function shownBox(view: PageView, points: readonly Point[]): Box {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    const [x, y] = toShown(view, ...point);
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}

function round(points: number): number {
  return Math.round(points * 1_000) / 1_000;
}
