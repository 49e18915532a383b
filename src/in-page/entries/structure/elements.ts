/** Reads what an element adds to the structure of the document. */
import { accessibleName, contentText, readText } from '../../dom/accessible-name.ts';
import { findFirst, matches, read, readAttribute, readName } from '../../dom/nodes.ts';
import { isPartOfDrawing, isRasterized } from '../../dom/rasterizing.ts';
import { explicitRole, fieldRole } from '../../dom/roles.ts';
import { hasSize, isShown } from '../../dom/visibility.ts';
import { imageKind } from './images.ts';
import { addItem, type ImageStructure, type Reading } from './reading.ts';
import { isDecoration, isHidden, isPrinted } from './tagged-content.ts';

const MAX_HEADING = 2_000;
const MAX_TARGET = 2_000;
const STRUCTURAL = /^(?:a|area|h[1-6]|svg|img|canvas|figure|input|textarea|button|table|i?frame|object|embed|video|audio)$/;
const MEANINGFUL = 'img:not([alt=""]), svg, canvas, input, textarea, select';

/** Returns the image, if it is one. */
export function readElement(element: Element, reading: Reading): ImageStructure | undefined {
  if (isRasterized(element) && isShown(element) && hasMeaningfulContent(element, reading))
    addItem(reading.structure.rasterized, reading.locator.locate(element));
  return mayBeStructural(element) && isShown(element) ? readShown(element, reading) : undefined;
}

/** Whether an element may be part of the structure. This avoids slower queries for most elements. */
function mayBeStructural(element: Element): boolean {
  return STRUCTURAL.test(readName(element)) || readAttribute(element, 'role') !== null;
}

function readShown(element: Element, { structure, locator, order }: Reading): ImageStructure | undefined {
  const target = linkTarget(element);
  if (target && isPrinted(element))
    addItem(structure.links, {
      target: target.slice(0, MAX_TARGET),
      name: accessibleName(element),
      isHidden: isHidden(element, order),
    });
  if (isDecoration(element, order)) return undefined;
  const named = () => ({ ...locator.locate(element), name: accessibleName(element) });
  const level = headingLevel(element);
  const kind = imageKind(element, order);
  const role = fieldRole(element);
  if (level) addItem(structure.headings, { ...named(), level, text: headingText(element) });
  const image = kind ? { ...named(), kind } : undefined;
  if (image) addItem(structure.images, image);
  if (role && !target && isPrinted(element)) addItem(structure.fields, { ...named(), role });
  if (isEmbedded(element)) addItem(structure.embedded, locator.locate(element));
  return image;
}

function hasMeaningfulContent(element: Element, { order }: Reading): boolean {
  if (isDecoration(element, order)) return false;
  if (isPartOfDrawing(element)) return true;
  return matches(element, MEANINGFUL) || findFirst(element, MEANINGFUL) !== null || /\S/.test(readText(element));
}

/** Returns an empty text for elements that are no links. */
function linkTarget(element: Element): string {
  if (!/^(?:a|area)$/.test(readName(element))) return '';
  const given = readAttribute(element, 'href') ?? readAttribute(element, 'xlink:href');
  if (given === null) return '';
  const { hash, href } = element as HTMLAnchorElement | (SVGAElement & { hash?: undefined });
  if (given.startsWith('#')) return hash || given; // encoded, as in the PDF
  const target = typeof href === 'string' ? href : given;
  const [before, fragment] = target.split('#');
  return fragment !== undefined && before === read(document, 'baseURI').split('#')[0] ? `#${fragment}` : target;
}

/** Returns 0 for elements that are no headings. */
function headingLevel(element: Element): number {
  const role = explicitRole(element);
  const level = Number(readAttribute(element, 'aria-level')) || 0;
  const own = /^h([1-6])$/.exec(readName(element))?.[1];
  if (role === 'heading') return level || Number(own) || 2;
  return own && !role ? level || Number(own) : 0;
}

function headingText(heading: Element): string {
  return contentText(heading)
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_HEADING);
}

function isEmbedded(element: Element): boolean {
  return /^(?:i?frame|object|embed|video|audio)$/.test(readName(element)) && hasSize(element);
}
