/** Places links over the elements that a caller selects, and over the boxes in them with which a page may begin for a reason of their own. */

import { type LayoutBox, type LayoutLinks, layoutPrefix } from '../../../contract/layout.ts';
import { MAX_LAYOUT_BOXES, MAX_LAYOUT_ELEMENTS } from '../../../contract/limits.ts';
import { isMatch } from '../../../dom/built-ins.ts';
import { Changes } from '../../../dom/changes.ts';
import { Destinations, mayBeNamed } from '../../../dom/destinations.ts';
import { findClosest, findFirst, isElement, matches, measureBox, read } from '../../../dom/nodes.ts';
import { createInlineProbe, createProbe, createStaticProbe, Probes } from '../../../dom/probes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { allRules } from '../../../dom/rules.ts';
import { findStart, isBox, isMonolithic, MONOLITHIC, type PageNames, readCauses } from './break-causes.ts';
import { isFixed, measureFrom } from './inner-links.ts';
import { isLineOfText, isLowRow, measureToRight } from './text-lines.ts';

type Styled = HTMLElement | SVGElement;

/** A box of at most this height has one line, which no break divides. */
const LINE_PX = 24;
const REPEATED = 'thead, tfoot';
const DEPENDS_ON_LAST = /:(?:last|only|nth-last|empty|has)/;

/** How the place of a box is told, if not by a link over it. */
interface InnerMark {
  link?: Element;
  destination?: string;
  isLine: boolean;
}

const changes = new Changes();
/** Whether styles may depend on the last element in another. */
let dependsOnLast = false;

/**
 * Links to `KEY:layout-N` and `KEY:layout-N-end` are over box N and at its end, unless a destination tells its place.
 * `isPaperWide` tells that the window is about as wide as the pages.
 */
export function placeLayoutLinks(selectors: string[], key: string, isPaperWide: boolean): LayoutLinks {
  const selected = select(selectors);
  if (typeof selected === 'number') return { invalid: selected, selected: [], boxes: [] };
  if (selected.reduce((sum, { length }) => sum + length, 0) > MAX_LAYOUT_ELEMENTS)
    return { invalid: null, selected: null, boxes: [] };
  const elements = new Set(selected.flat().filter(isBox));
  const boxes = inOrder(new Set([...elements, ...findCandidates(elements)]));
  const numbers = new Map(boxes.map((each, number) => [each, number]));
  dependsOnLast = mentions(DEPENDS_ON_LAST);
  const links = addLinks(boxes, elements, key, isPaperWide);
  const names: PageNames = new Map();
  return {
    invalid: null,
    selected: selected.map((all) => all.map((each) => numbers.get(each) ?? -1)),
    boxes: boxes.map((each) => describe(each, numbers, names, links.get(each))),
  };
}

export function removeLayoutLinks(): null {
  changes.undo();
  return null;
}

/** Returns the elements of each selector, or the index of one that is not valid. */
function select(selectors: string[]): number | Styled[][] {
  const selected: Styled[][] = [];
  for (const [index, selector] of selectors.entries())
    try {
      selected.push([...selectIn<Styled>(document, selector)]);
    } catch {
      return index;
    }
  return selected;
}

function findCandidates(elements: ReadonlySet<Element>): Styled[] {
  const mayBeStyled = findFirst(read(document, 'documentElement'), '[style*="break-"]') || mentions(/break-/);
  const outer = [...elements].filter((element) => !hasAncestorIn(element, elements));
  const inner = outer.flatMap((element) => [...selectIn<Styled>(element, mayBeStyled ? '*' : MONOLITHIC)]);
  return inner.filter((each) => !elements.has(each) && mayBegin(each)).slice(0, MAX_LAYOUT_BOXES);
}

function hasAncestorIn(element: Element, elements: ReadonlySet<Element>): boolean {
  for (let at = read(element, 'parentElement'); at; at = read(at, 'parentElement')) if (elements.has(at)) return true;
  return false;
}

/** Whether a page may begin with the box for a reason of its own. */
function mayBegin(element: Element): boolean {
  const style = getComputedStyle(element);
  const { breakBefore, breakInside, breakAfter, display } = style;
  if (display === 'none' || display === 'contents' || findClosest(element, REPEATED)) return false;
  const isPlain = breakBefore === 'auto' && breakInside === 'auto' && breakAfter === 'auto';
  return !isPlain || (isMonolithic(element, style) && measureBox(element).height > LINE_PX);
}

function inOrder(boxes: ReadonlySet<Element>): Styled[] {
  return [...selectIn<Styled>(document, '*')].filter((each) => boxes.has(each));
}

function describe(
  element: Styled,
  numbers: ReadonlyMap<Element, number>,
  names: PageNames,
  { link, destination, isLine }: InnerMark = { isLine: false },
): LayoutBox {
  const start = findStart(element);
  const { previous } = start;
  const lastIn = [...selectIn<Element>(element, '*')].findLast((each) => numbers.has(each));
  return {
    ...readCauses(element, start, names),
    last: numbers.get(lastIn ?? element) ?? 0,
    previous: previous && isElement(previous) ? (numbers.get(previous) ?? null) : null,
    fromMark: link || destination !== undefined ? measureFrom(link ?? element, element) : null,
    destination: destination ?? null,
    toRightPx: isLine ? measureToRight(element) : null,
  };
}

/** Returns the boxes whose places are told by links in them or by destinations. */
function addLinks(
  boxes: readonly Styled[],
  elements: ReadonlySet<Element>,
  key: string,
  isPaperWide: boolean,
): Map<Element, InnerMark> {
  const probes = new Probes(changes);
  // Before any is changed, because a look at a changed document lays it out again.
  const found = boxes.map((each) => {
    const isLine = isPaperWide && isLineOfText(each);
    const isMarked = (isLine || isLowRow(each)) && mayBeNamed(each);
    const host = isMarked ? undefined : findHost(each);
    return { isLine, isMarked, host, hasLines: measureBox(each).height > LINE_PX };
  });
  const inner = new Map<Element, InnerMark>();
  const destinations = new Destinations(layoutPrefix(key), changes);
  for (const [number, element] of boxes.entries()) {
    const href = `${key}:layout-${number}`;
    const { host, isLine, isMarked, hasLines } = found[number] as (typeof found)[number];
    if (isMarked) inner.set(element, { destination: destinations.mark(element), isLine });
    else if (host) inner.set(element, { link: addInnerLink(host, href), isLine: false });
    else addOuterLinks(element, href, { isWhole: elements.has(element), hasLines }, probes);
  }
  probes.place();
  return inner;
}

/** In repeated rows, only what is in the flow is repeated. */
function addInnerLink(host: Styled, href: string): Element {
  const isInRepeatedRow = findClosest(host, REPEATED) !== null;
  const isInLine = isInRepeatedRow && !hasElements(host);
  const added = isInLine ? createInlineProbe(href) : createStaticProbe(href);
  if (isInRepeatedRow && !isInLine) changes.setStyle(host, 'position', 'relative');
  changes.append(host, added);
  return findFirst(added, 'a') ?? added;
}

/** Returns the element in a cell or a fixed box to which a link can be added without an effect on the styles of others. */
function findHost(element: Element): HTMLElement | undefined {
  const cells = matches(element, `tr, ${REPEATED}`) ? [...selectIn<Element>(element, 'td, th')] : [];
  const host = cells.at(-1) ?? (findClosest(element, 'td, th') || isFixed(element) ? element : undefined);
  if (!host || !(host instanceof HTMLElement) || isMonolithic(host, getComputedStyle(host))) return undefined;
  const isPlain = !hasElements(host) && read(host, 'firstChild');
  return isPlain || !dependsOnLast ? host : undefined;
}

function hasElements(host: Element): boolean {
  return findFirst(host, ':not([data-platen-link])') !== null;
}

function addOuterLinks(element: Styled, href: string, is: { isWhole: boolean; hasLines: boolean }, probes: Probes): void {
  const name = `--${href.replace(':', '-')}`;
  probes.nameAnchor(element, name);
  probes.add(createProbe(href, name, is.isWhole ? 'box' : 'start'));
  // A link over a box reaches to the end of the last page, where the element may end earlier.
  if (is.isWhole && is.hasLines) probes.add(createProbe(`${href}-end`, name, 'end'));
}

/** Whether a rule of the document may match, or one that cannot be read. */
function mentions(pattern: RegExp): boolean {
  try {
    const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
    return sheets.some((sheet) => [...allRules(sheet)].some(({ cssText }) => isMatch(pattern, cssText)));
  } catch {
    return true; // a style sheet of another origin
  }
}
