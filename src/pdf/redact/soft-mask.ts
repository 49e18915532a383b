/** Finds soft masks (ISO 32000-1, 11.6.5.2): a graphics state in; its group, and the area of that, out. */
import { type PdfDict, PdfNumber, type PdfObject } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { type Matrix, times, toMatrix, transform } from '../objects/matrix.ts';
import { EVERYWHERE, type Polygon, rectangle } from './shapes.ts';

/** The group that a graphics state takes for a mask. */
export function softMask(pdf: EditablePdf, state: PdfObject | undefined): PdfObject | undefined {
  return pdf.dict(pdf.asDict(state), 'SMask')?.get('G');
}

/** The area of a group, which `matrix` places on the page. */
export function formArea(pdf: EditablePdf, form: PdfDict | undefined, matrix: Matrix): Polygon {
  const box = pdf.list(form, 'BBox').map((each) => pdf.resolve(each));
  const [left, bottom, right, top] = box.map((each) => (each instanceof PdfNumber ? each.value : undefined));
  if (left === undefined || bottom === undefined || right === undefined || top === undefined) return EVERYWHERE;
  const toPage = times(toMatrix(pdf.resolve(form?.get('Matrix'))), matrix);
  return rectangle(left, bottom, right, top).map(([x, y]) => transform(toPage, x, y));
}
