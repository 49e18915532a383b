/** Reads an untrusted PDF within limits: a parsed PDF in; its objects, pages, structure elements and other lists out. */
import { type PDF, PdfArray, PdfBool, PdfDict, type PdfObject, PdfRef, PdfString } from '@libpdf/core';
import { PdfReader } from '../objects/pdf-reader.ts';
import { NAMESPACE_OF_PDF_2 } from '../structure/standard-types.ts';

const MAX_PAGES = 10_000;
const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 500;
/** Longer names than ISO 19005-2 allows (6.1.13) have no meaning for us. */
const MAX_NAME = 127;
/** Decoding this much text takes about as long as reading an entry. */
const BYTES_PER_ENTRY = 4;
/**
 * Maximum number of entries of lists and dictionaries to read in the whole file. Thousands of objects may share one long list, so that
 * the time for reading it again and again exceeds any limit on the size of the file.
 */
const MAX_READ = 3_000_000;

/** A part of the file exceeds the limits on size or depth, or contains a cycle. */
export class TooComplexError extends Error {
  override name = 'TooComplexError';
}

export interface ReadElement {
  dict: PdfDict;
  /** The standard type, according to the role map. */
  type: string;
  isVersion2: boolean;
  parent: ReadElement | undefined;
}

/** An element, or marked content or an annotation in one. */
export type StructureItem = { element: ReadElement } | { leaf: PdfObject; parent: ReadElement | undefined };

export class ReadablePdf extends PdfReader {
  readonly catalog: PdfDict;

  constructor(pdf: PDF) {
    super(pdf);
    this.catalog = pdf.context.catalog.getDict();
  }

  override resolve(value: PdfObject | undefined): PdfObject | undefined {
    let found = value;
    for (let steps = 0; found instanceof PdfRef && steps < 8; steps++) found = super.resolve(found);
    return found instanceof PdfRef ? undefined : found;
  }

  /** Throws `TooComplexError`. */
  override list(parent: PdfDict | undefined, entry: string): PdfObject[] {
    const items = super.list(parent, entry);
    this.#count(items.length);
    return items;
  }

  first(parent: PdfDict | undefined, entry: string): PdfObject | undefined {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfArray ? this.resolve(found.at(0)) : undefined;
  }

  /** The values of a dictionary. Throws `TooComplexError`. */
  values(dict: PdfDict | undefined): PdfObject[] {
    this.#count(dict?.size ?? 0);
    return dict ? [...dict].map(([, value]) => value) : [];
  }

  override name(parent: PdfDict | undefined, entry: string): string {
    const name = super.name(parent, entry);
    return name.length <= MAX_NAME ? name : '';
  }

  /** Throws `TooComplexError`. */
  override text(parent: PdfDict | undefined, entry: string): string {
    const found = this.resolve(parent?.get(entry));
    if (found instanceof PdfString) this.#count(Math.ceil(found.bytes.length / BYTES_PER_ENTRY));
    return super.text(parent, entry);
  }

  isTrue(parent: PdfDict | undefined, entry: string): boolean {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfBool && found.value;
  }

  /** Throws `TooComplexError`. */
  pages(): PdfDict[] {
    const pages: PdfDict[] = [];
    const seen = new Set<PdfObject>();
    const waiting: Array<PdfObject | undefined> = [this.catalog.get('Pages')];
    while (waiting.length) {
      const node = this.resolve(waiting.pop());
      if (!(node instanceof PdfDict)) continue;
      if (seen.has(node) || seen.size > 2 * MAX_PAGES) throw new TooComplexError();
      seen.add(node);
      if (node.has('Kids')) for (const kid of this.list(node, 'Kids').toReversed()) waiting.push(kid);
      else pages.push(node);
    }
    return pages;
  }

  /** The structure elements and what is in them, in reading order. Throws `TooComplexError`. */
  *structure(): Generator<StructureItem> {
    const root = this.dict(this.catalog, 'StructTreeRoot');
    const roles = this.dict(root, 'RoleMap');
    const seen = new Set<PdfObject>();
    const waiting: Array<{ value: PdfObject; parent: ReadElement | undefined; depth: number }> = [];
    const push = (dict: PdfDict | undefined, parent: ReadElement | undefined, depth: number) => {
      for (const value of this.listOrOne(dict, 'K').toReversed()) waiting.push({ value, parent, depth });
    };
    push(root, undefined, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const dict = this.resolve(next.value);
      if (!(dict instanceof PdfDict) || !dict.has('S')) {
        if (dict) yield { leaf: dict, parent: next.parent };
        continue;
      }
      if (seen.has(dict) || seen.size > MAX_ELEMENTS || next.depth > MAX_DEPTH) throw new TooComplexError();
      seen.add(dict);
      const given = this.name(dict, 'S');
      const isVersion2 = this.text(this.dict(dict, 'NS'), 'NS') === NAMESPACE_OF_PDF_2;
      const type = isVersion2 ? given : this.#resolveRole(given, roles);
      const element = { dict, type, isVersion2, parent: next.parent };
      yield { element };
      push(dict, element, next.depth + 1);
    }
  }

  /** The values of a name tree. Throws `TooComplexError`. */
  named(tree: PdfDict | undefined): PdfObject[] {
    const values: PdfObject[] = [];
    for (const node of this.#nodes(tree, (each) => this.list(each, 'Kids')))
      for (const [index, value] of this.list(node, 'Names').entries()) if (index % 2 === 1) values.push(value);
    return values;
  }

  /** The items of the outline. Throws `TooComplexError`. */
  outline(): PdfDict[] {
    return this.#nodes(this.dict(this.catalog, 'Outlines'), (item) => [item.get('First'), item.get('Next')]);
  }

  /** An action and the actions that follow it. Throws `TooComplexError`. */
  actions(first: PdfDict): PdfDict[] {
    return this.#nodes(first, (action) => this.listOrOne(action, 'Next'));
  }

  /** The form dictionary, its fields and their descendants. Throws `TooComplexError`. */
  fields(): PdfDict[] {
    return this.#nodes(this.dict(this.catalog, 'AcroForm'), (field) => [
      ...this.list(field, 'Fields'),
      ...this.list(field, 'Kids'),
    ]);
  }

  #nodes(root: PdfDict | undefined, next: (node: PdfDict) => Array<PdfObject | undefined>): PdfDict[] {
    const nodes = new Set<PdfDict>(root ? [root] : []);
    for (const node of nodes) {
      this.#count(1);
      for (const value of next(node)) {
        const dict = this.resolve(value);
        if (dict instanceof PdfDict) nodes.add(dict);
      }
    }
    return [...nodes];
  }

  #read = 0;

  #count(entries: number): void {
    this.#read += entries;
    if (this.#read > MAX_READ) throw new TooComplexError();
  }

  #resolveRole(given: string, roles: PdfDict | undefined): string {
    let type = given;
    for (let steps = 0; steps < 16 && roles?.has(type); steps++) type = this.name(roles, type);
    return type;
  }
}
