/**
 * Gives each page of a document a name, whatever is on it: the content of the body is in a cell of a table, beside one without a width.
 * Chromium divides both at the same pages. A page has the name of what is first on it, which is a box in the empty cell. The content
 * overflows its cell, because Chromium would give the cell the height that it has if all pages are like the first.
 * See docs/decisions/0128-areas-of-pages-by-number.md.
 */
import type { Naming, PageClass } from '../../contract/page-selectors.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { call, measureBox, read } from '../../dom/nodes.ts';
import { nameClass, writeClasses } from './page-styles.ts';

const FLOWS = /^(?:block|flow-root)$/;
const TABLE_LOOK = {
  display: 'table',
  'table-layout': 'fixed',
  width: '100%',
  'border-collapse': 'separate',
  'border-spacing': '0',
};
const CELL_LOOK = { display: 'table-cell', 'vertical-align': 'top' };
/** What cells inherit that the table changes. */
const INHERITED = ['border-collapse', 'border-spacing'];

/** The root of the shadow tree of the body, which stays there for good. */
let root: ShadowRoot | undefined;
let names: HTMLElement | undefined;
const naming = new Changes();
/** The rules and names of the last call. */
let given = '';

/** Returns whether pages can have names. The layout must be as before, which only a print tells. */
export function preparePageNames(): boolean {
  const body = read(document, 'body') as HTMLElement | null;
  if (!body || !isPlain(body)) return false;
  const before = findTop(body);
  try {
    root ??= call(body, 'attachShadow', { mode: 'closed' });
  } catch {
    return false;
  }
  const look = getComputedStyle(body);
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, look.getPropertyValue(name)]));
  names = createBox({ ...CELL_LOOK, width: '0' });
  const content = createBox({ height: '0', ...inherited }, createHtml('slot'));
  const table = createBox(TABLE_LOOK, names, createBox(CELL_LOOK, content));
  root.replaceChildren(table);
  setLook(table, { 'margin-top': `${before - findTop(body)}px` }); // the margin of the first element is no longer joined with that of the body
  return true;
}

/** Shows the body as it was. */
export function removePageNames(): null {
  naming.undo();
  root?.replaceChildren(createHtml('slot'));
  return null;
}

/** Gives the first pages the rules of these classes, as the style sheets have them now. */
export function namePages(classes: PageClass[], pages: number[]): Naming {
  naming.undo();
  const css = writeClasses(classes)?.join('');
  if (css === undefined) return 'too long';
  adoptStyles(css, naming);
  names?.replaceChildren(...pages.map(createName));
  const before = given;
  given = `${css}${pages}`;
  return given === before ? 'same' : 'changed';
}

function createName(pageClass: number): HTMLElement {
  return createBox({ height: '0', 'break-before': 'page', page: nameClass(pageClass) });
}

function createBox(look: Readonly<Record<string, string>>, ...content: HTMLElement[]): HTMLElement {
  const box = createHtml('div');
  setLook(box, look);
  box.append(...content);
  return box;
}

/** Whether the body is a box that a cell can replace, and pages without content show no picture. */
function isPlain(body: HTMLElement): boolean {
  const { display, writingMode, columnCount, columnWidth, backgroundImage } = getComputedStyle(body);
  const isFlow = FLOWS.test(display) && writingMode === 'horizontal-tb' && columnCount === 'auto' && columnWidth === 'auto';
  const backgrounds = [backgroundImage, getComputedStyle(read(document, 'documentElement')).backgroundImage];
  return isFlow && backgrounds.every((image) => image === 'none');
}

/** Where the first element of the body begins that has a place in its flow. */
function findTop(body: HTMLElement): number {
  for (const element of read(body, 'children')) {
    const { display, position, float } = getComputedStyle(element);
    const flows = display !== 'none' && !/^(?:absolute|fixed)$/.test(position) && float === 'none';
    if (flows && element instanceof HTMLElement) return measureBox(element).top;
  }
  return 0;
}
