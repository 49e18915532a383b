/** Functions that run in a page and find elements with an effect that makes Chromium draw the whole element as one image. */

export const RASTERIZING_FUNCTIONS = [isRasterized, isPartOfDrawing, isDrawn, isFiltered, usedBy, hasPerspective];

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const builtIn: (node: PageElement) => PageElement;
declare function getComputedStyle(element: PageElement): PageElement;

function isRasterized(element: PageElement): boolean {
  const style = getComputedStyle(element);
  const isReflected = (style.webkitBoxReflect || 'none') !== 'none';
  const isPlain = style.filter === 'none' && !isReflected && style.transform === 'none';
  if ((isPlain && builtIn(element).localName !== 'use') || style.display === 'contents') return false;
  if (isPartOfDrawing(element)) return [element, ...usedBy(element)].some(isFiltered) && isDrawn(element);
  return style.filter !== 'none' || isReflected || hasPerspective(element, style.transform);
}

function isPartOfDrawing(element: PageElement): boolean {
  return Boolean(builtIn(builtIn(element).parentElement)?.closest('svg'));
}

/**
 * Whether the element is painted. `checkVisibility` also returns true for SVG definitions and elements that are not displayed.
 */
function isDrawn(element: PageElement): boolean {
  if (/^(?:defs|symbol|pattern|mask|clipPath|marker)$/.test(builtIn(element).localName)) return false;
  if (getComputedStyle(element).display === 'none') return false;
  return !isPartOfDrawing(element) || isDrawn(builtIn(element).parentElement);
}

function isFiltered(element: PageElement): boolean {
  return getComputedStyle(element).filter !== 'none';
}

/** The elements that a `use` element draws. */
function usedBy(element: PageElement): PageElement[] {
  const { localName: name, href } = builtIn(element);
  const used = name === 'use' && href && builtIn(builtIn(element).getRootNode()).getElementById(href.baseVal.slice(1));
  return used ? [used, ...builtIn(used).querySelectorAll('*')] : [];
}

/** Whether the 3D transform of the element has a perspective, so that its parts differ in depth. */
function hasPerspective(element: PageElement, transform: string): boolean {
  const matrix = /^matrix3d\((.*)\)$/.exec(transform)?.[1]?.split(',').map(Number);
  if (!matrix) return false;
  if (matrix[3] || matrix[7]) return true;
  const parent = builtIn(element).parentElement;
  const around = parent && getComputedStyle(parent);
  const isDeep = around && (around.perspective !== 'none' || around.transformStyle === 'preserve-3d');
  return Boolean(isDeep && (matrix[2] || matrix[6]));
}
