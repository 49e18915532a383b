/** Repairs the tags that Chromium writes, without adding anything that the document does not say. */
import { PdfArray, PdfDict, type PdfObject, PdfString } from '@libpdf/core';
import type { PrintedStructure } from '../../tag-structure.ts';
import { textString } from '../objects/syntax.ts';
import { STANDARD_TYPES } from '../structure/standard-types.ts';
import { findRuns, isAnnotation, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import { repairTables } from './repair-tables.ts';

/**
 * Structure types of PDF 2.0 that Chromium writes, and their equivalents in ISO 32000-1. Chromium has one type for each role
 * (`RecursiveBuildStructureTree`: https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
 */
const ROLES: Record<string, string> = { Strong: 'Span', Em: 'Span' };
const OF_ANNOTATIONS = new Set(['Link', 'Form', 'Annot']);
const ROW_GROUPS = new Set(['THead', 'TBody', 'TFoot']);

type Kids = StructureElement['kids'];

/** Returns the role map for types that are not standard. */
export function repairStructure(tree: StructureTree, structure: PrintedStructure): Record<string, string> {
  const roles: Record<string, string> = {};
  const elements = tree.elements();
  repairRootLanguage(tree.document, structure);
  const ids = new Set(elements.map((element) => element.text('ID')).filter(Boolean));
  const complete = new Set<PdfObject>();
  for (const element of elements) {
    if (!STANDARD_TYPES.has(element.type)) roles[element.type] = ROLES[element.type] ?? 'Div';
    repairLanguage(element);
    if (element.type === 'TD' || element.type === 'TH') keepKnownHeaders(element, ids, complete);
  }
  for (const element of elements) tagLinks(tree, element);
  for (const element of elements) repairTableParts(element);
  for (const element of elements) repairLists(tree, element);
  repairTables(tree, elements, structure);
  return roles;
}

/** Chromium writes a default language where the document declares none, and leaves out that of the body. */
function repairRootLanguage(root: StructureElement, { language, bodyLanguage }: PrintedStructure): void {
  const stated = bodyLanguage || language;
  if (!stated) root.delete('Lang');
  else if (root.text('Lang') !== stated) root.set('Lang', textString(stated));
}

/** Replaces underscores in language tags: Chromium writes some as `en_US`, but BCP 47 has hyphens. */
function repairLanguage(element: StructureElement): void {
  const language = element.text('Lang');
  if (language.includes('_')) element.set('Lang', textString(language.replaceAll('_', '-')));
}

/**
 * Removes references to header cells that have no tag, because they are on no page. `complete` are the attributes of other cells
 * from which none was removed.
 */
function keepKnownHeaders(cell: StructureElement, ids: Set<string>, complete: Set<PdfObject>): void {
  const attributes = cell.get('A');
  if (!(attributes instanceof PdfArray) || complete.has(attributes)) return;
  const isKnown = (id: PdfObject) => id instanceof PdfString && ids.has(id.asString());
  const kept = attributes.toArray().map((attribute) => {
    const headers = attribute instanceof PdfDict ? attribute.get('Headers') : undefined;
    if (!(attribute instanceof PdfDict) || !(headers instanceof PdfArray) || headers.toArray().every(isKnown)) return attribute;
    const copy = attribute.clone();
    copy.set('Headers', PdfArray.of(...headers.toArray().filter(isKnown)));
    return copy;
  });
  if (kept.every((attribute, index) => attribute === attributes.at(index))) complete.add(attributes);
  else cell.set('A', PdfArray.of(...kept));
}

/** Adds a Link tag to links with another ARIA role, which Chromium tags only by that role. A Form element may have none. */
function tagLinks(tree: StructureTree, element: StructureElement): void {
  if (element.type === 'Form' && tree.hasLink(element)) {
    element.type = 'Link';
    element.delete('A');
  }
  if (!element.leaves.some(isAnnotation) || OF_ANNOTATIONS.has(element.type)) return;
  if (element.type === 'NonStruct') element.type = 'Link';
  else element.replaceKids([tree.enclose(element, 'Link', element.kids)]);
}

/** Turns rows and cells outside a table into Div elements. */
function repairTableParts(element: StructureElement): void {
  const parent = element.parent?.type ?? '';
  const isRow = element.type === 'TR';
  const isCell = element.type === 'TD' || element.type === 'TH';
  if ((isRow && parent !== 'Table' && !ROW_GROUPS.has(parent)) || (isCell && parent !== 'TR')) {
    element.type = 'Div';
    element.delete('A');
  }
}

function repairLists(tree: StructureTree, element: StructureElement): void {
  if (element.type === 'LI') wrapBody(tree, element);
  const isOfList = ({ type }: StructureElement) => /^(?:L|LI|Caption)$/.test(type);
  const toItem = (run: Kids) => tree.create('LI', [tree.create('LBody', run)]);
  if (element.type === 'L') wrapRuns(element, (kid) => !isOfList(kid), toItem);
  else
    wrapRuns(
      element,
      ({ type }) => type === 'LI',
      (run) => tree.create('L', run),
    );
}

/**
 * Puts the elements of a list item, except its label, into an LBody. Marked content directly in the item stays there, because it
 * is its background.
 */
function wrapBody(tree: StructureTree, item: StructureElement): void {
  const isBody = (kid: Kids[number]) => kid instanceof StructureElement && !/^(?:Lbl|LBody)$/.test(kid.type);
  const body = item.kids.filter(isBody);
  if (!body.length) return;
  const wrapped = tree.create('LBody', body);
  repairLists(tree, wrapped);
  item.replaceKids([...item.kids.filter((kid) => !isBody(kid)), wrapped]);
}

/** Wraps each run of successive elements for which `belongs` returns true in a new element. */
function wrapRuns(
  parent: StructureElement,
  belongs: (kid: StructureElement) => boolean,
  wrap: (run: Kids) => StructureElement,
): void {
  const isPart = (kid: Kids[number] | undefined) => kid instanceof StructureElement && belongs(kid);
  if (!parent.kids.some(isPart)) return;
  parent.replaceKids(findRuns(parent.kids, isPart).flatMap((run) => (isPart(run[0]) ? [wrap(run)] : run)));
}
