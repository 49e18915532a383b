/** Keeps some pages of a PDF, in a new order, and removes all that belongs to the others, so that nothing in the file tells of them. */
import { PdfArray, PdfDict, PdfNull, type PdfObject, PdfRef } from '@libpdf/core';
import { readLabels, writeLabels } from '../edit/page-labels.ts';
import { targetPage } from '../objects/destinations.ts';
import { type ForeignPdf, listReachable } from '../objects/foreign-pdf.ts';
import { readOutline, withoutPages, writeOutline } from '../structure/outline.ts';
import { dropArticles } from './articles.ts';
import { dropDestinations } from './destination-names.ts';
import { dropUnusedLayers } from './layers.ts';
import { pruneForm } from './prune-form.ts';
import { pruneTags } from './prune-tags.ts';
import { findSharing, pruneResources } from './resources.ts';
import { dropDataOfWhole, type Lost } from './whole-data.ts';

/** `indexes` are those of the pages. Returns what the PDF has lost with the pages although it is not of one page. */
export function selectPages(pdf: ForeignPdf, indexes: readonly number[]): Lost[] {
  const before = pdf.pages();
  if (indexes.length === before.length && indexes.every((page, index) => page === index)) return [];
  const labels = readLabels(pdf);
  const kept = indexes.map((index) => (before[index] as (typeof before)[number]).ref);
  const isKept = new Set(kept.map(({ objectNumber }) => objectNumber));
  const gone = before.filter(({ ref }) => !isKept.has(ref.objectNumber));
  const others = before.filter(({ ref }) => isKept.has(ref.objectNumber));
  const lost = gone.length ? removePages(pdf, gone, others, kept) : [];
  if (!gone.length) pdf.setPages(kept);
  if (labels)
    writeLabels(
      pdf,
      indexes.map((index) => labels[index]),
    );
  return lost;
}

type Pages = ReturnType<ForeignPdf['pages']>;

function removePages(pdf: ForeignPdf, pages: Pages, others: Pages, kept: readonly PdfRef[]): Lost[] {
  const gone = new Set(pages.map(({ ref }) => ref.objectNumber));
  const sharing = findSharing(pdf, pages, others);
  const lost = dropDataOfWhole(pdf);
  writeOutline(pdf, withoutPages(pdf, readOutline(pdf), gone));
  const dead = others.flatMap(({ ref, page }) => dropLinksTo(pdf, ref, page, gone));
  dropActionOn(pdf, gone);
  dropDestinations(pdf, gone);
  dropArticles(pdf, gone);
  const removed = new Set([...gone, ...annotationsOf(pdf, pages, others), ...dead]);
  pruneForm(pdf, removed);
  const isRemovedTag = pruneTags(pdf, removed);
  pdf.setPages(kept);
  pruneResources(pdf, sharing);
  dropUnusedLayers(pdf);
  forget(pdf, (id) => removed.has(id) || isRemovedTag(id));
  return lost;
}

/** The object numbers of annotations that are on none of the others. */
function annotationsOf(pdf: ForeignPdf, pages: Pages, others: Pages): number[] {
  const numbersOf = (of: Pages) =>
    of.flatMap(({ page }) => pdf.list(page, 'Annots').flatMap((each) => (each instanceof PdfRef ? each.objectNumber : [])));
  const kept = new Set(numbersOf(others));
  return numbersOf(pages).filter((id) => !kept.has(id));
}

/** Whatever still refers to removed objects refers to nothing. Most are not reached any more, so that only these are changed. */
function forget(pdf: ForeignPdf, isRemoved: (id: number) => boolean): void {
  for (const { id } of [...listReachable(pdf, [pdf.root], isRemoved)])
    if (isRemoved(id)) pdf.change(PdfRef.of(id), PdfNull.instance);
}

/** Returns the object numbers of those links. */
function dropLinksTo(pdf: ForeignPdf, ref: PdfRef, page: PdfDict, gone: ReadonlySet<number>): number[] {
  const annotations = pdf.list(page, 'Annots');
  const isDead = (annotation: PdfObject) => {
    const target = targetPage(pdf, pdf.asDict(annotation) ?? new PdfDict());
    return target !== undefined && gone.has(target.objectNumber);
  };
  const dead = new Set(annotations.filter(isDead));
  if (!dead.size) return [];
  pdf.update(ref, { Annots: PdfArray.of(...annotations.filter((each) => !dead.has(each))) });
  return [...dead].flatMap((each) => (each instanceof PdfRef ? each.objectNumber : []));
}

/** A page that is gone cannot be opened first. */
function dropActionOn(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const action = pdf.catalog.get('OpenAction');
  const target = action && targetPage(pdf, PdfDict.of(pdf.asDict(action) ? { A: action } : { Dest: action }));
  if (target && gone.has(target.objectNumber)) pdf.catalog.delete('OpenAction');
}
