/**
 * Sets the pages of a PDF that Chromium printed to their exact size, in place. Chromium rounds sizes to whole points, and then down
 * to 1/300 inch. See docs/decisions/0004-page-sizes.md.
 */

import { ChunkedBuffer } from '../objects/chunked-buffer.ts';
import {
  type CrossReference,
  readCrossReference,
  readObject,
  type readObjectAt,
  readReferenced,
} from '../objects/cross-reference.ts';

/** The size of a page in points. */
export interface PageSize {
  width: number;
  height: number;
}

const BOX = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/;
/** An entry that PDF viewers ignore (ISO 32000-1, 14.2). It is removed to make room for longer numbers. */
const PROCEDURES = '/ProcSet [/PDF /Text /ImageB /ImageC /ImageI]';
/** The largest difference, in points, that rounding in Chromium explains. */
const MAX_DIFFERENCE = 1;
/** Points by which content may move to let a page begin at zero: 0.02 mm. */
const MAX_SHIFT = 0.05;

/** Sets each page to the nearest of `sizes` that differs by less than a point. Throws if Chromium did not print the PDF. */
export function correctPageSizes(chunks: readonly Buffer[], sizes: readonly PageSize[]): void {
  const file = new ChunkedBuffer(chunks);
  const references = readCrossReference(file);
  const catalog = readReferenced(file, references, 'Root', references.trailer);
  for (const page of findPages(file, references, readReferenced(file, references, 'Pages', catalog.text))) {
    const corrected = correctBox(page.text, sizes);
    if (corrected !== undefined) file.overwrite(page.offset, corrected);
  }
}

type PdfObject = ReturnType<typeof readObjectAt>;

function* findPages(file: ChunkedBuffer, references: CrossReference, node: PdfObject): Generator<PdfObject> {
  const [, kids] = /\/Kids \[([\d R]*)\]/.exec(node.text) ?? [];
  if (kids === undefined) yield node;
  for (const [, id] of (kids ?? '').matchAll(/\b(\d+) 0 R/g))
    yield* findPages(file, references, readObject(file, references, Number(id)));
}

/** The page object with its exact box and the same length, or undefined if it does not change. */
function correctBox(page: string, sizes: readonly PageSize[]): string | undefined {
  const [box, width = '', height = ''] = BOX.exec(page) ?? [];
  const size = nearest(sizes, Number(width), Number(height));
  if (!box || !size) return undefined;
  const exact = exactBox(size, height);
  const fitting = exact.length > box.length ? page.replace(PROCEDURES, '') : page;
  const corrected = fitting.replace(box, exact);
  return corrected.length > page.length ? undefined : corrected.padEnd(page.length);
}

function nearest(sizes: readonly PageSize[], width: number, height: number): PageSize | undefined {
  const difference = (size: PageSize) => Math.max(Math.abs(size.width - width), Math.abs(size.height - height));
  const [best] = [...sizes].sort((a, b) => difference(a) - difference(b));
  return best && difference(best) < MAX_DIFFERENCE ? best : undefined;
}

/** Chromium positions content from the top, so the lower edge of the box moves. */
function exactBox({ width, height }: PageSize, top: string): string {
  const bottom = Number(top) - height;
  const [from, to] = Math.abs(bottom) <= MAX_SHIFT ? ['0', decimal(height)] : [decimal(bottom), top];
  return `/MediaBox [0 ${from} ${decimal(width)} ${to}]`;
}

function decimal(value: number): string {
  return String(Number(value.toFixed(3)));
}
