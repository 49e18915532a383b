/** Where words end in text without a source: the rules for line ends without a space. */

/** Scripts that have no spaces between words, or wrap within words. */
const WRAPS_ANYWHERE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\uff00-\uffef]/u;
const HYPHEN_AT_END = /[-\u00ad\u2010\u2011]$/;

/** Whether a line may end between two texts although no space is there: after a hyphen, or in a script like Chinese. */
export function isAtWrapWithoutSpace(before: string, after: string): boolean {
  const [last = '', first = ''] = [[...before.slice(-2)].at(-1), [...after.slice(0, 2)].at(0)];
  return HYPHEN_AT_END.test(before) || WRAPS_ANYWHERE.test(last) || WRAPS_ANYWHERE.test(first);
}
