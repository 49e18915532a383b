/**
 * Sets the alternate description of link annotations (ISO 14289-1, 7.18.1 and 7.18.5): the text of the link in the document, or
 * its address.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import type { PrintedStructure } from '../../stated.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { textString } from '../objects/syntax.ts';
import { isAnnotation, type StructureElement } from './structure-element.ts';
import type { StructureTree } from './structure-tree.ts';

export function describeLinks(draft: EditablePdf, tree: StructureTree, stated: PrintedStructure): void {
  const texts = new LinkTexts(stated);
  for (const link of tree.elements()) {
    if (link.type !== 'Link') continue;
    const annotations = annotationsOf(draft, link);
    const [first] = annotations;
    if (!first) continue;
    const description = textString(texts.next(targetOf(draft, first.dict)));
    for (const { ref, dict } of annotations) describe(draft, ref, dict, description);
  }
  for (const page of draft.pdf.getPages()) adoptOrphans(draft, tree, page.ref, texts);
}

/** The texts of links by target, in document order. */
class LinkTexts {
  readonly #names = new Map<string, string[]>();

  constructor({ links }: PrintedStructure) {
    for (const { target, name } of links) {
      const names = this.#names.get(target) ?? [];
      names.push(name);
      this.#names.set(target, names);
    }
  }

  /** The text of the next link with this target. The last text is reused if the PDF has more such links than the document. */
  next(target: string): string {
    const names = this.#names.get(target.slice(0, 2_000)) ?? [];
    const name = names.length > 1 ? names.shift() : names[0];
    return name || target;
  }
}

function annotationsOf(draft: EditablePdf, link: StructureElement): Array<{ ref: PdfRef; dict: PdfDict }> {
  return link.kids.flatMap((kid) => {
    const ref = kid instanceof PdfDict && isAnnotation(kid) ? kid.get('Obj') : undefined;
    const dict = draft.resolve(ref);
    return ref instanceof PdfRef && dict instanceof PdfDict ? [{ ref, dict }] : [];
  });
}

function targetOf(draft: EditablePdf, annotation: PdfDict): string {
  const action = draft.resolve(annotation.get('A'));
  const address = action instanceof PdfDict ? textOf(draft.resolve(action.get('URI'))) : '';
  return address || `#${textOf(draft.resolve(annotation.get('Dest')))}`;
}

function textOf(value: PdfObject | undefined): string {
  if (value instanceof PdfString) return value.asString();
  return value instanceof PdfName ? value.value : '';
}

function describe(draft: EditablePdf, ref: PdfRef, annotation: PdfDict, description: PdfString): void {
  const copy = annotation.clone();
  copy.set('Contents', description);
  draft.change(ref, copy);
}

/** Adds tags for links that have none, because the document hides them from assistive technology; they can still be clicked. */
function adoptOrphans(draft: EditablePdf, tree: StructureTree, page: PdfRef, texts: LinkTexts): void {
  const dict = draft.resolve(page);
  const annotations = dict instanceof PdfDict ? draft.resolve(dict.get('Annots')) : undefined;
  for (const ref of annotations instanceof PdfArray ? annotations.toArray() : []) {
    const annotation = draft.resolve(ref);
    if (!(ref instanceof PdfRef) || !(annotation instanceof PdfDict) || annotation.has('StructParent')) continue;
    const { key } = tree.adopt('Link', ref, page);
    const copy = annotation.clone();
    copy.set('StructParent', PdfNumber.of(key));
    copy.set('Contents', textString(texts.next(targetOf(draft, annotation))));
    draft.change(ref, copy);
  }
}
