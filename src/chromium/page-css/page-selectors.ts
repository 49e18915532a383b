/** Reads the selectors of `@page` rules (css-page-3, 3.4; css-gcpm-3, 4), and tells which pages they select. */

export interface PageSelector {
  /** Empty for pages with any name. */
  name: string;
  classes: readonly PageClass[];
}

/** `:nth()` has the numbers of An+B, and the name of the groups in which it counts pages, which is empty for the document. */
type PageClass = { kind: 'first' | 'left' | 'right' | 'blank' } | { kind: 'nth'; step: number; offset: number; of: string };

/** What decides which selectors match a page. Pages are counted from 1. */
export interface PageFacts {
  number: number;
  name: string;
  /** The number of the page in its group: pages in a row with a name, of which the first element forces a break. */
  numberInGroup: number;
  isLeft: boolean;
  isBlank: boolean;
}

const NAME = /^[-\w\u0080-\uFFFF]*$/;
const SIMPLE = /^(?:first|left|right|blank)$/;
const NTH = /^nth\( ?([-+\w ]{1,40}?)(?: of ([-\w\u0080-\uFFFF]+))? ?\)$/i;
const STEPS = /^([-+]?\d*)n(?: ?([-+]) ?(\d+))?$/;
const NUMBER = /^[-+]?\d+$/;

/** Returns undefined for what is no selector. */
export function parsePageSelector(text: string): PageSelector | undefined {
  const [name = '', ...parts] = text.split(':').map((each) => each.trim());
  const classes = parts.map(parseClass).filter((each) => each !== undefined);
  return NAME.test(name) && classes.length === parts.length ? { name, classes } : undefined;
}

function parseClass(text: string): PageClass | undefined {
  const kind = text.toLowerCase();
  if (SIMPLE.test(kind)) return { kind: kind as 'first' };
  const [, numbers = '', of = ''] = NTH.exec(text.replace(/\s+/g, ' ')) ?? [];
  const counted = parseNumbers(numbers.toLowerCase());
  return counted && { kind: 'nth', ...counted, of };
}

/** Parses An+B (css-syntax-3, 6). */
function parseNumbers(text: string): Record<'step' | 'offset', number> | undefined {
  if (text === 'odd' || text === 'even') return { step: 2, offset: text === 'odd' ? 1 : 0 };
  if (NUMBER.test(text)) return { step: 0, offset: Number(text) };
  const [, step, sign = '', offset = '0'] = STEPS.exec(text) ?? [];
  if (step === undefined) return undefined;
  return { step: /\d/.test(step) ? Number(step) : Number(`${step}1`), offset: Number(sign + offset) };
}

/** `name:first` selects the first page of each group of pages with this name. */
export function selectsPage({ name, classes }: PageSelector, page: PageFacts): boolean {
  if (name && name !== page.name) return false;
  return classes.every((each) => {
    if (each.kind === 'nth') return isCounted(each.of ? numberIn(each.of, page) : page.number, each);
    if (each.kind === 'first') return (name ? page.numberInGroup : page.number) === 1;
    return each.kind === 'blank' ? page.isBlank : page.isLeft === (each.kind === 'left');
  });
}

/** 0 if the page is in no group of this name. */
function numberIn(group: string, { name, numberInGroup }: PageFacts): number {
  return group === name ? numberInGroup : 0;
}

function isCounted(number: number, { step, offset }: Record<'step' | 'offset', number>): boolean {
  if (number < 1) return false;
  return step === 0 ? number === offset : (number - offset) % step === 0 && (number - offset) / step >= 0;
}

/** A selector with a larger number is stronger (css-page-3, 3.5). `of name` counts as a name: https://github.com/w3c/csswg-drafts/issues/3524 */
export function specificityOf({ name, classes }: PageSelector): number {
  const sides = classes.filter(({ kind }) => kind === 'left' || kind === 'right').length;
  const names = Number(name !== '') + classes.filter((each) => each.kind === 'nth' && each.of).length;
  return names * 10_000 + (classes.length - sides) * 100 + sides;
}
