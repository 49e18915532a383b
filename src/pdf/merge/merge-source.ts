/** Reads one document to merge: a parsed PDF in; its pages and all objects they refer to, renumbered, out. */
import { createHash } from 'node:crypto';
import { type PDF, PdfArray, PdfDict, PdfNull, type PdfObject, PdfRef, PdfStream, type PdfString } from '@libpdf/core';
import type { MergedFonts } from '../compress/merge-fonts.ts';
import { explicitDestination } from '../objects/destinations.ts';
import { pageRefs, treeNodes, withInherited } from '../objects/page-tree.ts';
import { PdfReader } from '../objects/pdf-reader.ts';
import { toText } from '../objects/syntax.ts';
import type { MergedCatalog } from './merge-catalog.ts';
import type { MergedForm } from './merge-forms.ts';
import type { MergedLayers } from './merge-layers.ts';
import { type MergedTags, SourceTags } from './merge-tags.ts';

/** The merged file that receives the objects. */
interface Target {
  /** New object numbers of the streams that the merged file already has, by their old numbers. Added streams are recorded here. */
  streams: Map<number, number>;
  /** The numbers of streams of all parts by a digest of their content, which are written once. */
  contents: Map<string, number>;
  /** The object number of the document's bookmark, which replaces the root of its own outline. */
  bookmark: number;
  /** The structure tree of the merged file. */
  tags: MergedTags;
  form: MergedForm;
  layers: MergedLayers;
  /** Undefined if only pages and what belongs to them are kept. */
  catalog: MergedCatalog | undefined;
  /** The fonts of the merged file. Undefined if this PDF was not made by Platen, so that its fonts stay as they are. */
  fonts: MergedFonts | undefined;
  newId(): number;
}

interface NewObject {
  id: number;
  value: PdfObject;
}

/** Entries that are keys of the parent tree. */
const TAG_KEYS = ['StructParent', 'StructParents'];
/** Streams that are nested deeper are not compared with others. */
const MAX_NESTED_STREAMS = 10;

export class MergeSource extends PdfReader {
  /** The pages in order, with their new object numbers. */
  readonly pages: Array<{ id: number; page: PdfDict }>;
  readonly firstPage: PdfRef;
  /** The entries `First`, `Last` and `Count` for the document's bookmark; empty if the document has no outline. */
  readonly outline: string;
  readonly tags: SourceTags | undefined;
  /** Empty if the document declares none. */
  readonly language: string;
  /** Whether the document declares that all its content is tagged or an artifact (`Marked`). */
  readonly isMarked: boolean;
  readonly #target: Target;
  /** New object numbers by old ones. */
  readonly #ids = new Map<number, number>();
  /** Old numbers of objects that are referenced but not copied yet. */
  readonly #waiting: number[] = [];
  /** Copies of streams that are not written yet, by their old numbers. */
  readonly #copies = new Map<number, PdfStream>();
  #depth = 0;
  /** The new names of form fields, by old object number. */
  readonly #fieldNames: ReadonlyMap<number, PdfString>;

  /** Throws if the PDF is damaged. */
  constructor(pdf: PDF, target: Target) {
    if (pdf.recoveredViaBruteForce) throw new Error('the PDF is damaged');
    super(pdf);
    this.#target = target;
    const catalog = pdf.context.catalog.getDict();
    this.tags = SourceTags.read(this, catalog.get('StructTreeRoot'), target.tags);
    this.language = this.text(catalog, 'Lang');
    this.isMarked = this.tags !== undefined && (this.dict(catalog, 'MarkInfo')?.getBool('Marked')?.value ?? false);
    const refs = pageRefs(treeNodes(this, catalog.get('Pages')));
    const [firstPage] = refs;
    if (!firstPage) throw new Error('the PDF has no pages');
    this.firstPage = firstPage;
    this.pages = refs.map((ref) => ({ id: this.take(ref.objectNumber), page: this.asDict(ref) as PdfDict }));
    this.outline = this.#copyOutline(catalog.get('Outlines'));
    this.#fieldNames = target.form.join(this, catalog);
    target.layers.join(this, catalog);
    target.catalog?.join(this, catalog);
  }

  /** All objects to write. `node` is the object number of the parent of the pages. */
  *objects(node: number): Generator<NewObject> {
    for (const { id, page } of this.pages) yield { id, value: this.#copyPage(page, node) };
    if (this.tags) yield* this.#target.tags.join(this, this.tags, this.language);
    for (let old = this.#waiting.pop(); old !== undefined; old = this.#waiting.pop()) {
      const object = this.pdf.getObject(PdfRef.of(old));
      const id = this.#ids.get(old) as number;
      if (object instanceof PdfStream && !this.#mayHoldTags(object)) this.#target.streams.set(old, id);
      yield { id, value: this.#copyObject(old, object, id) };
    }
  }

  /** Assigns a new number to an object that the caller writes itself, and returns the number. */
  take(old: number, id = this.#target.newId()): number {
    this.#ids.set(old, id);
    return id;
  }

  /** Tagged content belongs to one structure element, so each copy of the document needs its own stream. */
  #mayHoldTags(stream: PdfStream): boolean {
    return this.tags !== undefined && (stream.getName('Subtype')?.value === 'Form' || TAG_KEYS.some((key) => stream.has(key)));
  }

  /** References to the root of the outline become references to the document's bookmark. */
  #copyOutline(ref: PdfObject | undefined): string {
    const root = this.asDict(ref);
    const [first, last] = [root?.get('First'), root?.get('Last')];
    if (!(ref instanceof PdfRef) || !first || !last) return '';
    this.#ids.set(ref.objectNumber, this.#target.bookmark);
    const closed = -Math.abs(this.number(root, 'Count') ?? 1);
    return `/First ${toText(this.copyValue(first))}/Last ${toText(this.copyValue(last))}/Count ${closed}`;
  }

  #copyPage(page: PdfDict, node: number): PdfDict {
    const whole = withInherited(this, page);
    whole.delete('Parent');
    const copy = this.#copyDictionary(whole);
    copy.set('Parent', PdfRef.of(node));
    return copy;
  }

  /** Pages that are not in the page tree are left out. */
  #copyObject(old: number, object: PdfObject | null, id: number): PdfObject {
    if (!object || isOfPages(object)) return PdfNull.instance;
    if (object instanceof PdfStream) return this.#copies.get(old) ?? new PdfStream(this.#copyDictionary(object), object.data);
    if (object instanceof PdfDict && this.tags?.has(old)) return this.tags.copyElement(object, id);
    const copy = this.copyValue(object);
    const name = this.#fieldNames.get(old);
    if (name && copy instanceof PdfDict) copy.set('T', name);
    return copy;
  }

  /** Copies a value and replaces the object numbers of all references. */
  copyValue(value: PdfObject): PdfObject {
    if (value instanceof PdfRef) return this.#copyRef(value);
    if (value instanceof PdfArray) return PdfArray.of(...value.toArray().map((item) => this.copyValue(item)));
    return value instanceof PdfDict ? this.#copyDictionary(value) : value;
  }

  #copyDictionary(dict: PdfDict): PdfDict {
    const copy = new PdfDict();
    const target = dict.getName('S')?.value === 'GoTo' ? 'D' : 'Dest';
    for (const [{ value: key }, value] of dict) {
      const kept = this.#copyEntry(key, value, target);
      if (kept) copy.set(key, this.copyValue(kept));
    }
    return copy;
  }

  #copyEntry(key: string, value: PdfObject, target: string): PdfObject | undefined {
    if (TAG_KEYS.includes(key)) return this.tags?.translateKey(value);
    if (key === 'SE') return value instanceof PdfRef && this.tags?.has(value.objectNumber) ? value : undefined;
    if (key === 'SD') return this.#isOfTags(value) ? value : undefined;
    return key === target ? this.#copyDestination(value) : value;
  }

  /** Whether a structure destination leads to an element that is copied. */
  #isOfTags(destination: PdfObject): boolean {
    const place = this.resolve(destination);
    const [element] = place instanceof PdfArray ? place.toArray() : [];
    return element instanceof PdfRef && (this.tags?.has(element.objectNumber) ?? false);
  }

  /** Replaces named destinations by explicit ones, because names are unique within one document only. */
  #copyDestination(value: PdfObject): PdfObject | undefined {
    return this.label(value) === undefined ? value : explicitDestination(this, value);
  }

  #copyRef({ objectNumber: old }: PdfRef): PdfRef {
    const known = this.#ids.get(old) ?? this.#target.streams.get(old) ?? this.#equalStream(old) ?? this.#joinFont(old);
    if (known !== undefined) return PdfRef.of(known);
    this.#waiting.push(old);
    return PdfRef.of(this.#ids.get(old) ?? this.take(old));
  }

  #joinFont(old: number): number | undefined {
    const font = this.#target.fonts && this.asDict(PdfRef.of(old));
    const id = font && this.#target.fonts?.join(this, font, this.#target.newId);
    if (id !== undefined) this.#ids.set(old, id);
    return id;
  }

  /** The number of a stream with the same content. It copies the streams that a stream refers to first, such as its mask. */
  #equalStream(old: number): number | undefined {
    const object = this.pdf.getObject(PdfRef.of(old));
    if (!(object instanceof PdfStream) || this.#mayHoldTags(object) || this.#depth === MAX_NESTED_STREAMS) return undefined;
    const id = this.take(old); // first, because it may refer to itself
    this.#depth++;
    const copy = new PdfStream(this.#copyDictionary(object), object.data);
    this.#depth--;
    const content = createHash('sha256').update(toText(copy)).update(copy.data).digest('binary');
    const equal = this.#target.contents.get(content);
    if (equal === undefined) {
      this.#target.contents.set(content, id);
      this.#copies.set(old, copy);
      return undefined;
    }
    this.#target.streams.set(old, equal);
    this.#ids.set(old, equal);
    return equal;
  }
}

function isOfPages(object: PdfObject): boolean {
  const type = object instanceof PdfDict ? object.getName('Type')?.value : undefined;
  return type === 'Page' || type === 'Pages' || type === 'Catalog';
}
