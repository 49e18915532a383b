/** Adds `@page` rules to a loaded document, and reads the sizes that its own rules name. */
import { read } from '../dom/nodes.ts';
import { allRules, RULE_TYPES } from '../dom/rules.ts';

const MAX_SIZES = 100;

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
