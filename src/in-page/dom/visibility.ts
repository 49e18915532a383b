/** Tells whether elements are shown. */
import { call, measureBox } from './nodes.ts';

export function isShown(element: Element): boolean {
  return call(element, 'checkVisibility', { visibilityProperty: true, opacityProperty: true });
}

export function hasSize(element: Element): boolean {
  const { width, height } = measureBox(element);
  return width > 0 && height > 0;
}
