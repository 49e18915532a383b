/** A page of another PDF as a form XObject, and where it is drawn on a page. */
import { deflateSync } from 'node:zlib';
import {
  type PDF,
  type PDFEmbeddedPage,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  type PdfStream,
} from '@libpdf/core';
import { balanceOf } from '../content/graphics-balance.ts';
import { type Matrix, transform } from '../objects/matrix.ts';
import { findResources, fromShown, type PageView, pageView } from '../objects/page-view.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { toDirection } from './stamp.ts';

export const POSITIONS = [
  ...(['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'] as const),
];
export type Position = (typeof POSITIONS)[number];

export interface Placement {
  /** Counterclockwise, in degrees. */
  rotate: number;
  position: Position;
  /** In points, to the right and down. */
  offset: { x: number; y: number };
  /** A factor of its own size; undefined to make it as large as the page allows, times `fit`. */
  scale: number | undefined;
  fit: number;
}

/** As large as the page allows, from its upper left corner. */
export const FILLING: Placement = { position: 'top-left', offset: { x: 0, y: 0 }, scale: undefined, fit: 1, rotate: 0 };

export interface EmbeddedPage extends Pick<PDFEmbeddedPage, 'ref' | 'box'> {
  /** How far the page is turned clockwise where it comes from, in degrees. */
  turn: number;
}

/** Embeds pages with these indexes, which changes the source. Fonts and images that several of them use are embedded once. */
export async function embedPages(pdf: PDF, source: PDF, indexes: Iterable<number>): Promise<Map<number, EmbeddedPage>> {
  const chosen = new Set(indexes);
  const resources = await copyResources(pdf, source, chosen);
  const embedded = new Map<number, EmbeddedPage>();
  for (const index of chosen) embedded.set(index, await embedPage(pdf, source, index, resources.get(index)));
  return embedded;
}

/** libpdf copies what pages share only once if it copies their resources together, as those of one page, which is not kept. */
async function copyResources(pdf: PDF, source: PDF, indexes: ReadonlySet<number>): Promise<Map<number, PdfObject>> {
  const reader = new PdfReader(source);
  const [first] = indexes;
  if (first === undefined) return new Map();
  const all = PdfDict.of({});
  for (const index of indexes) all.set(String(index), findResources(reader, pageOf(source, index)) ?? new PdfDict());
  pageOf(source, first).set('Resources', all);
  const { ref } = await pdf.embedPage(source, first);
  const copied = (pdf.getObject(ref) as PdfStream).get('Resources') as PdfDict;
  return new Map([...copied].map(([name, value]) => [Number(name.value), value]));
}

/** libpdf takes the far corner of a box for its size. */
async function embedPage(pdf: PDF, source: PDF, index: number, resources = new PdfDict() as PdfObject): Promise<EmbeddedPage> {
  const reader = new PdfReader(source);
  const page = pageOf(source, index);
  const { left, bottom, width, height, turn } = pageView(reader, page);
  page.set('MediaBox', PdfArray.of(...[left, bottom, width, height].map((each) => PdfNumber.of(each))));
  page.set('Resources', new PdfDict());
  const { missing } = balanceOf(reader, page);
  const { ref, box } = await pdf.embedPage(source, index);
  const form = pdf.getObject(ref) as PdfStream;
  form.setData(deflateSync(Buffer.concat([Buffer.from('q\n'.repeat(missing)), form.data])));
  form.set('Filter', PdfName.FlateDecode);
  form.set('Resources', resources);
  return { ref, box, turn };
}

function pageOf(source: PDF, index: number): PdfDict {
  return source.getPage(index)?.dict as PdfDict;
}

/** Where a drawn page is on a page as it is shown, which may be rotated. */
export function placement(view: PageView, { box, turn }: Pick<EmbeddedPage, 'box' | 'turn'>, place: Placement): number[] {
  const { position, offset, scale, fit } = place;
  const rotate = place.rotate - turn;
  const isTurned = Math.abs(view.turn % 180) === 90;
  const [width, height] = isTurned ? [view.height, view.width] : [view.width, view.height];
  const [cos, sin] = toDirection(rotate);
  const across = box.width * Math.abs(cos) + box.height * Math.abs(sin);
  const down = box.width * Math.abs(sin) + box.height * Math.abs(cos);
  const factor = scale ?? Math.min(width / across, height / down) * fit;
  const [left, top] = [share(position, 'left', 'right'), share(position, 'top', 'bottom')];
  const x = across * factor * (0.5 - left) + width * left + offset.x;
  const y = height - (down * factor * (0.5 - top) + height * top + offset.y);
  const [centerX, centerY] = fromShown(view, x, y);
  const [a, b] = toDirection(view.turn + rotate).map((each) => each * factor) as [number, number];
  const [boxX, boxY] = [box.x + box.width / 2, box.y + box.height / 2];
  return [a, b, -b, a, centerX - a * boxX + b * boxY, centerY - b * boxX - a * boxY];
}

/** Less is a rounding of pixels. */
const TOLERANCE = 1;

/** Whether the page cuts off a part of what the matrix draws on it. */
export function isCut(
  { left, bottom, width, height }: PageView,
  { box }: Pick<EmbeddedPage, 'box'>,
  matrix: readonly number[],
): boolean {
  const corners = [box.x, box.x + box.width].flatMap((x) => [box.y, box.y + box.height].map((y) => [x, y] as const));
  return corners
    .map(([x, y]) => transform(matrix as Matrix, x, y))
    .some(([x, y]) => Math.min(x - left, y - bottom) < -TOLERANCE || Math.max(x - left - width, y - bottom - height) > TOLERANCE);
}

/** 0 at the first side, 1 at the second, and else in the middle. */
function share(position: Position, first: string, second: string): number {
  if (position.includes(first)) return 0;
  return position.includes(second) ? 1 : 0.5;
}
