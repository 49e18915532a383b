/** Finds the pages to which links and bookmarks lead (ISO 32000-1, 12.3.2). */
import { type PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { treeEntries } from './name-tree.ts';
import type { PdfReader } from './pdf-reader.ts';

/** The explicit destination of a name, or of a value that is one already. */
export function explicitDestination(pdf: PdfReader, value: PdfObject | undefined): PdfArray | undefined {
  const name = pdf.label(value);
  const found = pdf.resolve(name === undefined ? value : namedDestination(pdf, name));
  const place = found instanceof PdfDict ? pdf.resolve(found.get('D')) : found;
  return place instanceof PdfArray ? place : undefined;
}

/** Named destinations by PDF, in whose trees a search would take too long for each link. */
const known = new WeakMap<PDF, ReadonlyMap<string | undefined, PdfObject>>();

/** A name is in the dictionary of the catalog (PDF 1.1), or in the name tree. */
function namedDestination(pdf: PdfReader, name: string): PdfObject | undefined {
  const catalog = pdf.pdf.context.catalog.getDict();
  const names = known.get(pdf.pdf) ?? readNames(pdf, catalog);
  known.set(pdf.pdf, names);
  return pdf.dict(catalog, 'Dests')?.get(name) ?? names.get(name);
}

function readNames(pdf: PdfReader, catalog: PdfDict): ReadonlyMap<string | undefined, PdfObject> {
  const entries = [...treeEntries(pdf, pdf.dict(pdf.dict(catalog, 'Names'), 'Dests'), 'Names')];
  return new Map(entries.map(([key, value]) => [pdf.label(key), value]));
}

/** The page to which a bookmark or a link leads. Undefined if it leads to none of this PDF. */
export function targetPage(pdf: PdfReader, item: PdfDict): PdfRef | undefined {
  const action = pdf.dict(item, 'A');
  const goesTo = pdf.name(action, 'S') === 'GoTo' ? action?.get('D') : undefined;
  const [page] = explicitDestination(pdf, item.get('Dest') ?? goesTo)?.toArray() ?? [];
  return page instanceof PdfRef ? page : undefined;
}
