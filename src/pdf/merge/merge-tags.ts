/**
 * Joins the structure trees of merged PDFs (ISO 32000-1, 14.7) into one Document element with a Part element for each PDF. The keys
 * of the parent trees are renumbered, element ids and classes get a prefix, and so does a structure type whose mapping conflicts
 * with the standard or with another PDF.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { textString } from '../objects/syntax.ts';
import { numberLeaf } from '../structure/parent-tree.ts';
import { namespaceOfVersion2, STANDARD_TYPES } from '../structure/standard-types.ts';

interface Source extends PdfReader {
  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject;
  /** Assigns a new number to an object that the caller writes itself, and returns the number. */
  take(old: number, id?: number): number;
}

interface NewObject {
  id: number;
  value: PdfObject;
}

/** A PDF whose structure tree exceeds one of these limits is merged without tags. */
const MAX_ELEMENTS = 1_000_000;
const MAX_NODES = 100_000;
/** Limits the kids of all elements together, and the entries of the whole parent tree, because nodes can share one list. */
const MAX_KIDS = 4_000_000;
const KEYS_PER_LEAF = 200;

export class MergedTags {
  readonly root: number;
  readonly #document: number;
  readonly #newId: () => number;
  readonly #parts: Array<{ id: number; dict: PdfDict; language: string }> = [];
  readonly #leaves: PdfRef[] = [];
  readonly #namespaces: PdfObject[] = [];
  readonly roles = new Map<string, string>();
  readonly classes = new Map<string, PdfObject>();
  readonly ids: Array<{ name: PdfString; element: PdfRef }> = [];
  #nextKey = 0;

  constructor(newId: () => number) {
    this.#newId = newId;
    this.root = newId();
    this.#document = newId();
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  newKey(): number {
    return this.#nextKey++;
  }

  get nextPrefix(): string {
    return `p${this.#parts.length + 1}.`;
  }

  /** Adds the structure tree of a PDF as a part. Yields the objects to write besides the structure elements. */
  *join(source: Source, tags: SourceTags, language: string): Generator<NewObject> {
    const [only, ...more] = tags.top;
    const dict = more.length ? undefined : source.asDict(only);
    const document = only instanceof PdfRef && dict?.getName('S')?.value === 'Document' ? dict : undefined;
    const id = document ? source.take((only as PdfRef).objectNumber) : this.#newId();
    source.take(tags.rootNumber, document ? this.#document : id);
    const part = document ? tags.copyElement(document, id) : PdfDict.of({ K: source.copyValue(PdfArray.of(...tags.top)) });
    part.set('Type', PdfName.of('StructElem'));
    part.set('S', PdfName.of('Part'));
    part.set('P', PdfRef.of(this.#document));
    this.#parts.push({ id, dict: part, language });
    this.#namespaces.push(...tags.namespaces);
    for (const [name, value] of tags.classes) this.classes.set(name, value);
    yield* this.#buildLeaves(tags.parents);
  }

  *#buildLeaves(parents: Array<[key: number, parent: PdfObject]>): Generator<NewObject> {
    for (let from = 0; from < parents.length; from += KEYS_PER_LEAF) {
      const id = this.#newId();
      this.#leaves.push(PdfRef.of(id));
      yield { id, value: numberLeaf(parents.slice(from, from + KEYS_PER_LEAF)) };
    }
  }

  /** The Part element with this index, or the Document element if there is none. */
  partAt(index: number): PdfRef {
    return PdfRef.of(this.#parts[index]?.id ?? this.#document);
  }

  /** Yields the remaining objects after the last part. `language` is that of the file; parts in other languages get a `Lang`. */
  *end(language: string, { isVersion2 }: { isVersion2: boolean }): Generator<NewObject> {
    for (const { id, dict, language: own } of this.#parts) {
      if (own !== language && !dict.has('Lang')) dict.set('Lang', textString(own)); // an empty string means unknown (14.9.2.1)
      yield { id, value: dict };
    }
    const K = PdfArray.of(...this.#parts.map(({ id }) => PdfRef.of(id)));
    const document = { Type: PdfName.of('StructElem'), S: PdfName.of('Document'), P: PdfRef.of(this.root), K };
    const NS = isVersion2 ? PdfRef.of(this.#newId()) : undefined;
    if (NS) {
      this.#namespaces.push(NS);
      yield { id: NS.objectNumber, value: namespaceOfVersion2() };
    }
    yield { id: this.#document, value: PdfDict.of({ ...document, ...(NS && { NS }) }) };
    yield { id: this.root, value: this.#rootDictionary() };
  }

  #rootDictionary(): PdfDict {
    const root = PdfDict.of({
      Type: PdfName.of('StructTreeRoot'),
      K: PdfRef.of(this.#document),
      ParentTree: this.#leaves.length ? PdfDict.of({ Kids: PdfArray.of(...this.#leaves) }) : PdfDict.of({ Nums: PdfArray.of() }),
      ParentTreeNextKey: PdfNumber.of(this.#nextKey),
    });
    const roles = [...this.roles].map(([from, to]): [string, PdfObject] => [from, PdfName.of(to)]);
    if (roles.length) root.set('RoleMap', new PdfDict(roles));
    if (this.classes.size) root.set('ClassMap', new PdfDict([...this.classes]));
    if (this.#namespaces.length) root.set('Namespaces', PdfArray.of(...this.#namespaces));
    const sorted = this.ids.toSorted((one, other) => Buffer.compare(one.name.bytes, other.name.bytes)); // 7.9.6
    if (sorted.length)
      root.set('IDTree', PdfDict.of({ Names: PdfArray.of(...sorted.flatMap(({ name, element }) => [name, element])) }));
    return root;
  }
}

/** The object numbers of the elements, and the entries of the parent tree. */
interface TagsOfPdf {
  elements: ReadonlySet<number>;
  parents: Array<[key: number, parent: PdfObject]>;
}

export class SourceTags {
  readonly rootNumber: number;
  /** The elements below the root. */
  readonly top: PdfObject[];
  readonly #source: Source;
  readonly #target: MergedTags;
  readonly #root: PdfDict;
  readonly #elements: ReadonlySet<number>;
  readonly #prefix: string;
  readonly #keys: ReadonlyMap<number, number>;
  readonly #parents: ReadonlyArray<[key: number, parent: PdfObject]>;
  readonly #renamed: ReadonlyMap<string, string>;

  /** Undefined if the PDF is not tagged, or if its structure is not a tree or exceeds a limit. */
  static read(source: Source, root: PdfObject | undefined, target: MergedTags): SourceTags | undefined {
    const dict = source.asDict(root);
    if (!(root instanceof PdfRef) || !dict) return undefined;
    const elements = findElements(source, dict);
    const parents = elements && readParents(source, dict);
    return parents && new SourceTags(source, target, [root, dict], { elements, parents });
  }

  private constructor(source: Source, target: MergedTags, [ref, root]: [PdfRef, PdfDict], { elements, parents }: TagsOfPdf) {
    this.#source = source;
    this.#target = target;
    this.#root = root;
    this.rootNumber = ref.objectNumber;
    this.#elements = elements;
    this.#parents = parents;
    this.#prefix = target.nextPrefix;
    this.top = source.listOrOne(root, 'K');
    this.#keys = new Map(parents.map(([key]) => [key, target.newKey()]));
    this.#renamed = this.#joinRoles();
  }

  has(old: number): boolean {
    return this.#elements.has(old);
  }

  /** The new key that replaces this key of the parent tree. */
  translateKey(value: PdfObject | undefined): PdfNumber | undefined {
    const key = value instanceof PdfNumber ? this.#keys.get(value.value) : undefined;
    return key === undefined ? undefined : PdfNumber.of(key);
  }

  /** The entries of the parent tree with new keys and renumbered references. */
  get parents(): Array<[key: number, parent: PdfObject]> {
    return this.#parents.map(([key, parent]) => [this.#keys.get(key) ?? 0, this.#source.copyValue(parent)]);
  }

  get namespaces(): PdfObject[] {
    return this.#source.list(this.#root, 'Namespaces').map((each) => this.#source.copyValue(each));
  }

  get classes(): Array<[string, PdfObject]> {
    const classes = this.#source.dict(this.#root, 'ClassMap') ?? [];
    return [...classes].map(([name, value]) => [this.#prefix + name.value, this.#source.copyValue(this.#copyAttributes(value))]);
  }

  /** The copy of an element for the merged file, where its object number is `id`. */
  copyElement(element: PdfDict, id: number): PdfDict {
    const { ID, C, A, S } = { ID: element.get('ID'), C: element.get('C'), A: element.get('A'), S: element.get('S') };
    const own = element.clone();
    for (const entry of ['ID', 'C', 'A']) own.delete(entry);
    if (S instanceof PdfName && !own.has('NS')) own.set('S', PdfName.of(this.#renamed.get(S.value) ?? S.value));
    if (A) own.set('A', this.#copyAttributes(A));
    if (C) own.set('C', this.#prefixClasses(this.#source.resolve(C)));
    const copy = this.#source.copyValue(own);
    if (!(copy instanceof PdfDict)) throw new Error('a structure element is not a dictionary');
    if (ID instanceof PdfString) {
      const name = this.#prefixId(ID);
      copy.set('ID', name);
      this.#target.ids.push({ name, element: PdfRef.of(id) });
    }
    return copy;
  }

  #prefixId(id: PdfString): PdfString {
    return new PdfString(Buffer.concat([Buffer.from(this.#prefix), id.bytes]));
  }

  /** Adds the prefix to the ids in `Headers` attributes. */
  #copyAttributes(value: PdfObject): PdfObject {
    const resolved = this.#source.resolve(value);
    if (resolved instanceof PdfArray) return PdfArray.of(...resolved.toArray().map((each) => this.#withHeaders(each)));
    return this.#withHeaders(value);
  }

  #withHeaders(value: PdfObject): PdfObject {
    const attributes = this.#source.resolve(value);
    if (!(attributes instanceof PdfDict) || attributes instanceof PdfStream) return value;
    const headers = this.#source.resolve(attributes.get('Headers'));
    if (!(headers instanceof PdfArray)) return value;
    const copy = attributes.clone();
    copy.set('Headers', PdfArray.of(...headers.toArray().map((id) => (id instanceof PdfString ? this.#prefixId(id) : id))));
    return copy;
  }

  #prefixClasses(value: PdfObject | undefined): PdfObject {
    if (value instanceof PdfName) return PdfName.of(this.#prefix + value.value);
    const list = value instanceof PdfArray ? value.toArray() : [];
    return PdfArray.of(...list.map((each) => (each instanceof PdfName ? this.#prefixClasses(each) : each)));
  }

  /** Adds the role map to that of the merged file. Returns the new names of the structure types that had to be renamed. */
  #joinRoles(): Map<string, string> {
    const roles = readRoles(this.#source, this.#root);
    const known = this.#target.roles;
    const differs = ([from, to]: [string, string]) => STANDARD_TYPES.has(from) || (known.get(from) ?? to) !== to;
    const renamed = new Map(roles.filter(differs).map(([from]) => [from, this.#prefix + from]));
    for (const [from, to] of roles) known.set(renamed.get(from) ?? from, renamed.get(to) ?? to);
    return renamed;
  }
}

function readRoles(source: Source, root: PdfDict): Array<[string, string]> {
  const roles = source.dict(root, 'RoleMap') ?? [];
  return [...roles].flatMap(([from, to]): Array<[string, string]> => (to instanceof PdfName ? [[from.value, to.value]] : []));
}

/** The object numbers of all elements; undefined if one occurs twice or is not an indirect object, or if a limit is exceeded. */
function findElements(source: Source, root: PdfDict): Set<number> | undefined {
  const found = new Set<number>();
  const waiting = source.listOrOne(root, 'K');
  let kids = waiting.length;
  for (let kid = waiting.pop(); kid; kid = waiting.pop()) {
    const element = source.asDict(kid);
    if (!element?.has('S')) continue; // marked content or an annotation
    if (!(kid instanceof PdfRef) || found.has(kid.objectNumber) || found.size >= MAX_ELEMENTS) return undefined;
    found.add(kid.objectNumber);
    const inner = source.listOrOne(element, 'K');
    kids += inner.length;
    if (kids > MAX_KIDS) return undefined;
    for (const each of inner) waiting.push(each);
  }
  return found.size ? found : undefined;
}

/** The entries of the parent tree, sorted by key (7.9.7); undefined if it is not a tree or exceeds a limit. */
function readParents(source: Source, root: PdfDict): Array<[key: number, parent: PdfObject]> | undefined {
  const found = new Map<number, PdfObject>();
  const waiting: Array<PdfObject | undefined> = [root.get('ParentTree')];
  const seen = new Set<PdfObject>();
  for (let entries = 0; waiting.length; ) {
    const node = source.asDict(waiting.pop());
    if (!node || seen.has(node) || seen.size >= MAX_NODES) return undefined;
    seen.add(node);
    const [kids, pairs] = [source.list(node, 'Kids'), source.list(node, 'Nums')];
    entries += kids.length + pairs.length;
    if (entries > MAX_KIDS) return undefined;
    for (const kid of kids) waiting.push(kid);
    for (const [key, parent] of toPairs(pairs)) found.set(key, parent);
  }
  return [...found].sort(([one], [other]) => one - other);
}

function* toPairs(list: PdfObject[]): Generator<[key: number, parent: PdfObject]> {
  for (let at = 0; at + 1 < list.length; at += 2) {
    const key = list[at];
    if (key instanceof PdfNumber) yield [key.value, list[at + 1] as PdfObject];
  }
}
