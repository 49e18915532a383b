/** Carries the links and destinations of pages to sheets on which the pages are drawn. */
import { PdfArray, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { explicitDestination } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { type Matrix, type Point, transform } from '../objects/matrix.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { numbers } from '../objects/syntax.ts';

/** Where a page is drawn. */
export interface PlaceOnSheet {
  sheet: PdfRef;
  matrix: Matrix;
}

/** By the object number of the page. */
export type PlacesOnSheets = ReadonlyMap<number, PlaceOnSheet>;

/** Gives the sheets the links of their pages, and leads links, named destinations and the action on opening to the sheets. */
export function carryLinks(pdf: ForeignPdf, places: PlacesOnSheets): void {
  const links = new Map<PdfRef, PdfRef[]>();
  for (const { ref, page } of pdf.pages()) {
    const place = places.get(ref.objectNumber);
    if (!place) continue;
    const carried = linksOf(pdf, page).flatMap((link) => carryLink(pdf, link, place, places));
    links.set(place.sheet, [...(links.get(place.sheet) ?? []), ...carried.map((link) => pdf.add(link))]);
  }
  for (const [sheet, carried] of links) if (carried.length) pdf.update(sheet, { Annots: PdfArray.of(...carried) });
  carryNames(pdf, places);
  carryOpening(pdf, places);
}

export function isLink(pdf: ForeignPdf, annotation: PdfObject): boolean {
  return pdf.name(pdf.asDict(annotation), 'Subtype') === 'Link';
}

function linksOf(pdf: ForeignPdf, page: PdfDict): PdfDict[] {
  return pdf.list(page, 'Annots').flatMap((each) => (isLink(pdf, each) ? (pdf.asDict(each) ?? []) : []));
}

/** Nothing for a link that leads nowhere. */
function carryLink(pdf: ForeignPdf, link: PdfDict, { sheet, matrix }: PlaceOnSheet, places: PlacesOnSheets): PdfDict[] {
  const copy = link.clone();
  for (const entry of ['StructParent', 'PA', 'Dest', 'AP', 'AS']) copy.delete(entry);
  const corners = toPoints(pdf, link, 'Rect', matrix);
  const [across, up] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  copy.set('Rect', numbers(Math.min(...across), Math.min(...up), Math.max(...across), Math.max(...up)));
  if (link.has('QuadPoints')) copy.set('QuadPoints', numbers(...toPoints(pdf, link, 'QuadPoints', matrix).flat()));
  copy.set('P', sheet);
  const target = targetOf(pdf, link.get('Dest') ?? link.get('A'));
  if (!target) return link.has('Dest') || !link.has('A') ? [] : [copy];
  const destination = carryDestination(pdf, target, places);
  if (!destination) return [];
  copy.delete('A');
  copy.set('Dest', destination);
  return [copy];
}

/** The corners of a rectangle or of several quadrilaterals, on the sheet. */
function toPoints(pdf: ForeignPdf, link: PdfDict, entry: 'Rect' | 'QuadPoints', matrix: Matrix): Point[] {
  const values = pdf.numbers(link, entry);
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = values;
  const corners = entry === 'Rect' ? [x1, y1, x2, y1, x2, y2, x1, y2] : values;
  const points: Point[] = [];
  for (let at = 0; at + 1 < corners.length; at += 2)
    points.push(transform(matrix, corners[at] as number, corners[at + 1] as number));
  return points;
}

/** The place in this PDF to which a destination or an action leads. Undefined for another action. */
function targetOf(pdf: ForeignPdf, value: PdfObject | undefined): PdfArray | undefined {
  const action = pdf.asDict(value);
  if (action?.has('S') && pdf.name(action, 'S') !== 'GoTo') return undefined;
  return explicitDestination(pdf, action?.get('D') ?? value);
}

/** Undefined if it leads to no page. A destination that is not a point becomes the whole sheet. */
function carryDestination(pdf: ForeignPdf, destination: PdfArray, places: PlacesOnSheets): PdfArray | undefined {
  const [page, kind, ...where] = destination.toArray();
  const place = page instanceof PdfRef ? places.get(page.objectNumber) : undefined;
  if (!place) return undefined;
  const [x, y] = where.map((each) => pdf.resolve(each));
  const isPoint = kind instanceof PdfName && kind.value === 'XYZ' && x instanceof PdfNumber && y instanceof PdfNumber;
  if (!isPoint) return PdfArray.of(place.sheet, PdfName.of('Fit'));
  const point = transform(place.matrix, x.value, y.value).map((each) => PdfNumber.of(each));
  return PdfArray.of(place.sheet, kind, ...point, PdfNull.instance);
}

function carryNames(pdf: ForeignPdf, places: PlacesOnSheets): void {
  const carry = (value: PdfObject) => {
    const place = explicitDestination(pdf, value);
    return place && carryDestination(pdf, place, places);
  };
  const names = pdf.copyDictionary(pdf.catalog, 'Names');
  const kept = [...treeEntries(pdf, names.get('Dests'), 'Names')].flatMap(([key, value]) => {
    const carried = carry(value);
    return carried ? [key, carried] : [];
  });
  if (kept.length) names.set('Dests', PdfDict.of({ Names: PdfArray.of(...kept) }));
  else names.delete('Dests');
  if (pdf.catalog.has('Names')) pdf.catalog.set('Names', names);
  const old = new PdfDict();
  for (const [name, value] of pdf.dict(pdf.catalog, 'Dests') ?? []) {
    const carried = carry(value);
    if (carried) old.set(name, carried);
  }
  if (pdf.catalog.has('Dests')) pdf.catalog.set('Dests', old);
}

function carryOpening(pdf: ForeignPdf, places: PlacesOnSheets): void {
  const target = targetOf(pdf, pdf.catalog.get('OpenAction'));
  const carried = target && carryDestination(pdf, target, places);
  if (carried) pdf.catalog.set('OpenAction', carried);
  else if (target) pdf.catalog.delete('OpenAction');
}
