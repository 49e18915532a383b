/**
 * Repairs the tags of a PDF, and makes it conform to PDF/A and PDF/UA if that is claimed. It adds the entries that Chromium
 * leaves out, but never invents content that the document does not have. If the PDF cannot be made to conform, the result is a
 * list of violations.
 */
import { PdfBool, PdfDict, type PdfObject, type PdfRef, PdfString } from '@libpdf/core';
import type { ElementLocation, PrintedStructure } from '../../tag-structure.ts';
import { paintedContent } from '../content/painted-content.ts';
import type { FinishSettings } from '../finish-settings.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { pageView } from '../objects/page-view.ts';
import { textString } from '../objects/syntax.ts';
import { StructureTree } from '../structure/structure-tree.ts';
import { checkStructure } from './check-structure.ts';
import { describeLinks } from './describe-links.ts';
import { type ContentFindings, markArtifacts } from './mark-artifacts.ts';
import { nameBookmarks } from './name-bookmarks.ts';
import { addOutputIntent } from './output-intent.ts';
import { type Claims, claimsStructure, NO_CLAIMS } from './profiles.ts';
import { removeDeadLinks } from './remove-dead-links.ts';
import { repairForVersion2 } from './repair-for-version-2.ts';
import { repairStructure } from './repair-structure.ts';
import { type RepeatedContent, removeRepeated } from './repeated-content.ts';
import { addStructureDestinations } from './structure-destinations.ts';
import { type Violation, Violations } from './violations.ts';

/** Implementation limits of PDF/A (ISO 19005-2, 6.1.13). */
const MAX_DEPTH = 28;
const MAX_STRING = 32_767;
const MIN_SIDE = 3;

/** Results of earlier steps: the title, the appearance streams of annotations, and the places of form fields without a name. */
export interface EarlierResults {
  title: string;
  shown: PdfRef[];
  unnamed: ElementLocation[];
}

/**
 * Must run after every step that changes the content. Returns no violations if the PDF claims nothing. Throws if it claims
 * conformance but `structure` is missing.
 */
export function conform(
  editable: EditablePdf,
  { conformance: claims = NO_CLAIMS, structure, repairsTags: isAsked = false }: FinishSettings,
  added: EarlierResults,
): Violation[] {
  if (!structure && claims !== NO_CLAIMS) throw new Error('the document was not asked for its structure');
  const repairsTags = isAsked || claimsStructure(claims);
  if (!structure || !(repairsTags || claims.archive)) return [];
  const violations = new Violations(claims);
  if (claims.archive) addOutputIntent(editable);
  const tags = repairsTags ? repairTags(editable, structure) : undefined;
  checkContent(markArtifacts(editable, tags && { ...tags, text: structure.text }, added.shown), structure, violations);
  checkLimits(editable, violations);
  if (!added.title.trim()) violations.add('title_missing');
  setLanguage(editable, structure);
  if (tags) conformStructure(editable, tags, claims, structure, violations);
  for (const place of added.unnamed) violations.add('field_name_missing', place);
  return violations.found;
}

interface RepairedTags {
  tree: StructureTree;
  roles: Record<string, string>;
  repeated: RepeatedContent;
}

function repairTags(editable: EditablePdf, structure: PrintedStructure): RepairedTags {
  const tree = StructureTree.read(editable);
  editable.catalog.set('MarkInfo', PdfDict.of({ Marked: PdfBool.TRUE }));
  removeDeadLinks(editable, tree);
  nameBookmarks(editable, structure);
  const roles = repairStructure(tree, structure);
  const pages = editable.pdf.getPages().map(({ ref }) => ref);
  return { tree, roles, repeated: removeRepeated(tree, pages) };
}

function conformStructure(
  editable: EditablePdf,
  { tree, roles }: RepairedTags,
  claims: Claims,
  structure: PrintedStructure,
  violations: Violations,
): void {
  checkStructure(tree, structure, violations);
  describeLinks(editable, tree, structure);
  if (claims.accessible === 2) conformToPart2(editable, tree, violations);
  tree.write(roles);
}

/** Applies the requirements that PDF/UA-2 adds to PDF/UA-1. */
function conformToPart2(editable: EditablePdf, tree: StructureTree, violations: Violations): void {
  const painted = paintedContent(editable);
  const [misplaced] = repairForVersion2(tree, painted);
  const where = misplaced && `There is ${misplaced.type} in ${misplaced.parent?.type}.`;
  if (where && !violations.has('structure_invalid')) violations.add('structure_invalid', undefined, where);
  addStructureDestinations(editable, tree, painted);
}

function checkContent(findings: ContentFindings, { missingGlyphs }: PrintedStructure, violations: Violations): void {
  const { hasMissingGlyphs, hasUnmappedText, depth } = findings;
  const codes = [...missingGlyphs.join('')].map((character) => `U+${character.codePointAt(0)?.toString(16).toUpperCase()}`);
  const examples = codes.length ? `Such characters are ${codes.join(', ')}.` : undefined;
  if (hasMissingGlyphs || codes.length) violations.add('glyph_missing', undefined, examples);
  if (hasUnmappedText) violations.add('text_unmapped');
  if (depth > MAX_DEPTH) violations.add('nesting_too_deep');
}

function checkLimits(editable: EditablePdf, violations: Violations): void {
  for (const { page } of editable.pages()) {
    const { width, height } = pageView(editable, page);
    if (width < MIN_SIDE || height < MIN_SIDE) violations.add('page_size');
    const addresses = editable.annotations(page).map(({ annotation }) => editable.dict(annotation, 'A')?.get('URI'));
    if (addresses.some((address) => isTooLong(editable.resolve(address)))) violations.add('value_too_large');
  }
}

function isTooLong(address: PdfObject | undefined): boolean {
  return address instanceof PdfString && address.bytes.length > MAX_STRING;
}

/**
 * Sets the language of the document, or removes it if the document declares none, because Chromium then writes a default
 * language.
 */
function setLanguage(editable: EditablePdf, { language }: PrintedStructure): void {
  editable.catalog.delete('Lang');
  if (language) editable.catalog.set('Lang', textString(language.replaceAll('_', '-')));
}
