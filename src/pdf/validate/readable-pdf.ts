/** Reads an untrusted PDF within limits: a parsed PDF in; its objects, pages, structure elements and other lists out. */
import { type PDF, PdfArray, PdfBool, PdfDict, PdfName, type PdfObject, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import { NAMESPACE_OF_PDF_2 } from '../conformance/standard-types.ts';

const MAX_PAGES = 10_000;
const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 500;
/** Maximum number of list entries to follow in the whole file. */
const MAX_FOLLOWED = 2_000_000;

/** A part of the file exceeds the limits on size or depth, or contains a cycle. */
export class TooComplexError extends Error {
  override name = 'TooComplexError';
}

/** A structure element with its parent. */
export interface ReadElement {
  dict: PdfDict;
  /** The standard type, according to the role map. */
  type: string;
  /** The type as written in the file. */
  given: string;
  /** Whether the type is in the namespace of PDF 2.0. */
  isVersion2: boolean;
  parent: ReadElement | undefined;
}

export class ReadablePdf {
  readonly pdf: PDF;
  readonly catalog: PdfDict;

  constructor(pdf: PDF) {
    this.pdf = pdf;
    this.catalog = pdf.context.catalog.getDict();
  }

  resolve(value: PdfObject | undefined): PdfObject | undefined {
    let found = value;
    for (let steps = 0; found instanceof PdfRef && steps < 8; steps++) found = this.pdf.getObject(found) ?? undefined;
    return found instanceof PdfRef ? undefined : found;
  }

  dict(parent: PdfDict | undefined, entry: string): PdfDict | undefined {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfDict ? found : undefined;
  }

  list(parent: PdfDict | undefined, entry: string): PdfObject[] {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfArray ? found.toArray() : [];
  }

  /** The items of an array, or a single value as the only item. */
  listOrOne(parent: PdfDict | undefined, entry: string): PdfObject[] {
    const found = this.resolve(parent?.get(entry));
    if (found instanceof PdfArray) return found.toArray();
    const given = parent?.get(entry);
    return found && given ? [given] : [];
  }

  name(parent: PdfDict | undefined, entry: string): string {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfName ? found.value : '';
  }

  text(parent: PdfDict | undefined, entry: string): string {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfString ? found.asString() : '';
  }

  isTrue(parent: PdfDict | undefined, entry: string): boolean {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfBool && found.value;
  }

  stream(parent: PdfDict | undefined, entry: string): PdfStream | undefined {
    const found = this.resolve(parent?.get(entry));
    return found instanceof PdfStream ? found : undefined;
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
      if (node.has('Kids')) for (const kid of this.#followed(this.list(node, 'Kids')).toReversed()) waiting.push(kid);
      else pages.push(node);
    }
    return pages;
  }

  /** The structure elements in reading order. Throws `TooComplexError`. */
  *elements(): Generator<ReadElement> {
    const root = this.dict(this.catalog, 'StructTreeRoot');
    const roles = this.dict(root, 'RoleMap');
    const seen = new Set<PdfObject>();
    const waiting: Array<{ value: PdfObject; parent: ReadElement | undefined; depth: number }> = [];
    const push = (dict: PdfDict | undefined, parent: ReadElement | undefined, depth: number) => {
      for (const value of this.#followed(this.listOrOne(dict, 'K')).toReversed()) waiting.push({ value, parent, depth });
    };
    push(root, undefined, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const dict = this.resolve(next.value);
      if (!(dict instanceof PdfDict) || !dict.has('S')) continue;
      if (seen.has(dict) || seen.size > MAX_ELEMENTS || next.depth > MAX_DEPTH) throw new TooComplexError();
      seen.add(dict);
      const given = this.name(dict, 'S');
      const isVersion2 = this.text(this.dict(dict, 'NS'), 'NS') === NAMESPACE_OF_PDF_2;
      const element = { dict, given, type: isVersion2 ? given : this.#roleOf(given, roles), isVersion2, parent: next.parent };
      yield element;
      push(dict, element, next.depth + 1);
    }
  }

  /** The values of a name tree. Throws `TooComplexError`. */
  named(tree: PdfDict | undefined): PdfObject[] {
    const values: PdfObject[] = [];
    for (const node of this.#nodes(tree, (each) => this.list(each, 'Kids')))
      values.push(...this.#followed(this.list(node, 'Names')).filter((_, index) => index % 2 === 1));
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
    for (const node of nodes)
      for (const value of this.#followed(next(node))) {
        const dict = this.resolve(value);
        if (dict instanceof PdfDict) nodes.add(dict);
      }
    return [...nodes];
  }

  #followedYet = 0;

  #followed<T>(values: T[]): T[] {
    this.#followedYet += values.length;
    if (this.#followedYet > MAX_FOLLOWED) throw new TooComplexError();
    return values;
  }

  #roleOf(given: string, roles: PdfDict | undefined): string {
    let type = given;
    for (let steps = 0; steps < 16 && roles?.has(type); steps++) type = this.name(roles, type);
    return type;
  }
}
