/**
 * Finds elements with an effect that makes Chromium draw the whole element as one image (`drawSpecial`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/pdf/SkPDFDevice.cpp).
 */
import { call, findClosest, read, readName } from './nodes.ts';
import { type Root, selectIn } from './roots.ts';

export function isRasterized(element: Element): boolean {
  const style = getComputedStyle(element);
  const isReflected = (style.getPropertyValue('-webkit-box-reflect') || 'none') !== 'none';
  const isPlain = style.filter === 'none' && !isReflected && style.transform === 'none';
  if ((isPlain && readName(element) !== 'use') || style.display === 'contents') return false;
  if (isPartOfDrawing(element)) return [element, ...elementsUsedBy(element)].some(isFiltered) && isDrawn(element);
  return style.filter !== 'none' || isReflected || hasPerspective(element, style.transform);
}

export function isPartOfDrawing(element: Element): boolean {
  const parent = read(element, 'parentElement');
  return Boolean(parent && findClosest(parent, 'svg'));
}

/** Whether the element is painted. `checkVisibility` also returns true for SVG definitions and elements that are not displayed. */
function isDrawn(element: Element): boolean {
  if (/^(?:defs|symbol|pattern|mask|clipPath|marker)$/.test(readName(element))) return false;
  if (getComputedStyle(element).display === 'none') return false;
  const parentElement = read(element, 'parentElement');
  return !parentElement || !isPartOfDrawing(element) || isDrawn(parentElement);
}

function isFiltered(element: Element): boolean {
  return getComputedStyle(element).filter !== 'none';
}

/** Returns the elements that a `use` element draws. */
function elementsUsedBy(element: Element): Element[] {
  const href = readName(element) === 'use' && (read(element as SVGUseElement, 'href') as SVGAnimatedString | undefined);
  if (!href) return [];
  const used = call(call(element, 'getRootNode') as Root, 'getElementById', href.baseVal.slice(1));
  return used ? [used, ...selectIn(used, '*')] : [];
}

/** Whether the 3D transform of the element has a perspective, so that its parts differ in depth. */
function hasPerspective(element: Element, transform: string): boolean {
  const matrix = /^matrix3d\((.*)\)$/.exec(transform)?.[1]?.split(',').map(Number);
  if (!matrix) return false;
  if (matrix[3] || matrix[7]) return true;
  const parent = read(element, 'parentElement');
  const around = parent && getComputedStyle(parent);
  const isDeep = around && (around.perspective !== 'none' || around.transformStyle === 'preserve-3d');
  return Boolean(isDeep && (matrix[2] || matrix[6]));
}
