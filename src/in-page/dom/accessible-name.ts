/** Computes accessible names and the text that is read out, as far as fields and tagged elements need them. */
import { builtIn } from './built-ins.ts';
import { layoutChildren } from './layout-children.ts';
import { explicitRole, fieldRole } from './roles.ts';
import type { Root } from './roots.ts';

/** Characters of a name. Longer names are cut. */
export const MAX_NAME = 300;

const UNREAD = '[aria-hidden="true" i], [inert], script, style, template, noscript, select, datalist, textarea';

/** Returns an empty text if the document gives the element no name. */
export function accessibleName(element: Element): string {
  const candidates = [
    labelledName(element),
    builtIn(element).getAttribute('aria-label'),
    ownName(element),
    builtIn(element).getAttribute('title'),
  ];
  for (const candidate of candidates) {
    const name = (candidate ?? '').replace(/\s+/g, ' ').trim();
    if (name) return name.slice(0, MAX_NAME);
  }
  return '';
}

/** Returns the text of a node as it is read out, so that of blocks is set apart by spaces. Empty if it is hidden. */
export function readText(node: Node): string {
  if (builtIn(node).nodeType === Node.TEXT_NODE) return (node as Text).data;
  if (builtIn(node).nodeType !== Node.ELEMENT_NODE || builtIn(node as Element).matches(UNREAD)) return '';
  const { display } = getComputedStyle(node as Element);
  if (display === 'none') return '';
  const text = labelOrText(node as Element);
  return /^(?:inline|contents|ruby)/.test(display) ? text : ` ${text} `;
}

/** Returns the text in an element, or the alternate text of an image, even if the element is hidden. */
export function contentText(element: Element): string {
  const { localName: name } = builtIn(element);
  if (name === 'img') return builtIn(element).getAttribute('alt') ?? '';
  if (name === 'svg') return drawingTitle(element);
  return name === 'br' ? ' ' : layoutChildren(element).map(readText).join('');
}

/** Returns the names of the elements that label an element. They may be hidden. */
function labelledName(element: Element): string {
  const ids = (builtIn(element).getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  if (!ids.length) return ''; // as most elements
  const root = builtIn(builtIn(element).getRootNode() as Root);
  const labels = ids.map((id) => root.getElementById(id)).filter((label) => label !== null);
  return labels.map(labelOrText).join(' ');
}

function ownName(element: Element): string {
  const { localName: name, type } = builtIn(element) as HTMLInputElement;
  if (/^(?:img|area)$/.test(name) || type === 'image') return builtIn(element).getAttribute('alt') ?? '';
  if (/^(?:canvas|object|figure|svg)$/.test(name) || explicitRole(element) === 'img') return drawingTitle(element);
  if (/^(?:input|textarea|select)$/.test(name)) return controlName(element as HTMLInputElement);
  return fieldRole(element) === 'tv' ? '' : contentText(element); // the text of a text field is its value
}

function controlName(control: HTMLInputElement): string {
  const { localName: name, type, value } = control;
  if (name !== 'input' || !/^(?:submit|reset|button)$/.test(type))
    return labelsText(control) || (control.getAttribute('placeholder') ?? '');
  return value || labelsText(control) || (type === 'button' ? '' : type);
}

function labelsText({ labels }: HTMLInputElement): string {
  return [...(labels ?? [])].map(contentText).join(' ');
}

/** Returns the title of an `svg` element, and an empty text for other elements. */
function drawingTitle(element: Element): string {
  return builtIn(element).localName === 'svg' ? (builtIn(element).querySelector(':scope > title')?.textContent ?? '') : '';
}

function labelOrText(element: Element): string {
  const label = builtIn(element).getAttribute('aria-label') ?? '';
  return /\S/.test(label) ? label : contentText(element);
}
