/** Finds headings that a page break may separate from what follows them. */
import { isMatch } from '../../../dom/built-ins.ts';
import { isElement, measureBox, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { findBeginning, findInFlow, findStart, isBeside, isBox, readCauses } from './break-causes.ts';

type Styled = HTMLElement | SVGElement;

/** A heading farther above what follows is that of a page of its own. */
export const NEAR_PX = 100;
export const HEADINGS = 'h1, h2, h3, h4, h5, h6';

export interface Heading {
  element: HTMLElement;
  /** What the heading belongs to. */
  next: Styled;
}

/** A heading in the upper half of the first page is not at the end of a page. */
export function findHeadings(heightPx: number): Heading[] {
  return [...selectIn<HTMLElement>(document, HEADINGS)].flatMap((element) => {
    const next =
      measureBox(element).top > heightPx / 2 && isBox(element) && read(element, 'textContent')?.trim()
        ? findNext(element)
        : undefined;
    return next ? [{ element, next }] : [];
  });
}

/** Returns the box with the text below a heading, unless it is far below or a break is forced between them. */
function findNext(heading: Element): Styled | undefined {
  for (let at: Element | null = heading; at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    if (isBeside(at) || isMatch(/absolute|fixed/, getComputedStyle(at).position)) return undefined;
    const next = findInFlow(read(at, 'nextSibling'), 'nextSibling');
    if (next) return isElement(next) ? findFollower(next, heading) : undefined;
  }
  return undefined;
}

/** Returns the innermost box with which `next` begins, unless it is far below `element` or a break is forced before it. */
export function findFollower(next: Element, element: Element): Styled | undefined {
  const first = findBeginning(next).boxes.at(-1) ?? next;
  const distance = measureBox(first).top - measureBox(element).bottom;
  return distance < NEAR_PX && !readCauses(next, findStart(next)).isForced ? (first as Styled) : undefined;
}
