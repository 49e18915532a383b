/**
 * Paints over the pages of a print: one sheet for each page, on which copies of elements are in the places that the print has for them.
 * The rest of the document is hidden meanwhile, so that its style sheets, fonts and images are those of what is painted.
 */

import { PX_PER_POINT } from '../../../units.ts';
import type { OverlayBox, OverlaySheet } from '../../contract/overlay.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { call, read, readAttribute, readName, writeAttribute } from '../../dom/nodes.ts';
import { allRules, RULE_TYPES } from '../../dom/rules.ts';
import { NO_MARGIN_BOXES } from '../print/margin-boxes.ts';

/** Makes what is painted in a box. It returns a new element that fills the box. */
export type Painter = (box: OverlayBox) => HTMLElement;

/** Unlike `div`, few rules of documents match it. */
export const SHEET = 'platen-sheet';
const ROOT_LOOK = {
  display: 'block',
  position: 'static',
  width: 'auto',
  height: 'auto',
  'min-width': '0',
  'min-height': '0',
  'max-width': 'none',
  'max-height': 'none',
  margin: '0',
  padding: '0',
  border: 'none',
  background: 'none',
  columns: 'auto',
  page: 'auto',
  contain: 'none',
  'writing-mode': 'horizontal-tb',
  transform: 'none',
  rotate: 'none',
  scale: 'none',
  translate: 'none',
  filter: 'none',
  opacity: '1',
  overflow: 'visible',
};
/** Nothing is before or after the sheets, and what is painted on one never goes on to the next. */
const ONLY_SHEETS = `:root:root:root::before, :root:root:root::after { content: none !important; display: none !important }
${SHEET} * { break-before: auto !important; break-after: auto !important; page: auto !important }`;
const AROUND = 'data-platen-around';
/** What is generated in an element is not repeated around what is painted. Rules of documents never precede what is important in a layer. */
const NOTHING_AROUND = `@layer platen-around { [${AROUND}]::before, [${AROUND}]::after { content: none !important } }`;
export const SHEET_LOOK = {
  display: 'block',
  position: 'relative',
  margin: '0',
  padding: '0',
  border: 'none',
  overflow: 'clip',
  'break-before': 'page',
};

const changes = new Changes();
const painters = new Map<string, Painter>();
let styles: readonly Element[] = [];
let hasNothingAround = false;

export function registerPainter(name: string, paint: Painter): void {
  painters.set(name, paint);
}

/** Adds styles to the document while it is an overlay. Returns those of the last call. */
export function paintWith(added = styles): readonly Element[] {
  styles = added;
  return styles;
}

/** Shows the sheets instead of the document, or of those that it showed before. */
export function showOverlay(sheets: OverlaySheet[]): null {
  for (const sheet of [...read(document, 'styleSheets'), ...read(document, 'adoptedStyleSheets')]) clearPageRules(sheet);
  const pages = new Map<string, string>(); // the names of pages by their sizes
  const elements = sheets.map((sheet) => {
    const size = `${sheet.width}pt ${sheet.height}pt`;
    const page = pages.get(size) ?? `${SHEET}-${pages.size}`;
    pages.set(size, page);
    return createSheet(sheet, page);
  });
  showSheets([...styles, ...elements], Array.from(pages, ([size, name]) => pageRule(size, name)).join('\n'));
  return null;
}

/** Shows elements instead of the document, or of those that it showed before. */
export function showSheets(elements: readonly Element[], css: string): void {
  changes.undo();
  const root = read(document, 'documentElement') as HTMLElement;
  for (const element of read(root, 'children')) changes.setStyle(element as HTMLElement, 'display', 'none');
  for (const [property, value] of Object.entries(ROOT_LOOK)) changes.setStyle(root, property, value);
  for (const element of elements) changes.append(root, element);
  adoptStyles([css, ONLY_SHEETS].join('\n'), changes);
}

/** In Chromium, what is important in a rule for all pages precedes what is important in one for pages with a name. */
function clearPageRules(sheet: CSSStyleSheet): void {
  try {
    for (const { type, style } of allRules(sheet))
      if ((type === RULE_TYPES.page || type === RULE_TYPES.marginBox) && style) style.cssText = '';
  } catch {
    // a sheet of another origin
  }
}

const PAGE_LOOK = ['margin: 0', 'padding: 0', 'border: none', 'background: none', 'page-orientation: upright'];

/** A page without margins that has this size. */
function pageRule(size: string, name: string): string {
  const declarations = [`size: ${size}`, ...PAGE_LOOK].map((each) => `${each} !important`);
  return `@page ${name} { ${declarations.join('; ')}; ${NO_MARGIN_BOXES} }`;
}

function createSheet({ width, height, boxes, number }: OverlaySheet, page: string): HTMLElement {
  const sheet = createHtml(SHEET);
  // A little smaller than its page, so that rounding never makes it two.
  const size = { width: `${width}pt`, height: `calc(${height}pt - 1px)` };
  const counted = { 'counter-reset': `platen-sheet ${number}` }; // by which strings are shown
  setLook(sheet, { ...SHEET_LOOK, ...size, ...counted, page });
  for (const box of boxes) {
    const painted = painters.get(box.name)?.(box);
    if (painted) sheet.append(painted);
  }
  return sheet;
}

/** Places an element in a box, and scales it as the document is scaled. Its own lengths are enlarged by `zoom`. */
export function fillBox(element: HTMLElement, { x, y, width, height, scale }: OverlayBox, zoom = 1): HTMLElement {
  setLook(element, {
    position: 'absolute',
    inset: 'auto',
    left: `${x / zoom}pt`,
    top: `${y / zoom}pt`,
    width: toPixels(width, scale * zoom),
    height: toPixels(height, scale * zoom),
    'min-width': '0',
    'min-height': '0',
    'max-width': 'none',
    'max-height': 'none',
    margin: '0',
    'box-sizing': 'border-box',
    visibility: 'visible',
    transform: `scale(${scale})`,
    'transform-origin': '0 0',
  });
  return element;
}

/** Converts points on a page to pixels of the document. */
export function toPixels(points: number, scale: number): string {
  return `${(points * PX_PER_POINT) / scale}px`;
}

/** Puts an element into copies of those around another, so that it has the styles that it would have there. */
export function wrapLike(element: HTMLElement, around: Element | null): HTMLElement {
  if (!hasNothingAround) adoptStyles(NOTHING_AROUND, new Changes()); // it stays until the document is replaced
  hasNothingAround = true;
  const root = read(document, 'documentElement');
  let wrapped = element;
  for (let each = around; each && each !== root; each = read(each, 'parentElement')) {
    const shell = call(each, 'cloneNode', false) as HTMLElement;
    for (const name of call(shell, 'getAttributeNames')) if (name.startsWith('on')) writeAttribute(shell, name, null);
    writeAttribute(shell, AROUND, '');
    setLook(shell, { display: 'contents' });
    if (readName(shell) === 'details') call(shell, 'append', createSummary());
    call(shell, 'append', wrapped);
    wrapped = shell;
  }
  return wrapped;
}

/** Without one, the browser shows its own. */
function createSummary(): HTMLElement {
  const summary = createHtml('summary');
  setLook(summary, { display: 'none' });
  return summary;
}

/** A copy of an element without what its styles were changed to. */
export function withStyle(copy: HTMLElement, original: Element): HTMLElement {
  writeAttribute(copy, 'style', readAttribute(original, 'style'));
  return copy;
}
