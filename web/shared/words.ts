/** Compares the words of two texts that were made of each other, such as a document and its source. */

/** Letters and digits, because markup and layout change what is between them. */
export const WORD = /[\p{L}\p{N}]+/gu;
/** How many words before and after one are compared. */
const CONTEXT = 6;
const SAME_WORD = 3;

export interface Match {
  index: number;
  /** Higher if more of the words around it are the same. */
  score: number;
}

export function normalize(word: string): string {
  return word.normalize('NFKC').toLowerCase();
}

/**
 * Finds the word that corresponds to `words[at]`: the same one in the same company. Among equals, the one at the same share of the text.
 * Returns undefined if the word does not occur.
 */
export function findSame(words: readonly string[], at: number, others: readonly string[]): Match | undefined {
  let best: Match | undefined;
  const expected = (at / words.length) * others.length;
  for (let index = 0; index < others.length; index++) {
    if (others[index] !== words[at]) continue;
    let score = SAME_WORD;
    for (let k = 1; k <= CONTEXT; k++)
      score += Number(isSame(words, at - k, others, index - k)) + Number(isSame(words, at + k, others, index + k));
    const isNearer = best?.score === score && Math.abs(index - expected) < Math.abs(best.index - expected);
    if (!best || score > best.score || isNearer) best = { index, score };
  }
  return best;
}

function isSame(words: readonly string[], at: number, others: readonly string[], index: number): boolean {
  return words[at] !== undefined && words[at] === others[index];
}
