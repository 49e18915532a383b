/**
 * Divides a long document into blocks, of which a window shows some: the document in, its blocks in order out. A block is never
 * divided. Elements between the body and the blocks are open: they are shown if one of their blocks is.
 */

import { call, isElement, isText, read, readName } from '../../../dom/nodes.ts';

/** Elements that are replaced by their children, if those are blocks. */
const OPENED = new Set(['body', 'div', 'section', 'article', 'main', 'ol', 'ul', 'table', 'tbody']);
/** Elements that are blocks unless a style sheet says otherwise. */
const BLOCKS = new Set([
  ...OPENED,
  ...[
    'address',
    'aside',
    'blockquote',
    'details',
    'dl',
    'fieldset',
    'figure',
    'footer',
    'form',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
  ],
  ...['header', 'hr', 'li', 'nav', 'p', 'pre', 'tr'],
]);
/** Children of tables that belong to all of their rows. */
const OF_WHOLE_TABLE = new Set(['caption', 'col', 'colgroup', 'thead', 'tfoot']);
/** Elements that show nothing. */
const UNSEEN = new Set(['link', 'meta', 'script', 'style', 'template', 'title']);
/** An element with fewer descendants is a block. */
const MIN_DESCENDANTS = 30;
/** What a block takes of a page besides its text, in characters. */
const BLOCK_WEIGHT = 60;

export interface LongBlocks {
  blocks: HTMLElement[];
  /** The sum of the weights of the blocks before each block, and of all. A weight is a rough measure of the height. */
  weights: number[];
  /** The elements around blocks, in document order. */
  open: HTMLElement[];
  ofWholeTables: HTMLElement[];
}

export function findBlocks(): LongBlocks {
  const found: LongBlocks = { blocks: [], weights: [0], open: [], ofWholeTables: [] };
  if (document.body) openElement(document.body, found);
  return found;
}

function openElement(element: HTMLElement, found: LongBlocks): void {
  found.open.push(element);
  for (const child of element.children as Iterable<Element> as Iterable<HTMLElement>) {
    const name = readName(child);
    if (OF_WHOLE_TABLE.has(name)) found.ofWholeTables.push(child);
    else if (canOpen(child)) openElement(child, found);
    else if (!UNSEEN.has(name)) addBlock(child, found);
  }
}

function addBlock(block: HTMLElement, { blocks, weights }: LongBlocks): void {
  blocks.push(block);
  weights.push((weights.at(-1) ?? 0) + BLOCK_WEIGHT + (read(block, 'textContent') ?? '').length);
}

function canOpen(element: HTMLElement): boolean {
  if (!OPENED.has(readName(element)) || call(element, 'getElementsByTagName', '*').length < MIN_DESCENDANTS) return false;
  for (let node = element.firstChild; node; node = read(node, 'nextSibling')) {
    if (isText(node) && /\S/.test(node.data)) return false;
    if (isElement(node) && !isBlockName(readName(node))) return false;
  }
  return true;
}

function isBlockName(name: string): boolean {
  return BLOCKS.has(name) || OF_WHOLE_TABLE.has(name) || UNSEEN.has(name);
}
