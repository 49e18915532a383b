/** Measures the space between the top of an element and that of the page, if it is the first of its page. */
import { call, read } from '../../dom/nodes.ts';

/** Pixels above an element, by its own margin and by the elements that begin with it. */
export function findSpaceAbove(element: Element): number {
  const pixelsOf = (style: CSSStyleDeclaration, ...names: Array<'marginTop' | 'borderTopWidth' | 'paddingTop'>) =>
    names.reduce((sum, name) => sum + (Number.parseFloat(style[name]) || 0), 0);
  let space = pixelsOf(getComputedStyle(element), 'marginTop');
  for (let inner = element, outer = read(inner, 'parentElement'); outer; outer = read(inner, 'parentElement')) {
    if (hasShownBefore(inner)) break;
    const style = getComputedStyle(outer);
    const edge = pixelsOf(style, 'borderTopWidth', 'paddingTop');
    const margin = pixelsOf(style, 'marginTop');
    space = edge ? margin + edge + space : Math.max(margin, space); // margins without an edge between them collapse
    inner = outer;
  }
  return space;
}

function hasShownBefore(element: Element): boolean {
  for (let each = read(element, 'previousElementSibling'); each; each = read(each, 'previousElementSibling'))
    if (call(each, 'checkVisibility')) return true;
  return false;
}
