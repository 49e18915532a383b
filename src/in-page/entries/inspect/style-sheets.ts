/**
 * Reads the text of style sheets, because their parsed rules lack what Chromium ignores. Also adds rules to style sheets of the loaded
 * document.
 */
import type { StyleSource } from '../../contract/inspection.ts';
import { MAX_STYLE_CHARACTERS, MAX_STYLE_SHEETS } from '../../contract/limits.ts';
import { EVEN_PAGES, ODD_PAGES } from '../../contract/page-selectors.ts';
import { RELEVANT_CSS } from '../../contract/relevant-css.ts';
import { isOfCover } from '../../dom/cover.ts';
import { findRoots, type Root, selectIn } from '../../dom/roots.ts';
import { listRules } from '../../dom/rules.ts';
import { isPolyfilled } from '../polyfilled.ts';

const MAX_IMPORT_DEPTH = 5;

/** How many more characters may be read. */
interface Budget {
  left: number;
}

/**
 * Returns the sheets of the document in their order, then imported sheets, style attributes, and those of shadow roots and frames. Text
 * that is not relevant is left out.
 */
export function readStyleSheets(): StyleSource[] {
  try {
    return isPolyfilled() ? [] : allSheets();
  } catch {
    return []; // a document that breaks the functions used here is not inspected
  }
}

function allSheets(): StyleSource[] {
  const [, ...roots] = findRoots(document);
  const budget = { left: MAX_STYLE_CHARACTERS };
  const own = firstSheets(document);
  const all = own.map((sheet) => readSheet(sheet, budget));
  const imported = own.flatMap((sheet) => findImportedUrls(sheet)).map((href) => ({ href }));
  const attributes = (root: Root) => ({ text: styleAttributes(root, budget) });
  const inRoots = roots.flatMap((root) => [...firstSheets(root).map((sheet) => readSheet(sheet, budget)), attributes(root)]);
  const scoped = inRoots.filter(({ text }) => text !== '').map((sheet) => ({ ...sheet, isScoped: true }));
  return [...all, ...imported, attributes(document), ...scoped];
}

function firstSheets(root: Root): CSSStyleSheet[] {
  return ownSheets(root).slice(0, MAX_STYLE_SHEETS);
}

function ownSheets({ styleSheets }: Root): CSSStyleSheet[] {
  return [...styleSheets].filter((sheet) => !isOfCover(sheet));
}

function readSheet({ href, ownerNode, disabled, media }: CSSStyleSheet, budget: Budget): StyleSource {
  if (disabled || (media.mediaText && !matchMedia(media.mediaText).matches)) return { text: '' };
  if (href) return { href };
  const whole = (ownerNode as Element | null)?.localName === 'style' ? (ownerNode?.textContent ?? '') : '';
  const text = RELEVANT_CSS.test(whole) ? whole.slice(0, budget.left) : '';
  budget.left -= text.length;
  return { text };
}

/** Returns the URLs of imported sheets that can be read. */
function findImportedUrls(sheet: CSSStyleSheet, depth = 0): string[] {
  if (depth > MAX_IMPORT_DEPTH) return [];
  try {
    const imported = [...listRules(sheet)].flatMap(({ styleSheet }) => styleSheet ?? []);
    return imported.flatMap((each) => [each.href ?? '', ...findImportedUrls(each, depth + 1)]).filter(Boolean);
  } catch {
    return []; // the sheet has another origin
  }
}

/** Returns style attributes, and the `filter` attributes of SVG, as a style sheet. */
function styleAttributes(root: Root, { left }: Budget): string {
  let css = '';
  for (const element of selectIn(root, '[style], [filter]')) {
    if (css.length >= left) break;
    const [style, filter] = [element.getAttribute('style') ?? '', element.getAttribute('filter')];
    const selector = element.localName === 'html' ? 'html' : '[style]';
    if (RELEVANT_CSS.test(style)) css += `${selector} { ${style} } `;
    if (filter) css += `[filter] { filter: ${filter} } `;
  }
  return css;
}

/** Adds rules at the end of each sheet of the document, or after all sheets if that one has another origin. */
export function extendStyleSheets(rules: string[][]): null {
  const sheets = ownSheets(document);
  const added = new CSSStyleSheet();
  const isReversed = getComputedStyle(document.documentElement).direction === 'rtl';
  const [odd, even] = isReversed ? [':left', ':right'] : [':right', ':left'];
  const onSides = (rule: string) => rule.replace(ODD_PAGES, odd).replace(EVEN_PAGES, even);
  for (const [n, each] of rules.entries()) for (const rule of each) insertLast(onSides(rule), sheets[n], added);
  if (added.cssRules.length) document.adoptedStyleSheets = [...document.adoptedStyleSheets, added];
  return null;
}

function insertLast(rule: string, sheet: CSSStyleSheet | undefined, otherwise: CSSStyleSheet): void {
  try {
    (sheet as CSSStyleSheet).insertRule(rule, (sheet as CSSStyleSheet).cssRules.length);
  } catch {
    insertLastOf(otherwise, rule);
  }
}

/** Leaves a rule out that Chromium does not know. */
function insertLastOf(sheet: CSSStyleSheet, rule: string): void {
  try {
    sheet.insertRule(rule, sheet.cssRules.length);
  } catch {}
}
