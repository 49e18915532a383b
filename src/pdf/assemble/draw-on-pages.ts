/** Steps that draw pages of one PDF over or under those of another. */
import { PDF, type PDFEmbeddedPage, PdfArray, PdfDict, PdfNumber } from '@libpdf/core';
import { PageDrawing, toDirection } from '../edit/stamp.ts';
import { findResources, type PageView, pageView } from '../objects/page-view.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { balanceOf } from './graphics-balance.ts';
import { type OpenDocument, StepError } from './open-document.ts';
import { chosenPages } from './page-steps.ts';

export const POSITIONS = [
  ...(['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'] as const),
];
export type Position = (typeof POSITIONS)[number];

export interface DrawStep {
  source: Uint8Array;
  /** Whether another program made the source. */
  isForeign: boolean;
  /** For each page, what is drawn on it if it is chosen: the index of a page of the source. Empty for its first page. */
  sourcePages: number[];
  pages: string | undefined;
  layer: 'over' | 'under';
  opacity: number;
  /** Counterclockwise, in degrees. */
  rotate: number;
  position: Position;
  /** In points, to the right and down. */
  offset: { x: number; y: number };
  /** A factor of its own size; undefined to make it as large as the page allows, times `fit`. */
  scale: number | undefined;
  fit: number;
}

export async function drawOnPages({ pdf, places, check }: OpenDocument, step: DrawStep): Promise<void> {
  const drawing = new PageDrawing(pdf, step);
  const source = await openSource(step.source, check);
  const embedded = new Map<number, Drawn>();
  const embed = async (index: number) => {
    const known = embedded.get(index);
    if (known) return known;
    const drawn = await embedPage(pdf.pdf, source, index);
    if (step.opacity < 1) drawing.makeGroup(drawn.page.ref);
    embedded.set(index, drawn);
    return drawn;
  };
  const pages = pdf.pages();
  for (const index of chosenPages(step.pages, places.length)) {
    const { ref, page } = pages[index] as (typeof pages)[number];
    const drawn = await embed(step.sourcePages[index] ?? 0);
    const balance = step.layer === 'over' ? balanceOf(pdf, page) : undefined;
    drawing.drawOn(ref, drawn.page, placement(pageView(pdf, page), drawn, step), balance);
  }
}

interface Drawn {
  page: PDFEmbeddedPage;
  /** How far the page is turned clockwise where it comes from, in degrees. */
  turn: number;
}

/** libpdf embeds what a page has itself: what it inherits is given to it first. It takes the far corner of a box for its size. */
async function embedPage(pdf: PDF, source: PDF, index: number): Promise<Drawn> {
  const reader = new PdfReader(source);
  const page = source.getPage(index)?.dict as PdfDict;
  const { left, bottom, width, height, turn } = pageView(reader, page);
  page.set('MediaBox', PdfArray.of(...[left, bottom, width, height].map((each) => PdfNumber.of(each))));
  page.set('Resources', findResources(reader, page) ?? new PdfDict());
  return { page: await pdf.embedPage(source, index), turn };
}

async function openSource(content: Uint8Array, check: OpenDocument['check']): Promise<PDF> {
  try {
    check(content);
    const source = await PDF.load(content);
    if (source.isEncrypted && !source.isAuthenticated) throw new Error('it has a password');
    if (source.getPageCount()) return source;
  } catch {}
  throw new StepError('file', 'is damaged, is protected by a password, or is not a PDF');
}

/** Where a drawn page is on a page as it is shown, which may be rotated. */
function placement(view: PageView, { page: { box }, turn }: Drawn, step: DrawStep): number[] {
  const { position, offset, scale, fit } = step;
  const rotate = step.rotate - turn;
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

/** 0 at the first side, 1 at the second, and else in the middle. */
function share(position: Position, first: string, second: string): number {
  if (position.includes(first)) return 0;
  return position.includes(second) ? 1 : 0.5;
}

/** A point of the page as it is shown, from its lower left corner, in the coordinates of the page. */
function fromShown({ left, bottom, width, height, turn }: PageView, x: number, y: number): [number, number] {
  switch (((turn % 360) + 360) % 360) {
    case 90:
      return [left + width - y, bottom + x];
    case 180:
      return [left + width - x, bottom + height - y];
    case 270:
      return [left + y, bottom + height - x];
    default:
      return [left + x, bottom + y];
  }
}

export interface LetterheadStep {
  source: Uint8Array;
  pages: string | undefined;
}

/** The first page of the letterhead is below the first page, and so on. Its last page is also below all that follow. */
export async function putOnLetterhead(document: OpenDocument, { source, pages }: LetterheadStep): Promise<void> {
  const count = (await openSource(source, document.check)).getPageCount();
  const sourcePages: number[] = [];
  for (const [number, index] of chosenPages(pages, document.places.length).entries())
    sourcePages[index] = Math.min(number, count - 1);
  const placed = { position: 'top-left', offset: { x: 0, y: 0 }, scale: undefined, fit: 1, rotate: 0 } as const;
  await drawOnPages(document, { source, isForeign: true, pages, sourcePages, layer: 'under', opacity: 1, ...placed });
}
