/** Answers questions about elements that a caller selects. */
import type { Box, ElementState } from '../contract/questions.ts';

export function isSelector(selector: string): boolean {
  return findFirst(document.createDocumentFragment(), selector) !== 'invalid';
}

export function isInState(selector: string, state: ElementState): boolean {
  const found = [...document.querySelectorAll(selector)];
  if (state === 'attached') return found.length > 0;
  const visible = found.some((element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
  });
  return state === 'visible' ? visible : !visible;
}

/** Returns the box of the first element, null if there is none, or `invalid` if the selector cannot be read. */
export function boxOf(selector: string): Box | null | 'invalid' {
  const element = findFirst(document, selector);
  if (element === null || element === 'invalid') return element;
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + scrollX, y: y + scrollY, width, height };
}

/** Throws only if the document breaks the functions used here. */
function findFirst(root: ParentNode, selector: string): Element | null | 'invalid' {
  try {
    return root.querySelector(selector);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SyntaxError') return 'invalid';
    throw error;
  }
}
