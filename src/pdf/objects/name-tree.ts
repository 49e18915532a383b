/** Reads trees of names and of numbers (ISO 32000-1, 7.9.6 and 7.9.7). */
import type { PdfDict, PdfObject } from '@libpdf/core';
import type { PdfReader } from './pdf-reader.ts';

/** Trees of others may be circles. */
const MAX_NODES = 100_000;

type Pair = [key: PdfObject, value: PdfObject];

/** The nodes with entries. */
function* leavesOf(pdf: PdfReader, root: PdfObject | undefined): Generator<{ node: PdfDict; ref: PdfObject }> {
  const waiting = root ? [root] : [];
  const seen = new Set<PdfDict>();
  for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
    const node = pdf.asDict(ref);
    if (!node || seen.has(node) || seen.size > MAX_NODES) continue;
    seen.add(node);
    const kids = pdf.list(node, 'Kids');
    if (kids.length) waiting.push(...kids.toReversed());
    else yield { node, ref };
  }
}

export function* treeEntries(pdf: PdfReader, root: PdfObject | undefined, entry: 'Names' | 'Nums'): Generator<Pair> {
  for (const { node } of leavesOf(pdf, root)) {
    const list = pdf.list(node, entry);
    for (let at = 0; at + 1 < list.length; at += 2) yield [list[at] as PdfObject, list[at + 1] as PdfObject];
  }
}
