/** Reads the words of a PDF, and where in the text layer of its pages they are. */
import { normalize, WORD } from '../words.ts';
import type { OpenPdf } from './open-pdf.ts';

/** A place in the text layer of a page. */
export interface PdfPlace {
  /** Counted from 0. */
  page: number;
  /** The index of an item of the page's text. */
  item: number;
  /** The index of a character of the item. */
  offset: number;
}

export interface PdfWord extends PdfPlace {
  text: string;
  length: number;
}

/** Words of further pages are not found. */
const MAX_PAGES = 300;

export async function readWords(pdf: OpenPdf): Promise<PdfWord[]> {
  const words: PdfWord[] = [];
  for (let page = 0; page < Math.min(pdf.sizes.length, MAX_PAGES); page++) {
    const { items } = await (await pdf.page(page + 1)).getTextContent();
    words.push(
      ...wordsOf(
        items.filter((item) => 'str' in item),
        page,
      ),
    );
  }
  return words;
}

function wordsOf(items: ReadonlyArray<{ str: string; hasEOL: boolean }>, page: number): PdfWord[] {
  const starts: number[] = [];
  let text = '';
  for (const { str, hasEOL } of items) {
    starts.push(text.length);
    text += hasEOL ? `${str}\n` : str;
  }
  let item = 0;
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => {
    while ((starts[item + 1] ?? Number.POSITIVE_INFINITY) <= index) item += 1;
    return { text: normalize(word), page, item, offset: index - (starts[item] ?? 0), length: word.length };
  });
}

/** Returns the index of the last word that begins at or before the place, on its page. */
export function findWord(words: readonly PdfWord[], { page, item, offset }: PdfPlace): number {
  return words.findLastIndex((word) => word.page === page && (word.item < item || (word.item === item && word.offset <= offset)));
}
