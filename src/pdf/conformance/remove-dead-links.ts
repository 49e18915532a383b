/**
 * Removes link annotations that lead nowhere: Chromium writes them for targets on pages that were left out, and for links in shadow
 * trees to elements outside. What remains is the text of the link, which is no link.
 */
import { PdfArray, type PdfDict, type PdfObject, type PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { annotationOf, type Leaf, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

export function removeDeadLinks(editable: EditablePdf, tree: StructureTree): void {
  const dead = new Set<number | undefined>(editable.pages().flatMap(({ ref, page }) => removeFrom(editable, ref, page)));
  for (const element of tree.elements()) {
    const isAlive = (kid: Leaf | StructureElement) =>
      kid instanceof StructureElement || !dead.has(annotationOf(kid)?.objectNumber);
    if (dead.size && !element.kids.every(isAlive)) element.replaceKids(element.kids.filter(isAlive));
    if (element.type === 'Link' && !hasAnnotation(tree, element)) element.type = 'Span';
  }
}

/** Returns the object numbers of the annotations that are removed from the page. */
function removeFrom(editable: EditablePdf, ref: PdfRef, page: PdfDict): number[] {
  const links = editable.annotations(page).filter(({ annotation }) => leadsNowhere(editable, annotation));
  const dead: PdfObject[] = links.map((link) => link.ref);
  if (!dead.length) return [];
  editable.update(ref, { Annots: PdfArray.of(...editable.list(page, 'Annots').filter((each) => !dead.includes(each))) });
  for (const link of links) editable.drop(link.ref);
  return links.map((link) => link.ref.objectNumber);
}

function leadsNowhere(editable: EditablePdf, annotation: PdfDict): boolean {
  const target = editable.label(annotation.get('Dest'));
  return target !== undefined && !editable.dict(editable.catalog, 'Dests')?.has(target);
}

function hasAnnotation(tree: StructureTree, link: StructureElement): boolean {
  return tree.elements(link).some(({ leaves }) => leaves.some(annotationOf));
}
