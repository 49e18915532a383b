/** Reads what is in structure elements and in all below them: a PDF in, the pages and objects by element out. */
import { PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { treeEntries } from '../objects/name-tree.ts';
import type { PdfReader } from '../objects/pdf-reader.ts';
import { isRepeated, MAX_DEPTH } from './repeated.ts';

interface TagContent {
  /** The object number of the element around it. Undefined for the root. */
  parent: number | undefined;
  /** The object numbers of the pages on which it has content. */
  pages: readonly number[];
  /** The object numbers of its annotations and images. */
  objects: readonly number[];
}

export interface TagContents {
  /** By object number. Elements that are no objects of their own are counted to those around them. */
  elements: ReadonlyMap<number, TagContent>;
  /** The entries of the parent tree, each with the pages on which its elements have content. */
  owners: Array<{ key: PdfObject; entry: PdfObject; pages: readonly number[] }>;
}

/** Those of a tree by its root, because a split asks for them for each of its PDFs. */
const known = new WeakMap<PdfDict, TagContents>();

export function readTagContents(pdf: PdfReader, root: PdfDict): TagContents {
  const found = known.get(root) ?? collectContents(pdf, root);
  known.set(root, found);
  return found;
}

function collectContents(pdf: PdfReader, root: PdfDict): TagContents {
  const collector = new TagCollector(pdf);
  for (const kid of pdf.listOrOne(root, 'K')) collector.visit(kid, undefined, { parent: undefined, depth: 0, ...nothing() });
  return { elements: collector.elements, owners: readOwners(pdf, root, collector.elements) };
}

/** An element, or what is around all. */
interface Around {
  parent: number | undefined;
  depth: number;
  pages: Set<number>;
  objects: Set<number>;
}

const nothing = (): Pick<Around, 'pages' | 'objects'> => ({ pages: new Set(), objects: new Set() });

class TagCollector {
  readonly elements = new Map<number, TagContent>();
  readonly #pdf: PdfReader;
  readonly #seen = new Set<number>();

  constructor(pdf: PdfReader) {
    this.#pdf = pdf;
  }

  visit(kid: PdfObject, page: PdfObject | undefined, around: Around): void {
    const found = this.#pdf.resolve(kid);
    if (found instanceof PdfNumber) addRef(around.pages, page);
    else if (!(found instanceof PdfDict) || around.depth > MAX_DEPTH) return;
    else if (!found.has('S')) {
      addRef(around.pages, found.get('Pg') ?? page);
      addRef(around.objects, found.get('Obj'));
    } else if (!isRepeated(this.#seen, kid)) this.#visitElement(kid, found, around);
  }

  #visitElement(at: PdfObject, element: PdfDict, around: Around): void {
    const depth = around.depth + 1;
    const own = at instanceof PdfRef ? { parent: at.objectNumber, depth, ...nothing() } : { ...around, depth };
    for (const kid of this.#pdf.listOrOne(element, 'K')) this.visit(kid, element.get('Pg'), own);
    if (!(at instanceof PdfRef)) return;
    this.elements.set(at.objectNumber, { parent: around.parent, pages: [...own.pages], objects: [...own.objects] });
    for (const page of own.pages) around.pages.add(page);
    for (const object of own.objects) around.objects.add(object);
  }
}

function readOwners(pdf: PdfReader, root: PdfDict, elements: TagContents['elements']): TagContents['owners'] {
  return [...treeEntries(pdf, root.get('ParentTree'), 'Nums')].map(([key, entry]) => {
    const found = pdf.resolve(entry);
    const owners = found instanceof PdfArray ? found.toArray() : [entry];
    const pages = owners.flatMap((owner) => (owner instanceof PdfRef ? (elements.get(owner.objectNumber)?.pages ?? []) : []));
    return { key, entry, pages: [...new Set(pages)] };
  });
}

function addRef(to: Set<number>, value: PdfObject | undefined): void {
  if (value instanceof PdfRef) to.add(value.objectNumber);
}
