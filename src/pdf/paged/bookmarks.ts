/** Writes bookmarks of elements in place of those of headings (ISO 32000-1, 12.3.3). */
import { PdfDict, PdfNumber, type PdfObject, type PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';

export interface Bookmark {
  /** The name of the destination to which it leads. */
  destination: string;
  level: number;
  label: string;
  /** Whether those below it are hidden at first. */
  isClosed: boolean;
}

interface Item extends Bookmark {
  Dest: PdfObject;
  ref: PdfRef;
  children: Item[];
}

/** Bookmarks that lead nowhere are left out. */
export function replaceBookmarks(editable: EditablePdf, bookmarks: readonly Bookmark[] | undefined): void {
  if (!bookmarks?.length) return;
  const destinations = editable.dict(editable.catalog, 'Dests');
  const items = bookmarks.flatMap((bookmark): Item[] => {
    const Dest = destinations?.get(bookmark.destination);
    return Dest ? [{ ...bookmark, Dest, ref: editable.add(new PdfDict()), children: [] }] : [];
  });
  if (!items.length) return;
  const outlines = editable.add(new PdfDict());
  writeChildren(editable, outlines, nest(items), {});
  editable.catalog.set('Outlines', outlines);
}

/** Puts each item under the last one before it that has a lower level. */
function nest(items: readonly Item[]): Item[] {
  const top: Item[] = [];
  const open: Item[] = [];
  for (const item of items) {
    while (open.length && (open.at(-1)?.level ?? 0) >= item.level) open.pop();
    (open.at(-1)?.children ?? top).push(item);
    open.push(item);
  }
  return top;
}

/** Returns the number of items that are shown below. */
function writeChildren(
  editable: EditablePdf,
  parent: PdfRef,
  children: readonly Item[],
  own: Record<string, PdfObject>,
  sign = 1,
): number {
  let count = children.length;
  for (const [n, { ref, label, Dest, isClosed, children: inner }] of children.entries()) {
    const [Prev, Next] = [children[n - 1]?.ref, children[n + 1]?.ref];
    const entries = { Title: textString(label), Parent: parent, Dest, ...(Prev && { Prev }), ...(Next && { Next }) };
    const below = writeChildren(editable, ref, inner, entries, isClosed ? -1 : 1);
    if (!isClosed) count += below;
  }
  const [First, Last] = [children[0]?.ref, children.at(-1)?.ref];
  editable.change(parent, PdfDict.of({ ...own, ...(First && Last && { First, Last, Count: PdfNumber.of(sign * count) }) }));
  return count;
}
