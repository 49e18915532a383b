/** Tells whether elements are shown. */
import { builtIn } from './built-ins.ts';

export function isShown(element: Element): boolean {
  return builtIn(element).checkVisibility({ visibilityProperty: true, opacityProperty: true });
}

export function hasSize(element: Element): boolean {
  const { width, height } = builtIn(element).getBoundingClientRect();
  return width > 0 && height > 0;
}
