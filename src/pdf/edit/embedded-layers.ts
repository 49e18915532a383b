/**
 * Layers (optional content) of pages that are drawn on others: what was hidden stays hidden. libpdf copies a layer with the pages that it
 * embeds, and viewers show the content of layers that the catalog does not list (ISO 32000-1, 8.11.4).
 */
import { type PDF, PdfArray, PdfDict, PdfNumber, type PdfObject, PdfRef } from '@libpdf/core';
import { type ForeignPdf, listReachable } from '../objects/foreign-pdf.ts';
import { PdfReader } from '../objects/pdf-reader.ts';

/** Marks a layer of the source in copies of it. */
const NUMBER = 'PlatenLayer';

export class EmbeddedLayers {
  readonly #pdf: ForeignPdf;
  readonly #hidden: ReadonlySet<number>;
  readonly #isEmpty: boolean;
  /** Those of the whole, by the numbers of those of the source. */
  readonly #own: Map<number, PdfRef>;

  /** `isSame` tells whether the source is a copy of the PDF, so that it has these layers already. */
  constructor(pdf: ForeignPdf, source: PDF, isSame = false) {
    this.#pdf = pdf;
    const { groups, hidden } = readLayers(new PdfReader(source));
    const own = isSame ? pdf.list(pdf.dict(pdf.catalog, 'OCProperties'), 'OCGs') : [];
    this.#own = new Map(own.flatMap((ref, number) => (ref instanceof PdfRef ? [[number, ref]] : [])));
    this.#hidden = hidden;
    this.#isEmpty = !groups.length;
    for (const [number, group] of groups.entries()) group?.set(NUMBER, PdfNumber.of(number));
  }

  /** Call it once, with all embedded pages. */
  adopt(pages: readonly PdfRef[]): void {
    if (this.#isEmpty) return;
    const reached = [...listReachable(this.#pdf, pages)];
    const known = new Map<number, PdfRef>();
    for (const { id, value } of reached) {
      const number = value instanceof PdfDict ? this.#pdf.number(value, NUMBER) : undefined;
      if (number === undefined) continue;
      (value as PdfDict).delete(NUMBER);
      known.set(id, this.#own.get(number) ?? this.#add(number, PdfRef.of(id)));
    }
    for (const { value } of reached) redirect(value, known);
  }

  #add(number: number, ref: PdfRef): PdfRef {
    const { catalog } = this.#pdf;
    const layers = this.#pdf.copyDictionary(catalog, 'OCProperties');
    const shown = this.#pdf.copyDictionary(layers, 'D');
    const append = (to: PdfDict, name: string) => to.set(name, PdfArray.of(...this.#pdf.list(to, name), ref));
    append(layers, 'OCGs');
    append(shown, this.#hidden.has(number) ? 'OFF' : 'ON');
    if (shown.has('Order')) append(shown, 'Order'); // PDF/A wants all of them there (ISO 19005-2, 6.9)
    layers.set('D', shown);
    catalog.set('OCProperties', layers);
    this.#own.set(number, ref);
    return ref;
  }
}

export function hasHiddenLayers(source: PDF): boolean {
  return readLayers(new PdfReader(source)).hidden.size > 0;
}

function readLayers(reader: PdfReader): { groups: Array<PdfDict | undefined>; hidden: ReadonlySet<number> } {
  const layers = reader.dict(reader.pdf.context.catalog.getDict(), 'OCProperties');
  const groups = reader.list(layers, 'OCGs');
  const shown = reader.dict(layers, 'D');
  const numbersIn = (name: string) =>
    new Set(reader.list(shown, name).flatMap((each) => (each instanceof PdfRef ? [each.objectNumber] : [])));
  const [on, off] = [numbersIn('ON'), numbersIn('OFF')];
  const isOff = reader.name(shown, 'BaseState') === 'OFF';
  const isHidden = (group: PdfObject) =>
    group instanceof PdfRef && (isOff ? !on.has(group.objectNumber) : off.has(group.objectNumber));
  return {
    groups: groups.map((group) => reader.asDict(group)),
    hidden: new Set([...groups.keys()].filter((index) => isHidden(groups[index] as PdfObject))),
  };
}

/** Replaces references in the value. */
function redirect(value: PdfObject, to: ReadonlyMap<number, PdfRef>): PdfObject {
  if (value instanceof PdfRef) return to.get(value.objectNumber) ?? value;
  if (value instanceof PdfArray) for (const [index, item] of value.toArray().entries()) value.set(index, redirect(item, to));
  else if (value instanceof PdfDict) for (const [name, item] of [...value]) value.set(name.value, redirect(item, to));
  return value;
}
