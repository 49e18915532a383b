/** Computes accessible names and the text that is read out, as far as fields and tagged elements need them. */
import { layoutChildren } from './layout-children.ts';
import { call, findFirst, isElement, isText, matches, read, readAttribute, readName } from './nodes.ts';
import { explicitRole, fieldRole } from './roles.ts';
import type { Root } from './roots.ts';

/** Characters of a name. Longer names are cut. */
export const MAX_NAME = 300;

const UNREAD = '[aria-hidden="true" i], [inert], script, style, template, noscript, select, datalist, textarea';

/** Returns an empty text if the document gives the element no name. */
export function accessibleName(element: Element): string {
  const candidates = [
    labelledName(element),
    readAttribute(element, 'aria-label'),
    ownName(element),
    readAttribute(element, 'title'),
  ];
  for (const candidate of candidates) {
    const name = (candidate ?? '').replace(/\s+/g, ' ').trim();
    if (name) return name.slice(0, MAX_NAME);
  }
  return '';
}

/** Returns the text of a node as it is read out, so that of blocks is set apart by spaces. Empty if it is hidden. */
export function readText(node: Node): string {
  if (isText(node)) return node.data;
  if (!isElement(node) || matches(node, UNREAD)) return '';
  const { display } = getComputedStyle(node as Element);
  if (display === 'none') return '';
  const text = labelOrText(node as Element);
  return /^(?:inline|contents|ruby)/.test(display) ? text : ` ${text} `;
}

/** Returns the text in an element, or the alternate text of an image, even if the element is hidden. */
export function contentText(element: Element): string {
  const name = readName(element);
  if (name === 'img') return readAttribute(element, 'alt') ?? '';
  if (name === 'svg') return drawingTitle(element);
  return name === 'br' ? ' ' : layoutChildren(element).map(readText).join('');
}

/** Returns the names of the elements that label an element. They may be hidden. */
function labelledName(element: Element): string {
  const ids = (readAttribute(element, 'aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  if (!ids.length) return ''; // as most elements
  const root = call(element, 'getRootNode') as Root;
  const labels = ids.map((id) => call(root, 'getElementById', id)).filter((label) => label !== null);
  return labels.map(labelOrText).join(' ');
}

function ownName(element: Element): string {
  const [name, type] = [readName(element), read(element as HTMLInputElement, 'type')];
  if (/^(?:img|area)$/.test(name) || type === 'image') return readAttribute(element, 'alt') ?? '';
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
  return readName(element) === 'svg' ? (findFirst(element, ':scope > title')?.textContent ?? '') : '';
}

function labelOrText(element: Element): string {
  const label = readAttribute(element, 'aria-label') ?? '';
  return /\S/.test(label) ? label : contentText(element);
}
