/**
 * Lets elements begin on a page of their side (`break-before: right`), which Chromium ignores: marks them, so that the PDF tells their
 * pages, and puts empty pages before them. Runs in an isolated world.
 */
import { BLANK_PAGE } from '../../contract/page-selectors.ts';
import { MAX_SIDED_BREAKS, type SidedBreak } from '../../contract/paged.ts';
import { Changes } from '../../dom/changes.ts';
import { Destinations } from '../../dom/destinations.ts';
import { writeAttribute } from '../../dom/nodes.ts';
import { selectIn } from '../../dom/roots.ts';
import { nameOf } from './page-name.ts';

const MAX_ELEMENTS = 100_000;
/** Siblings that the style sheet could select by their number. */
const MAX_SIBLINGS = 50;
const SIDE = /^(?:left|right|recto|verso)$/;
const FLOWS = /^(?:block|flow-root|list-item)$/;

let begun: HTMLElement[] = [];
/** The empty pages, by the number of the element after them. */
const blanks = new Map<number, HTMLElement>();

/** The ids of elements that have none begin with the key. */
export function readSidedBreaks(key: string): SidedBreak[] {
  const sides = findSides();
  begun = [...sides.keys()];
  if (!begun.length) return [];
  const isReversed = getComputedStyle(document.documentElement).direction === 'rtl';
  const destinations = new Destinations(key, new Changes());
  return Array.from(sides, ([element, side]) => ({
    at: destinations.mark(element),
    isRecto: side === 'recto' || side === (isReversed ? 'left' : 'right'),
  }));
}

/**
 * Puts an empty page before these elements, unless that would change more, and before no others. `hasRules` tells whether there are rules
 * for empty pages. Returns whether any changed.
 */
export function placeBlankPages(numbers: number[], hasRules: boolean): boolean {
  const unneeded = [...blanks.keys()].filter((number) => !numbers.includes(number));
  const added = numbers.filter((number) => !blanks.has(number) && addBlankPage(number, hasRules));
  for (const number of unneeded) {
    blanks.get(number)?.remove();
    blanks.delete(number);
  }
  return unneeded.length + added.length > 0;
}

/** The elements that begin a page of a side, in their order. */
function findSides(): Map<HTMLElement, string> {
  const sides = new Map<HTMLElement, string>();
  let n = 0;
  for (const element of selectIn(document, 'body *')) {
    if (n++ >= MAX_ELEMENTS || sides.size >= MAX_SIDED_BREAKS) break;
    const { breakBefore, breakAfter } = getComputedStyle(element);
    const next = SIDE.test(breakAfter) && element.checkVisibility() ? findNext(element) : undefined;
    if (SIDE.test(breakBefore) && element.checkVisibility()) sides.set(element, breakBefore);
    if (next) sides.set(next, breakAfter);
  }
  return new Map([...sides].sort(([one], [other]) => compareOrder(one, other))); // what follows a box was found before its children
}

function compareOrder(one: Node, other: Node): number {
  return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

function findNext(element: HTMLElement): HTMLElement | undefined {
  for (let around: HTMLElement | null = element; around && around !== document.body; around = around.parentElement)
    for (let next = around.nextElementSibling; next; next = next.nextElementSibling)
      if (next instanceof HTMLElement && next.checkVisibility()) return next;
  return undefined;
}

function addBlankPage(number: number, hasRules: boolean): boolean {
  const first = findOutermost(begun[number] as HTMLElement);
  const before = first.previousElementSibling;
  const name = (!hasRules && before && nameBetween(before, first)) || BLANK_PAGE;
  const blank =
    addKeepingStyles(first, name, (added) => first.before(added)) ??
    addKeepingStyles(first, name, (added) => before?.append(added));
  if (blank) blanks.set(number, blank);
  return blank !== undefined;
}

/** The outermost element that begins with this one, because a break before the first child is one before its parent. */
function findOutermost(element: HTMLElement): HTMLElement {
  let first = element;
  for (let parent = first.parentElement; parent && parent !== document.body; parent = first.parentElement) {
    if (hasContentBefore(first)) break;
    first = parent;
  }
  return first;
}

function hasContentBefore(element: HTMLElement): boolean {
  for (let node = element.previousSibling; node; node = node.previousSibling)
    if (node instanceof HTMLElement ? node.checkVisibility() : node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
      return true;
  return false;
}

/** The name that the pages of both elements have, where they meet. */
function nameBetween(before: Element, after: Element): string | undefined {
  const names = [pageNameAt(before, 'lastElementChild'), pageNameAt(after, 'firstElementChild')];
  return names[0] === names[1] ? names[0] : undefined;
}

/** The name of the pages at the edge of an element. Empty if they have none. */
function pageNameAt(element: Element, edge: 'firstElementChild' | 'lastElementChild'): string {
  let innermost = element;
  for (let child = element[edge]; child?.checkVisibility(); child = child[edge]) innermost = child;
  return nameOf(innermost);
}

/** Adds an empty page, unless a selector such as `:nth-child` or `+` then selects other elements. */
function addKeepingStyles(first: HTMLElement, name: string, add: (blank: HTMLElement) => void): HTMLElement | undefined {
  const blank = createBlank(name);
  const concerned = [...(first.parentElement?.children ?? []), ...(first.previousElementSibling?.children ?? [])];
  const near = concerned.slice(Math.max(0, concerned.indexOf(first) - MAX_SIBLINGS)).slice(0, 2 * MAX_SIBLINGS);
  const readStyles = () => near.map((element) => getComputedStyle(element).cssText).join();
  const before = readStyles();
  add(blank);
  if (FLOWS.test(blank.parentElement ? getComputedStyle(blank.parentElement).display : '') && readStyles() === before)
    return blank;
  blank.remove();
  return undefined;
}

function createBlank(name: string): HTMLElement {
  const blank = document.createElement(BLANK_PAGE); // of no type that a style sheet could select
  writeAttribute(blank, 'aria-hidden', 'true');
  const style = {
    all: 'initial',
    display: 'block',
    height: '1px',
    'break-before': 'page',
    'break-after': 'page',
    page: name,
  };
  for (const [property, value] of Object.entries(style)) blank.style.setProperty(property, value, 'important');
  return blank;
}
