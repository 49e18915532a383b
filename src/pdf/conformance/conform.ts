/**
 * Makes a tagged PDF conform to PDF/A and PDF/UA: what Chromium leaves out is added, and what the document does not say is never
 * invented. A PDF that cannot be made to conform comes out as the list of its violations.
 */
import { PdfArray, PdfBool, PdfDict, PdfRef, PdfString } from '@libpdf/core';
import type { Conformance } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { viewOf } from '../objects/page-view.ts';
import { textString } from '../objects/syntax.ts';
import { checkStructure } from './check-structure.ts';
import { describeLinks } from './describe-links.ts';
import { markArtifacts } from './mark-artifacts.ts';
import { mendStructure } from './mend-structure.ts';
import { addOutputIntent } from './output-intent.ts';
import { type Claims, claimsStructure } from './profiles.ts';
import type { StatedStructure } from './stated-structure.ts';
import { StructureTree } from './structure-tree.ts';
import { type Violation, Violations } from './violations.ts';

/** Of PDF/A (ISO 19005-2, 6.1.13). */
const MAX_DEPTH = 28;
const MAX_STRING = 32_767;
const MIN_SIDE = 3;

/** After everything that changes the content, and with the title in the information dictionary. Does nothing when nothing is claimed. */
export function conform(draft: EditablePdf, conformance: Conformance | undefined): Violation[] {
  if (!conformance) return [];
  const { claims, stated } = conformance;
  const violations = new Violations(claims);
  if (claims.archive) addOutputIntent(draft);
  checkContent(draft, claims, stated, violations);
  checkLimits(draft, violations);
  checkTitle(draft, violations);
  stateLanguage(draft, stated);
  if (claimsStructure(claims)) conformStructure(draft, stated, violations);
  return violations.found;
}

function conformStructure(draft: EditablePdf, stated: StatedStructure, violations: Violations): void {
  const tree = StructureTree.read(draft);
  draft.catalog.set('MarkInfo', PdfDict.of({ Marked: PdfBool.TRUE }));
  const roles = mendStructure(tree, stated);
  checkStructure(tree, stated, violations);
  describeLinks(draft, tree, stated);
  tree.write(roles);
}

function checkContent(draft: EditablePdf, claims: Claims, { missingGlyphs }: StatedStructure, violations: Violations): void {
  const { hasMissingGlyphs, hasUnmappedText, depth } = markArtifacts(draft, claimsStructure(claims));
  const characters = missingGlyphs.length ? `They are ${missingGlyphs.join(', ')}.` : undefined;
  if (hasMissingGlyphs || missingGlyphs.length) violations.add('glyph_missing', undefined, characters);
  if (hasUnmappedText) violations.add('text_unmapped');
  if (depth > MAX_DEPTH) violations.add('nesting_too_deep');
}

function checkLimits(draft: EditablePdf, violations: Violations): void {
  const pages = draft.pdf.getPages().map(({ ref }) => draft.resolve(ref));
  for (const page of pages.filter((value) => value instanceof PdfDict)) {
    const { width, height } = viewOf(draft, page);
    if (width < MIN_SIDE || height < MIN_SIDE) violations.add('page_size');
    const annotations = draft.resolve(page.get('Annots'));
    const entries = annotations instanceof PdfArray ? annotations.toArray() : [];
    if (entries.some((entry) => isTooLong(draft, entry))) violations.add('value_too_large');
  }
}

function isTooLong(draft: EditablePdf, entry: unknown): boolean {
  const annotation = entry instanceof PdfRef ? draft.resolve(entry) : undefined;
  const action = annotation instanceof PdfDict ? draft.resolve(annotation.get('A')) : undefined;
  const address = action instanceof PdfDict ? draft.resolve(action.get('URI')) : undefined;
  return address instanceof PdfString && address.bytes.length > MAX_STRING;
}

function checkTitle(draft: EditablePdf, violations: Violations): void {
  const info = draft.resolve(draft.info);
  const title = info instanceof PdfDict ? info.get('Title') : undefined;
  if (!(title instanceof PdfString) || !title.asString().trim()) violations.add('title_missing');
}

/** Chromium writes a language of its own where the document says none. */
function stateLanguage(draft: EditablePdf, { language }: StatedStructure): void {
  draft.catalog.delete('Lang');
  if (language) draft.catalog.set('Lang', textString(language.replaceAll('_', '-')));
}
