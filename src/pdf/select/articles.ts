/** Removes article beads on pages that are gone, and articles without others (ISO 32000-1, 12.4.3), whose titles would stay. */
import { PdfArray, type PdfDict, PdfNull, PdfRef } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';

/** Articles of others may be circles that do not end where they begin. */
const MAX_BEADS = 100_000;

/** `gone` are the object numbers of the pages. */
export function dropArticles(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const threads = pdf.list(pdf.catalog, 'Threads');
  if (!threads.length) return;
  const kept = threads.filter((thread) => thread instanceof PdfRef && keepBeads(pdf, thread, gone));
  const left = new Set(kept);
  for (const thread of threads) if (thread instanceof PdfRef && !left.has(thread)) pdf.change(thread, PdfNull.instance);
  if (kept.length) pdf.catalog.set('Threads', PdfArray.of(...kept));
  else pdf.catalog.delete('Threads');
}

/** Chains the beads that are left. Returns whether there are any. */
function keepBeads(pdf: ForeignPdf, thread: PdfRef, gone: ReadonlySet<number>): boolean {
  const beads = beadsOf(pdf, pdf.asDict(thread));
  const isGone = (bead: PdfRef) => {
    const page = pdf.asDict(bead)?.get('P');
    return page instanceof PdfRef && gone.has(page.objectNumber);
  };
  const kept = beads.filter((bead) => !isGone(bead));
  const left = new Set(kept);
  for (const bead of beads) if (!left.has(bead)) pdf.change(bead, PdfNull.instance);
  const [first] = kept;
  if (!first) return false;
  if (kept.length === beads.length) return true;
  for (const [index, bead] of kept.entries())
    pdf.update(bead, { N: kept[index + 1] ?? first, V: kept.at(index - 1) as PdfRef, ...(bead === first && { T: thread }) });
  pdf.update(thread, { F: first });
  return true;
}

function beadsOf(pdf: ForeignPdf, thread: PdfDict | undefined): PdfRef[] {
  const beads = new Map<number, PdfRef>();
  let bead = thread?.get('F');
  while (bead instanceof PdfRef && pdf.asDict(bead) && !beads.has(bead.objectNumber) && beads.size < MAX_BEADS) {
    beads.set(bead.objectNumber, bead);
    bead = pdf.asDict(bead)?.get('N');
  }
  return [...beads.values()];
}
