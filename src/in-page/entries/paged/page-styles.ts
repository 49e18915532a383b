/**
 * Shows what rules for pages paint, on empty pages that are laid under those of a print. Each page has a page name for the set of rules that
 * select it, so that Chromium computes their cascade.
 */
import { MAX_PAGE_CSS, type PageClass } from '../../contract/page-selectors.ts';
import { adoptStyles } from '../../dom/adopt-styles.ts';
import { Changes } from '../../dom/changes.ts';
import { createHtml, setLook } from '../../dom/create-html.ts';
import { read } from '../../dom/nodes.ts';
import { type AnyRule, listRules, RULE_TYPES } from '../../dom/rules.ts';
import { loadPictures } from '../print/load-picture.ts';
import { NO_MARGIN_BOXES } from '../print/margin-boxes.ts';
import { SHEET, SHEET_LOOK, showSheets } from './overlay.ts';

const NOTHING_PAINTED = `@page { background: none !important; border-color: transparent !important; ${NO_MARGIN_BOXES} }`;

const PICTURE = /background[^;{}]{0,200}url\(/;
/** As browsers write them. */
const URLS = /url\("((?:[^"\\]|\\.)*)"\)/g;

/** What hides margin boxes and backgrounds meanwhile. */
const hiding = new Changes();

/** Takes margin boxes and backgrounds off the pages of the document. */
export function hidePageStyles(): null {
  adoptStyles(NOTHING_PAINTED, hiding);
  return null;
}

/**
 * Shows empty pages of these classes instead of the document, for good. Answers false if their rules are too long. The root is as high as the
 * areas of most pages with a picture: Chromium places pictures behind pages by its height (https://drafts.csswg.org/css-page-3/#painting).
 */
export async function showPageStyles(classes: PageClass[], pages: number[], heightsPx: number[]): Promise<boolean> {
  hiding.undo();
  const written = writeClasses(classes);
  if (!written) return false;
  const css = written.join('');
  await loadPictures([...new Set([...css.matchAll(URLS)].map(([, url = '']) => url))]);
  const hasPicture = written.map((each) => PICTURE.test(each));
  const height = mostFrequent(heightsPx.filter((_, page) => hasPicture[pages[page] ?? -1]));
  for (const sheet of allSheets()) removePageRules(sheet);
  showSheets(pages.map(createPage), css);
  if (height) setLook(read(document, 'documentElement') as HTMLElement, { height: `${height}px` });
  return true;
}

function mostFrequent(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

/** Writes the rules of each class for its name. Returns undefined if all together are too long. */
export function writeClasses(classes: readonly PageClass[]): string[] | undefined {
  const rules = allSheets().flatMap((sheet) => readPageRules(sheet));
  const written: string[] = [];
  let length = 0;
  for (const [number, selectors] of classes.entries()) {
    const css = selectRules(rules, selectors).map((rule) => `${writeRule(rule, nameClass(number))}\n`);
    written.push(css.join(''));
    length += written[number]?.length ?? 0;
    if (length > MAX_PAGE_CSS) return undefined;
  }
  return written;
}

function allSheets(): CSSStyleSheet[] {
  return [...read(document, 'styleSheets'), ...read(document, 'adoptedStyleSheets')];
}

interface PageRule {
  selector: string;
  /** Its block. */
  text: string;
  /** The cascade layers in which it is, from the outside in. */
  layers: readonly string[];
}

function writeRule({ text, layers }: PageRule, page: string): string {
  return `${layers.map((layer) => `@layer ${layer} { `).join('')}@page ${page} ${text}${' }'.repeat(layers.length)}`;
}

/** The rules that select a page, the weakest first. */
function selectRules(rules: readonly PageRule[], selectors: PageClass): PageRule[] {
  const weight = ({ selector }: PageRule) => selectors[selector] ?? 0;
  return rules.filter(({ selector }) => Object.hasOwn(selectors, selector)).sort((one, other) => weight(one) - weight(other));
}

/** Leaves out what does not apply, and sheets of other origins. */
function readPageRules(sheet: CSSStyleSheet, layers: readonly string[] = []): PageRule[] {
  try {
    if (sheet.disabled || !matchMedia(sheet.media.mediaText).matches) return [];
    const rules = [...listRules(sheet)].flatMap((rule) => readPageRule(rule, layers));
    return rules.map((rule) => ({ ...rule, text: rule.text.replace(URLS, (_, url: string) => absolute(url, sheet.href)) }));
  } catch {
    return [];
  }
}

/** The rules are written into another sheet. */
function absolute(url: string, base: string | null): string {
  return `url("${URL.parse(url, base ?? document.baseURI)?.href ?? url}")`;
}

function readPageRule(rule: AnyRule, layers: readonly string[]): PageRule[] {
  const { type, cssText, selectorText = '', styleSheet, cssRules } = rule;
  if (type === RULE_TYPES.page) return [{ selector: selectorText, text: cssText.slice(cssText.indexOf('{')), layers }];
  const layer = readLayer(rule);
  const inner = layer === undefined ? layers : [...layers, layer];
  if (styleSheet) return readPageRules(styleSheet, inner);
  return cssRules && applies(rule) ? [...listRules({ cssRules })].flatMap((each) => readPageRule(each, inner)) : [];
}

/** The name of a layer may be empty. */
function readLayer(rule: AnyRule): string | undefined {
  if (rule instanceof CSSLayerBlockRule) return rule.name;
  return rule instanceof CSSImportRule ? (rule.layerName ?? undefined) : undefined;
}

/** Whether the condition of a rule holds. Rules without one apply. */
function applies(rule: AnyRule): boolean {
  if (rule instanceof CSSMediaRule) return matchMedia(rule.media.mediaText).matches;
  return !(rule instanceof CSSSupportsRule) || CSS.supports(rule.conditionText);
}

/** Margin boxes cannot be cleared as declarations can. */
function removePageRules(sheet: Pick<CSSStyleSheet, 'cssRules' | 'deleteRule'>): void {
  try {
    const rules = [...listRules(sheet)];
    for (const [index, rule] of [...rules.entries()].reverse()) {
      if (rule.type === RULE_TYPES.page) sheet.deleteRule(index);
      else if (rule.styleSheet) removePageRules(rule.styleSheet);
      else if (rule instanceof CSSGroupingRule) removePageRules(rule);
    }
  } catch {
    // a sheet of another origin
  }
}

/** The name of the pages of a class. */
export function nameClass(number: number): string {
  return `platen-class-${number}`;
}

function createPage(pageClass: number): HTMLElement {
  const sheet = createHtml(SHEET);
  setLook(sheet, { ...SHEET_LOOK, height: '1px', page: nameClass(pageClass) });
  return sheet;
}
