/** Reads rectangles of annotations, which may be given by any two opposite corners (ISO 32000-1, 7.9.5). */
import { type PdfDict, PdfNumber } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What is no number is 0. */
export function numbersOf(pdf: PdfReader, dict: PdfDict | undefined, entry: string): number[] {
  return pdf.list(dict, entry).map((each) => {
    const value = pdf.resolve(each);
    return value instanceof PdfNumber ? value.value : 0;
  });
}

/** The smallest rectangle around points: their coordinates, x before y. Undefined for fewer than two points. */
export function rectangleOf(coordinates: readonly number[]): Rectangle | undefined {
  if (coordinates.length < 4) return undefined;
  const [across, up] = [0, 1].map((parity) => coordinates.filter((_, index) => index % 2 === parity)) as [number[], number[]];
  const [x, y] = [Math.min(...across), Math.min(...up)];
  return { x, y, width: Math.max(...across) - x, height: Math.max(...up) - y };
}
