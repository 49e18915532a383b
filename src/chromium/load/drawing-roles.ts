/**
 * Functions that run in a page and give drawings the role `img`, without which Chromium tags nothing of them but their text. CSS of
 * the document can select the role, and must not: the tagged PDF shows the same as any other.
 */
import { RULE_FUNCTIONS, type rulesOf as RulesOf, type selectorOf as SelectorOf, type StyledDocument } from './missing-styles.ts';

/** Matches the text of a style sheet that may select by the role. */
export const MENTIONS_ROLE = /role|\\/i;

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const CSSStyleSheet: new () => { cssRules: Iterable<never>; replaceSync(css: string): void };
declare const builtIn: (node: PageElement) => PageElement;

declare const rulesOf: typeof RulesOf;
declare const selectorOf: typeof SelectorOf;

export const DRAWING_FUNCTIONS = [...RULE_FUNCTIONS, tagDrawings, workOf, setRole, roleSelectors, sheetsOf, selected];

/**
 * Returns false, and leaves the drawings as they are, if a selector would select other elements, or if it would take long to find out.
 * `linked` are the texts of style sheets, because rules of another origin cannot be read; `roots` are the document and its shadow
 * roots.
 */
function tagDrawings(drawings: PageElement[], roots: PageElement[], linked: string[]): boolean {
  if (!drawings.length) return true;
  const maxWork = 5_000_000;
  const selectors = roots.flatMap((root) => roleSelectors(root, linked).map((selector) => ({ root, selector })));
  if (workOf(selectors) > maxWork || selectors.some(({ selector }) => /:host|::slotted/.test(selector))) return false;
  const before = selected(selectors);
  const given = drawings.map((drawing) => builtIn(drawing).getAttribute('role'));
  for (const drawing of drawings) setRole(drawing, 'img');
  const after = selected(selectors);
  const isSame = before.length === after.length && before.every((element, index) => element === after[index]);
  if (!isSame) for (const [index, drawing] of drawings.entries()) setRole(drawing, given[index] ?? null);
  return isSame;
}

/** About how many elements are looked at to find those that are selected. */
function workOf(selectors: Array<{ root: PageElement; selector: string }>): number {
  const around = 50; // `:has()` looks at what is in or after an element
  const sizes = new Map<PageElement, number>();
  for (const { root } of selectors) if (!sizes.has(root)) sizes.set(root, builtIn(root).querySelectorAll('*').length);
  return selectors.reduce((sum, { root, selector }) => sum + (sizes.get(root) ?? 0) * (/:has\(/.test(selector) ? around : 1), 0);
}

function setRole(drawing: PageElement, role: string | null): void {
  if (role === null) builtIn(drawing).removeAttribute('role');
  else builtIn(drawing).setAttribute('role', role);
}

/** The selectors in the style sheets of a document or shadow root that mention the role. */
function roleSelectors(root: PageElement, linked: string[]): string[] {
  const rules = sheetsOf(root, linked).flatMap((sheet) => [...rulesOf(builtIn(root) as StyledDocument, sheet)]);
  const selectors = rules.flatMap(({ rule, around }) => (rule.selectorText ? selectorOf(rule.selectorText, around) : []));
  return [...new Set(selectors.filter((selector) => /\[[^\]]*role/i.test(selector)))];
}

function sheetsOf(root: PageElement, linked: string[]): PageElement[] {
  const parsed = linked.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  return [...builtIn(root).styleSheets, ...builtIn(root).adoptedStyleSheets, ...parsed];
}

/** The elements that each of the selectors selects, with a mark between them. */
function selected(selectors: Array<{ root: PageElement; selector: string }>): PageElement[] {
  return selectors.flatMap(({ root, selector }) => {
    try {
      return [...builtIn(root).querySelectorAll(selector), undefined];
    } catch {
      return []; // it selects nothing but a part of an element
    }
  });
}
