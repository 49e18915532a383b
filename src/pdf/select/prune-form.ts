/** Removes form fields whose widgets are gone: an open PDF in, its form without them out. */
import { PdfArray, type PdfObject, PdfRef } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { isRepeated, MAX_DEPTH } from './repeated.ts';

/** `gone` are the object numbers of pages and annotations. A field that never had a widget stays unless it names such a page. */
export function pruneForm(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const form = pdf.dict(pdf.catalog, 'AcroForm');
  if (!form) return;
  const seen = new Set<number>();
  const isGone = (value: PdfObject | undefined) => value instanceof PdfRef && gone.has(value.objectNumber);
  const keepField = (ref: PdfObject, depth: number): boolean => {
    const field = pdf.asDict(ref);
    if (isRepeated(seen, ref)) return false;
    const kids = pdf.list(field, 'Kids');
    if (!field || isGone(ref) || isGone(field.get('P'))) return false;
    if (!kids.length || depth > MAX_DEPTH) return true;
    const left = kids.filter((kid) => keepField(kid, depth + 1));
    if (left.length < kids.length && ref instanceof PdfRef) pdf.update(ref, { Kids: PdfArray.of(...left) });
    return left.length > 0;
  };
  const fields = pdf.list(form, 'Fields').filter((ref) => keepField(ref, 0));
  const pruned = form.clone();
  pruned.set('Fields', PdfArray.of(...fields));
  if (form.has('CO')) pruned.set('CO', PdfArray.of(...pdf.list(form, 'CO').filter((ref) => pdf.asDict(ref) && !isGone(ref))));
  if (fields.length) pdf.catalog.set('AcroForm', pruned);
  else pdf.catalog.delete('AcroForm');
}
