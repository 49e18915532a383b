/** Keeps some pages of a PDF, in a new order, and removes all that belongs to the others, so that nothing in the file tells of them. */
import { PdfArray, PdfDict, PdfNull, type PdfObject, PdfRef } from '@libpdf/core';
import { readLabels, writeLabels } from '../edit/page-labels.ts';
import { targetPage } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
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
  dropAnnotations(pdf, pages, others);
  for (const { ref, page } of others) dropLinksTo(pdf, ref, page, gone);
  dropActionOn(pdf, gone);
  dropDestinations(pdf, gone);
  dropArticles(pdf, gone);
  pruneForm(pdf, gone);
  pruneTags(pdf, gone);
  pdf.setPages(kept);
  pruneResources(pdf, sharing);
  dropUnusedLayers(pdf);
  return lost;
}

/** An annotation may be on several pages. */
function dropAnnotations(pdf: ForeignPdf, pages: Pages, others: Pages): void {
  const kept = new Set(others.flatMap(({ page }) => pdf.annotations(page).map(({ ref }) => ref.objectNumber)));
  for (const { page } of pages)
    for (const { ref } of pdf.annotations(page)) if (!kept.has(ref.objectNumber)) pdf.change(ref, PdfNull.instance);
}

function dropLinksTo(pdf: ForeignPdf, ref: PdfRef, page: PdfDict, gone: ReadonlySet<number>): void {
  const annotations = pdf.list(page, 'Annots');
  const isDead = (annotation: PdfObject) => {
    const target = targetPage(pdf, pdf.asDict(annotation) ?? new PdfDict());
    return target !== undefined && gone.has(target.objectNumber);
  };
  const dead = annotations.filter(isDead);
  if (!dead.length) return;
  pdf.update(ref, { Annots: PdfArray.of(...annotations.filter((each) => !dead.includes(each))) });
  for (const each of dead) if (each instanceof PdfRef) pdf.change(each, PdfNull.instance);
}

/** A page that is gone cannot be opened first. */
function dropActionOn(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const action = pdf.catalog.get('OpenAction');
  const target = action && targetPage(pdf, PdfDict.of(pdf.asDict(action) ? { A: action } : { Dest: action }));
  if (target && gone.has(target.objectNumber)) pdf.catalog.delete('OpenAction');
}
