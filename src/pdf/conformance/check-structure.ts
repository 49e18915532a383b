/**
 * Finds faults in the tags of a PDF that cannot be repaired, and reports them with the elements of the document that cause them.
 */
import { PdfArray, PdfDict, PdfName, PdfString } from '@libpdf/core';
import type { ElementLocation, NamedElement, PrintedStructure } from '../../tag-structure.ts';
import { textString } from '../objects/syntax.ts';
import { LANGUAGE_TAG, PERMITTED_KIDS } from '../structure/standard-types.ts';
import type { StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';
import { matchInOrder, matchUnique } from './match-by-key.ts';
import { findRows, matchTables } from './repair-tables.ts';
import type { Violations } from './violations.ts';

export function checkStructure(tree: StructureTree, structure: PrintedStructure, violations: Violations): void {
  const elements = tree.elements();
  const ofType = (...types: string[]) => elements.filter(({ type }) => types.includes(type));
  checkLanguages(elements, structure, violations);
  checkFigures(ofType('Figure'), structure, violations);
  checkHeadings(ofType('H', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6'), structure, violations);
  checkTables(ofType('Table'), structure, violations);
  nameFields(ofType('Form'), structure, violations);
  checkNesting(elements, violations);
  for (const place of structure.embedded) violations.add('embedded_content', place);
  for (const place of structure.rasterized) violations.add('content_rasterized', place);
}

function checkLanguages(
  elements: StructureElement[],
  { language, invalidLanguages }: PrintedStructure,
  violations: Violations,
): void {
  if (!language) violations.add('language_missing');
  else if (!LANGUAGE_TAG.test(language.replaceAll('_', '-')))
    violations.add('language_invalid', { selector: 'html', snippet: `<html lang="${language.slice(0, 40)}">` });
  for (const place of invalidLanguages) violations.add('language_invalid', place);
  if (violations.has('language_invalid')) return;
  const strange = elements.find((element) => element.text('Lang') && !LANGUAGE_TAG.test(element.text('Lang')));
  if (strange) violations.add('language_invalid', undefined, `It is ${JSON.stringify(strange.text('Lang').slice(0, 40))}.`);
}

/**
 * Chromium writes no tag for an image that is on no page, so each tag belongs to the next image with its name. Chromium uses the
 * same tag for images and for `figure` elements (`RecursiveBuildStructureTree`:
 * https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc). The latter are groups, whose children
 * have tags of their own.
 */
function checkFigures(figures: StructureElement[], { images, isWhole }: PrintedStructure, violations: Violations): void {
  const tagged = matchFigures(figures, images, isWhole ? matchInOrder : matchUnique);
  for (const [figure, image] of tagged) {
    if (alternateText(figure)) continue;
    if (image?.kind === 'group' || (!image && !figure.hasContent)) figure.type = 'Div';
    else violations.add('alternate_text_missing', image);
  }
  const known = new Set([...tagged.values()]);
  const unknown = ofKinds(images, 'picture', 'role').filter((image) => isWhole && !known.has(image));
  for (const image of [...ofKinds(images, 'wrapper'), ...unknown]) checkUntagged(image, violations);
}

/**
 * Reports an image without a tag if it has no name, or is a wrapper, of which Chromium tags nothing. Other named images need no tag
 * here, because they are not painted on any page.
 */
function checkUntagged(image: DocumentImage, violations: Violations): void {
  if (!image.name) violations.add('alternate_text_missing', image);
  else if (image.kind === 'wrapper') violations.add('image_untagged', image);
}

function matchFigures(
  figures: StructureElement[],
  images: DocumentImage[],
  match: typeof matchInOrder,
): Map<StructureElement, DocumentImage | undefined> {
  const name = (image: NamedElement) => image.name;
  const nextPicture = match(ofKinds(images, 'picture', 'role'), name);
  const nextWithParts = match(ofKinds(images, 'group', 'role'), name);
  const found = new Map<StructureElement, DocumentImage | undefined>();
  for (const figure of figures) {
    if (isPartOfPicture(figure, found)) figure.type = 'NonStruct';
    else found.set(figure, (figure.hasElements ? nextWithParts : nextPicture)(alternateText(figure)));
  }
  return found;
}

/** Whether an element with the role `img`, whose children are presentational (WAI-ARIA 1.2), contains a figure. */
function isPartOfPicture(figure: StructureElement, found: Map<StructureElement, DocumentImage | undefined>): boolean {
  let around = figure.parent;
  while (around && found.get(around)?.kind !== 'role') around = around.parent;
  return around !== undefined;
}

function alternateText(figure: StructureElement): string {
  return figure.text('Alt').replace(/\s+/g, ' ').trim();
}

type DocumentImage = PrintedStructure['images'][number];

function ofKinds(images: DocumentImage[], ...kinds: Array<DocumentImage['kind']>): DocumentImage[] {
  return images.filter(({ kind }) => kinds.includes(kind));
}

function checkNesting(elements: StructureElement[], violations: Violations): void {
  const isMisplaced = ({ type, parent }: StructureElement) => parent && PERMITTED_KIDS.get(parent.type)?.has(type) === false;
  const misplaced = elements.find(isMisplaced);
  const where = misplaced && `There is ${misplaced.type} in ${misplaced.parent?.type}.`;
  if (misplaced) violations.add('structure_invalid', undefined, where);
}

const TOO_DEEP = 7;

function checkHeadings(
  headings: StructureElement[],
  { headings: printed, isWhole }: PrintedStructure,
  violations: Violations,
): void {
  for (const heading of printed.filter(({ name }) => !name)) violations.add('heading_empty', heading);
  const nextOf = (isWhole ? matchInOrder : matchUnique)(
    printed.filter(({ name }) => name),
    ({ level }) => String(Math.min(level, TOO_DEEP)),
  );
  let previous = 0;
  for (const heading of headings) {
    // Chromium writes a plain H for headings below level 6 (`GetHeadingStructureType`:
    // https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
    const level = Number(heading.type.slice(1)) || TOO_DEEP;
    const place = nextOf(String(level));
    const before = previous ? `level ${previous}` : 'no other';
    if (level === TOO_DEEP) violations.add('heading_too_deep', place);
    else if (level > previous + 1) violations.add('heading_skipped', place, `Level ${level} follows ${before}.`);
    previous = Math.min(level, TOO_DEEP - 1);
  }
}

function checkTables(tables: StructureElement[], structure: PrintedStructure, violations: Violations): void {
  const structureOf = matchTables(structure);
  for (const table of tables) {
    const place: ElementLocation | undefined = structureOf(table);
    if (!isRegular(findRows(table))) violations.add('table_irregular', place);
  }
}

/** Whether every slot of the table grid is covered by exactly one cell, and no cell extends beyond the grid. */
function isRegular(rows: StructureElement[]): boolean {
  /** For each column, the index of the first row below its last cell. */
  const filledTo: number[] = [];
  const columns = new Set(rows.map((row, y) => (placeCells(row, y, rows.length, filledTo) ? filledTo.length : -1)));
  const isFilled = filledTo.every((to) => to === rows.length);
  return rows.length === 0 || (columns.size === 1 && !columns.has(-1) && isFilled);
}

/** Places the cells of a row in the grid. Returns whether they fill all free slots of the row without an overlap. */
function placeCells(row: StructureElement, y: number, height: number, filledTo: number[]): boolean {
  const isFree = (x: number) => (filledTo[x] ?? 0) <= y;
  let x = 0;
  for (const cell of row.elements) {
    while (!isFree(x)) x++;
    const below = y + Math.max(1, cell.span('RowSpan'));
    if (below > height) return false;
    for (const end = x + Math.max(1, cell.span('ColSpan')); x < end; x++) {
      if (!isFree(x)) return false;
      filledTo[x] = below;
    }
  }
  return filledTo.every((_, column) => !isFree(column));
}

/**
 * Adds the names of form fields, because Chromium writes them only for some fields. Tags match the document's fields only if the PDF
 * has all of them; otherwise a name is used only if all fields have the same one.
 */
function nameFields(forms: StructureElement[], { fields }: PrintedStructure, violations: Violations): void {
  for (const [role, tags] of Map.groupBy(forms, readRole)) {
    if (!role) continue;
    const ofRole = fields.filter((field) => field.role === role);
    const left = without(ofRole, tags.map(readDescription));
    const unnamed = tags.filter((tag) => readDescription(tag) === undefined);
    const isInOrder = left.length === unnamed.length;
    const same = new Set(left.map(({ name }) => name)).size === 1 ? left[0] : undefined;
    for (const [index, tag] of unnamed.entries()) nameField(tag, isInOrder ? left[index] : same, violations);
  }
}

/** Leaves one field out for each of the names. */
function without(fields: NamedElement[], names: Array<string | undefined>): NamedElement[] {
  const left = [...fields];
  for (const name of names) {
    const at = left.findIndex((field) => field.name === name);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

function readRole(element: StructureElement): string {
  const role = element.attribute('Role');
  return role instanceof PdfName ? role.value : '';
}

/** Fields of a form may have an empty one. */
function readDescription(element: StructureElement): string | undefined {
  const text = element.attribute('Desc');
  return text instanceof PdfString ? text.asString() : undefined;
}

function nameField(tag: StructureElement, field: NamedElement | undefined, violations: Violations): void {
  if (!field?.name)
    violations.add('field_name_missing', field, field ? undefined : 'Which field of the document it is cannot be told.');
  else tag.set('A', PdfArray.of(...tag.attributes, PdfDict.of({ O: PdfName.of('PrintField'), Desc: textString(field.name) })));
}
