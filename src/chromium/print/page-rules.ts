/**
 * Adds `@page` rules to a loaded document, and reads the sizes that its own rules name. The functions below are sent as text and
 * run in the page, so that they may use only each other.
 */

import { Type } from 'typebox';
import { shape } from '../devtools/evaluate.ts';

/** The key under which the last added style sheet is stored. */
const KEY = 'platen.pageRule';
const MAX_SIZES = 100;

/**
 * Inserts a style sheet as the first of the document and removes the previous one. If it cannot be the first, `elsewhere` is
 * added instead.
 */
export function addRuleExpression(rule: string, elsewhere: string): string {
  return `(${putFirst})(${JSON.stringify(rule)}, ${JSON.stringify(elsewhere)}, ${JSON.stringify(KEY)})`;
}

/**
 * Evaluates to the values of `size` in the document's `@page` rules, as they are written. If there is such a rule, `suggested`, if
 * given, is inserted as the first rule.
 */
export function pageSizesExpression(suggested: string): string {
  const suggest = suggested && `if (sizes.length) ${addRuleExpression(suggested, '')};`;
  return `(() => { ${[readSizes, pageSizes].join(' ')}
    try { const sizes = pageSizes(${MAX_SIZES}); ${suggest} return sizes } catch { return [] } })()`;
}

/** What `pageSizesExpression` evaluates to. A style sheet may name more sizes than were to be read. */
export const PAGE_SIZES = shape(Type.Array(Type.String()));

// Typed loosely: this project's code runs in Node and has no DOM types.
interface Rule {
  type: number;
  selectorText?: string;
  style?: { getPropertyValue(name: string): string };
  styleSheet?: { cssRules: Iterable<Rule> } | null;
  cssRules?: Iterable<Rule>;
}
interface StyleElement {
  textContent: string;
  sheet: unknown;
  remove(): void;
}
declare const document: {
  styleSheets: Iterable<{ cssRules: Iterable<Rule> }>;
  adoptedStyleSheets: Array<{ cssRules: Iterable<Rule> }>;
};
/** The methods of prototypes are used, because an element whose name is that of a method would hide it. */
declare const Document: { prototype: { createElementNS(namespace: string, name: string): StyleElement } };
declare const CSSStyleSheet: new () => { cssRules: Iterable<Rule>; replaceSync(css: string): void };

function readSizes(rules: Iterable<Rule>, sizes: string[], atMost: number): void {
  for (const rule of rules) {
    if (sizes.length >= atMost) return;
    const isPageRule = rule.type === 6;
    if (isPageRule) sizes.push(rule.style?.getPropertyValue('size') ?? '');
    else if (rule.styleSheet) readSizes(rule.styleSheet.cssRules, sizes, atMost);
    else if (rule.selectorText === undefined && rule.cssRules) readSizes(rule.cssRules, sizes, atMost);
  }
}

function pageSizes(atMost: number): string[] {
  const sizes: string[] = [];
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    try {
      readSizes(sheet.cssRules, sizes, atMost);
    } catch {
      sizes.push(''); // the style sheet has another origin and cannot be read
    }
  }
  return sizes;
}

/** Of several `!important` declarations, Chromium uses that of the first style sheet, whatever pages the others select. */
function putFirst(css: string, elsewhere: string, key: string): void {
  const page = globalThis as unknown as Record<symbol, (() => void) | undefined>;
  page[Symbol.for(key)]?.();
  const style = Document.prototype.createElementNS.call(document, 'http://www.w3.org/1999/xhtml', 'style');
  style.textContent = css;
  const head = Object.getOwnPropertyDescriptor(Document.prototype, 'head')?.get?.call(document);
  head?.prepend(style);
  page[Symbol.for(key)] = () => style.remove();
  if (style.sheet) return;
  // The document has no head, or a content security policy forbids style elements.
  style.remove();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(elsewhere);
  document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
  page[Symbol.for(key)] = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}
