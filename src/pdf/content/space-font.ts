/**
 * A font that has only a space, without a shape, for spaces that the page does not show. A font of the document may lack the space, or
 * draw something for it.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfRef, PdfStream } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { deflatedStream, numbers } from '../objects/syntax.ts';
import { unicodeMap } from './fonts.ts';

/** Its name in the resources. */
export const SPACE_FONT = 'PlatenSpace';
/** In thousandths of the font size. */
const WIDTH = 250;
const CODE = 32;

export function addSpaceFont(editable: EditablePdf): PdfRef {
  const space = editable.add(new PdfStream(new PdfDict(), Buffer.from(`${WIDTH} 0 d0`)));
  const map = unicodeMap(new Map([[CODE, ' ']]), false);
  const font = PdfDict.of({
    ...{ Type: PdfName.of('Font'), Subtype: PdfName.of('Type3'), Resources: new PdfDict() },
    ...{ FontBBox: numbers(0, 0, WIDTH, 1), FontMatrix: numbers(0.001, 0, 0, 0.001, 0, 0) },
    CharProcs: PdfDict.of({ space }),
    Encoding: PdfDict.of({
      Type: PdfName.of('Encoding'),
      Differences: PdfArray.of(PdfNumber.of(CODE), PdfName.of('space')),
    }),
    ...{ FirstChar: PdfNumber.of(CODE), LastChar: PdfNumber.of(CODE), Widths: numbers(WIDTH) },
    ToUnicode: editable.add(deflatedStream({}, Buffer.from(map, 'latin1'))),
  });
  return editable.add(font);
}
