/** A PDF of any producer that is being edited. All that can be reached from its catalog is written, and nothing else. */
import { type PDF, PdfArray, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { type EditableObject, EditablePdf } from './editable-pdf.ts';
import { pageRefs, treeNodes, withInherited } from './page-tree.ts';
import type { PdfReader } from './pdf-reader.ts';

/** What objects were before they were changed, by their numbers. */
type Before = Map<number, { ref: PdfRef; object: PdfObject | undefined }>;

const NO_FILE = { size: 0, body: () => undefined };

export class ForeignPdf extends EditablePdf {
  #pages: PdfRef[] | undefined;
  /** What will be undone. */
  #before: Before | undefined;

  /** Throws if the PDF is damaged. */
  constructor(pdf: PDF) {
    super(NO_FILE, pdf);
    const { trailer } = pdf.context.info;
    const [id] = this.list(trailer, 'ID');
    if (pdf.version.startsWith('2')) this.version = '2.0';
    if (id && 'bytes' in id) this.id = id.bytes as Uint8Array;
  }

  /** libpdf sees the changed object as well. */
  override change(ref: PdfRef, object: PdfObject): void {
    const before = #before in this ? this.#before : undefined; // the constructor changes the catalog
    if (before && !before.has(ref.objectNumber)) before.set(ref.objectNumber, { ref, object: this.resolve(ref) });
    super.change(ref, object);
    this.pdf.context.registry.addLoaded(ref, object);
  }

  /** Undoes the changes of `work` when it has ended. */
  async temporarily<T>(work: () => Promise<T>): Promise<T> {
    const [pages, entries] = [this.#pages, [...this.catalog]];
    const before: Before = new Map();
    this.#before = before;
    try {
      return await work();
    } finally {
      this.#before = undefined;
      for (const { ref, object } of before.values()) this.change(ref, object ?? PdfNull.instance);
      for (const [name] of [...this.catalog]) this.catalog.delete(name);
      for (const [name, value] of entries) this.catalog.set(name, value);
      this.#pages = pages;
    }
  }

  override pages(): Array<{ ref: PdfRef; page: PdfDict }> {
    this.#pages ??= this.#readPages();
    return this.#pages.map((ref) => ({ ref, page: this.asDict(ref) as PdfDict }));
  }

  /** Pages that do not say that they are, as readers accept, are told apart from other objects later. */
  #readPages(): PdfRef[] {
    const nodes = treeNodes(this, this.catalog.get('Pages'));
    for (const { ref, type } of nodes)
      if (this.name(this.asDict(ref), 'Type') !== type) this.update(ref, { Type: PdfName.of(type) });
    return pageRefs(nodes);
  }

  /** Replaces the page tree. What a page inherits becomes its own. Pages that are not in `refs` are null from then on. */
  setPages(refs: readonly PdfRef[]): void {
    const kept = new Set(refs.map(({ objectNumber }) => objectNumber));
    const tree = this.add(
      PdfDict.of({ Type: PdfName.of('Pages'), Kids: PdfArray.of(...refs), Count: PdfNumber.of(refs.length) }),
    );
    for (const { ref, page } of this.pages())
      if (kept.has(ref.objectNumber)) {
        const whole = withInherited(this, page);
        whole.set('Parent', tree);
        this.change(ref, whole);
      } else this.change(ref, PdfNull.instance);
    this.catalog.set('Pages', tree);
    this.#pages = [...refs];
  }

  override objects(): Generator<EditableObject> {
    return listReachable(this, [this.root, ...(this.info ? [this.info] : [])]);
  }

  /** The objects that are dictionaries or streams. They may be changed meanwhile. */
  *dictionaries(): Generator<{ ref: PdfRef; dict: PdfDict }> {
    for (const object of [...this.objects()])
      if ('value' in object && object.value instanceof PdfDict) yield { ref: PdfRef.of(object.id), dict: object.value };
  }
}

/** The objects that these refer to, directly or not, and these themselves; but not what only those refer to at which it stops. */
export function* listReachable(
  pdf: PdfReader,
  from: readonly PdfRef[],
  stopsAt: (id: number) => boolean = () => false,
): Generator<{ id: number; value: PdfObject }> {
  const seen = new Set<number>();
  const waiting = [...from];
  for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
    if (seen.has(ref.objectNumber)) continue;
    seen.add(ref.objectNumber);
    const value = pdf.resolve(ref);
    if (!value || value instanceof PdfNull) continue;
    yield { id: ref.objectNumber, value };
    if (!stopsAt(ref.objectNumber)) collectReferences(value, waiting);
  }
}

/** Adds the references in a value, but not in what they refer to. */
function collectReferences(value: PdfObject, to: PdfRef[]): void {
  if (value instanceof PdfRef) to.push(value);
  else if (value instanceof PdfArray) for (const item of value.toArray()) collectReferences(item, to);
  else if (value instanceof PdfDict) for (const [, item] of value) collectReferences(item, to);
}
