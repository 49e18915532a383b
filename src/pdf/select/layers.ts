/** Removes the layers (optional content) that no page uses any more, whose names would stay in the lists of viewers. */
import { PdfArray, PdfDict, PdfNull, type PdfObject, PdfRef } from '@libpdf/core';
import { type ForeignPdf, listReachable } from '../objects/foreign-pdf.ts';

const MAX_DEPTH = 50;

export function dropUnusedLayers(pdf: ForeignPdf): void {
  const properties = pdf.dict(pdf.catalog, 'OCProperties');
  const layers = pdf.list(properties, 'OCGs').filter((each) => each instanceof PdfRef);
  if (!properties || !layers.length) return;
  const pages = pdf.pages().map(({ ref }) => ref);
  const used = new Set(Array.from(listReachable(pdf, pages), ({ id }) => id));
  const unused = new Map(layers.filter((ref) => !used.has(ref.objectNumber)).map((ref) => [ref.objectNumber, ref]));
  if (!unused.size) return;
  const left = unused.size < layers.length ? without(pdf, properties, new Set(unused.keys()), 0) : undefined;
  if (left) pdf.catalog.set('OCProperties', left);
  else pdf.catalog.delete('OCProperties');
  for (const ref of unused.values()) pdf.change(ref, PdfNull.instance);
}

/** A copy of a value without references to these layers. Undefined for one of them, and for a list that had nothing else. */
function without(pdf: ForeignPdf, value: PdfObject, layers: ReadonlySet<number>, depth: number): PdfObject | undefined {
  if (value instanceof PdfRef && layers.has(value.objectNumber)) return undefined;
  const found = pdf.resolve(value);
  const isLayer = value instanceof PdfRef && found instanceof PdfDict && pdf.name(found, 'Type') === 'OCG';
  if (isLayer || depth > MAX_DEPTH) return value;
  if (found instanceof PdfArray) {
    const items = found.toArray();
    const kept = items.flatMap((item) => without(pdf, item, layers, depth + 1) ?? []);
    const isEmptied = kept.length < items.length && kept.every((item) => pdf.label(item) !== undefined); // the label of a group
    return isEmptied ? undefined : PdfArray.of(...kept);
  }
  if (!(found instanceof PdfDict)) return value;
  return new PdfDict(
    [...found].flatMap(([name, item]): Array<[string, PdfObject]> => {
      const kept = without(pdf, item, layers, depth + 1);
      return kept ? [[name.value, kept]] : [];
    }),
  );
}
