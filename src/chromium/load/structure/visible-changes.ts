/**
 * Functions that run in a page and find out whether what is set for the print changes the appearance of the document. They compare
 * the boxes and styles of all elements before and after, because rules of another origin can be seen only by their effect. The window
 * is laid out for print and as wide as the paper.
 */

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const getComputedStyle: (element: PageElement, pseudo?: string) => PageElement;
declare const builtIn: (node: PageElement) => PageElement;

export const VISIBLE_CHANGE_FUNCTIONS = [appearanceOf, paintedNames, stylesOf, looksSame, isSameBox];

/** How each element looks, and the animations that run. */
export interface Appearance {
  elements: PageElement[];
  /** Undefined for an element that is not displayed. */
  boxes: Array<{ left: number; top: number; width: number; height: number } | undefined>;
  styles: string[];
  animations: PageElement[];
}

/**
 * Undefined if there are more than 20,000 elements, which take about a second. `prepared` elements count with their boxes and frames
 * alone, and what is `added` does not count.
 */
export function appearanceOf(
  roots: PageElement[],
  prepared = new Set<PageElement>(),
  added?: PageElement,
): Appearance | undefined {
  const all = roots.flatMap((root) => [...builtIn(root).querySelectorAll('*')]);
  const elements = all.filter((element) => !added?.contains(element));
  if (elements.length > 20_000) return undefined;
  const isDisplayed = (element: PageElement) => builtIn(element).checkVisibility();
  const animations = roots.flatMap((root) => builtIn(root).getAnimations());
  return {
    elements,
    boxes: elements.map((element) => (isDisplayed(element) ? builtIn(element).getBoundingClientRect() : undefined)),
    styles: elements.map((element) => (isDisplayed(element) ? stylesOf(element, prepared.has(element)) : '')),
    animations: animations.filter(({ effect }) => !prepared.has(effect?.target)),
  };
}

/** The properties that are painted. */
function paintedNames(): string[] {
  const box = 'background-color background-image background-position background-size border-image border-radius';
  const effects = 'clip-path filter mask-image mix-blend-mode overflow transform visibility z-index';
  const drawing = 'fill stroke stroke-width';
  const text = 'color content counter-increment direction font-family font-style font-weight letter-spacing list-style-image';
  const lines =
    'list-style-type text-align text-decoration text-indent text-shadow text-transform white-space -webkit-text-fill-color';
  return [box, effects, drawing, text, lines].join(' ').split(' ');
}

/** The styles of an element and its pseudo-elements; of a prepared one only those that preparing it leaves unchanged. */
function stylesOf(element: PageElement, isPrepared: boolean): string {
  const frame = [
    'border-color',
    'border-style',
    'border-width',
    'box-shadow',
    'font-size',
    'opacity',
    'outline-color',
    'outline-style',
  ];
  const isBox = isPrepared && /^(?:checkbox|radio)$/.test(element.type); // it is hidden as a whole
  const names = isPrepared ? frame : [...frame, ...paintedNames()];
  const styles = (isPrepared ? [''] : ['', '::before', '::after']).map((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return pseudo && style.content === 'none' ? '' : names.map((name) => style.getPropertyValue(name)).join(';');
  });
  return isBox ? '' : styles.join('|');
}

/** A transition that began is a change as well, because computed styles do not have its result yet. */
export function looksSame(before: Appearance, after: Appearance | undefined): boolean {
  if (after?.elements.length !== before.elements.length) return false;
  const earlier = new Set(before.animations);
  return (
    after.animations.every((animation) => earlier.has(animation)) &&
    before.elements.every(
      (element, index) =>
        element === after.elements[index] &&
        before.styles[index] === after.styles[index] &&
        isSameBox(before.boxes[index], after.boxes[index]),
    )
  );
}

/** Chromium paints boxes on whole pixels. */
function isSameBox(before: Appearance['boxes'][number], after: Appearance['boxes'][number]): boolean {
  if (!before || !after) return before === after;
  return (['left', 'top', 'width', 'height'] as const).every((side) => Math.abs(before[side] - after[side]) < 0.5);
}
