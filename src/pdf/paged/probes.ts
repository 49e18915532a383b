/**
 * Finds out where elements are in a printed PDF, by links to `KEY:NAME` that were placed over them, and takes the links out again.
 * Chromium writes links uncompressed.
 */
import type { PrintedPages } from '../edit/printed-pages.ts';

/** Where a link is on a page: points from its top left corner, which is that of a reader. */
export interface Place {
  /** The index of the page. */
  page: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

const ANNOTATIONS = /\/Annots \[([\d R\s]*)\]/;
const REFERENCE = /\b(\d+) 0 R/g;
const RECT = /\/Rect \[(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)\]/;
const ADDRESS = /\/URI \(([^\\()]{1,200})\)/;
/** A hostile document may repeat a link on every page. */
const MAX_PLACES = 200_000;

/** The places of each name, in the order of the pages. */
export function readProbes(file: PrintedPages, key: string): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  let count = 0;
  for (const [page, top] of pageHeights(file).entries()) {
    for (const annotation of annotations(file.text(file.pages[page] as number))) {
      const [name, place] = readProbe(file.text(annotation), key, page, top) ?? [];
      if (name === undefined || !place || ++count > MAX_PLACES) continue;
      if (!places.get(name)?.push(place)) places.set(name, [place]);
    }
  }
  return places;
}

/** The height of each page in points. */
export function pageHeights(file: PrintedPages): number[] {
  return file.pages.map((_, index) => file.pageSize(index).height);
}

function readProbe(annotation: string, key: string, page: number, top: number): [name: string, place: Place] | undefined {
  const name = probeName(annotation, key);
  const [, left, lower, right, upper] = RECT.exec(annotation)?.map(Number) ?? [];
  if (name === undefined || left === undefined || lower === undefined || right === undefined || upper === undefined)
    return undefined;
  return [name, { page, x: left, y: top - upper, width: right - left, height: upper - lower }];
}

/** Takes the links out in place: pages do not refer to them any more. */
export function removeProbes(file: PrintedPages, key: string): void {
  for (const id of file.pages) {
    const text = file.text(id);
    const [list = '', references = ''] = ANNOTATIONS.exec(text) ?? [];
    const all = annotations(text);
    const kept = all.filter((each) => probeName(file.text(each), key) === undefined);
    if (kept.length === all.length) continue;
    const keeps = new Set(kept);
    for (const each of all) if (!keeps.has(each)) file.body(each)?.fill(' ').write('null');
    const start = list.indexOf(references, '/Annots ['.length);
    const body = file.body(id);
    const others = kept.map((each) => `${each} 0 R`).join(' ');
    body?.write(others.padEnd(references.length), text.indexOf(list) + start, 'latin1');
  }
}

function annotations(page: string): number[] {
  const [, references = ''] = ANNOTATIONS.exec(page) ?? [];
  return Array.from(references.matchAll(REFERENCE), ([, id]) => Number(id));
}

function probeName(annotation: string, key: string): string | undefined {
  const [, address] = ADDRESS.exec(annotation) ?? [];
  return address?.startsWith(`${key}:`) ? address.slice(key.length + 1) : undefined;
}
