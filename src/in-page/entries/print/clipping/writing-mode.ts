/** Reads in which directions content flows. */
import type { Side } from './sides.ts';

/**
 * Whether the writing mode is vertical. Pages of a vertical document follow each other sideways, and lose nothing there. The writing mode
 * of the body applies to the whole document (https://www.w3.org/TR/css-writing-modes-4/#principal-flow).
 */
export function isVertical(style = mainStyle()): boolean {
  return style.getPropertyValue('writing-mode') !== 'horizontal-tb';
}

/** Returns the style of the element whose writing mode applies to the whole document. */
export function mainStyle(): CSSStyleDeclaration {
  return getComputedStyle(document.body ?? document.documentElement);
}

/** Whether a reader could scroll to content beyond this side. Content beyond the opposite side cannot be reached. */
export function scrollsTo(style: CSSStyleDeclaration, side: Side): boolean {
  if (side === 'bottom') return true;
  const mode = style.getPropertyValue('writing-mode');
  const isLeft = isVertical(style) ? mode.endsWith('-rl') : style.getPropertyValue('direction') === 'rtl';
  return (side === 'left') === isLeft;
}
