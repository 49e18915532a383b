/**
 * Makes a PDF of any program conform to PDF/A and PDF/UA as far as that invents nothing: metadata, an output intent, identifiers and
 * flags. Whether it conforms then is for the validator to say.
 */
import { randomBytes } from 'node:crypto';
import { PdfNumber } from '@libpdf/core';
import { addOutputIntent } from '../conformance/output-intent.ts';
import { type Claims, isVersion2 } from '../conformance/profiles.ts';
import { showTitle, writeInformation } from '../edit/metadata.ts';
import { type DocumentFacts, xmpStream } from '../edit/xmp.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { completeFonts } from './complete-fonts.ts';

const ID_BYTES = 16;
/** The flags of annotations that are hidden, and the flag that they are printed. */
const [HIDDEN, PRINTED] = [1 | 2 | 32 | 256, 4];

/** `facts` are those of the information dictionary. Entries that no schema defines are only there. */
export function makeConformant(pdf: ForeignPdf, claims: Claims, facts: DocumentFacts): void {
  const { archive, accessible } = claims;
  if (isVersion2(claims)) pdf.beginVersion2();
  else {
    pdf.version = archive?.part === 1 ? '1.4' : '1.7';
    writeInformation(pdf, facts);
  }
  pdf.catalog.set('Metadata', pdf.add(xmpStream({ ...facts, custom: [] }, claims)));
  pdf.catalog.delete('Version');
  pdf.id ??= randomBytes(ID_BYTES);
  if (accessible && facts.title) showTitle(pdf);
  if (!archive) return;
  const intents = pdf.list(pdf.catalog, 'OutputIntents').map((each) => pdf.asDict(each));
  if (!intents.some((intent) => pdf.name(intent, 'S') === 'GTS_PDFA1')) addOutputIntent(pdf);
  printAnnotations(pdf);
  completeFonts(pdf, archive.part);
  dropTransfers(pdf);
}

/** Annotations that can be seen are printed as well. */
function printAnnotations(pdf: ForeignPdf): void {
  for (const { page } of pdf.pages())
    for (const { ref, annotation } of pdf.annotations(page)) {
      const flags = pdf.number(annotation, 'F') ?? 0;
      const isPopup = pdf.name(annotation, 'Subtype') === 'Popup';
      if (!isPopup && !(flags & (HIDDEN | PRINTED))) pdf.update(ref, { F: PdfNumber.of(flags | PRINTED) });
    }
}

/** Removes transfer functions that change nothing (ISO 19005-2, 6.2.5). */
function dropTransfers(pdf: ForeignPdf): void {
  for (const { ref, dict } of pdf.dictionaries()) {
    if (pdf.name(dict, 'TR') !== 'Identity') continue;
    dict.delete('TR');
    pdf.change(ref, dict);
  }
}
