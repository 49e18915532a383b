/** The step that puts several pages on each sheet: two or four in their order, or two in the order of a folded booklet. */
import { PdfArray, PdfDict, PdfName, type PdfObject, type PdfRef } from '@libpdf/core';
import { carryLinks, isLink, type PlaceOnSheet } from '../edit/carry-links.ts';
import { EmbeddedLayers } from '../edit/embedded-layers.ts';
import { type EmbeddedPage, embedPages } from '../edit/embedded-page.ts';
import { PageDrawing, toDirection } from '../edit/stamp.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import type { Matrix } from '../objects/matrix.ts';
import { withInherited } from '../objects/page-tree.ts';
import { type PageView, pageView } from '../objects/page-view.ts';
import { numbers } from '../objects/syntax.ts';
import { type Bookmark, toBookmarks, toOutline, writeOutline } from '../structure/outline.ts';
import { flatten } from './forms.ts';
import { copyOf, type OpenDocument } from './open-document.ts';

export interface ComposeStep {
  perSheet: 2 | 4;
  isBooklet: boolean;
}

/** An area of a sheet, in points from its lower left corner. */
interface Cell {
  x: number;
  y: number;
  width: number;
  height: number;
}

const FIELDS = 'form fields';
const ANNOTATIONS = 'annotations other than links';
const LOST = 'pages of a composed sheet are drawn, and only their content can be drawn';

/** A sheet has the size of the first page; for two pages, turned on its side. What fields and annotations show becomes content; links stay links. */
export async function compose(document: OpenDocument, { perSheet, isBooklet }: ComposeStep): Promise<void> {
  const lost = findLost(document.pdf);
  const annotations = lost.includes(ANNOTATIONS);
  if (annotations || lost.includes(FIELDS)) await flatten(document, { annotations });
  const { pdf, dropped, places } = document;
  const pages = pdf.pages();
  const views = pages.map(({ page }) => pageView(pdf, page));
  const source = await copyOf(document);
  const layers = new EmbeddedLayers(pdf, source, true);
  const embedded = await embedPages(pdf.pdf, source, views.keys());
  layers.adopt([...embedded.values()].map(({ ref }) => ref));
  const bookmarks = toBookmarks(pdf);
  const order = isBooklet ? bookletOrder(views.length) : views.map((_, index) => index);
  const { size, cells } = sheetOf(views[0] as PageView, perSheet);
  const drawing = new PageDrawing(pdf, { opacity: 1, layer: 'over' });
  const sheets: PdfRef[] = [];
  const sheetOfPage = new Map<number, number>();
  const drawnAt = new Map<number, PlaceOnSheet>();
  for (let from = 0; from < order.length; from += perSheet) {
    const sheet = pdf.add(
      PdfDict.of({ Type: PdfName.of('Page'), MediaBox: numbers(0, 0, size.width, size.height), Contents: PdfArray.of() }),
    );
    sheets.push(sheet);
    for (const { index, cell } of placesOn(order.slice(from, from + perSheet), cells)) {
      const drawn = embedded.get(index) as EmbeddedPage;
      const matrix = intoCell(views[index] as PageView, drawn.box, cell);
      drawing.drawOn(sheet, drawn, matrix);
      drawnAt.set((pages[index] as (typeof pages)[number]).ref.objectNumber, { sheet, matrix });
      sheetOfPage.set(index + 1, sheets.length);
    }
  }
  carryLinks(pdf, drawnAt);
  replacePages(pdf, sheets);
  const items = toOutline(
    pdf,
    bookmarks.map((each) => onSheet(each, sheetOfPage)),
  );
  writeOutline(pdf, items);
  dropped.push(...lost.map((what) => ({ what, why: LOST })));
  document.places = sheets.map((_, index) => ({
    ...(places[0] as (typeof places)[number]),
    part: 0,
    page: index + 1,
    pages: sheets.length,
  }));
}

/** What the PDF has that cannot be drawn. */
function findLost(pdf: ForeignPdf): string[] {
  const has = {
    tags: pdf.catalog.has('StructTreeRoot'),
    'page labels': pdf.catalog.has('PageLabels'),
    'boxes of pages for print': pdf.pages().some(({ page }) => hasPrintBox(pdf, page)),
    [ANNOTATIONS]: pdf.pages().some(({ page }) => pdf.list(page, 'Annots').some((each) => isOther(pdf, each))),
    [FIELDS]: pdf.list(pdf.dict(pdf.catalog, 'AcroForm'), 'Fields').length > 0,
  };
  return Object.entries(has).flatMap(([what, isThere]) => (isThere ? [what] : []));
}

/** Whether a page says where it is trimmed, other than at its edge. */
function hasPrintBox(pdf: ForeignPdf, page: PdfDict): boolean {
  const whole = withInherited(pdf, page);
  const edges = ['MediaBox', 'CropBox'].map((name) => String(pdf.numbers(whole, name)));
  return ['TrimBox', 'BleedBox', 'ArtBox'].some((name) => page.has(name) && !edges.includes(String(pdf.numbers(page, name))));
}

function isOther(pdf: ForeignPdf, annotation: PdfObject): boolean {
  return !isLink(pdf, annotation) && pdf.name(pdf.asDict(annotation), 'Subtype') !== 'Widget';
}

function placesOn(pages: ReadonlyArray<number | undefined>, cells: readonly Cell[]): Array<{ index: number; cell: Cell }> {
  return pages.flatMap((index, at) => (index === undefined ? [] : { index, cell: cells[at] as Cell }));
}

/** The outer sides of a sheet come first. Undefined for an empty place. */
function bookletOrder(count: number): Array<number | undefined> {
  const sides = Math.ceil(count / 4) * 4;
  const order: number[] = [];
  for (let at = 0; at < sides / 2; at += 2) order.push(sides - 1 - at, at, at + 1, sides - 2 - at);
  return order.map((index) => (index < count ? index : undefined));
}

function sheetOf(view: PageView, perSheet: 2 | 4): { size: { width: number; height: number }; cells: Cell[] } {
  const { width, height } = shownSize(view);
  const size = perSheet === 2 ? { width: height, height: width } : { width, height };
  const [across, down] = [size.width / 2, perSheet === 2 ? size.height : size.height / 2];
  const rows = perSheet === 2 ? [0] : [down, 0];
  return { size, cells: rows.flatMap((y) => [0, across].map((x) => ({ x, y, width: across, height: down }))) };
}

function shownSize({ width, height, turn }: PageView): { width: number; height: number } {
  return turn % 180 ? { width: height, height: width } : { width, height };
}

/** The matrix that centres a page in a cell, as large as it fits and as it is shown. */
function intoCell(view: PageView, box: { x: number; y: number; width: number; height: number }, cell: Cell): Matrix {
  const { width, height } = shownSize(view);
  const scale = Math.min(cell.width / width, cell.height / height);
  const [a, b] = toDirection(-view.turn).map((each) => each * scale) as [number, number];
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return [a, b, -b, a, cell.x + cell.width / 2 - a * x + b * y, cell.y + cell.height / 2 - b * x - a * y];
}

function replacePages(pdf: ForeignPdf, sheets: readonly PdfRef[]): void {
  for (const entry of ['StructTreeRoot', 'MarkInfo', 'AcroForm', 'PageLabels']) pdf.catalog.delete(entry);
  pdf.setPages(sheets);
}

function onSheet({ title, page, children = [] }: Bookmark, sheetOfPage: ReadonlyMap<number, number>): Bookmark {
  const below = children.map((each) => onSheet(each, sheetOfPage));
  return { title, page: page === null ? null : (sheetOfPage.get(page) ?? null), ...(below.length && { children: below }) };
}
