/** Removes the structure elements all of whose content is gone: an open PDF in, its tags without them out. */
import { PdfArray, PdfDict, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { isRepeated, MAX_DEPTH } from './repeated.ts';

/** What is left of an element: content, nothing although it had some, or nothing because it never had any. */
type Left = 'content' | 'nothing' | 'empty';

/** `gone` are the object numbers of pages. */
export function pruneTags(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  const ref = pdf.catalog.get('StructTreeRoot');
  const root = pdf.asDict(ref);
  if (!root) return;
  const pruning = new TagPruning(pdf, gone);
  const copy = root.clone();
  copy.set('K', PdfArray.of(...pruning.keep(pdf.listOrOne(root, 'K'), undefined, 0).kids));
  const ids = [...treeEntries(pdf, root.get('IDTree'), 'Names')].filter(([, element]) => pdf.asDict(element));
  if (root.has('IDTree')) copy.set('IDTree', PdfDict.of({ Names: PdfArray.of(...ids.flat()) }));
  const owners = [...treeEntries(pdf, root.get('ParentTree'), 'Nums')];
  const kept = owners.filter(([, owner]) => hasOwner(pdf, owner));
  if (kept.length < owners.length) copy.set('ParentTree', PdfDict.of({ Nums: PdfArray.of(...kept.flat()) }));
  if (ref instanceof PdfRef) pdf.change(ref, copy);
}

/** An entry of the parent tree is an element, or a list of them by the content of a page. */
function hasOwner(pdf: ForeignPdf, entry: PdfObject): boolean {
  const found = pdf.resolve(entry);
  return found instanceof PdfArray ? found.toArray().some((owner) => pdf.asDict(owner)) : found instanceof PdfDict;
}

class TagPruning {
  readonly #pdf: ForeignPdf;
  readonly #gone: ReadonlySet<number>;
  readonly #seen = new Set<number>();

  constructor(pdf: ForeignPdf, gone: ReadonlySet<number>) {
    this.#pdf = pdf;
    this.#gone = gone;
  }

  /** The kids that stay, and what they are. Elements without content go with the last content beside them, such as the empty cells of a row. */
  keep(kids: readonly PdfObject[], page: PdfObject | undefined, depth: number): { kids: PdfObject[]; left: Left } {
    const kept = kids.map((kid) => ({ kid, left: this.#inspect(kid, page, depth) })).filter(({ left }) => left !== 'nothing');
    if (kept.some(({ left }) => left === 'content')) return { kids: kept.map(({ kid }) => kid), left: 'content' };
    if (kept.length === kids.length) return { kids: [...kids], left: 'empty' };
    for (const { kid } of kept) this.#drop(kid);
    return { kids: [], left: 'nothing' };
  }

  #inspect(kid: PdfObject, page: PdfObject | undefined, depth: number): Left {
    const found = this.#pdf.resolve(kid);
    if (found instanceof PdfNumber) return this.#isGone(page) ? 'nothing' : 'content';
    if (!(found instanceof PdfDict) || depth > MAX_DEPTH) return 'nothing';
    if (found.has('S')) return isRepeated(this.#seen, kid) ? 'nothing' : this.#inspectElement(kid, found, depth);
    const annotation = found.get('Obj');
    const isThere = !this.#isGone(found.get('Pg') ?? page) && (!annotation || this.#pdf.asDict(annotation) !== undefined);
    return isThere ? 'content' : 'nothing';
  }

  #inspectElement(at: PdfObject, element: PdfDict, depth: number): Left {
    const [page, all] = [element.get('Pg'), this.#pdf.listOrOne(element, 'K')];
    const { kids, left } = all.length || !this.#isGone(page) ? this.keep(all, page, depth + 1) : NOTHING;
    if (!(at instanceof PdfRef)) return left;
    if (left === 'nothing') this.#drop(at);
    else if (kids.length < all.length || this.#isGone(page)) {
      const copy = element.clone();
      copy.set('K', PdfArray.of(...kids));
      if (this.#gone.size) copy.delete('ActualText'); // the text of what is gone as well
      if (this.#isGone(page)) copy.delete('Pg');
      this.#pdf.change(at, copy);
    }
    return left;
  }

  #drop(element: PdfObject): void {
    if (element instanceof PdfRef) this.#pdf.change(element, PdfNull.instance);
  }

  #isGone(page: PdfObject | undefined): boolean {
    return page instanceof PdfRef && this.#gone.has(page.objectNumber);
  }
}

const NOTHING = { kids: [], left: 'nothing' } as const;
