/**
 * Finds the headers and footers of tables that Chromium repeats on each page. Their tags keep the content of one page; the rest
 * becomes artifacts, so that it is not read out again on each page.
 */
import type { PdfRef } from '@libpdf/core';
import { isAnnotation, type Leaf, type StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

/** MCIDs by the object number of the page or form XObject that contains the content. */
export type RepeatedContent = ReadonlyMap<number, ReadonlySet<number>>;

/** The index of the page of some content. */
type PageOf = (leaf: Leaf, parent: StructureElement) => number | undefined;

/** Removes repeated content from the tags. `pages` are all pages in their order. */
export function removeRepeated(tree: StructureTree, pages: readonly PdfRef[]): RepeatedContent {
  const repeated = new Map<number, Set<number>>();
  if (pages.length < 2) return repeated;
  const order = new Map<number | undefined, number>(pages.map(({ objectNumber }, index) => [objectNumber, index]));
  const pageNumber: PageOf = (leaf, parent) => order.get(tree.leafPlace(leaf, parent).page?.objectNumber);
  for (const table of tree.elements()) {
    if (table.type !== 'Table') continue;
    for (const [group, isRepeatedOn] of findRepeatedGroups(tree, table, pageNumber))
      for (const element of tree.elements(group))
        removeFrom(tree, element, (leaf) => isRepeatedOn(pageNumber(leaf, element)), repeated);
  }
  return repeated;
}

/**
 * The header and the footer of a table with a body of several pages. A header is repeated on a page after the first one of the
 * body, and a footer on a page before the last one.
 */
function findRepeatedGroups(
  tree: StructureTree,
  { elements: groups }: StructureElement,
  pageOf: PageOf,
): Array<[group: StructureElement, isRepeatedOn: (page: number | undefined) => boolean]> {
  const rows = groups.filter(({ type }) => type === 'TBody').flatMap((body) => body.elements);
  const listPages = (row: StructureElement) =>
    tree.elements(row).flatMap((element) => findLeaves(element).flatMap((leaf) => pageOf(leaf, element) ?? []));
  const ends = [rows.at(0), rows.at(-1)].map((row) => (row ? listPages(row).sort((one, other) => one - other) : []));
  const [first, last] = [ends[0]?.at(0), ends[1]?.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  const isRepeatedOn = { THead: (page = first) => page > first, TFoot: (page = last) => page < last };
  return groups.flatMap((group) => (group.type === 'THead' || group.type === 'TFoot' ? [[group, isRepeatedOn[group.type]]] : []));
}

function findLeaves(element: StructureElement): Leaf[] {
  return element.leaves.filter((leaf) => !isAnnotation(leaf));
}

/** Removes repeated content from an element, of which something must remain. */
function removeFrom(
  tree: StructureTree,
  element: StructureElement,
  isRepeated: (leaf: Leaf) => boolean,
  repeated: Map<number, Set<number>>,
): void {
  const content = findLeaves(element);
  const spare = new Set<unknown>(content.filter(isRepeated));
  if (!spare.size || spare.size === content.length) return;
  for (const leaf of content.filter((each) => spare.has(each))) {
    const { holder, mcid } = tree.leafPlace(leaf, element);
    if (!holder) continue;
    tree.release(holder, mcid);
    repeated.set(holder.objectNumber, (repeated.get(holder.objectNumber) ?? new Set()).add(mcid));
  }
  element.replaceKids(element.kids.filter((kid) => !spare.has(kid)));
}
