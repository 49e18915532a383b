/** The structure tree of a PDF (ISO 32000-1, 14.7): an editable PDF in, elements that can be read and changed out. */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import type { EditablePdf } from '../objects/editable-pdf.ts';

/** Marked content, or an annotation. */
export type Leaf = PdfNumber | PdfDict;

export class StructureElement {
  readonly ref: PdfRef;
  readonly dict: PdfDict;
  parent: StructureElement | undefined;
  kids: Array<StructureElement | Leaf> = [];
  changed = false;

  constructor(ref: PdfRef, dict: PdfDict, parent: StructureElement | undefined) {
    this.ref = ref;
    this.dict = dict;
    this.parent = parent;
  }

  get type(): string {
    const type = this.dict.get('S');
    return type instanceof PdfName ? type.value : '';
  }

  set type(name: string) {
    this.set('S', PdfName.of(name));
  }

  get elements(): StructureElement[] {
    return this.kids.filter((kid) => kid instanceof StructureElement);
  }

  /** Whether content belongs to it without an element between. */
  get hasContent(): boolean {
    return this.kids.some((kid) => !(kid instanceof StructureElement) && !isAnnotation(kid));
  }

  text(entry: string): string {
    const text = this.dict.get(entry);
    return text instanceof PdfString ? text.asString() : '';
  }

  set(entry: string, value: PdfObject): void {
    this.dict.set(entry, value);
    this.changed = true;
  }

  replaceKids(kids: Array<StructureElement | Leaf>): void {
    for (const kid of kids) {
      if (!(kid instanceof StructureElement) || kid.parent === this) continue;
      kid.parent = this;
      kid.set('P', this.ref);
    }
    this.kids = kids;
    this.changed = true;
  }
}

export class StructureTree {
  readonly #draft: EditablePdf;
  readonly #root: PdfDict;
  readonly #rootRef: PdfRef;
  readonly document: StructureElement;
  /** What annotations belong to, by their key in the parent tree. */
  readonly #newParents: Array<[key: number, parent: PdfRef]> = [];

  /** A document without any content has no tree yet, and gets one. */
  static read(draft: EditablePdf): StructureTree {
    const rootRef = draft.catalog.get('StructTreeRoot');
    if (rootRef instanceof PdfRef && draft.resolve(rootRef) instanceof PdfDict) return new StructureTree(draft, rootRef);
    const root = draft.add(PdfDict.of({ Type: PdfName.of('StructTreeRoot') }));
    const document = draft.add(PdfDict.of({ Type: PdfName.of('StructElem'), S: PdfName.of('Document'), P: root }));
    const ParentTree = draft.add(PdfDict.of({ Nums: PdfArray.of() }));
    draft.change(
      root,
      PdfDict.of({ Type: PdfName.of('StructTreeRoot'), K: document, ParentTree, ParentTreeNextKey: PdfNumber.of(0) }),
    );
    draft.catalog.set('StructTreeRoot', root);
    return new StructureTree(draft, root);
  }

  private constructor(draft: EditablePdf, rootRef: PdfRef) {
    const root = draft.resolve(rootRef);
    if (!(root instanceof PdfDict)) throw new Error('the PDF has no structure');
    this.#draft = draft;
    this.#rootRef = rootRef;
    this.#root = root.clone();
    const kid = root.get('K');
    if (!(kid instanceof PdfRef)) throw new Error('the structure of the PDF has not one root');
    this.document = this.#readElement(kid, undefined);
  }

  /** In the order of reading. */
  *elements(from = this.document): Generator<StructureElement> {
    yield from;
    for (const kid of from.elements) yield* this.elements(kid);
  }

  /** A new element, which is not yet in the tree. */
  create(type: string, kids: Array<StructureElement | Leaf>): StructureElement {
    const dict = PdfDict.of({ Type: PdfName.of('StructElem'), S: PdfName.of(type) });
    const element = new StructureElement(this.#draft.add(dict), dict, undefined);
    element.replaceKids(kids);
    return element;
  }

  /** Lets an annotation that belongs to nothing belong to a new element at the end of the document. */
  adopt(type: string, annotation: PdfRef, page: PdfRef): { element: StructureElement; key: number } {
    const reference = PdfDict.of({ Type: PdfName.of('OBJR'), Obj: annotation, Pg: page });
    const element = this.create(type, [reference]);
    this.document.replaceKids([...this.document.kids, element]);
    const nextKey = this.#root.get('ParentTreeNextKey');
    const key = nextKey instanceof PdfNumber ? nextKey.value : 0;
    this.#root.set('ParentTreeNextKey', PdfNumber.of(key + 1));
    this.#newParents.push([key, element.ref]);
    return { element, key };
  }

  /** Writes what has changed. */
  write(roles: Record<string, string>): void {
    for (const element of this.elements()) {
      if (!element.changed) continue;
      const kids = element.kids.map((kid) => (kid instanceof StructureElement ? kid.ref : kid));
      if (kids.length) element.dict.set('K', PdfArray.of(...kids));
      this.#draft.change(element.ref, element.dict);
    }
    const mapped = Object.entries(roles).map(([from, to]): [string, PdfName] => [from, PdfName.of(to)]);
    if (mapped.length) this.#root.set('RoleMap', new PdfDict(mapped));
    this.#extendParentTree();
    this.#draft.change(this.#rootRef, this.#root);
  }

  #extendParentTree(): void {
    if (!this.#newParents.length) return;
    const tree = this.#draft.copyOf(this.#root, 'ParentTree');
    const added = this.#newParents.flatMap(([key, parent]) => [PdfNumber.of(key), parent]);
    const nums = this.#draft.resolve(tree.get('Nums'));
    if (nums instanceof PdfArray) tree.set('Nums', PdfArray.of(...nums.toArray(), ...added));
    else tree.set('Kids', this.#withBranch(tree, added));
    this.#root.set('ParentTree', this.#draft.add(tree));
  }

  /** A tree of several branches gets one more. */
  #withBranch(tree: PdfDict, added: Array<PdfNumber | PdfRef>): PdfArray {
    const kids = this.#draft.resolve(tree.get('Kids'));
    const keys = this.#newParents.map(([key]) => PdfNumber.of(key));
    const Limits = PdfArray.of(...[keys[0], keys.at(-1)].filter((key) => key !== undefined));
    const branch = this.#draft.add(PdfDict.of({ Limits, Nums: PdfArray.of(...added) }));
    return PdfArray.of(...(kids instanceof PdfArray ? kids.toArray() : []), branch);
  }

  #readElement(ref: PdfRef, parent: StructureElement | undefined): StructureElement {
    const dict = this.#draft.resolve(ref);
    if (!(dict instanceof PdfDict)) throw new Error('an element of the structure is missing');
    const element = new StructureElement(ref, dict.clone(), parent);
    const kids = this.#draft.resolve(dict.get('K'));
    const list = kids instanceof PdfArray ? kids.toArray() : [dict.get('K')];
    for (const kid of list) {
      const read = kid && this.#readKid(kid, element);
      if (read) element.kids.push(read);
    }
    return element;
  }

  #readKid(kid: PdfObject, parent: StructureElement): StructureElement | Leaf | undefined {
    if (kid instanceof PdfNumber) return kid;
    const value = this.#draft.resolve(kid);
    if (!(value instanceof PdfDict)) return undefined;
    return kid instanceof PdfRef && value.has('S') ? this.#readElement(kid, parent) : value;
  }
}

/** Whether a leaf stands for an annotation. */
export function isAnnotation(leaf: Leaf): leaf is PdfDict {
  const type = leaf instanceof PdfDict ? leaf.get('Type') : undefined;
  return type instanceof PdfName && type.value === 'OBJR';
}
