/**
 * A structure element of a PDF. Elements that Chromium wrote are read as text, and parsed into objects only if more than their
 * type and kids is needed.
 */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef, PdfString } from '@libpdf/core';

/** Marked content, or an annotation. */
export type Leaf = PdfNumber | PdfDict;
export type Kid = StructureElement | Leaf;

/** The form in which Chromium writes most elements: a type, and kids as plain numbers and references. */
const PLAIN =
  /^<<\/Type \/StructElem\n\/S \/(\w+)\n\/P \d+ 0 R(?:\n\/Pg (\d+) 0 R)?\n\/K (?:(\d+(?: 0 R)?)|\[([\d R]*)\])(?=\n|>)/;
/** The entries at its beginning, except `Pg`. */
const FIRST = new Set(['Type', 'S', 'P', 'K']);

/** The entries of an element, read from its text. */
export interface PlainElement {
  type: string;
  /** The object number of the page. */
  page: number | undefined;
  /** MCIDs and references, such as `12` and `13 0 R`. */
  kids: string;
  /** The text of all other entries; mostly empty. */
  others: string;
}

/** Returns undefined if the text has another form or is not a structure element. */
export function readPlain(text: string): PlainElement | undefined {
  const [first, type, page, kid, kids] = PLAIN.exec(text) ?? [];
  if (first === undefined || type === undefined) return undefined;
  return {
    type,
    page: page === undefined ? undefined : Number(page),
    kids: kid ?? kids ?? '',
    others: text.slice(first.length, -2),
  };
}

/** An element whose dictionary is parsed when needed. */
export interface UnreadElement {
  plain: PlainElement;
  read(): PdfDict;
  /** Parses the value of the last entry; returns undefined for text that is not a single object. */
  readLast(text: string): PdfObject | undefined;
}

export class StructureElement {
  readonly id: number;
  parent: StructureElement | undefined;
  kids: Kid[] = [];
  changed = false;
  #type: string;
  #unread: UnreadElement | undefined;
  #dict: PdfDict | undefined;

  constructor(id: number, source: PdfDict | UnreadElement, parent: StructureElement | undefined) {
    this.id = id;
    this.parent = parent;
    if (source instanceof PdfDict) {
      const type = source.get('S');
      this.#type = type instanceof PdfName ? type.value : '';
      this.#dict = source;
    } else {
      this.#type = source.plain.type;
      this.#unread = source;
    }
  }

  get ref(): PdfRef {
    return PdfRef.of(this.id);
  }

  get type(): string {
    return this.#type;
  }

  set type(name: string) {
    this.#type = name;
    this.set('S', PdfName.of(name));
  }

  /** Do not modify this; call `set`. */
  get dict(): PdfDict {
    this.#dict ??= this.#unread?.read() ?? new PdfDict();
    this.#unread = undefined;
    return this.#dict;
  }

  get elements(): StructureElement[] {
    return this.kids.filter((kid) => kid instanceof StructureElement);
  }

  get hasElements(): boolean {
    return this.kids.some((kid) => kid instanceof StructureElement);
  }

  get leaves(): Leaf[] {
    return this.kids.filter((kid): kid is Leaf => !(kid instanceof StructureElement));
  }

  /** Whether marked content is a direct kid of the element. */
  get hasContent(): boolean {
    return this.leaves.some((leaf) => !isAnnotation(leaf));
  }

  get(entry: string): PdfObject | undefined {
    if (!this.#unread || FIRST.has(entry)) return this.dict.get(entry);
    const { page, others } = this.#unread.plain;
    if (entry === 'Pg') return page === undefined ? undefined : PdfRef.of(page);
    const at = others.lastIndexOf(`/${entry}`);
    return at < 0 ? undefined : (this.#unread.readLast(others.slice(at + entry.length + 1)) ?? this.dict.get(entry));
  }

  text(entry: string): string {
    const text = this.get(entry);
    return text instanceof PdfString ? text.asString() : '';
  }

  /** The attribute objects (ISO 32000-1, 14.7.5). */
  get attributes(): PdfDict[] {
    const value = this.dict.get('A');
    const list = value instanceof PdfArray ? value.toArray() : [value];
    return list.filter((each) => each instanceof PdfDict);
  }

  /** The first value of an attribute in the attribute objects. */
  attribute(name: string): PdfObject | undefined {
    if (this.#unread && !this.#unread.plain.others.includes(`/${name}`)) return undefined;
    return this.attributes.map((attribute) => attribute.get(name)).find((value) => value !== undefined);
  }

  span(name: 'RowSpan' | 'ColSpan'): number {
    const { others = '' } = this.#unread?.plain ?? {};
    const attributes = others.lastIndexOf('\n/A ');
    const at = attributes < 0 ? -1 : others.indexOf(`/${name} `, attributes);
    if (at >= 0) return Number.parseInt(others.slice(at + name.length + 2), 10);
    const value = this.attribute(name);
    return value instanceof PdfNumber ? value.value : 1;
  }

  set(entry: string, value: PdfObject): void {
    this.dict.set(entry, value);
    this.changed = true;
  }

  delete(entry: string): void {
    if (this.dict.delete(entry)) this.changed = true;
  }

  replaceKids(kids: Kid[]): void {
    for (const kid of kids) this.#take(kid);
    this.kids = kids;
    this.changed = true;
  }

  append(kid: Kid): void {
    this.#take(kid);
    this.kids.push(kid);
    this.changed = true;
  }

  #take(kid: Kid): void {
    if (!(kid instanceof StructureElement) || kid.parent === this) return;
    kid.parent = this;
    kid.set('P', this.ref);
  }
}

export function annotationOf(leaf: Leaf): PdfRef | undefined {
  return isAnnotation(leaf) ? leaf.getRef('Obj') : undefined;
}

/** Whether a leaf is an object reference (OBJR) to an annotation. */
export function isAnnotation(leaf: Leaf): leaf is PdfDict {
  return leaf instanceof PdfDict && leaf.getName('Type')?.value === 'OBJR';
}

/** Groups successive kids for which `belongs` returns true. Every other kid is a group of its own. */
export function findRuns(kids: readonly Kid[], belongs: (kid: Kid) => boolean): Kid[][] {
  const runs: Kid[][] = [];
  let isOpen = false;
  for (const kid of kids) {
    const isPart = belongs(kid);
    if (isPart && isOpen) runs.at(-1)?.push(kid);
    else runs.push([kid]);
    isOpen = isPart;
  }
  return runs;
}
