/**
 * Functions that run in a page and find out what the style sheets of a document select, so that attributes and elements that are set
 * for the print change nothing in its appearance.
 */
import {
  RULE_FUNCTIONS,
  type rulesOf as RulesOf,
  type selectorOf as SelectorOf,
  type StyledDocument,
} from '../inspect/missing-styles.ts';

/** A style sheet that was loaded. Its text is empty if it mentions nothing of interest. */
export interface LinkedStyle {
  url: string;
  text: string;
}

/** Leaves out texts that do not match; a backslash may spell anything. */
export function stylesMentioning(mentions: RegExp, styles: LinkedStyle[] | undefined): LinkedStyle[] | undefined {
  return styles?.map(({ url, text }) => ({ url, text: mentions.test(text) || text.includes('\\') ? text : '' }));
}

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const CSSStyleSheet: new () => { cssRules: Iterable<never>; replaceSync(css: string): void };
declare const builtIn: (node: PageElement) => PageElement;

declare const rulesOf: typeof RulesOf;
declare const selectorOf: typeof SelectorOf;

/** A selector in the style sheets of a document or shadow root. */
export interface ScopedSelector {
  root: PageElement;
  selector: string;
}

export const SELECTOR_FUNCTIONS = [
  ...RULE_FUNCTIONS,
  selectorsFor,
  isUnknown,
  workOf,
  selectorsIn,
  isAbout,
  sheetsOf,
  selected,
  isSameSelection,
];

/**
 * Returns the selectors that mention what is to be changed. Returns undefined if not all are known, or if it would take long to find
 * out what they select. `linked` are the style sheets that were loaded, because rules of another origin cannot be read, or null if not
 * all are known; `roots` are the document and its shadow roots.
 */
export function selectorsFor(
  changed: PageElement[],
  roots: PageElement[],
  linked: LinkedStyle[] | null,
  mentions: RegExp,
): ScopedSelector[] | undefined {
  const maxWork = 5_000_000;
  if (!linked || roots.some((root) => [...builtIn(root).styleSheets].some((sheet) => isUnknown(sheet, linked)))) return undefined;
  const areSlotted = changed.some((element) => builtIn(builtIn(element).parentNode).shadowRoot);
  const areHosts = changed.some((element) => builtIn(element).shadowRoot);
  const selectors = roots.flatMap((root) => {
    const own = selectorsIn(root, linked).filter((selector) => isAbout(selector, mentions, areSlotted, areHosts));
    return own.map((selector) => ({ root, selector }));
  });
  const isUntold = ({ root, selector }: ScopedSelector) => root !== roots[0] && /:host|::slotted/.test(selector); // in a document, they select nothing
  return workOf(selectors) > maxWork || selectors.some(isUntold) ? undefined : selectors;
}

/** Whether the rules of a style sheet, or of one that it imports, can neither be read nor are known from its loading. */
function isUnknown(sheet: PageElement, linked: LinkedStyle[]): boolean {
  try {
    return [...sheet.cssRules].some(({ styleSheet }) => styleSheet && isUnknown(styleSheet, linked));
  } catch {
    return !linked.some(({ url }) => url === sheet.href);
  }
}

/** About how many elements are looked at to find those that are selected. */
function workOf(selectors: ScopedSelector[]): number {
  const around = 50; // `:has()` looks at what is in or after an element
  const sizes = new Map<PageElement, number>();
  for (const { root } of selectors) if (!sizes.has(root)) sizes.set(root, builtIn(root).querySelectorAll('*').length);
  return selectors.reduce((sum, { root, selector }) => sum + (sizes.get(root) ?? 0) * (/:has\(/.test(selector) ? around : 1), 0);
}

function selectorsIn(root: PageElement, linked: LinkedStyle[]): string[] {
  const anyMedia = { baseURI: '', defaultView: null } as StyledDocument; // the paper has another width than the window
  const rules = sheetsOf(root, linked).flatMap((sheet) => [...rulesOf(anyMedia, sheet)]);
  const found = rules.flatMap(({ rule: { selectorText, start, end }, around }) =>
    [selectorText, start, end].flatMap((selector) => (selector ? selectorOf(selector, around) : [])),
  );
  return [...new Set(found)];
}

/** Neither hosts of shadow roots nor what is slotted count if nothing of them is changed. */
function isAbout(selector: string, mentions: RegExp, areSlotted: boolean, areHosts: boolean): boolean {
  const others = selector.replace(/(:host|::slotted)\((?:[^()]|\([^()]*\))*\)/g, (whole, name) =>
    /:has\(/.test(whole) || (name === ':host' ? areHosts : areSlotted) ? whole : name,
  );
  return mentions.test(others);
}

function sheetsOf(root: PageElement, linked: LinkedStyle[]): PageElement[] {
  const parsed = linked.map(({ text }) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return [...builtIn(root).styleSheets, ...builtIn(root).adoptedStyleSheets, ...parsed];
}

/** The elements that each of the selectors selects, with a mark between them. */
export function selected(selectors: ScopedSelector[]): PageElement[] {
  return selectors.flatMap(({ root, selector }) => {
    try {
      return [...builtIn(root).querySelectorAll(selector), undefined];
    } catch {
      return []; // it selects nothing but a part of an element
    }
  });
}

/** Compares two results of `selected`. */
export function isSameSelection(before: PageElement[], after: PageElement[]): boolean {
  return before.length === after.length && before.every((element, index) => element === after[index]);
}
