/** Reads the text of a page in lines, with that of the form XObjects that it draws: a page in, lines with their boxes out. */
import type { PdfDict, PdfRef } from '@libpdf/core';
import { foreignContent } from '../content/graphics-balance.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { findResources, type PageView, toShown } from '../objects/page-view.ts';
import { ContentReader, decode, type Glyph, UnreadableError } from './read-content.ts';
import { readLines } from './readings.ts';

export interface TextLine {
  text: string;
  /** In points, from the upper left corner of the page as it is shown. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What a line reaches above and below its base line, in proportion to the font size. */
const ASCENT = 0.8;
const DESCENT = -0.2;

export class PageTexts {
  readonly #pdf: ForeignPdf;
  readonly #reader: ContentReader;
  #others: ReturnType<ForeignPdf['pdf']['extractText']> | undefined;

  constructor(pdf: ForeignPdf) {
    this.#pdf = pdf;
    this.#reader = new ContentReader(pdf, true);
  }

  /** From top to bottom. A font whose characters are not known is left to libpdf, which guesses, but reads no form XObjects. */
  read(index: number, ref: PdfRef, page: PdfDict, view: PageView): TextLine[] {
    try {
      const content = foreignContent(this.#pdf, page, decode);
      const { glyphs } = this.#reader.read(content, findResources(this.#pdf, page), ref.objectNumber);
      return readLines(glyphs).map((line) => ({ text: line.text, ...boxOf(line.glyphs, view) }));
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return this.#readOtherwise(index);
    }
  }

  #readOtherwise(index: number): TextLine[] {
    this.#others ??= this.#pdf.pdf.extractText();
    const read = this.#others[index];
    return (read?.lines ?? []).map(({ text, bbox: { x, y, width, height } }) => {
      return { text, x, y: (read?.height ?? 0) - y - height, width, height };
    });
  }
}

function boxOf(glyphs: readonly Glyph[], view: PageView): Omit<TextLine, 'text'> {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  for (const { start, end, up } of glyphs) {
    for (const [point, share] of [
      [start, ASCENT],
      [end, DESCENT],
      [start, DESCENT],
      [end, ASCENT],
    ] as const) {
      const [x, y] = toShown(view, point[0] + share * up[0], point[1] + share * up[1]);
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  }
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}

function round(points: number): number {
  return Math.round(points * 1_000) / 1_000;
}
