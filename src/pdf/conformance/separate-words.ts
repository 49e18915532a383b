/**
 * Finds where the tags of a PDF miss the space between two words: Chromium paints no space at the end of a line, nor between blocks
 * that have no tag. A reader of tags does not guess words from positions (ISO 32000-1, 14.8.2.5). The text of the document decides.
 */
import { type DocumentText, foldText } from '../content/document-text.ts';
import { paintedKey } from '../content/painted-content.ts';
import type { TextObject } from '../content/text-objects.ts';
import { isAtWrapWithoutSpace } from '../content/word-breaks.ts';
import { isAnnotation, type Leaf, StructureElement } from '../structure/structure-element.ts';
import type { StructureTree } from '../structure/structure-tree.ts';

/** The text objects of marked content, by `paintedKey`. */
export type TaggedTexts = ReadonlyMap<string, readonly TextObject[]>;

/** How much text on both sides of a place is compared. */
const CONTEXT = 64;
/** Types whose text continues that around them. */
export const IN_TEXT: ReadonlySet<string> = new Set(
  'NonStruct Span Em Strong Quote Code Link Reference BibEntry Annot Ruby RB Sub'.split(' '),
);
/** Types that stand beside the text around them, which continues after them. */
const BESIDE_TEXT = new Set(['RT', 'RP', 'Artifact']);

/** Gives the text objects after which a space is missing one. */
export function separateWords(tree: StructureTree, texts: TaggedTexts, source: DocumentText): void {
  for (const flow of readFlows(tree, texts)) if (flow.length > 1) separateIn(flow, source);
}

function separateIn(flow: readonly TextObject[], source: DocumentText): void {
  const shown = flow.filter(({ text }) => text !== '');
  let before = '';
  for (const [index, object] of shown.entries()) {
    before = (before + foldText(object.text)).slice(-CONTEXT);
    const next = shown[index + 1];
    if (!next || /\s$/.test(object.text) || /^\s/.test(next.text)) continue;
    const after = foldedAfter(shown, index);
    object.endsWithSpace =
      source.isSpaced(before, after) ??
      (isAtSpacedLineEnd(object, next) || (isReversed(object, next) && source.hasBothWords(before, after)));
    if (object.endsWithSpace) before += ' ';
  }
}

/** Whether text is from right to left, of which Chromium writes the parts of a line in the order of their positions. */
function isReversed(...objects: TextObject[]): boolean {
  return objects.some((object) => object.isReversed);
}

/** Decides about text that is not found in the document, such as that of a closed shadow tree. */
function isAtSpacedLineEnd(object: TextObject, next: TextObject): boolean {
  return object.isOnOtherLine(next) && !isAtWrapWithoutSpace(object.text, next.text);
}

/** The text after a text object; a hyphen alone does not count. */
function foldedAfter(shown: readonly TextObject[], index: number): string {
  for (let at = index + 1; at < shown.length; at++) {
    const folded = foldText(shown[at]?.text ?? '').trimStart();
    if (folded) return folded.slice(0, CONTEXT);
  }
  return '';
}

/** Text that is read without a pause: the text objects between the borders of blocks, in the order of the tags. */
function readFlows(tree: StructureTree, texts: TaggedTexts): TextObject[][] {
  const reader = new FlowReader(tree, texts);
  reader.read(tree.document);
  return reader.flows;
}

class FlowReader {
  readonly flows: TextObject[][] = [];
  readonly #tree: StructureTree;
  readonly #texts: TaggedTexts;
  #flow: TextObject[] = [];

  constructor(tree: StructureTree, texts: TaggedTexts) {
    this.#tree = tree;
    this.#texts = texts;
    this.#begin();
  }

  read(element: StructureElement): void {
    for (const kid of element.kids) {
      if (!(kid instanceof StructureElement)) this.#readLeaf(kid, element);
      else if (IN_TEXT.has(kid.type)) this.read(kid);
      else this.#readBlock(kid);
    }
  }

  #readLeaf(leaf: Leaf, parent: StructureElement): void {
    const { holder, mcid } = this.#tree.leafPlace(leaf, parent);
    const texts = holder && !isAnnotation(leaf) ? this.#texts.get(paintedKey(holder.objectNumber, mcid)) : undefined;
    for (const text of texts ?? []) this.#flow.push(text);
  }

  #readBlock(block: StructureElement): void {
    const around = this.#flow;
    this.#begin();
    this.read(block);
    if (BESIDE_TEXT.has(block.type)) this.#flow = around;
    else this.#begin();
  }

  #begin(): void {
    this.#flow = [];
    this.flows.push(this.#flow);
  }
}
