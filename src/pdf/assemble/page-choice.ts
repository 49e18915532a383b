/** Choices of pages such as `1-3, 7-, !4, odd, last`: text in, indexes of pages out. */

interface Term {
  isExcluded: boolean;
  /** The numbers of the first and the last page, where a negative number counts from the end, and `parity` is 0 or 1. */
  from: number;
  to: number;
  parity?: 0 | 1;
}

export const PAGE_CHOICE_EXPECTED = 'pages such as 1-3, 7-, !4, odd, last';

const TERM = /^(!?)(?:(odd|even|all)|(\d{1,7}|first|last)(?:(-)(\d{1,7}|last|))?|-(\d{1,7}))$/;

/** Returns undefined if the text is no choice of pages. */
export function parsePageChoice(text: string): Term[] | undefined {
  const terms = text.split(',').map((each) => parseTerm(each.trim().toLowerCase()));
  return terms.every((term) => term !== undefined) ? terms : undefined;
}

function parseTerm(text: string): Term | undefined {
  const [match, not, group, from = '', dash, to, end] = TERM.exec(text) ?? [];
  if (match === undefined) return undefined;
  const isExcluded = not === '!';
  if (group) return { isExcluded, from: 1, to: -1, ...parityOf(group) };
  const last = dash ? to || 'last' : from;
  const term = end ? { from: 1, to: Number(end) } : { from: toNumber(from), to: toNumber(last) };
  const isBackward = term.to > 0 && term.from > term.to;
  return term.from === 0 || term.to === 0 || isBackward ? undefined : { isExcluded, ...term };
}

function parityOf(group: string): Pick<Term, 'parity'> {
  if (group === 'all') return {};
  return { parity: group === 'odd' ? 1 : 0 };
}

function toNumber(text: string): number {
  if (text === 'first') return 1;
  return text === 'last' ? -1 : Number(text);
}

/**
 * The indexes of the pages that `text` names, in the order in which it names them, each once. Without a page that is not excluded, all
 * others. Returns the number of a page that the document does not have, if the text names one.
 */
export function choosePages(text: string | undefined, count: number): number[] | { missing: number } {
  const terms = (text !== undefined && parsePageChoice(text)) || [];
  const beyond = terms.flatMap(({ from, to }) => [from, to]).find((page) => page > count);
  if (beyond !== undefined) return { missing: beyond };
  const [chosen, excluded] = [new Set<number>(), new Set<number>()];
  for (const term of terms) for (const page of pagesOf(term, count)) (term.isExcluded ? excluded : chosen).add(page);
  const all = terms.every(({ isExcluded }) => isExcluded) ? Array.from({ length: count }, (_, index) => index) : [...chosen];
  return all.filter((page) => !excluded.has(page));
}

function pagesOf({ from, to, parity }: Term, count: number): number[] {
  const [first, last] = [from < 0 ? count : from, to < 0 ? count : Math.min(to, count)];
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return all.filter((page) => parity === undefined || page % 2 === parity).map((page) => page - 1);
}
