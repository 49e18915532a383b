/**
 * Sets the alternate description of link annotations (ISO 14289-1, 7.18.1 and 7.18.5): the text of the link in the document, or
 * its address.
 */
import { type PdfDict, PdfNumber, type PdfRef } from '@libpdf/core';
import type { PrintedStructure } from '../../tag-structure.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';
import { annotationOf, type StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

/** Characters of an address, of which the document tells no more. */
const MAX_TARGET = 2_000;

export function describeLinks(editable: EditablePdf, tree: StructureTree, { links }: PrintedStructure): void {
  const tagged = tree.elements().flatMap((element) => {
    const annotations = element.type === 'Link' ? findAnnotations(element) : [];
    const first = editable.asDict(annotations[0]);
    return first ? [{ annotations, target: readTarget(editable, first) }] : [];
  });
  const read = links.filter(({ isHidden }) => !isHidden);
  const texts = new LinkTexts(read, listTargets(tagged));
  for (const { annotations, target } of tagged) {
    const Contents = textString(texts.next(target));
    for (const ref of annotations) editable.update(ref, { Contents });
  }
  const orphans = editable.pages().flatMap(({ ref, page }) => findOrphans(editable, page, ref));
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

  next(target: string): string {
    return this.#names.get(cut(target))?.shift() || target;
  }
}

/** As long as the document tells it. */
function cut(target: string): string {
  return target.slice(0, MAX_TARGET);
}

function findAnnotations(link: StructureElement): PdfRef[] {
  return link.leaves.flatMap((leaf) => annotationOf(leaf) ?? []);
}

function readTarget(editable: EditablePdf, annotation: PdfDict): string {
  const address = editable.text(editable.dict(annotation, 'A'), 'URI');
  return address || `#${editable.label(annotation.get('Dest')) ?? ''}`;
}

interface Orphan {
  ref: PdfRef;
  page: PdfRef;
  target: string;
}

/** Finds links without a tag: the document hides them from assistive technology, but they can still be clicked. */
function findOrphans(editable: EditablePdf, dict: PdfDict, page: PdfRef): Orphan[] {
  const orphans = editable.annotations(dict).filter(({ annotation }) => !annotation.has('StructParent'));
  return orphans.map(({ ref, annotation }) => ({ ref, page, target: readTarget(editable, annotation) }));
}

function adoptOrphans(editable: EditablePdf, tree: StructureTree, orphans: Orphan[], texts: LinkTexts): void {
  for (const { ref, page, target } of orphans) {
    const key = tree.adopt('Link', ref, page);
    editable.update(ref, { StructParent: PdfNumber.of(key), Contents: textString(texts.next(target)) });
  }
}
