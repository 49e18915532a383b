/** The structure tree of a PDF (ISO 32000-1, 14.7): an editable PDF in, elements that can be read and changed out. */
import { PdfArray, PdfDict, PdfName, PdfNull, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { type Painted, type PaintedContent, paintedKey } from '../content/painted-content.ts';
import type { EditablePdf } from '../objects/editable-pdf.ts';
import { parseObject } from '../objects/parse-object.ts';
import { NewOwners, nextKey, numberLeaf } from './parent-tree.ts';
import { namespaceOfVersion2 } from './standard-types.ts';
import { annotationOf, type Leaf, type PlainElement, readPlain, StructureElement } from './structure-element.ts';

export class StructureTree {
  readonly #editable: EditablePdf;
  readonly #root: PdfDict;
  readonly #rootRef: PdfRef;
  readonly document: StructureElement;
  /** Parsed values by their text, because table cells have many values in common. */
  readonly #values = new Map<string, PdfObject>();
  readonly #newParents: Array<[key: number, parent: PdfRef]> = [];
  readonly #newOwners: NewOwners;
  #namespace: PdfRef | undefined;

  /** Reads the structure tree; creates one if the document has none because it is empty. */
  static read(editable: EditablePdf): StructureTree {
    const rootRef = editable.catalog.get('StructTreeRoot');
    if (rootRef instanceof PdfRef && editable.resolve(rootRef) instanceof PdfDict) return new StructureTree(editable, rootRef);
    const root = editable.add(PdfDict.of({ Type: PdfName.of('StructTreeRoot') }));
    const document = editable.add(PdfDict.of({ Type: PdfName.of('StructElem'), S: PdfName.of('Document'), P: root }));
    const ParentTree = editable.add(PdfDict.of({ Nums: PdfArray.of() }));
    editable.change(
      root,
      PdfDict.of({ Type: PdfName.of('StructTreeRoot'), K: document, ParentTree, ParentTreeNextKey: PdfNumber.of(0) }),
    );
    editable.catalog.set('StructTreeRoot', root);
    return new StructureTree(editable, root);
  }

  private constructor(editable: EditablePdf, rootRef: PdfRef) {
    const root = editable.asDict(rootRef);
    if (!root) throw new Error('the PDF has no structure');
    this.#editable = editable;
    this.#newOwners = new NewOwners(editable);
    this.#rootRef = rootRef;
    this.#root = root.clone();
    const kids = editable.listOrOne(root, 'K').filter((kid) => kid instanceof PdfRef);
    const elements = kids.flatMap(({ objectNumber }) => this.#readElement(objectNumber, undefined) ?? []);
    const [first] = elements;
    if (!first) throw new Error('the structure of the PDF has no element');
    this.document = elements.length === 1 ? first : this.#createDocument(elements);
  }

  /** Other programs also write several elements beside each other (ISO 32000-1, 14.8.4.2). */
  #createDocument(elements: StructureElement[]): StructureElement {
    const document = this.create('Document', elements);
    document.set('P', this.#rootRef);
    this.#root.set('K', document.ref);
    return document;
  }

  /** The elements in reading order, as they are now. */
  elements(from = this.document): StructureElement[] {
    const found: StructureElement[] = [];
    const waiting = [from];
    for (let element = waiting.pop(); element; element = waiting.pop()) {
      found.push(element);
      for (let at = element.kids.length - 1; at >= 0; at--) {
        const kid = element.kids[at];
        if (kid instanceof StructureElement) waiting.push(kid);
      }
    }
    return found;
  }

  /** Creates an element, which is not yet in the tree. */
  create(type: string, kids: Array<StructureElement | Leaf>): StructureElement {
    const dict = PdfDict.of({ Type: PdfName.of('StructElem'), S: PdfName.of(type) });
    const element = new StructureElement(this.#editable.add(dict).objectNumber, dict, undefined);
    element.replaceKids(kids);
    return element;
  }

  /** Creates an element for some kids of another one. The caller puts it into the tree. */
  enclose(parent: StructureElement, type: string, kids: Array<StructureElement | Leaf>): StructureElement {
    const page = parent.get('Pg');
    const element = this.create(type, kids);
    if (page) element.set('Pg', page);
    for (const leaf of element.leaves) this.#own(leaf, page, element.ref);
    return element;
  }

  /** The painted content of a leaf; undefined for annotations, and for content that is not painted. */
  findPainted(leaf: Leaf, parent: StructureElement, painted: PaintedContent): Painted | undefined {
    const { holder, mcid } = this.leafPlace(leaf, parent);
    return holder && painted.marked.get(paintedKey(holder.objectNumber, mcid));
  }

  leafPlace(leaf: Leaf, parent: StructureElement): LeafPlace {
    return leafPlace(leaf, parent.get('Pg'));
  }

  /** Takes marked content out of the parent tree. The caller removes it from its element. */
  release(holder: PdfRef, mcid: number): void {
    this.#newOwners.setContent(holder, mcid, PdfNull.instance);
  }

  hasLink(element: StructureElement): boolean {
    const annotations = element.leaves.map((leaf) => this.#editable.asDict(annotationOf(leaf)));
    return annotations.some((annotation) => annotation?.getName('Subtype')?.value === 'Link');
  }

  #own(leaf: Leaf, page: PdfObject | undefined, owner: PdfRef): void {
    const annotation = annotationOf(leaf);
    const { holder, mcid } = leafPlace(leaf, page);
    if (annotation) this.#newOwners.setAnnotation(annotation, owner);
    else if (holder) this.#newOwners.setContent(holder, mcid, owner);
  }

  setVersion2Type(element: StructureElement, type: string): void {
    this.#namespace ??= this.#editable.add(namespaceOfVersion2());
    element.type = type;
    element.set('NS', this.#namespace);
  }

  /** Creates an element for an untagged annotation at the end of the document. Returns its key in the parent tree. */
  adopt(type: string, annotation: PdfRef, page: PdfRef): number {
    const element = this.create(type, []);
    this.document.append(element);
    return this.attach(element, annotation, page);
  }

  /** Adds an annotation to an element. Returns its key in the parent tree. */
  attach(element: StructureElement, annotation: PdfRef, page: PdfRef): number {
    const reference = PdfDict.of({ Type: PdfName.of('OBJR'), Obj: annotation, Pg: page });
    element.append(reference);
    const key = this.#root.getNumber('ParentTreeNextKey')?.value ?? nextKey(this.#editable, this.#root.get('ParentTree'));
    this.#root.set('ParentTreeNextKey', PdfNumber.of(key + 1));
    this.#newParents.push([key, element.ref]);
    return key;
  }

  write(roles: Record<string, string>): void {
    for (const element of this.elements()) {
      if (!element.changed) continue;
      const kids = element.kids.map((kid) => (kid instanceof StructureElement ? kid.ref : kid));
      if (kids.length) element.dict.set('K', PdfArray.of(...kids));
      else element.dict.delete('K');
      this.#editable.change(element.ref, element.dict);
    }
    const mapped = Object.entries(roles).map(([from, to]): [string, PdfName] => [from, PdfName.of(to)]);
    if (mapped.length) this.#root.set('RoleMap', new PdfDict(mapped));
    if (this.#namespace) this.#root.set('Namespaces', PdfArray.of(this.#namespace));
    this.#newOwners.write(this.#root.get('ParentTree'));
    this.#extendParentTree();
    this.#editable.change(this.#rootRef, this.#root);
  }

  #extendParentTree(): void {
    if (!this.#newParents.length) return;
    const tree = this.#editable.copyDictionary(this.#root, 'ParentTree');
    const leaf = numberLeaf(this.#newParents);
    const own = this.#editable.list(tree, 'Nums');
    if (tree.has('Nums')) tree.set('Nums', PdfArray.of(...own, ...this.#editable.list(leaf, 'Nums')));
    else tree.set('Kids', PdfArray.of(...this.#editable.list(tree, 'Kids'), this.#editable.add(leaf)));
    this.#root.set('ParentTree', this.#editable.add(tree));
  }

  #readElement(id: number, parent: StructureElement | undefined): StructureElement | undefined {
    const text = this.#editable.unchangedText(id);
    const plain = text === undefined ? undefined : readPlain(text);
    if (text !== undefined && plain) return this.#ofPlain(id, text, plain, parent);
    const dict = this.#editable.asDict(PdfRef.of(id));
    if (!dict?.has('S')) return undefined;
    const element = new StructureElement(id, dict.clone(), parent);
    for (const kid of this.#editable.listOrOne(dict, 'K')) this.#addKid(kid, element);
    return element;
  }

  #ofPlain(id: number, text: string, plain: PlainElement, parent: StructureElement | undefined): StructureElement {
    const read = () => this.#dictionary(id, text);
    const element = new StructureElement(id, { plain, read, readLast: this.#readOnce }, parent);
    const words = plain.kids ? plain.kids.split(' ') : [];
    for (let at = 0; at < words.length; at++) {
      const number = Number(words[at]);
      if (words[at + 2] !== 'R') element.kids.push(PdfNumber.of(number));
      else {
        this.#addObject(number, element);
        at += 2;
      }
    }
    return element;
  }

  #dictionary(id: number, text: string): PdfDict {
    const dict = parseObject(text) ?? this.#editable.resolve(PdfRef.of(id));
    return dict instanceof PdfDict ? dict.clone() : new PdfDict();
  }

  readonly #readOnce = (text: string): PdfObject | undefined => {
    const known = this.#values.get(text);
    if (known) return known;
    const value = parseObject(text);
    if (value) this.#values.set(text, value);
    return value;
  };

  #addKid(kid: PdfObject, parent: StructureElement): void {
    if (kid instanceof PdfRef) this.#addObject(kid.objectNumber, parent);
    else if (kid instanceof PdfNumber || kid instanceof PdfDict) parent.kids.push(kid);
  }

  /** Adds a structure element, or an object reference, as a kid. */
  #addObject(id: number, parent: StructureElement): void {
    const kid = this.#readElement(id, parent) ?? this.#editable.resolve(PdfRef.of(id));
    if (kid instanceof StructureElement || kid instanceof PdfDict) parent.kids.push(kid);
  }
}

interface LeafPlace {
  page: PdfRef | undefined;
  /** The page or form XObject that contains the marked content. */
  holder: PdfRef | undefined;
  mcid: number;
}

function leafPlace(leaf: Leaf, ofElement: PdfObject | undefined): LeafPlace {
  const given = ofElement instanceof PdfRef ? ofElement : undefined;
  if (leaf instanceof PdfNumber) return { page: given, holder: given, mcid: leaf.value };
  const page = leaf.getRef('Pg') ?? given;
  return { page, holder: leaf.getRef('Stm') ?? page, mcid: leaf.getNumber('MCID')?.value ?? -1 };
}
