/** Reads the annotations of a page with PDFium, because most links are not drawn. */
import type { PDFiumPage } from '@hyzyla/pdfium';
import type { Size } from '../pdfium.ts';
import type { Box } from './differing-areas.ts';

/** What PDFium exports, and the library does not offer: https://pdfium.googlesource.com/pdfium/+/refs/heads/main/public/fpdf_annot.h */
interface Annotations {
  HEAPU8: Uint8Array;
  HEAPF32: Float32Array;
  HEAP32: Int32Array;
  wasmExports: { malloc(bytes: number): number; free(at: number): void };
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetRect(annotation: number, rectangle: number): number;
  _FPDFAnnot_GetLink(annotation: number): number;
  _FPDFLink_GetAction(link: number): number;
  _FPDFAction_GetURIPath(document: number, action: number, buffer: number, bytes: number): number;
  _FPDF_PageToDevice(...given: [...PageToDevice, deviceX: number, deviceY: number]): number;
}

type PageToDevice = [
  page: number,
  x: number,
  y: number,
  width: number,
  height: number,
  rotate: number,
  pageX: number,
  pageY: number,
];

export interface Annotation {
  box: Box;
  /** What tells it from another one: its type, its place and where it leads. */
  key: string;
}

/** The rectangle of four floats, and two whole numbers. */
const RECTANGLE_BYTES = 16;
const POINT_BYTES = 8;
const MAX_ADDRESS_BYTES = 4_096;

/** Places are in pixels of a page that is drawn in this size. The page must be open. */
export function readAnnotations(page: PDFiumPage, size: Size): Annotation[] {
  const { module, pageIdx, documentIdx } = page as unknown as { module: Annotations; pageIdx: number; documentIdx: number };
  const memory = module.wasmExports.malloc(RECTANGLE_BYTES + POINT_BYTES + MAX_ADDRESS_BYTES);
  const point = memory + RECTANGLE_BYTES;
  const address = point + POINT_BYTES;
  const toPixels = (x: number, y: number) => {
    module._FPDF_PageToDevice(pageIdx, 0, 0, size.width, size.height, 0, x, y, point, point + 4);
    return [module.HEAP32[point / 4] ?? 0, module.HEAP32[point / 4 + 1] ?? 0] as const;
  };
  const readAddress = (annotation: number) => {
    const link = module._FPDFAnnot_GetLink(annotation);
    const action = link && module._FPDFLink_GetAction(link);
    const bytes = action && module._FPDFAction_GetURIPath(documentIdx, action, address, MAX_ADDRESS_BYTES);
    return Buffer.from(module.HEAPU8.subarray(address, address + Math.min(bytes, MAX_ADDRESS_BYTES))).toString('latin1');
  };
  const readOne = (annotation: number): Annotation => {
    module._FPDFAnnot_GetRect(annotation, memory);
    const [left = 0, top = 0, right = 0, bottom = 0] = module.HEAPF32.subarray(memory / 4, memory / 4 + 4);
    const [[x1, y1], [x2, y2]] = [toPixels(left, top), toPixels(right, bottom)];
    const box = { left: Math.min(x1, x2), top: Math.min(y1, y2), right: Math.max(x1, x2), bottom: Math.max(y1, y2) };
    return { box, key: JSON.stringify([module._FPDFAnnot_GetSubtype(annotation), box, readAddress(annotation)]) };
  };
  const found: Annotation[] = [];
  const count = module._FPDFPage_GetAnnotCount(pageIdx);
  for (let index = 0; index < count; index++) {
    const annotation = module._FPDFPage_GetAnnot(pageIdx, index);
    if (annotation) found.push(readOne(annotation));
    module._FPDFPage_CloseAnnot(annotation);
  }
  module.wasmExports.free(memory);
  return found;
}
