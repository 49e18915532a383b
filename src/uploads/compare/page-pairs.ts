/** Pairs the pages of two PDFs by what they say, so that a page in between does not make all later ones different. */
import type { Size } from '../pdfium.ts';

/** The indexes of two pages, or of one that the other PDF lacks. */
export type PagePair = readonly [before: number, after: number] | readonly [null, number] | readonly [number, null];

/** Beyond this number of cells, the table of common pages is too large, and pages are paired in their order. */
const MAX_CELLS = 16_000_000;

/** Digests of the text of a page, and its size. Texts that differ in nothing but numbers, such as those of pages, are better than none. */
export interface PageKeys {
  text: string;
  withoutNumbers: string;
  size: Size;
}

export function pairPages(before: readonly PageKeys[], after: readonly PageKeys[]): PagePair[] {
  const texts = [before.map(({ text }) => text), after.map(({ text }) => text)] as const;
  return pairBetween(texts, 0, 0, ([gapBefore, gapAfter], i, j) => {
    const read = (keys: readonly PageKeys[], from: number, { length }: Keys) =>
      keys.slice(from, from + length).map(({ withoutNumbers }) => withoutNumbers);
    return pairBetween([read(before, i, gapBefore), read(after, j, gapAfter)], i, j, pairInOrder);
  });
}

type Keys = readonly string[];
/** Pairs pages that begin with index `i` in the first PDF, and with index `j` in the second. */
type PairGap = (keys: readonly [Keys, Keys], i: number, j: number) => PagePair[];

/** Pairs equal keys in their order, and what is between them with `pairGap`. */
function pairBetween([before, after]: readonly [Keys, Keys], i: number, j: number, pairGap: PairGap): PagePair[] {
  const pairs: PagePair[] = [];
  let [fromBefore, fromAfter] = [0, 0];
  for (const [nextBefore, nextAfter] of [...findCommon(before, after), [before.length, after.length] as const]) {
    const gap = [before.slice(fromBefore, nextBefore), after.slice(fromAfter, nextAfter)] as const;
    for (const pair of pairGap(gap, i + fromBefore, j + fromAfter)) pairs.push(pair);
    if (nextBefore < before.length) pairs.push([i + nextBefore, j + nextAfter]);
    [fromBefore, fromAfter] = [nextBefore + 1, nextAfter + 1];
  }
  return pairs;
}

function pairInOrder([before, after]: readonly [Keys, Keys], i: number, j: number): PagePair[] {
  const both = Math.min(before.length, after.length);
  return [
    ...before.map((_, index): PagePair => (index < both ? [i + index, j + index] : [i + index, null])),
    ...after.slice(both).map((_, index): PagePair => [null, j + both + index]),
  ];
}

/** The longest common subsequence, as pairs of indexes. */
function findCommon(before: Keys, after: Keys): Array<readonly [number, number]> {
  const [n, m] = [before.length, after.length];
  const shorter = Math.min(n, m);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[n - 1 - end] === after[m - 1 - end]) end++;
  const middle = findMiddle(before.slice(start, n - end), after.slice(start, m - end));
  return [
    ...Array.from({ length: start }, (_, index) => [index, index] as const),
    ...middle.map(([i, j]) => [start + i, start + j] as const),
    ...Array.from({ length: end }, (_, index) => [n - end + index, m - end + index] as const),
  ];
}

function findMiddle(before: Keys, after: Keys): Array<[number, number]> {
  if (before.length * after.length > MAX_CELLS) return [];
  const lengthAt = measureCommon(before, after);
  const found: Array<[number, number]> = [];
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) found.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return found;
}

/** The length of the longest subsequence that is common to what follows from two indexes. */
function measureCommon(before: Keys, after: Keys): (i: number, j: number) => number {
  const [n, m] = [before.length, after.length];
  const lengths = new Uint16Array((n + 1) * (m + 1));
  const at = (i: number, j: number) => lengths[i * (m + 1) + j] ?? 0;
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      lengths[i * (m + 1) + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}
