/** A structure element of a PDF. */
import { PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';

/** Marked content, or an annotation. */
export type Leaf = PdfNumber | PdfDict;
export type Kid = StructureElement | Leaf;

export class StructureElement {
  readonly id: number;
  parent: StructureElement | undefined;
  kids: Kid[] = [];
  changed = false;
  /** Do not modify this; call `set`. */
  readonly dict: PdfDict;
  #type: string;

  constructor(id: number, dict: PdfDict, parent: StructureElement | undefined) {
    this.id = id;
    this.dict = dict;
    this.parent = parent;
    this.#type = dict.getName('S')?.value ?? '';
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

  text(entry: string): string {
    return this.dict.getString(entry)?.asString() ?? '';
  }

  /** The attribute objects (ISO 32000-1, 14.7.5). */
  get attributes(): PdfDict[] {
    const value = this.dict.get('A');
    const list = value instanceof PdfArray ? value.toArray() : [value];
    return list.filter((each) => each instanceof PdfDict);
  }

  /** The first value of an attribute in the attribute objects. */
  attribute(name: string): PdfObject | undefined {
    return this.attributes.map((attribute) => attribute.get(name)).find((value) => value !== undefined);
  }

  span(name: 'RowSpan' | 'ColSpan'): number {
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
