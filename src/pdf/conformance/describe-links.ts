/**
 * Sets the alternate description of link annotations (ISO 14289-1, 7.18.1 and 7.18.5): the text of the link in the document, or
 * its address.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import type { PrintedStructure } from '../../tag-structure.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';
import { isAnnotation, type StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

/** Characters of an address, of which the document tells no more. */
const MAX_TARGET = 2_000;

export function describeLinks(editable: EditablePdf, tree: StructureTree, { links }: PrintedStructure): void {
  const tagged = tree.elements().flatMap((element) => {
    const annotations = element.type === 'Link' ? findAnnotations(editable, element) : [];
    const [first] = annotations;
    return first ? [{ annotations, target: readTarget(editable, first.dict) }] : [];
  });
  const read = links.filter(({ isHidden }) => !isHidden);
  const texts = new LinkTexts(read, listTargets(tagged));
  for (const { annotations, target } of tagged) {
    const description = textString(texts.next(target));
    for (const { ref, dict } of annotations) describe(editable, ref, dict, description);
  }
  const orphans = editable.pdf.getPages().flatMap(({ ref }) => findOrphans(editable, ref));
  const hidden = links.filter(({ isHidden }) => isHidden);
  adoptOrphans(editable, tree, orphans, new LinkTexts(hidden, listTargets(orphans)));
}

function listTargets(list: Array<{ target: string }>): string[] {
  return list.map(({ target }) => cut(target));
}

/**
 * The texts of links by target, in document order. Several texts can be told apart only if the PDF has all links: a link can be
 * empty, outside of the pages, or on a page that was left out. Otherwise the description is the address, which is never wrong.
 */
class LinkTexts {
  readonly #names = new Map<string, string[]>();

  constructor(links: PrintedStructure['links'], targets: string[]) {
    const printed = Map.groupBy(targets, (target) => target);
    for (const [target, group] of Map.groupBy(links, (link) => link.target)) {
      const names = group.map(({ name }) => name);
      const count = printed.get(target)?.length ?? 0;
      if (names.length === count || (names.length > count && new Set(names).size === 1)) this.#names.set(target, names);
    }
  }

  /** Returns the text of the next link with this target. */
  next(target: string): string {
    return this.#names.get(cut(target))?.shift() || target;
  }
}

/** As long as the document tells it. */
function cut(target: string): string {
  return target.slice(0, MAX_TARGET);
}

function findAnnotations(editable: EditablePdf, link: StructureElement): Array<{ ref: PdfRef; dict: PdfDict }> {
  return link.kids.flatMap((kid) => {
    const ref = kid instanceof PdfDict && isAnnotation(kid) ? kid.get('Obj') : undefined;
    const dict = editable.resolve(ref);
    return ref instanceof PdfRef && dict instanceof PdfDict ? [{ ref, dict }] : [];
  });
}

function readTarget(editable: EditablePdf, annotation: PdfDict): string {
  const action = editable.resolve(annotation.get('A'));
  const address = action instanceof PdfDict ? readText(editable.resolve(action.get('URI'))) : '';
  return address || `#${readText(editable.resolve(annotation.get('Dest')))}`;
}

function readText(value: PdfObject | undefined): string {
  if (value instanceof PdfString) return value.asString();
  return value instanceof PdfName ? value.value : '';
}

function describe(editable: EditablePdf, ref: PdfRef, annotation: PdfDict, description: PdfString): void {
  const copy = annotation.clone();
  copy.set('Contents', description);
  editable.change(ref, copy);
}

interface Orphan {
  ref: PdfRef;
  dict: PdfDict;
  page: PdfRef;
  target: string;
}

/** Finds links without a tag: the document hides them from assistive technology, but they can still be clicked. */
function findOrphans(editable: EditablePdf, page: PdfRef): Orphan[] {
  const dict = editable.resolve(page);
  const annotations = dict instanceof PdfDict ? editable.resolve(dict.get('Annots')) : undefined;
  return (annotations instanceof PdfArray ? annotations.toArray() : []).flatMap((ref) => {
    const annotation = editable.resolve(ref);
    if (!(ref instanceof PdfRef) || !(annotation instanceof PdfDict) || annotation.has('StructParent')) return [];
    return [{ ref, dict: annotation, page, target: readTarget(editable, annotation) }];
  });
}

function adoptOrphans(editable: EditablePdf, tree: StructureTree, orphans: Orphan[], texts: LinkTexts): void {
  for (const { ref, dict, page, target } of orphans) {
    const { key } = tree.adopt('Link', ref, page);
    const copy = dict.clone();
    copy.set('StructParent', PdfNumber.of(key));
    copy.set('Contents', textString(texts.next(target)));
    editable.change(ref, copy);
  }
}
