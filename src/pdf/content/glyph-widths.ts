/** Reads the widths of the glyphs of a composite font: its `W` array in, widths by code out (ISO 32000-1, 9.7.4.3). */
import { PdfArray, PdfNumber, type PdfObject } from '@libpdf/core';

const MAX_CODE = 65_535;
/** Codes of all ranges, which may overlap. */
const MAX_IN_RANGES = 1_048_576;

/** Entries are `first [width ...]` or `first last width`. Widths are thousandths of the font size. */
export function readGlyphWidths(entries: Array<PdfObject | undefined>): Map<number, number> {
  const widths = new Map<number, number>();
  let left = MAX_IN_RANGES;
  for (let at = 0; at + 1 < entries.length; ) {
    const [first, second, third] = entries.slice(at, at + 3);
    if (!(first instanceof PdfNumber)) return widths;
    if (second instanceof PdfArray) setWidths(widths, first.value, second.toArray());
    else left -= setRange(widths, left, first.value, second, third);
    at += second instanceof PdfArray ? 2 : 3;
  }
  return widths;
}

/** Sets the width of a range, unless it is longer than `left`. Returns its length. */
function setRange(widths: Map<number, number>, left: number, first: number, end?: PdfObject, width?: PdfObject): number {
  if (!(end instanceof PdfNumber && width instanceof PdfNumber)) return 0;
  const last = Math.min(end.value, MAX_CODE);
  if (last - first < left) for (let code = first; code <= last; code++) widths.set(code, width.value);
  return last - first;
}

function setWidths(widths: Map<number, number>, first: number, given: PdfObject[]): void {
  for (const [index, width] of given.entries()) if (width instanceof PdfNumber) widths.set(first + index, width.value);
}
