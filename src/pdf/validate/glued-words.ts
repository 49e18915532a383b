/**
 * Finds words that the tags of a PDF join although the page shows them apart (ISO 32000-1, 14.8.2.5): they are on different lines or
 * far from each other, and there is no space between them. Without the document nobody knows all words, so doubtful cases do not count.
 */
import { PdfDict, PdfNumber, type PdfObject } from '@libpdf/core';
import { IN_TEXT } from '../conformance/separate-words.ts';
import { isAtWrapWithoutSpace } from '../content/word-breaks.ts';
import { findRelation, type PlacedText, type TextPiece } from './placed-text.ts';
import type { ReadablePdf, ReadElement, StructureItem } from './readable-pdf.ts';

const ENDS_WORD = /[\p{L}\p{N}][\p{Po}\p{Pe}\p{Pf}]{0,3}$/u;
const BEGINS_WORD = /^[\p{Ps}\p{Pi}]{0,3}[\p{L}\p{N}]/u;
/** Scripts from right to left, whose words are often in the order of their positions, so that neighbours are not known. */
const RIGHT_TO_LEFT = /[\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Syriac}\p{scx=Thaana}\p{scx=Nko}]/u;
const LAST_WORD = /\S{0,64}$/;
const FIRST_WORD = /^\S{0,64}/;
/** Addresses and names in code, which wrap within a word. */
const WRAPS_WITHIN = /[/@\\_=&%#~<>{}|]|\p{L}[.:]\p{L}/u;
/** Longer words may be divided anywhere. */
const MAX_WORD = 32;

/** A share of words that are divided at line ends, in proportion to the line ends with a space, up to which no space is missing. */
const MAX_DIVIDED = 0.2;

type Distance = ReturnType<typeof findRelation>;

/** Marked content in the order of the tags. Content of the same `flow` is read without a pause. */
interface Marked {
  holder: PdfObject;
  mcid: number;
  flow: number;
}

export class TaggedOrder {
  readonly #pdf: ReadablePdf;
  readonly #marked: Marked[] = [];
  #flow = 0;
  #block: ReadElement | undefined;

  constructor(pdf: ReadablePdf) {
    this.#pdf = pdf;
  }

  /** Takes the items of the structure in their order. */
  add(item: StructureItem): void {
    if ('element' in item) {
      if (!IN_TEXT.has(item.element.type)) this.#flow++;
      return;
    }
    const block = enclosingBlock(item.parent);
    if (block !== this.#block) this.#flow++;
    this.#block = block;
    const { leaf, parent } = item;
    const content = leaf instanceof PdfDict ? leaf : undefined;
    const mcid = content ? this.#pdf.resolve(content.get('MCID')) : leaf;
    const page = this.#pdf.dict(content, 'Pg') ?? this.#pdf.dict(parent?.dict, 'Pg');
    const holder = this.#pdf.stream(content, 'Stm') ?? page;
    if (holder && mcid instanceof PdfNumber) this.#marked.push({ holder, mcid: mcid.value, flow: this.#flow });
  }

  countGluedWords(texts: PlacedText): number {
    const words = new GluedWords();
    for (const content of this.#marked) for (const piece of texts.of(content.holder, content.mcid)) words.read(piece, content);
    return words.count;
  }
}

class GluedWords {
  /** Those within marked content, and those across it, which can be words that are divided by an element like `wbr`. */
  #within = 0;
  #across = 0;
  #spaced = 0;
  #last: { piece: TextPiece; content: Marked } | undefined;
  /** Whether there is a space in the line so far. */
  #hasSpace = false;

  get count(): number {
    const count = this.#within && this.#within + this.#across;
    return count > MAX_DIVIDED * this.#spaced ? count : 0;
  }

  read(piece: TextPiece, content: Marked): void {
    const before = this.#last?.content.flow === content.flow ? this.#last.piece : undefined;
    const relation = before ? findRelation(before, piece) : 'on another line';
    if (before && relation !== 'adjacent') this.#compare(before, piece, relation, content);
    const isInLine = relation === 'apart' || (relation === 'adjacent' && this.#hasSpace);
    this.#hasSpace = isInLine || /\s/.test(piece.text ?? '');
    this.#last = { piece, content };
  }

  #compare(before: TextPiece, piece: TextPiece, relation: Distance, content: Marked): void {
    if (/\s$/.test(before.text ?? '') || /^\s/.test(piece.text ?? '')) this.#spaced++;
    else if (!isGlued(before, piece, relation, this.#hasSpace)) return;
    else if (this.#last?.content === content) this.#within++;
    else this.#across++;
  }
}

/**
 * Within a line, single letters apart from each other do not count, which may be one word with letter spacing. A line without a space can
 * be a part of one word.
 */
function isGlued({ text: before }: TextPiece, { text: after }: TextPiece, relation: Distance, hasSpace: boolean): boolean {
  if (!before || !after) return false;
  if (!ENDS_WORD.test(before) || !BEGINS_WORD.test(after) || isAtWrapWithoutSpace(before, after)) return false;
  const [last, first] = [LAST_WORD.exec(before)?.[0] ?? '', FIRST_WORD.exec(after)?.[0] ?? ''];
  if (RIGHT_TO_LEFT.test(last + first)) return false;
  if (last.length + first.length > MAX_WORD || WRAPS_WITHIN.test(`${last} ${first}`)) return false;
  return relation === 'apart' ? last.length > 1 && first.length > 1 : hasSpace;
}

/** The nearest element around some content that is not part of a line of text. */
function enclosingBlock(element: ReadElement | undefined): ReadElement | undefined {
  let block = element;
  while (block && IN_TEXT.has(block.type)) block = block.parent;
  return block;
}
