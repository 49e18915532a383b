/** Finds elements whose text becomes a picture in a print. Runs in an isolated world. */
import { isRasterized } from '../../dom/rasterizing.ts';
import { documentIn, type Frame } from '../../dom/roots.ts';
import { findTexts } from '../../dom/text.ts';

const SHOWN_TYPES =
  /^(?:text|textarea|search|tel|url|email|number|button|submit|reset|date|time|datetime-local|month|week|select-)/;

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Whether text of the element, or text before or after it, is drawn as a picture. */
export function becomesPicture(element: Element): boolean {
  if (isRasterized(element) && !lacksFilter(element) && showsText(element)) return true;
  return ['::before', '::after'].some((pseudo) => isFilteredText(element, pseudo));
}

/** Whether its only filter is one that the document does not have. */
function lacksFilter(element: Element): boolean {
  const [, id] = /^url\("#(.*)"\)$/.exec(getComputedStyle(element).filter) ?? [];
  return id !== undefined && (element.getRootNode() as Document | ShadowRoot).getElementById(id) === null;
}

/** Icons of fonts are not text. */
function isFilteredText(element: Element, pseudo: string): boolean {
  const { filter, content } = getComputedStyle(element, pseudo);
  return filter !== 'none' && /counter|attr\(|"(?=[^"]*[^\s"\p{Co}])/u.test(content);
}

/** Whether a part of the document shows text, also in its fields, shadow roots and frames. */
function showsText(part: Element | ShadowRoot): boolean {
  const range = part.ownerDocument.createRange();
  for (const text of findTexts(part)) {
    if (!text.data.trim()) continue;
    range.selectNodeContents(text);
    if (range.getClientRects().length) return true;
  }
  return [part, ...part.querySelectorAll('*')].some((each) => 'localName' in each && (showsValue(each) || showsTextInside(each)));
}

function showsTextInside(element: Element): boolean {
  const inner = [element.shadowRoot, 'contentDocument' in element && documentIn(element as Frame)?.body];
  return inner.some((each) => each && showsText(each));
}

function showsValue(element: Element): boolean {
  if (!isField(element) || !SHOWN_TYPES.test(element.type)) return false;
  const shown = 'selectedOptions' in element ? element.selectedOptions[0]?.text : element.value || element.placeholder;
  return Boolean(shown?.trim()) && element.getClientRects().length > 0;
}

function isField(element: Element): element is Field {
  return /^(?:input|textarea|select)$/.test(element.localName);
}
