/** Draws the appearances of checkboxes, radio buttons and empty fields as form XObjects that contain only paths. */
import { PdfDict, PdfName, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream, numbers, roundedDecimal } from '../objects/syntax.ts';

/** Strokes in a box that is 1 wide and 1 high, by the characters of ZapfDingbats that say which mark a box has (`CA`). */
export const MARKS = {
  /** A tick. */
  '4': '.13 w 1 J 1 j .2 .52 m .42 .28 l .8 .74 l S',
  /** A dot. A line without a length and with round ends is a filled circle (ISO 32000-1, 8.5.3.2). */
  l: '.5 w 1 J .5 .5 m .5 .5 l S',
  /** A cross, a star, a square and a diamond. */
  '8': '.13 w 1 J .22 .22 m .78 .78 l .22 .78 m .78 .22 l S',
  H: '.08 w .5 .85 m .71 .21 l .16 .6 l .84 .6 l .29 .21 l s',
  n: '.6 w .2 .5 m .8 .5 l S',
  u: '.5 w .33 .33 m .67 .67 l S',
} as const;

export class DrawnAppearances {
  readonly #editable: EditablePdf;
  /** Form XObjects by size and content, so that equal ones are shared. */
  readonly #drawn = new Map<string, PdfRef>();

  constructor(editable: EditablePdf) {
    this.#editable = editable;
  }

  empty(width: number, height: number): PdfRef {
    return this.#form(width, height, '');
  }

  tick(width: number, height: number, color: number[]): PdfRef {
    return this.#form(width, height, `${square(width, height)} ${stroke(color)} ${MARKS[4]}`);
  }

  dot(width: number, height: number, color: number[]): PdfRef {
    return this.#form(width, height, `${square(width, height)} ${stroke(color)} ${MARKS.l}`);
  }

  #form(width: number, height: number, content: string): PdfRef {
    const key = `${width} ${height} ${content}`;
    const known = this.#drawn.get(key);
    if (known) return known;
    const entries: Record<string, PdfObject> = {
      ...{ Type: PdfName.of('XObject'), Subtype: PdfName.of('Form'), FormType: PdfNumber.of(1) },
      BBox: numbers(0, 0, width, height),
      Resources: new PdfDict(),
    };
    const form = this.#editable.add(deflatedStream(entries, Buffer.from(content && `q ${content} Q`)));
    this.#drawn.set(key, form);
    return form;
  }
}

/** Maps the unit square to the largest centered square. */
function square(width: number, height: number): string {
  const side = Math.min(width, height);
  return `${[side, 0, 0, side, (width - side) / 2, (height - side) / 2].map(roundedDecimal).join(' ')} cm`;
}

function stroke(color: number[]): string {
  return `${color.map(roundedDecimal).join(' ')} RG`;
}

export function fill(color: number[]): string {
  return `${color.map(roundedDecimal).join(' ')} rg`;
}
