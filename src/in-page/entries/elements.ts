/** Answers questions about elements that a caller selects. */
import type { Box, ElementState } from '../contract/questions.ts';

export function isSelector(selector: string): boolean {
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch (error) {
    if (isSyntaxError(error)) return false;
    throw error;
  }
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
  try {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    return box ? { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height } : null;
  } catch (error) {
    if (isSyntaxError(error)) return 'invalid';
    throw error;
  }
}

/** Another error comes from a document that breaks the functions used here. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'SyntaxError';
}
