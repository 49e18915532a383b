/** The step that writes bookmarks. */
import { PdfNumber } from '@libpdf/core';
import { targetPage } from '../objects/destinations.ts';
import { type Bookmark, type OutlineItem, readOutline, toOutline, writeOutline } from '../structure/outline.ts';
import { type OpenDocument, StepError } from './open-document.ts';

export interface BookmarksStep {
  /** `keep` leaves those of the parts, `parts` writes one for each part, with those of the part below it. */
  bookmarks: 'parts' | 'keep' | 'none' | Bookmark[];
  /** Whether parts that none of the given bookmarks is of keep their own. */
  keepsOthers?: boolean;
}

export function applyBookmarks({ pdf, places }: OpenDocument, step: BookmarksStep): void {
  const firsts = places.flatMap(({ title, part }, index) =>
    part === places[index - 1]?.part ? [] : [{ title, part, page: index + 1 }],
  );
  writeOutline(pdf, itemsOf(pdf, places, firsts, step));
}

type First = Required<Pick<Bookmark, 'title' | 'part'>> & { page: number };

function itemsOf(
  pdf: OpenDocument['pdf'],
  places: OpenDocument['places'],
  firsts: readonly First[],
  { bookmarks, keepsOthers }: BookmarksStep,
): OutlineItem[] {
  if (bookmarks === 'none') return [];
  if (bookmarks === 'keep') return ownItems(pdf, firsts);
  if (bookmarks === 'parts') return byParts(pdf, places, firsts);
  const items = toOutline(pdf, withPagesOfWhole(bookmarks, places, 'items'));
  if (!keepsOthers) return items;
  const own = ownByPart(pdf, places, firsts);
  const given = firsts.map(({ part }) => items.filter((_, index) => bookmarks[index]?.part === part));
  return given.flatMap((each, at) => (each.length ? each : (own[at] ?? [])));
}

/** The bookmarks without those that parts got when they were joined. */
function ownItems(pdf: OpenDocument['pdf'], firsts: readonly First[]): OutlineItem[] {
  const items = readOutline(pdf);
  const isOfPart = ({ dict }: OutlineItem, index: number) => pdf.text(dict, 'Title') === firsts[index]?.title;
  const areOfParts = firsts.length > 1 && items.length === firsts.length && items.every(isOfPart);
  return areOfParts ? items.flatMap(({ children }) => children) : items;
}

/** Pages that are counted in a part become those of the whole. `at` is where the bookmarks are in the step. */
function withPagesOfWhole(bookmarks: readonly Bookmark[], places: OpenDocument['places'], at: string): Bookmark[] {
  return bookmarks.map(({ part, children = [], ...bookmark }, index) => {
    const path = `${at}[${index}]`;
    const page = bookmark.page && pageOfWhole(bookmark.page, part, places, `${path}.page`);
    return { ...bookmark, page, children: withPagesOfWhole(children, places, `${path}.children`) };
  });
}

function pageOfWhole(page: number, part: number | undefined, places: OpenDocument['places'], path: string): number {
  if (part === undefined) {
    if (page <= places.length) return page;
    throw new StepError(path, `leads to page ${page}, but the document has ${places.length} pages`);
  }
  const index = places.findIndex((place) => place.part === part && place.page === page);
  if (index < 0) throw new StepError(path, `leads to page ${page} of part ${part}, which is not there`);
  return index + 1;
}

/** The bookmarks that lead to pages of each part. Those that lead to no page are of the first part. */
function ownByPart(pdf: OpenDocument['pdf'], places: OpenDocument['places'], firsts: readonly First[]): readonly OutlineItem[][] {
  const parts = new Map(pdf.pages().map(({ ref }, index) => [ref.objectNumber, places[index]?.part]));
  const own: OutlineItem[][] = firsts.map(() => []);
  for (const item of ownItems(pdf, firsts)) {
    const page = targetPage(pdf, item.dict);
    const at = firsts.findIndex(({ part }) => part === (page && parts.get(page.objectNumber)));
    own[Math.max(0, at)]?.push(item);
  }
  return own;
}

/** A bookmark for each part, above those that lead to its pages. */
function byParts(pdf: OpenDocument['pdf'], places: OpenDocument['places'], firsts: readonly First[]): OutlineItem[] {
  const own = ownByPart(pdf, places, firsts);
  const items = toOutline(
    pdf,
    firsts.map(({ title, page }) => ({ title, page })),
  );
  for (const [at, item] of items.entries()) item.children.push(...(own[at] ?? []));
  for (const { dict, children } of items) if (children.length) dict.set('Count', PdfNumber.of(-1));
  return items;
}
