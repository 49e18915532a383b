/** Creates elements, also in documents of XHTML. */
import { call, read } from './nodes.ts';

const HTML = 'http://www.w3.org/1999/xhtml';

/** The computed value of a colour that shows nothing. */
export const TRANSPARENT = 'rgba(0, 0, 0, 0)';

export function createHtml(name: string): HTMLElement {
  return call(document, 'createElementNS', HTML, name) as HTMLElement;
}

/** Sets styles that no rule of the document overrides. */
export function setLook(element: HTMLElement, look: Readonly<Record<string, string>>): void {
  for (const [property, value] of Object.entries(look)) read(element, 'style').setProperty(property, value, 'important');
}
