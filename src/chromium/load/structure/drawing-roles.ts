/**
 * Functions that run in a page and give drawings the role `img`, without which Chromium tags nothing of them but their text. A drawing
 * in an element that has the role takes it over with its name. CSS of the document can select these attributes, and must not: the
 * tagged PDF shows the same as any other.
 */
import { type appearanceOf as AppearanceOf, type looksSame as LooksSame, VISIBLE_CHANGE_FUNCTIONS } from './visible-changes.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const builtIn: (node: PageElement) => PageElement;
declare const appearanceOf: typeof AppearanceOf;
declare const looksSame: typeof LooksSame;

/** Restores attributes that were set when reading was terminated. */
export const RESTORE_ATTRIBUTES = 'globalThis.restoreAttributes?.(); delete globalThis.restoreAttributes';

export const DRAWING_FUNCTIONS = [
  ...VISIBLE_CHANGE_FUNCTIONS,
  roleChange,
  wrapperChanges,
  setForPrint,
  countSelectors,
  setAttribute,
];

/** An attribute to set, or to remove if the value is null. */
export interface AttributeChange {
  element: PageElement;
  name: string;
  value: string | null;
}

function roleChange(drawing: PageElement): AttributeChange {
  return { element: drawing, name: 'role', value: 'img' };
}

/** Moves the role and the name of an image to the drawing in it. */
function wrapperChanges(wrapper: PageElement, drawing: PageElement, label: string): AttributeChange[] {
  return [
    { element: wrapper, name: 'role', value: null },
    roleChange(drawing),
    { element: drawing, name: 'aria-label', value: label },
    { element: drawing, name: 'aria-labelledby', value: null },
    { element: drawing, name: 'aria-hidden', value: null },
  ];
}

/**
 * Returns false, and leaves the attributes as they are, if the document would look different, or if that would take long to find out.
 * Until `restoreAttributes` is deleted, it restores all attributes.
 */
function setForPrint(changes: AttributeChange[], roots: PageElement[]): boolean {
  const maxWork = 1_000_000;
  if (!changes.length) return true;
  const count = countSelectors(roots.flatMap((root) => [...builtIn(root).styleSheets, ...builtIn(root).adoptedStyleSheets]));
  const before = count ? appearanceOf(roots) : undefined;
  if (count && (!before || before.elements.length * count > maxWork)) return false;
  const given = changes.map(({ element, name }) => ({ element, name, value: builtIn(element).getAttribute(name) }));
  const world = globalThis as PageElement;
  const earlier = world.restoreAttributes;
  world.restoreAttributes = () => {
    given.forEach(setAttribute);
    earlier?.();
  };
  changes.forEach(setAttribute);
  if (!before || looksSame(before, appearanceOf(roots))) return true;
  given.forEach(setAttribute);
  world.restoreAttributes = earlier;
  return false;
}

/** Counts the rules that select by such attributes. A style sheet of another origin, which cannot be read, counts as one. */
function countSelectors(rules: Iterable<PageElement>): number {
  let count = 0;
  for (const rule of rules) {
    if ([rule.selectorText, rule.start, rule.end].some((selector) => /\[(?:role|aria-)/i.test(selector))) count++;
    try {
      count += countSelectors((rule.styleSheet ?? rule).cssRules ?? []);
    } catch {
      count++;
    }
  }
  return count;
}

function setAttribute({ element, name, value }: AttributeChange): void {
  if (value === null) builtIn(element).removeAttribute(name);
  else builtIn(element).setAttribute(name, value);
}
