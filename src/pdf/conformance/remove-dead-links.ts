/**
 * Removes link annotations that lead nowhere: Chromium writes them for targets on pages that were left out, and for links in shadow
 * trees to elements outside. What remains is the text of the link, which is no link.
 */
import { PdfArray, PdfDict, PdfName, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { isAnnotation, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

export function removeDeadLinks(editable: EditablePdf, tree: StructureTree): void {
  const dead = new Set<number | undefined>(editable.pdf.getPages().flatMap(({ ref }) => removeFrom(editable, ref)));
  for (const element of tree.elements()) {
    const isAlive = (kid: PdfObject | StructureElement) => !dead.has(annotationNumber(kid));
    if (dead.size && !element.kids.every(isAlive)) element.replaceKids(element.kids.filter(isAlive));
    if (element.type === 'Link' && !hasAnnotation(tree, element)) element.type = 'Span';
  }
}

/** Returns the object numbers of the annotations that are removed from the page. */
function removeFrom(editable: EditablePdf, ref: PdfRef): number[] {
  const page = editable.resolve(ref);
  if (!(page instanceof PdfDict)) return [];
  const list = editable.resolve(page.get('Annots'));
  const all = list instanceof PdfArray ? list.toArray() : [];
  const dead = all.filter((each) => each instanceof PdfRef && leadsNowhere(editable, editable.resolve(each)));
  if (!dead.length) return [];
  const copy = page.clone();
  copy.set('Annots', PdfArray.of(...all.filter((each) => !dead.includes(each))));
  editable.change(ref, copy);
  return dead.flatMap((each) => {
    if (!(each instanceof PdfRef)) return [];
    editable.drop(each);
    return [each.objectNumber];
  });
}

function leadsNowhere(editable: EditablePdf, annotation: PdfObject | undefined): boolean {
  const target = annotation instanceof PdfDict ? editable.resolve(annotation.get('Dest')) : undefined;
  const named = editable.resolve(editable.catalog.get('Dests'));
  if (!(target instanceof PdfName || target instanceof PdfString)) return false;
  return !(named instanceof PdfDict && named.has(target instanceof PdfName ? target.value : target.asString()));
}

function hasAnnotation(tree: StructureTree, link: StructureElement): boolean {
  return tree.elements(link).some(({ kids }) => kids.some((kid) => annotationNumber(kid) !== undefined));
}

/** The object number of the annotation that a kid refers to. */
function annotationNumber(kid: PdfObject | StructureElement): number | undefined {
  const ref = !(kid instanceof StructureElement) && kid instanceof PdfDict && isAnnotation(kid) ? kid.get('Obj') : undefined;
  return ref instanceof PdfRef ? ref.objectNumber : undefined;
}
