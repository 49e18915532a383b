/** Adds `@page` rules to a loaded document, and reads the sizes that its own rules name. */
import { read } from '../dom/nodes.ts';
import { allRules, RULE_TYPES } from '../dom/rules.ts';

const MAX_SIZES = 100;
const SIDES = ['top', 'right', 'bottom', 'left'] as const;

/** Removes the style sheet that was added last. */
let removeLast = () => {};

/**
 * Inserts a style sheet as the first of the document and removes the previous one. If it cannot be the first, `elsewhere` is added
 * instead. Of several `!important` declarations, Chromium uses that of the first style sheet, whatever pages the others select
 * (`MatchPageRules`: https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/css/page_rule_collector.cc).
 */
export function addRule(rule: string, elsewhere: string): null {
  removeLast();
  const style = Document.prototype.createElementNS.call(document, 'http://www.w3.org/1999/xhtml', 'style') as HTMLStyleElement;
  style.textContent = rule;
  read(document, 'head')?.prepend(style);
  removeLast = () => style.remove();
  if (style.sheet) return null;
  // The document has no head, or a content security policy forbids style elements.
  style.remove();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(elsewhere);
  document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
  removeLast = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
  return null;
}

/**
 * Returns the values of `size` in the document's `@page` rules, as they are written. If there is such a rule, `suggested` becomes the
 * first, unless it is empty.
 */
export function readPageSizes(suggested: string): string[] {
  try {
    const sizes: string[] = [];
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) addSizes(sheet, sizes);
    if (sizes.length && suggested) addRule(suggested, '');
    return sizes;
  } catch {
    return [];
  }
}

/** Adds an empty size for a style sheet of another origin, which cannot be read. */
function addSizes(sheet: CSSStyleSheet, sizes: string[]): void {
  try {
    for (const rule of allRules(sheet)) {
      if (sizes.length >= MAX_SIZES) return;
      if (rule.type === RULE_TYPES.page) sizes.push(rule.style?.getPropertyValue('size') ?? '');
    }
  } catch {
    sizes.push('');
  }
}

/**
 * Makes all pages larger by a bleed on each side, and their margins as well. Named sizes are given in inches. Returns false, and changes
 * nothing, if a style sheet cannot be read.
 */
export function growPages(bleedInches: number, named: Record<string, [width: number, height: number]>): boolean {
  try {
    const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
    const rules = sheets.flatMap((sheet) => [...allRules(sheet)]);
    for (const { type, style, name = '' } of rules) {
      if (type === RULE_TYPES.page && style) growPage(style, bleedInches, named);
      if (type === RULE_TYPES.marginBox && style) keepInsideBleed(style, name, bleedInches);
    }
    return true;
  } catch {
    return false;
  }
}

function growPage(style: CSSStyleDeclaration, bleed: number, named: Record<string, [number, number]>): void {
  for (const side of SIDES) change(style, `margin-${side}`, (value) => growMargin(value, bleed));
  change(style, 'size', (value) => {
    const size = named[value];
    const [width = '', height = width] = size ? size.map((inches) => `${inches}in`) : value.split(' ');
    return `calc(${width} + ${2 * bleed}in) calc(${height} + ${2 * bleed}in)`;
  });
}

/** Percentages are of the page without the bleed. */
function growMargin(value: string, bleed: number): string {
  if (value === 'auto') return `${bleed}in`;
  const share = value.endsWith('%') ? Number.parseFloat(value) / 100 : 0;
  return `calc(${value} + ${bleed * (1 - 2 * share)}in)`;
}

/** A margin box reaches to the edge of the sheet. */
function keepInsideBleed(style: CSSStyleDeclaration, name: string, bleed: number): void {
  for (const side of SIDES)
    if (name.startsWith(side) || name.endsWith(`${side}-corner`))
      style.setProperty(`padding-${side}`, `calc(${style.getPropertyValue(`padding-${side}`) || '0px'} + ${bleed}in)`);
}

function change(style: CSSStyleDeclaration, property: string, grow: (value: string) => string): void {
  const value = style.getPropertyValue(property);
  if (value) style.setProperty(property, grow(value), style.getPropertyPriority(property));
}
