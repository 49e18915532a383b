/**
 * Assigns new owners to content and annotations in the parent tree of a PDF (ISO 32000-1, 14.7.4.4), in the form that Chromium
 * writes.
 */
import { PdfArray, PdfDict, type PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';

export class NewOwners {
  readonly #editable: EditablePdf;
  /** New owners by the parent tree key of the page or form XObject, and the MCID. */
  readonly #ofContent = new Map<number, Map<number, PdfRef | PdfNull>>();
  readonly #ofAnnotations = new Map<number, PdfRef>();

  constructor(editable: EditablePdf) {
    this.#editable = editable;
  }

  setAnnotation(annotation: PdfRef, owner: PdfRef): void {
    this.#ofAnnotations.set(this.#readKey(annotation, 'StructParent'), owner);
  }

  /** `holder` is a page or a form XObject. Content without an owner is not tagged. */
  setContent(holder: PdfRef, mcid: number, owner: PdfRef | PdfNull): void {
    const key = this.#readKey(holder, 'StructParents');
    const owners = this.#ofContent.get(key) ?? new Map<number, PdfRef | PdfNull>();
    this.#ofContent.set(key, owners.set(mcid, owner));
  }

  #readKey(ref: PdfRef, entry: string): number {
    const object = this.#editable.resolve(ref);
    const key = object instanceof PdfDict ? object.get(entry) : undefined;
    if (!(key instanceof PdfNumber)) throw new Error('what is tagged has no key');
    return key.value;
  }

  /** Writes the new owners into a node of the number tree and all nodes below it. */
  write(node: PdfObject | undefined): void {
    const dict = this.#editable.resolve(node);
    if (!(this.#ofContent.size + this.#ofAnnotations.size) || !(dict instanceof PdfDict)) return;
    for (const kid of this.#readList(dict, 'Kids')) this.write(kid);
    const pairs = this.#readList(dict, 'Nums');
    const changed = pairs.map((value, index) => (index % 2 ? this.#findOwner(pairs[index - 1], value) : value));
    if (!(node instanceof PdfRef) || changed.every((value, index) => value === pairs[index])) return;
    const copy = dict.clone();
    copy.set('Nums', PdfArray.of(...changed));
    this.#editable.change(node, copy);
  }

  /** The entry of an annotation is its owner. The entry of a page or form XObject is an indirect array of owners by MCID. */
  #findOwner(key: PdfObject | undefined, known: PdfObject): PdfObject {
    if (!(key instanceof PdfNumber)) return known;
    const owners = this.#ofContent.get(key.value);
    const list = owners && this.#editable.resolve(known);
    if (owners && list instanceof PdfArray && known instanceof PdfRef)
      this.#editable.change(known, PdfArray.of(...list.toArray().map((owner, mcid) => owners.get(mcid) ?? owner)));
    return this.#ofAnnotations.get(key.value) ?? known;
  }

  #readList(dict: PdfDict, entry: string): PdfObject[] {
    const list = this.#editable.resolve(dict.get(entry));
    return list instanceof PdfArray ? list.toArray() : [];
  }
}
