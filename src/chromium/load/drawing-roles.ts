/**
 * Functions that run in a page and give drawings the role `img`, without which Chromium tags nothing of them but their text. CSS of
 * the document can select the role, and must not: the tagged PDF shows the same as any other.
 */
import { RULE_FUNCTIONS, type rulesOf as RulesOf, type selectorOf as SelectorOf, type StyledDocument } from './missing-styles.ts';

/** A style sheet that was loaded. Its text is empty if it does not mention roles. */
export interface LinkedStyle {
  url: string;
  text: string;
}

export function roleStyles(styles: LinkedStyle[] | undefined): LinkedStyle[] | undefined {
  return styles?.map(({ url, text }) => ({ url, text: /role|\\/i.test(text) ? text : '' }));
}

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const CSSStyleSheet: new () => { cssRules: Iterable<never>; replaceSync(css: string): void };
declare const builtIn: (node: PageElement) => PageElement;

declare const rulesOf: typeof RulesOf;
declare const selectorOf: typeof SelectorOf;

/** Takes back roles that were set when `tagDrawings` was terminated. */
export const TAKE_BACK_ROLES = 'globalThis.takeBackRoles?.()';

export const DRAWING_FUNCTIONS = [
  ...RULE_FUNCTIONS,
  tagDrawings,
  isUnknown,
  workOf,
  setRole,
  roleSelectors,
  mentionsRole,
  sheetsOf,
  selected,
];

/**
 * Returns false, and leaves the drawings as they are, if a selector would select other elements, or if it would take long to find out.
 * `linked` are the style sheets that were loaded, because rules of another origin cannot be read, or null if not all are known; `roots` are the
 * document and its shadow roots.
 */
function tagDrawings(drawings: PageElement[], roots: PageElement[], linked: LinkedStyle[] | null): boolean {
  if (!drawings.length) return true;
  if (!linked || roots.some((root) => [...builtIn(root).styleSheets].some((sheet) => isUnknown(sheet, linked)))) return false;
  const maxWork = 5_000_000;
  const areSlotted = drawings.some((drawing) => builtIn(builtIn(drawing).parentNode).shadowRoot);
  const selectors = roots.flatMap((root) => roleSelectors(root, linked, areSlotted).map((selector) => ({ root, selector })));
  if (workOf(selectors) > maxWork || selectors.some(({ selector }) => /:host|::slotted/.test(selector))) return false;
  const before = selected(selectors);
  const given = drawings.map((drawing) => builtIn(drawing).getAttribute('role'));
  const world = globalThis as PageElement;
  world.takeBackRoles = () => {
    for (const [index, drawing] of drawings.entries()) setRole(drawing, given[index] ?? null);
  };
  for (const drawing of drawings) setRole(drawing, 'img');
  const after = selected(selectors);
  const isSame = before.length === after.length && before.every((element, index) => element === after[index]);
  if (!isSame) world.takeBackRoles();
  delete world.takeBackRoles;
  return isSame;
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
function roleSelectors(root: PageElement, linked: LinkedStyle[], areSlotted: boolean): string[] {
  const anyMedia = { baseURI: '', defaultView: null } as StyledDocument; // the paper has another width than the window
  const rules = sheetsOf(root, linked).flatMap((sheet) => [...rulesOf(anyMedia, sheet)]);
  const selectors = rules.flatMap(({ rule, around }) => (rule.selectorText ? selectorOf(rule.selectorText, around) : []));
  return [...new Set(selectors.filter((selector) => mentionsRole(selector, areSlotted)))];
}

/** Roles of the host of a shadow root do not count, because a drawing cannot be one, nor those of what is slotted if it is no drawing. */
function mentionsRole(selector: string, areSlotted: boolean): boolean {
  const others = selector.replace(/(:host|::slotted)\((?:[^()]|\([^()]*\))*\)/g, (whole, name) =>
    /:has\(/.test(whole) || (name === '::slotted' && areSlotted) ? whole : name,
  );
  return /\[[^\]]*role/i.test(others);
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
function selected(selectors: Array<{ root: PageElement; selector: string }>): PageElement[] {
  return selectors.flatMap(({ root, selector }) => {
    try {
      return [...builtIn(root).querySelectorAll(selector), undefined];
    } catch {
      return []; // it selects nothing but a part of an element
    }
  });
}
