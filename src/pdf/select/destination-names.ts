/** Removes the names of destinations on pages that are gone (ISO 32000-1, 12.3.2.3): a name may tell what a page was about. */
import { PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { explicitDestination } from '../objects/destinations.ts';
import type { ForeignPdf } from '../objects/foreign-pdf.ts';
import { treeEntries } from '../objects/name-tree.ts';

interface Named {
  key: PdfObject;
  value: PdfObject;
  page: number | undefined;
}

/** Those of a name tree by its root, because a split asks for them for each of its PDFs. */
const known = new WeakMap<PdfDict, Named[]>();

/** Also names of pages (12.6.4.6). `gone` are the object numbers of the pages. */
export function dropDestinations(pdf: ForeignPdf, gone: ReadonlySet<number>): void {
  for (const kind of ['Dests', 'Pages']) {
    const names = pdf.copyDictionary(pdf.catalog, 'Names');
    const tree = pdf.dict(names, kind);
    const named = tree ? readTree(pdf, tree) : [];
    const kept = named.filter(({ page }) => page === undefined || !gone.has(page));
    if (kept.length === named.length) continue;
    if (kept.length) names.set(kind, PdfDict.of({ Names: PdfArray.of(...kept.flatMap(({ key, value }) => [key, value])) }));
    else names.delete(kind);
    pdf.catalog.set('Names', names);
  }
  const old = pdf.dict(pdf.catalog, 'Dests');
  if (old) pdf.catalog.set('Dests', new PdfDict([...old].filter(([, value]) => !gone.has(pageOf(pdf, value) ?? -1))));
}

function readTree(pdf: ForeignPdf, tree: PdfDict): Named[] {
  const read = () => [...treeEntries(pdf, tree, 'Names')].map(([key, value]) => ({ key, value, page: pageOf(pdf, value) }));
  const found = known.get(tree) ?? read();
  known.set(tree, found);
  return found;
}

/** The page, or the one on which a destination is. */
function pageOf(pdf: ForeignPdf, value: PdfObject): number | undefined {
  const isPage = value instanceof PdfRef && pdf.name(pdf.asDict(value), 'Type') === 'Page';
  const [page] = isPage ? [value] : (explicitDestination(pdf, value)?.toArray() ?? []);
  return page instanceof PdfRef ? page.objectNumber : undefined;
}
