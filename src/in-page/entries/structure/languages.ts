/** Reads the languages that elements state. */
import { call, findClosest, read, readAttribute } from '../../dom/nodes.ts';
import { isShown } from '../../dom/visibility.ts';
import { addItem, type Reading } from './reading.ts';

const MAX_LANGUAGE = 100;

/** `xml:lang` has no effect in HTML. Some documents have no body. */
export function explicitLanguage(element: Element | null): string {
  if (!element) return '';
  const isXml = read(document, 'contentType') !== 'text/html';
  const language = readAttribute(element, 'lang') ?? (isXml ? readAttribute(element, 'xml:lang') : '');
  return (language ?? '').trim().slice(0, MAX_LANGUAGE);
}

/** Chromium does not tag an inline element for its language alone. */
export function readLanguage(element: Element, { structure, locator }: Reading): void {
  const language = readAttribute(element, 'lang');
  if (!language) return;
  if (!isLanguage(language) && isShown(element)) addItem(structure.invalidLanguages, locator.locate(element));
  if (isInline(element)) forceTag(element);
}

/**
 * Makes Chromium tag an element that it would leave out, such as a caption with blocks in it: it tags what can be clicked (`IsClickable`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/modules/accessibility/ax_node_object.cc),
 * and neither CSS nor scripts of the document see the listener.
 */
export function forceTag(element: Element): void {
  call(element, 'addEventListener', 'click', () => {});
}

function isInline(element: Element): boolean {
  return getComputedStyle(element).display === 'inline' && findClosest(element, 'svg') === null;
}

function isLanguage(tag: string): boolean {
  return /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i.test(tag.trim());
}
