/**
 * Puts a line that is read from left to right, as it is shown, into the order in which people read it: the opposite of the bidirectional
 * algorithm (https://www.unicode.org/reports/tr9/), for a line without embeddings.
 */

const RIGHT_TO_LEFT = /[\p{scx=Hebrew}\p{scx=Arabic}\p{scx=Syriac}\p{scx=Thaana}\p{scx=Nko}]/u;
const DIGIT = /\p{Nd}/u;
const LETTER = /\p{L}/u;

type Kind = 'right' | 'left' | 'number' | 'space' | 'other';

interface Part {
  text: string;
  kind: Kind;
}

/**
 * `texts` are what one glyph after the other shows, each in its own order. `isInRightToLeft` tells it of a line without letters, such as
 * `(2026)`.
 */
export function toReadingOrder(texts: readonly string[], isInRightToLeft: boolean): string {
  const parts = texts.map((text) => ({ text, kind: kindOf(text) }));
  const hasAny = parts.some(({ kind }) => kind === 'left' || kind === 'right');
  if (!(hasAny ? parts.some(({ kind }) => kind === 'right') : isInRightToLeft)) return texts.join('');
  const ordered =
    !hasAny || isRightToLeft(parts) ? turn(parts) : split(parts, endOfRight).flatMap((run) => (run.length > 1 ? turn(run) : run));
  return ordered.map(({ text }) => text).join('');
}

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

export function hasLetters(text: string): boolean {
  return LETTER.test(text);
}

function kindOf(text: string): Kind {
  if (DIGIT.test(text)) return 'number'; // those of Arabic as well
  if (RIGHT_TO_LEFT.test(text)) return 'right';
  if (LETTER.test(text)) return 'left';
  return text.trim() ? 'other' : 'space';
}

/** Whether the line begins on the right: that is where its first letter is, or most of its letters run to the left. */
function isRightToLeft(parts: readonly Part[]): boolean {
  const letters = parts.filter(({ kind }) => kind === 'right' || kind === 'left');
  const [first, last] = [letters[0]?.kind, letters.at(-1)?.kind];
  if (first === last) return first === 'right';
  return letters.filter(({ kind }) => kind === 'right').length > letters.length / 2;
}

/** The other way round, but for what runs to the right in it: words and numbers. */
function turn(parts: readonly Part[]): Part[] {
  return split(parts, endOfLeft).reverse().flat();
}

/** Each run ends where `endOf` says; what belongs to none is on its own. */
function split(parts: readonly Part[], endOf: (parts: readonly Part[], from: number) => number): Part[][] {
  const runs: Part[][] = [];
  for (let from = 0; from < parts.length; ) {
    const end = Math.max(from + 1, endOf(parts, from));
    runs.push(parts.slice(from, end));
    from = end;
  }
  return runs;
}

function endOfRight(parts: readonly Part[], from: number): number {
  if (parts[from]?.kind !== 'right') return from;
  let end = from;
  for (let at = from; at < parts.length && parts[at]?.kind !== 'left'; at++) if (parts[at]?.kind === 'right') end = at + 1;
  return end;
}

/** A word takes all up to the last word or number with it; a number only what touches it. */
function endOfLeft(parts: readonly Part[], from: number): number {
  const first = parts[from]?.kind;
  if (first !== 'left' && first !== 'number') return from;
  let end = from;
  let hasWord = false;
  for (let at = from; at < parts.length; at++) {
    const kind = parts[at]?.kind;
    if (kind === 'right' || (kind === 'space' && !hasWord)) break;
    if (kind === 'left') hasWord = true;
    if (kind === 'left' || kind === 'number') end = at + 1;
  }
  return end;
}
