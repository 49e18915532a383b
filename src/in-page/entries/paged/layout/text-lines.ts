/** Finds boxes that no break divides, so that a destination tells where they are: lines of text that are as wide as the page, less what is beside them, and rows of tables. */
import { isMatch } from '../../../dom/built-ins.ts';
import { call, matches, measureBox, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { lineHeight, styleOf } from './break-causes.ts';

const PSEUDO = ['::before', '::after'];
const NOT_REPEATED = 'tbody > tr, tbody > tr > td, tbody > tr > th';
/** Whether an element and all around it are blocks of the width that there is. */
const followsPage = forAllAround(isWide);
/** Whether an element is where the flow of the document has it, and nothing hides it. */
const isPlainlyPlaced = forAllAround(isPlain);

/** Whether it is a line, which no break divides, of text that no inner box places. */
export function isLineOfText(element: Element): boolean {
  const isFilled = read(element, 'firstChild') !== null && [...selectIn(element, '*')].every(isInline);
  const isLine = isFilled && isLow(element) && isAuto(element, 'height') && followsPage(element);
  return isLine && !PSEUDO.some((pseudo) => isDivisible(element, pseudo));
}

function isInline(element: Element): boolean {
  return styleOf(element).display === 'inline';
}

function isDivisible(element: Element, pseudo: string): boolean {
  const { content, display } = getComputedStyle(element, pseudo);
  return content !== 'none' && content !== 'normal' && !isMatch(/^inline/, display);
}

/** Whether it is a row of a table, or a cell, with a line of text: no break divides it, and its beginning tells where it is. */
export function isLowRow(element: Element): boolean {
  return matches(element, NOT_REPEATED) && isLow(element) && isPlainlyPlaced(element);
}

function isLow(element: Element): boolean {
  const { height } = measureBox(element);
  return height > 0 && height < 2 * lineHeight(styleOf(element));
}

/** Makes a function that tells whether something holds of an element and of all around it, and keeps its answers. */
function forAllAround(holdsOf: (element: Element) => boolean): (element: Element) => boolean {
  const known = new WeakMap<Element, boolean>();
  const holds = (element: Element): boolean => {
    const before = known.get(element);
    if (before !== undefined) return before;
    const parent = read(element, 'parentElement');
    const now = holdsOf(element) && (!parent || holds(parent));
    known.set(element, now);
    return now;
  };
  return holds;
}

/** How far the right edge of a box is from that of the window. */
export function measureToRight(element: Element): number {
  return read(document, 'documentElement').clientWidth - measureBox(element).right;
}

function isWide(element: Element): boolean {
  const { display, maxWidth, direction } = styleOf(element);
  const isBlock = isMatch(/^(?:block|list-item)$/, display) && maxWidth === 'none' && direction === 'ltr';
  return isBlock && isPlain(element) && isAuto(element, 'width');
}

function isPlain(element: Element): boolean {
  const { position, cssFloat, columnCount, columnWidth, transform, zoom, contain, contentVisibility, overflow, clipPath } =
    styleOf(element);
  const isStatic = position === 'static' && cssFloat === 'none' && columnCount === 'auto' && columnWidth === 'auto';
  const isWhole = contain === 'none' && contentVisibility === 'visible' && transform === 'none' && zoom === '1';
  return isStatic && isWhole && overflow === 'visible' && clipPath === 'none';
}

function isAuto(element: Element, length: 'width' | 'height'): boolean {
  return `${call(element, 'computedStyleMap').get(length)}` === 'auto';
}
