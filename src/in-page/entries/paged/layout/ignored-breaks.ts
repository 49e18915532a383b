/** Finds elements whose forced page breaks have no effect in Chromium. The facts were tried with Chromium 153. */
import { isMatch } from '../../../dom/built-ins.ts';
import { matches, measureBox, read } from '../../../dom/nodes.ts';
import { selectIn } from '../../../dom/roots.ts';
import { allRules } from '../../../dom/rules.ts';
import { findInFlow, forcesBreak, isBox } from './break-causes.ts';

type Styled = HTMLElement | SVGElement;

const MAX_SELECTORS = 1_000;

export function findIgnoredBreaks(): Array<{ element: Styled; reason: string }> {
  const hasBreak = (style: CSSStyleDeclaration) => forcesBreak(style.breakBefore) || forcesBreak(style.breakAfter);
  return selectByRules(hasBreak, '[style*="break-"]').flatMap((element) => {
    const style = getComputedStyle(element);
    const reason = isBox(element) && hasBreak(style) ? reasonOf(element, style) : '';
    return reason ? [{ element, reason }] : [];
  });
}

/** Selects the elements for which a rule or an attribute may have declarations of this kind. */
export function selectByRules(isWanted: (style: CSSStyleDeclaration) => boolean, attribute: string): Styled[] {
  const selectors = [attribute];
  for (const sheet of document.styleSheets)
    try {
      for (const { style, selectorText } of allRules(sheet))
        if (style && selectorText && selectors.length < MAX_SELECTORS && isWanted(style)) selectors.push(selectorText);
    } catch {} // a style sheet of another origin
  return [...new Set(selectors.flatMap(selectAll))];
}

function selectAll(selector: string): Styled[] {
  try {
    return [...selectIn<Styled>(document, selector)];
  } catch {
    return []; // the selector of a pseudo-element
  }
}

function reasonOf(element: Element, { display, cssFloat, position }: CSSStyleDeclaration): string {
  if (matches(element, 'br')) return 'it is a line break: use a block, such as a div';
  if (isMatch(/^inline/, display)) return `its display is ${display}: use a block`;
  if (cssFloat !== 'none') return 'it floats';
  if (isMatch(/absolute|fixed/, position)) return `its position is ${position}`;
  return isBesideOthers(element) ? 'it is beside another box in a flex or grid container' : reasonAround(element);
}

function reasonAround(element: Element): string {
  for (let at = read(element, 'parentElement'); at && at !== read(document, 'body'); at = read(at, 'parentElement')) {
    const { display, contain, columnCount, columnWidth } = getComputedStyle(at);
    if (isMatch(/^inline-/, display)) return `it is in a box whose display is ${display}`;
    if (isMatch(/size|strict/, contain)) return `it is in a box with contain: ${contain}`;
    if (matches(at, 'button, thead, tfoot')) return `it is in a ${read(at, 'localName')}`;
    if (columnCount !== 'auto' || columnWidth !== 'auto') return 'it is in columns, and begins the next column';
  }
  return '';
}

function isBesideOthers(element: Element): boolean {
  const parent = read(element, 'parentElement');
  if (!parent || !isMatch(/flex|grid/, getComputedStyle(parent).display)) return false;
  const { top, bottom } = measureBox(element);
  const next = forcesBreak(getComputedStyle(element).breakBefore) ? 'previousSibling' : 'nextSibling';
  const neighbour = findInFlow(read(element, next), next);
  if (!(neighbour instanceof Element)) return false;
  const other = measureBox(neighbour);
  return other.bottom > top + 1 && other.top < bottom - 1;
}
