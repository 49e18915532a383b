/**
 * Assigns new owners to content and annotations in the parent tree of a PDF (ISO 32000-1, 14.7.4.4), in the form that Chromium
 * writes.
 */
import { PdfArray, PdfDict, type PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { numbers } from '../objects/syntax.ts';

/** A leaf of a number tree (7.9.7). `pairs` are sorted by their keys. */
export function numberLeaf(pairs: ReadonlyArray<readonly [key: number, value: PdfObject]>): PdfDict {
  const Limits = numbers(pairs[0]?.[0] ?? 0, pairs.at(-1)?.[0] ?? 0);
  return PdfDict.of({ Limits, Nums: PdfArray.of(...pairs.flatMap(([key, value]) => [PdfNumber.of(key), value])) });
}

/** The number above all keys of a number tree, for PDFs that do not state it. */
export function nextKey(editable: EditablePdf, tree: PdfObject | undefined): number {
  const dict = editable.asDict(tree);
  const keys = editable.list(dict, 'Nums').filter((each, index) => index % 2 === 0 && each instanceof PdfNumber);
  const own = keys.map((key) => (key as PdfNumber).value + 1);
  const below = editable.list(dict, 'Kids').map((kid) => nextKey(editable, kid));
  return [...own, ...below].reduce((most, key) => Math.max(most, key), 0);
}

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
    const key = this.#editable.number(this.#editable.asDict(ref), entry);
    if (key === undefined) throw new Error('what is tagged has no key');
    return key;
  }

  /** Writes the new owners into a node of the number tree and all nodes below it. */
  write(node: PdfObject | undefined): void {
    const dict = this.#editable.asDict(node);
    if (!(this.#ofContent.size + this.#ofAnnotations.size) || !dict) return;
    for (const kid of this.#editable.list(dict, 'Kids')) this.write(kid);
    const pairs = this.#editable.list(dict, 'Nums');
    const changed = pairs.map((value, index) => (index % 2 ? this.#findOwner(pairs[index - 1], value) : value));
    if (!(node instanceof PdfRef) || changed.every((value, index) => value === pairs[index])) return;
    this.#editable.update(node, { Nums: PdfArray.of(...changed) });
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
}
