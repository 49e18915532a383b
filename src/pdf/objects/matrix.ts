/** Transformations of coordinates (ISO 32000-1, 8.3.4). */
import { PdfArray, PdfNumber } from '@libpdf/core';

export type Point = readonly [x: number, y: number];
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** A matrix of a PDF; the identity if it is missing. */
export function toMatrix(value: unknown): Matrix {
  const numbers = value instanceof PdfArray ? value.toArray().map((each) => (each instanceof PdfNumber ? each.value : 0)) : [];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers;
  return [a, b, c, d, e, f];
}

/** The matrix that applies the first matrix, then the second. */
export function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

export function transform([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Undefined for a matrix that leaves no area. */
export function inverse([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const area = a * d - b * c;
  if (!area) return undefined;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}
