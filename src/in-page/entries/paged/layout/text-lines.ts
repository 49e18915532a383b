/** Finds lines of text whose boxes a link in them tells: no break divides them, and they are as wide as the page, less what is beside them. */
import { isMatch } from '../../../dom/built-ins.ts';
import { call, findFirst, measureBox, read } from '../../../dom/nodes.ts';
import { lineHeight, styleOf } from './break-causes.ts';

const PSEUDO = ['::before', '::after'];
/** Whether what is around an element leaves its width to the page. */
const follow = new WeakMap<Element, boolean>();

/** Whether it has nothing but text, and shows what is added to it. */
export function isLineOfText(element: Element): boolean {
  const style = styleOf(element);
  const { height } = measureBox(element);
  const isLow = height > 0 && height < 2 * lineHeight(style);
  const showsAll = style.overflow === 'visible' && style.clipPath === 'none' && isAuto(element, 'height');
  const hasText = read(element, 'firstChild') !== null && !findFirst(element, '*');
  return isLow && hasText && showsAll && followsPage(element) && !PSEUDO.some((pseudo) => isDivisible(element, pseudo));
}

function isDivisible(element: Element, pseudo: string): boolean {
  const { content, display } = getComputedStyle(element, pseudo);
  return content !== 'none' && content !== 'normal' && !isMatch(/^inline/, display);
}

/** How far the right edge of a box is from that of the window. */
export function measureToRight(element: Element): number {
  return read(document, 'documentElement').clientWidth - measureBox(element).right;
}

/** Whether the element and all around it are blocks of the width that there is. */
function followsPage(element: Element): boolean {
  const known = follow.get(element);
  if (known !== undefined) return known;
  const parent = read(element, 'parentElement');
  const follows = isWide(element) && (!parent || followsPage(parent));
  follow.set(element, follows);
  return follows;
}

function isWide(element: Element): boolean {
  const {
    display,
    position,
    cssFloat,
    maxWidth,
    columnCount,
    columnWidth,
    transform,
    zoom,
    direction,
    contain,
    contentVisibility,
  } = styleOf(element);
  const isBlock = isMatch(/^(?:block|list-item)$/, display) && position === 'static' && cssFloat === 'none';
  const isPlain = maxWidth === 'none' && columnCount === 'auto' && columnWidth === 'auto' && transform === 'none' && zoom === '1';
  const isWhole = contain === 'none' && contentVisibility === 'visible';
  return isBlock && isPlain && isWhole && direction === 'ltr' && isAuto(element, 'width');
}

function isAuto(element: Element, length: 'width' | 'height'): boolean {
  return `${call(element, 'computedStyleMap').get(length)}` === 'auto';
}
