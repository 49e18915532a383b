/** Finds the elements that declare something, from the rules that declare it: no other element has to be looked at. */
import { elementSelector } from '../../contract/element-selector.ts';
import { call, read, readAttribute } from '../../dom/nodes.ts';
import { type AnyRule, listRules, openRules, RULE_TYPES } from '../../dom/rules.ts';
import { isSelector } from '../elements.ts';

/** An element for which a rule or its style attribute may declare something, with its style. */
export interface StyledElement {
  element: HTMLElement;
  style: CSSStyleDeclaration;
}

/** Tells whether a rule declares something. The text of a rule takes much longer to read than a few of its properties. */
type Declares = (style: CSSStyleDeclaration) => boolean;

/** Returns the elements, in the order of the document, that such rules select, or whose style attribute has one of `inline`. */
export function findStyled(declared: RegExp | Declares, ...inline: string[]): HTMLElement[] {
  const declares = declared instanceof RegExp ? ({ cssText }: CSSStyleDeclaration) => declared.test(cssText) : declared;
  const selectors = new Set<string>();
  for (const sheet of [...read(document, 'styleSheets'), ...read(document, 'adoptedStyleSheets')])
    addSelectors(openRules(sheet), '', declares, selectors);
  for (const each of inline) selectors.add(`[style*="${each}"]`);
  const valid = [...selectors].filter((selector) => isSelector(selector));
  const found = valid.length ? [...call(document, 'querySelectorAll', valid.join(', '))] : [];
  return found.filter((each) => each instanceof HTMLElement).filter((each) => !isProbe(each));
}

function isProbe(element: Element): boolean {
  return readAttribute(element, 'data-platen-link') !== null;
}

function addSelectors(rules: Iterable<AnyRule>, around: string, declares: Declares, selectors: Set<string>): void {
  for (const rule of rules) {
    const { type, style, styleSheet, cssRules, selectorText = '' } = rule;
    const inner = type === RULE_TYPES.style ? elementSelector(selectorText, around) : around;
    if (inner && style && declares(style)) selectors.add(inner);
    if (styleSheet) addSelectors(openRules(styleSheet), '', declares, selectors);
    else if (cssRules) addSelectors(listRules({ cssRules }), inner, declares, selectors);
  }
}

export type Pseudo = '::before' | '::after' | '::marker';
export const PSEUDOS: readonly Pseudo[] = ['::before', '::after', '::marker'];

export function readProperty(element: Element, name: string, pseudo?: Pseudo): string {
  return getComputedStyle(element, pseudo).getPropertyValue(name).trim();
}
