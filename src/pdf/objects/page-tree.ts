/** Reads the page tree of a PDF (ISO 32000-1, 7.7.3), which may be untrusted. */
import { PdfArray, type PdfDict, type PdfObject, PdfRef } from '@libpdf/core';
import { findInherited } from './page-view.ts';
import type { PdfReader } from './pdf-reader.ts';

/** Entries that a page may inherit from its parent node (table 30). */
const INHERITABLE = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];
const MAX_DEPTH = 100;
/** Nodes of a page tree can share kids, so a small file can have any number of pages. */
const MAX_PAGES = 50_000;

/** A node of the page tree, with the type that it should have. */
interface TreeNode {
  ref: PdfRef;
  type: 'Page' | 'Pages';
}

/** The pages in their order. A page can occur several times. Throws if the tree is damaged. */
export function pageRefs(nodes: readonly TreeNode[]): PdfRef[] {
  return nodes.flatMap(({ ref, type }) => (type === 'Page' ? [ref] : []));
}

/** In their order. Throws if the tree is damaged. */
export function treeNodes(pdf: PdfReader, root: PdfObject | undefined): TreeNode[] {
  const found: TreeNode[] = [];
  const collect = (ref: PdfObject | undefined, depth: number): void => {
    const node = pdf.asDict(ref);
    const isNode = node && ref instanceof PdfRef && pdf.name(node, 'Type') !== 'Catalog';
    if (!isNode || depth > MAX_DEPTH) throw new Error('the PDF is damaged');
    found.push({ ref, type: pdf.resolve(node.get('Kids')) instanceof PdfArray ? 'Pages' : 'Page' });
    if (found.length > 2 * MAX_PAGES) throw new Error('the PDF has too many pages');
    for (const kid of pdf.list(node, 'Kids')) collect(kid, depth + 1);
  };
  collect(root, 0);
  return found;
}

/** A copy of a page that has all it inherits as entries of its own. */
export function withInherited(pdf: PdfReader, page: PdfDict): PdfDict {
  const whole = page.clone();
  for (const entry of INHERITABLE) {
    const value = page.get(entry) ?? findInherited(pdf, page, entry);
    if (value) whole.set(entry, value);
  }
  return whole;
}
