/** The step that writes bookmarks. */
import { PdfNumber } from '@libpdf/core';
import { targetPage } from '../objects/destinations.ts';
import { type OpenDocument, StepError } from './open-document.ts';
import { type Bookmark, type OutlineItem, readOutline, toOutline, writeOutline } from './outline.ts';

export interface BookmarksStep {
  /** `keep` leaves those of the parts, `parts` writes one for each part, with those of the part below it. */
  bookmarks: 'parts' | 'keep' | 'none' | Bookmark[];
}

export function applyBookmarks({ pdf, places }: OpenDocument, { bookmarks }: BookmarksStep): void {
  if (bookmarks !== 'keep') writeOutline(pdf, itemsOf(pdf, places, bookmarks));
}

function itemsOf(
  pdf: OpenDocument['pdf'],
  places: OpenDocument['places'],
  bookmarks: Exclude<BookmarksStep['bookmarks'], 'keep'>,
): OutlineItem[] {
  if (bookmarks === 'none') return [];
  if (bookmarks === 'parts') return byParts(pdf, places);
  const items = toOutline(pdf, bookmarks);
  if ('missing' in items)
    throw new StepError('items', `leads to page ${items.missing}, but the document has ${places.length} pages`);
  return items;
}

/** A bookmark for each part, above those that lead to its pages. */
function byParts(pdf: OpenDocument['pdf'], places: OpenDocument['places']): OutlineItem[] {
  const parts = new Map(pdf.pages().map(({ ref }, index) => [ref.objectNumber, places[index]?.part]));
  const firsts = places.flatMap(({ title, part }, index) =>
    part === places[index - 1]?.part ? [] : { title, part, page: index + 1 },
  );
  const items = toOutline(pdf, firsts) as OutlineItem[];
  for (const item of readOutline(pdf)) {
    const page = targetPage(pdf, item.dict);
    const at = firsts.findIndex(({ part }) => part === (page && parts.get(page.objectNumber)));
    items[Math.max(0, at)]?.children.push(item);
  }
  for (const { dict, children } of items) if (children.length) dict.set('Count', PdfNumber.of(-1));
  return items;
}
