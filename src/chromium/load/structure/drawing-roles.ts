/**
 * Functions that run in a page and give drawings the role `img`, without which Chromium tags nothing of them but their text. A drawing
 * in an element that has the role takes it over with its name; other elements with the role get a background that can be tagged. CSS
 * of the document can select these attributes, and must not: the tagged PDF shows the same as any other.
 */
import {
  type isSameSelection as IsSameSelection,
  type LinkedStyle,
  SELECTOR_FUNCTIONS,
  type selected as Selected,
  type selectorsFor as SelectorsFor,
} from './style-selectors.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const builtIn: (node: PageElement) => PageElement;
declare const selectorsFor: typeof SelectorsFor;
declare const selected: typeof Selected;
declare const isSameSelection: typeof IsSameSelection;

/** What style sheets must contain to select the attributes that are set. It looks at each character of a long text only once. */
export const MENTIONS_ATTRIBUTES = /role|aria-|style\s*[\]=~|^$*/]/i;

/** Takes back attributes that were set when reading was terminated. */
export const TAKE_BACK_ATTRIBUTES = 'globalThis.takeBackAttributes?.(); delete globalThis.takeBackAttributes';

export const DRAWING_FUNCTIONS = [...SELECTOR_FUNCTIONS, roleChange, wrapperChanges, backgroundChange, setForPrint, setAttribute];

/** An attribute to set, or to remove if the value is null. With a `property`, the value is that of a property in the attribute `style`. */
export interface AttributeChange {
  element: PageElement;
  name: string;
  value: string | null;
  property?: string;
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
 * A background that shows nothing, which Chromium tags with the name of the image. A gradient with a size would take 1 KB in the PDF. If
 * backgrounds are not printed, it would be white, so there is a shadow within the box instead.
 */
function backgroundChange(image: PageElement, printsBackgrounds: boolean): AttributeChange {
  const background = { property: 'background-image', value: 'radial-gradient(0px at 0 0, #0000, #0000)' };
  const shadow = { property: 'box-shadow', value: 'inset 0 0 0 9px color(srgb 0 0 0 / 0.0001)' };
  return { element: image, name: 'style', ...(printsBackgrounds ? background : shadow) };
}

/**
 * Returns false, and leaves the attributes as they are, if a selector would select other elements, or may do so. Until
 * `takeBackAttributes` is deleted, it takes back all changes.
 */
function setForPrint(changes: AttributeChange[], roots: PageElement[], linked: LinkedStyle[] | null): boolean {
  if (!changes.length) return true;
  const names = [...new Set(changes.map(({ name }) => name.replace(/-.*/, '')))]; // `aria` for all of ARIA
  const mentions = new RegExp(`\\[[^[\\]]*(?:${names.join('|')})`, 'i');
  const elements = changes.map(({ element }) => element);
  const selectors = selectorsFor(elements, roots, linked, mentions);
  if (!selectors) return false;
  const before = selected(selectors);
  const given = changes.map(({ element, name }) => ({ element, name, value: builtIn(element).getAttribute(name) }));
  const world = globalThis as PageElement;
  const earlier = world.takeBackAttributes;
  world.takeBackAttributes = () => {
    given.forEach(setAttribute);
    earlier?.();
  };
  changes.forEach(setAttribute);
  const isSame = isSameSelection(before, selected(selectors));
  if (isSame) return true;
  given.forEach(setAttribute);
  world.takeBackAttributes = earlier;
  return false;
}

/** Properties are set without a text of the attribute, which a content security policy may refuse. */
function setAttribute({ element, name, value, property }: AttributeChange): void {
  if (value === null) builtIn(element).removeAttribute(name);
  else if (property) builtIn(element).style.setProperty(property, value, 'important');
  else builtIn(element).setAttribute(name, value);
}
