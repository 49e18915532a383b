/**
 * Reads the structure tree of a window: a PDF that Chromium printed in, its elements with what each marks on which page of the document
 * out. Content and annotations are known by their order on a page, because another print of the page has other numbers.
 */
import { setImmediate } from 'node:timers/promises';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { maskStrings } from '../objects/raw-file.ts';

/** What an element marks on a page. */
export interface Mark {
  /** The index of the page in the document. */
  page: number;
  kind: 'content' | 'annotation';
  /** Its place among the marked content, or among the annotations, of the page. */
  number: number;
}

/** An element of the whole document. */
export interface Element {
  /** The entries of its dictionary that do not tell its place in the tree. */
  entries: string;
  kids: Kid[];
}

export type Kid = Element | Mark;

/** An element of a window. */
export interface Node {
  entries: string;
  parent: Node | undefined;
  kids: Array<Node | Mark>;
  /** Undefined if nothing of it is on the pages that are joined. */
  element: Element | undefined;
}

/** The pages of a window that are joined. */
export interface JoinedRange {
  /** The index of the first in the file. */
  lead: number;
  count: number;
  /** The index of the first in the document. */
  page: number;
}

/** A page of the joined PDF. */
export interface TaggedPage {
  id: number;
  /** Its key in the parent tree. */
  key: number;
  /** The numbers of its marked content, in their order. */
  mcids: number[];
  annotations: Array<{ id: number; key: number }>;
}

export interface NewObjects {
  newId(): number;
  put(id: number, text: string): void;
}

export interface WindowTags {
  root: Node;
  nodes: ReadonlyMap<number, Node>;
  /** What marks the content of the first page, and of the page after the last one, in the order of the page. */
  first: Node[];
  next: Node[];
}

const PLACE = /\n?\/(P|Pg|K) (\[[^[\]]*\]|<<[^<>]*>>|\d+ 0 R|\d+)/g;
const KID = /<<([^<>]*)>>|\b(\d+)( 0 R)?/g;
/** Chromium writes these for every cell; they are the defaults (14.8.5.7). */
const DEFAULT_SPAN = /(?<!\s)\s*<<\/O \/Table\n\/(?:Row|Col)Span 1>>/g;
/** A few milliseconds. */
const NODES_AT_ONCE = 500;
const MARKED = /\/MCID (\d+)/g;

/** Returns undefined if the PDF has no structure tree. */
export async function readWindowTags(file: PrintedPages, range: JoinedRange): Promise<WindowTags | undefined> {
  const [, root] = /\n\/StructTreeRoot (\d+) 0 R/.exec(file.catalog) ?? [];
  const [, top] = root === undefined ? [] : (/\/K (\d+) 0 R/.exec(file.text(Number(root))) ?? []);
  return top === undefined ? undefined : new Reader(file, range).read(Number(top));
}

/** The marks of a page in the order of its content. */
export function markedContent(file: PrintedPages, index: number): number[] {
  const marks = file.pageContent(index).toString('latin1').matchAll(MARKED);
  return [...new Set([...marks].map(([, mcid]) => Number(mcid)))];
}

/** The object numbers of the annotations of a page. */
export function annotationsOf(file: PrintedPages, index: number): number[] {
  const [, list = ''] = /\/Annots \[([\d R\s]*)\]/.exec(file.text(file.pages[index] as number)) ?? [];
  return [...list.matchAll(/\b(\d+) 0 R/g)].map(([, id]) => Number(id));
}

class Reader {
  readonly #file: PrintedPages;
  readonly #range: JoinedRange;
  /** The indexes of pages in the file. */
  readonly #indexes: ReadonlyMap<number, number>;
  readonly #orders = new Map<number, Record<Mark['kind'], ReadonlyMap<number, number>>>();
  readonly #nodes = new Map<number, Node>();
  readonly #unread: number[] = [];
  readonly #first: Node[] = [];
  readonly #next: Node[] = [];
  /** Most elements have the same entries as others. */
  readonly #texts = new Map<string, string>();

  constructor(file: PrintedPages, range: JoinedRange) {
    this.#file = file;
    this.#range = range;
    this.#indexes = new Map(file.pages.map((id, index) => [id, index]));
  }

  /** Lets others run now and then. */
  async read(top: number): Promise<WindowTags> {
    const root = this.#addNode(top, undefined);
    for (let id = this.#unread.pop(); id !== undefined; id = this.#unread.pop()) {
      this.#readNode(id);
      if (this.#nodes.size % NODES_AT_ONCE === 0) await setImmediate();
    }
    return { root, nodes: this.#nodes, first: this.#first, next: this.#next };
  }

  #addNode(id: number, parent: Node | undefined): Node {
    const node: Node = { entries: '', parent, kids: [], element: undefined };
    this.#nodes.set(id, node);
    this.#unread.push(id);
    return node;
  }

  #readNode(id: number): void {
    const node = this.#nodes.get(id) as Node;
    const text = this.#file.text(id);
    const masked = maskStrings(text);
    const places = [...masked.matchAll(PLACE)];
    const entries = places.reduceRight(
      (rest, { 0: { length }, index }) => rest.slice(0, index) + rest.slice(index + length),
      text,
    );
    node.entries = this.#intern(entries.slice(2, -2).replace(DEFAULT_SPAN, ''));
    const [page, kids = ''] = ['Pg', 'K'].map((name) => places.find(([, found]) => found === name)?.[2]);
    for (const [, dictionary, number, isReference] of kids.matchAll(KID))
      if (isReference) node.kids.push(this.#addNode(Number(number), node));
      else this.#addMark(node, dictionary ?? `/Pg ${page} /MCID ${number}`);
  }

  /** The dictionary is that of marked content or of an annotation (14.7.4). */
  #addMark(node: Node, dictionary: string): void {
    const [, page] = /\/Pg (\d+)/.exec(dictionary) ?? [];
    const [, name, id] = /\/(MCID|Obj) (\d+)/.exec(dictionary) ?? [];
    const index = this.#indexes.get(Number(page)) ?? -1;
    const kind = name === 'Obj' ? 'annotation' : 'content';
    const { lead, count, page: first } = this.#range;
    if (index < lead || index > lead + count) return;
    const number = this.#orderOf(index)[kind].get(Number(id));
    if (number === undefined) return;
    if (index === lead && kind === 'content') this.#first[number] = node;
    if (index < lead + count) node.kids.push({ page: first + index - lead, kind, number });
    else if (kind === 'content') this.#next[number] = node;
  }

  #orderOf(index: number): Record<Mark['kind'], ReadonlyMap<number, number>> {
    const known = this.#orders.get(index);
    if (known) return known;
    const content = toOrder(markedContent(this.#file, index));
    const annotation = toOrder(annotationsOf(this.#file, index));
    const order = { content, annotation };
    this.#orders.set(index, order);
    return order;
  }

  #intern(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

function toOrder(numbers: readonly number[]): Map<number, number> {
  return new Map(numbers.map((number, order) => [number, order]));
}
