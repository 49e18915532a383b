/** Reads and writes the bookmarks of a PDF as a tree (ISO 32000-1, 12.3.3). */
import { PdfArray, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core';
import { targetPage } from '../objects/destinations.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';

/** A bookmark with what it has besides its place in the tree. */
export interface OutlineItem {
  dict: PdfDict;
  children: OutlineItem[];
}

/** A bookmark as callers read and write it. */
export interface Bookmark {
  title: string;
  /** Counted from 1. Null if it leads to no page. */
  page: number | null;
  /** The index of the part in which `page` is counted. Undefined for the whole. */
  part?: number;
  children?: Bookmark[];
}

export const MAX_BOOKMARKS = 50_000;
const MAX_DEPTH = 100;
const PLACES = ['Parent', 'Prev', 'Next', 'First', 'Last', 'Count'];

/** Outlines of others may be circles. */
export function readOutline(pdf: EditablePdf): OutlineItem[] {
  const seen = new Set<PdfDict>();
  const read = (parent: PdfDict | undefined, depth: number): OutlineItem[] => {
    const items: OutlineItem[] = [];
    let dict = depth < MAX_DEPTH ? pdf.dict(parent, 'First') : undefined;
    for (; dict && !seen.has(dict) && seen.size < MAX_BOOKMARKS; dict = pdf.dict(dict, 'Next')) {
      seen.add(dict);
      items.push({ dict, children: read(dict, depth + 1) });
    }
    return items;
  };
  return read(pdf.dict(pdf.catalog, 'Outlines'), 0);
}

export function writeOutline(pdf: EditablePdf, items: readonly OutlineItem[]): void {
  if (!items.length) return void pdf.catalog.delete('Outlines');
  const root = pdf.add(new PdfDict());
  pdf.change(root, PdfDict.of({ Type: PdfName.of('Outlines'), ...writeChildren(pdf, items, root) }));
  pdf.catalog.set('Outlines', root);
}

/** Returns the entries of the parent. Bookmarks with others below them stay as open or closed as they were. */
function writeChildren(pdf: EditablePdf, items: readonly OutlineItem[], parent: PdfRef): Record<string, PdfObject> {
  const refs = items.map(() => pdf.add(new PdfDict()));
  let shown = items.length;
  for (const [index, item] of items.entries()) {
    const ref = refs[index] as PdfRef;
    const below = item.children.length ? writeChildren(pdf, item.children, ref) : {};
    const isOpen = (pdf.number(item.dict, 'Count') ?? 0) > 0;
    const count = below.Count instanceof PdfNumber ? below.Count.value : 0;
    if (isOpen) shown += count;
    else if (count) below.Count = PdfNumber.of(-count);
    const [Prev, Next] = [refs[index - 1], refs[index + 1]];
    pdf.change(ref, placed(item, { Parent: parent, ...(Prev && { Prev }), ...(Next && { Next }), ...below }));
  }
  return { First: refs[0] as PdfRef, Last: refs.at(-1) as PdfRef, Count: PdfNumber.of(shown) };
}

function placed({ dict }: OutlineItem, place: Record<string, PdfObject>): PdfDict {
  const copy = dict.clone();
  for (const entry of PLACES) copy.delete(entry);
  for (const [entry, value] of Object.entries(place)) copy.set(entry, value);
  return copy;
}

/**
 * Leaves out bookmarks that led to pages which are gone, and those that led nowhere and have lost all below them. What is left below
 * them takes their places.
 */
export function withoutPages(pdf: EditablePdf, items: readonly OutlineItem[], gone: ReadonlySet<number>): OutlineItem[] {
  return items.flatMap(({ dict, children }) => {
    const kept = withoutPages(pdf, children, gone);
    const page = targetPage(pdf, dict);
    const isEmptied = !page && children.length > 0 && !kept.length;
    return isEmptied || (page && gone.has(page.objectNumber)) ? kept : [{ dict, children: kept }];
  });
}

export function toBookmarks(pdf: EditablePdf): Bookmark[] {
  const numbers = new Map(pdf.pages().map(({ ref }, index) => [ref.objectNumber, index + 1]));
  const toBookmark = ({ dict, children }: OutlineItem): Bookmark => {
    const page = targetPage(pdf, dict);
    const below = children.length ? { children: children.map(toBookmark) } : {};
    return { title: pdf.text(dict, 'Title'), page: (page && numbers.get(page.objectNumber)) ?? null, ...below };
  };
  return readOutline(pdf).map(toBookmark);
}

/** A bookmark for a page that the document does not have leads nowhere. */
export function toOutline(pdf: EditablePdf, bookmarks: readonly Bookmark[]): OutlineItem[] {
  const pages = pdf.pages();
  const toItem = ({ title, page, children = [] }: Bookmark): OutlineItem => {
    const target = page === null ? undefined : pages[page - 1];
    const Dest = target && PdfArray.of(target.ref, PdfName.of('XYZ'), PdfNull.instance, PdfNull.instance, PdfNull.instance);
    const dict = PdfDict.of({ Title: textString(title), Count: PdfNumber.of(1), ...(Dest && { Dest }) });
    return { dict, children: children.map(toItem) };
  };
  return bookmarks.map(toItem);
}
