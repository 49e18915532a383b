/** Removes the structure elements all of whose content is gone: an open PDF in, its tags without them out. */
import { PdfArray, PdfDict, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';
import { isRepeated, MAX_DEPTH } from './repeated.ts';
import { readTagContents, type TagContents } from './tag-contents.ts';

/** What is left of an element: content, nothing although it had some, or nothing because it never had any. */
type Left = 'content' | 'nothing' | 'empty';

/**
 * `gone` are the object numbers of pages and annotations. Returns whether an element was removed, to which others than its tree may still
 * refer: bookmarks, destinations and other elements.
 */
export function pruneTags(pdf: ForeignPdf, gone: ReadonlySet<number>): (id: number) => boolean {
  const ref = pdf.catalog.get('StructTreeRoot');
  const root = pdf.asDict(ref);
  if (!root) return () => false;
  const contents = readTagContents(pdf, root);
  const pruning = new TagPruning(pdf, gone, contents);
  const copy = root.clone();
  copy.set('K', PdfArray.of(...pruning.keep(pdf.listOrOne(root, 'K'), undefined, 0).kids));
  const ids = [...treeEntries(pdf, root.get('IDTree'), 'Names')].filter(([, element]) => pruning.isLeft(element));
  if (root.has('IDTree')) copy.set('IDTree', PdfDict.of({ Names: PdfArray.of(...ids.flat()) }));
  const owners = contents.owners.flatMap(({ key, entry, pages }) => {
    const isGone = pages.length > 0 && pages.every((page) => gone.has(page));
    const left = isGone ? undefined : pruning.ownersLeft(entry);
    return left ? [key, left] : [];
  });
  if (root.has('ParentTree')) copy.set('ParentTree', PdfDict.of({ Nums: PdfArray.of(...owners) }));
  if (ref instanceof PdfRef) pdf.change(ref, copy);
  return (id) => pruning.isRemoved(id);
}

class TagPruning {
  readonly #pdf: ForeignPdf;
  readonly #gone: ReadonlySet<number>;
  readonly #contents: TagContents;
  readonly #removed = new Set<number>();
  readonly #seen = new Set<number>();

  constructor(pdf: ForeignPdf, gone: ReadonlySet<number>, contents: TagContents) {
    this.#pdf = pdf;
    this.#gone = gone;
    this.#contents = contents;
  }

  /** Also if an element around it was removed. */
  isRemoved(id: number): boolean {
    let at: number | undefined = id;
    for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
      if (this.#removed.has(at)) return true;
      at = this.#contents.elements.get(at)?.parent;
    }
    return false;
  }

  isLeft(element: PdfObject): boolean {
    return this.#pdf.asDict(element) !== undefined && !(element instanceof PdfRef && this.isRemoved(element.objectNumber));
  }

  /** An entry of the parent tree is an element, or a list of them by the content of a page. Undefined if none is left. */
  ownersLeft(entry: PdfObject): PdfObject | undefined {
    const found = this.#pdf.resolve(entry);
    if (!(found instanceof PdfArray)) return this.isLeft(entry) ? entry : undefined;
    const owners = found.toArray();
    const left = owners.map((owner) => (this.isLeft(owner) ? owner : PdfNull.instance));
    if (left.every((owner) => owner instanceof PdfNull)) return undefined;
    return left.every((owner, index) => owner === owners[index]) ? entry : PdfArray.of(...left);
  }

  /** The kids that stay, and what they are. Elements without content go with the last content beside them, such as the empty cells of a row. */
  keep(kids: readonly PdfObject[], page: PdfObject | undefined, depth: number): { kids: PdfObject[]; left: Left } {
    const kept = kids.map((kid) => ({ kid, left: this.#inspect(kid, page, depth) })).filter(({ left }) => left !== 'nothing');
    if (kept.some(({ left }) => left === 'content')) return { kids: kept.map(({ kid }) => kid), left: 'content' };
    if (kept.length === kids.length) return { kids: [...kids], left: 'empty' };
    for (const { kid } of kept) this.#remove(kid);
    return { kids: [], left: 'nothing' };
  }

  #inspect(kid: PdfObject, page: PdfObject | undefined, depth: number): Left {
    const known = kid instanceof PdfRef ? this.#summary(kid) : undefined;
    if (known) return known;
    const found = this.#pdf.resolve(kid);
    if (found instanceof PdfNumber) return this.#isGone(page) ? 'nothing' : 'content';
    if (!(found instanceof PdfDict) || depth > MAX_DEPTH) return 'nothing';
    if (!found.has('S')) return this.#hasContent(found, page) ? 'content' : 'nothing';
    return isRepeated(this.#seen, kid) ? 'nothing' : this.#inspectElement(kid, found, depth);
  }

  /** Whether a reference leads to content or an annotation that is left. */
  #hasContent(reference: PdfDict, page: PdfObject | undefined): boolean {
    return !this.#isGone(reference.get('Pg') ?? page) && this.#isThere(reference.get('Obj'));
  }

  /** What is left of an element of which all goes or all stays, so that those below it need not be read. */
  #summary(element: PdfRef): Left | undefined {
    const { pages = [], objects = [] } = this.#contents.elements.get(element.objectNumber) ?? {};
    if (!pages.length) return undefined;
    const count = pages.reduce((sum, page) => sum + Number(this.#gone.has(page)), 0);
    if (count && count === pages.length) {
      this.#remove(element);
      return 'nothing';
    }
    const isWhole = !count && objects.every((id) => this.#isThere(PdfRef.of(id)));
    return isWhole ? 'content' : undefined;
  }

  #inspectElement(at: PdfObject, element: PdfDict, depth: number): Left {
    const [page, all] = [element.get('Pg'), this.#pdf.listOrOne(element, 'K')];
    const { kids, left } = all.length || !this.#isGone(page) ? this.keep(all, page, depth + 1) : NOTHING;
    if (!(at instanceof PdfRef)) return left;
    if (left === 'nothing') this.#remove(at);
    else if (kids.length < all.length || this.#isGone(page)) {
      const copy = element.clone();
      copy.set('K', PdfArray.of(...kids));
      if (this.#gone.size) copy.delete('ActualText'); // the text of what is gone as well
      if (this.#isGone(page)) copy.delete('Pg');
      this.#pdf.change(at, copy);
    }
    return left;
  }

  #remove(element: PdfObject): void {
    if (element instanceof PdfRef) this.#removed.add(element.objectNumber);
  }

  /** Whether an annotation is left, or there was none. */
  #isThere(annotation: PdfObject | undefined): boolean {
    return !annotation || (!this.#isGone(annotation) && this.#pdf.asDict(annotation) !== undefined);
  }

  #isGone(page: PdfObject | undefined): boolean {
    return page instanceof PdfRef && this.#gone.has(page.objectNumber);
  }
}

const NOTHING = { kids: [], left: 'nothing' } as const;
