/** Keeps some pages of a PDF, in a new order, and removes what belongs to the others: links, bookmarks, form fields, tags, labels. */
import { PdfArray, PdfDict, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { readLabels, writeLabels } from '../edit/page-labels.ts';
import { targetPage } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { readOutline, withoutPages, writeOutline } from '../structure/outline.ts';

/** Structure trees of others may be as deep as they like. */
const MAX_DEPTH = 500;

export function selectPages(pdf: ForeignPdf, indexes: readonly number[]): void {
  const before = pdf.pages();
  if (indexes.length === before.length && indexes.every((page, index) => page === index)) return;
  const labels = readLabels(pdf);
  const kept = indexes.map((index) => (before[index] as (typeof before)[number]).ref);
  const isKept = new Set(kept.map(({ objectNumber }) => objectNumber));
  const gone = new Set(before.flatMap(({ ref }) => (isKept.has(ref.objectNumber) ? [] : ref.objectNumber)));
  writeOutline(pdf, withoutPages(pdf, readOutline(pdf), gone));
  const dropped = before.filter(({ ref }) => gone.has(ref.objectNumber));
  for (const { page } of dropped) for (const { ref } of pdf.annotations(page)) pdf.change(ref, PdfNull.instance);
  for (const { ref, page } of before) if (!gone.has(ref.objectNumber)) dropLinksTo(pdf, ref, page, gone);
  dropActionOn(pdf, gone);
  pruneForm(pdf);
  pruneTags(pdf, gone);
  pdf.setPages(kept);
  if (labels)
    writeLabels(
      pdf,
      indexes.map((index) => labels[index]),
    );
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

/** Removes the widgets that are gone, and fields that have no others. */
export function pruneForm(pdf: ForeignPdf): void {
  const form = pdf.dict(pdf.catalog, 'AcroForm');
  if (!form) return;
  const seen = new Set<number>();
  const keepField = (ref: PdfObject, depth: number): boolean => {
    const field = pdf.asDict(ref);
    if (isRepeated(seen, ref)) return false;
    const kids = pdf.list(field, 'Kids');
    if (!field || !kids.length || depth > MAX_DEPTH) return field !== undefined;
    const left = kids.filter((kid) => keepField(kid, depth + 1));
    if (left.length < kids.length && ref instanceof PdfRef) pdf.update(ref, { Kids: PdfArray.of(...left) });
    return left.length > 0;
  };
  const fields = pdf.list(form, 'Fields').filter((ref) => keepField(ref, 0));
  const pruned = form.clone();
  pruned.set('Fields', PdfArray.of(...fields));
  if (fields.length) pdf.catalog.set('AcroForm', pruned);
  else pdf.catalog.delete('AcroForm');
}

/** Whether a field or an element has been met before. Those of others may contain each other, which would take forever. */
export function isRepeated(seen: Set<number>, ref: PdfObject): boolean {
  if (!(ref instanceof PdfRef)) return false;
  const isKnown = seen.has(ref.objectNumber);
  seen.add(ref.objectNumber);
  return isKnown;
}

/** Removes the elements all of whose content is gone. */
export function pruneTags(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const ref = pdf.catalog.get('StructTreeRoot');
  const root = pdf.asDict(ref);
  if (!root) return;
  const isGone = (page: PdfObject | undefined) => page instanceof PdfRef && gone.has(page.objectNumber);
  const seen = new Set<number>();
  const isKept = (kid: PdfObject, page: PdfObject | undefined, depth: number): boolean => {
    const found = pdf.resolve(kid);
    if (found instanceof PdfNumber) return !isGone(page);
    if (!(found instanceof PdfDict) || depth > MAX_DEPTH) return false;
    if (found.has('S')) return !isRepeated(seen, kid) && keepElement(kid, found, depth);
    const annotation = found.get('Obj');
    return !isGone(found.get('Pg') ?? page) && (!annotation || pdf.asDict(annotation) !== undefined);
  };
  const keepElement = (at: PdfObject, element: PdfDict, depth: number): boolean => {
    const [page, kids] = [element.get('Pg'), pdf.listOrOne(element, 'K')];
    const left = kids.filter((kid) => isKept(kid, page, depth + 1));
    const isEmptied = kids.length > 0 && !left.length;
    if (!(at instanceof PdfRef)) return !isEmptied;
    if (isEmptied) pdf.change(at, PdfNull.instance);
    else if (left.length < kids.length || isGone(page)) {
      const copy = element.clone();
      copy.set('K', PdfArray.of(...left));
      if (isGone(page)) copy.delete('Pg');
      pdf.change(at, copy);
    }
    return !isEmptied;
  };
  const copy = root.clone();
  copy.set('K', PdfArray.of(...pdf.listOrOne(root, 'K').filter((kid) => isKept(kid, undefined, 0))));
  const ids = [...treeEntries(pdf, root.get('IDTree'), 'Names')].filter(([, element]) => pdf.asDict(element));
  if (root.has('IDTree')) copy.set('IDTree', PdfDict.of({ Names: PdfArray.of(...ids.flat()) }));
  if (ref instanceof PdfRef) pdf.change(ref, copy);
}
