/**
 * Finds out whether what is set for the print changes how the document looks. It compares the boxes and styles of all elements before
 * and after, because rules of another origin can be seen only by their effect. The window is laid out for print and as wide as the
 * paper.
 */
import { call, measureBox } from './nodes.ts';
import { type Root, selectIn } from './roots.ts';

/** More would take longer than about a second. */
const MAX_ELEMENTS = 20_000;

/**
 * Boxes that differ by less look the same, because Chromium paints them on whole pixels (`ToPixelSnappedRect`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/layout/geometry/physical_rect.h).
 */
const MAX_MOVE_PX = 0.5;

/** The properties that preparing a field leaves unchanged. */
const FRAME = [
  'border-color',
  'border-style',
  'border-width',
  'box-shadow',
  'font-size',
  'opacity',
  'outline-color',
  'outline-style',
];

const PAINTED = [
  ...FRAME,
  ...['background-color', 'background-image', 'background-position', 'background-size', 'border-image', 'border-radius'],
  ...['clip-path', 'filter', 'mask-image', 'mix-blend-mode', 'overflow', 'transform', 'visibility', 'z-index'],
  ...['fill', 'stroke', 'stroke-width'],
  ...['color', 'content', 'counter-increment', 'direction', 'font-family', 'font-style', 'font-weight', 'letter-spacing'],
  ...['list-style-image', 'list-style-type', 'text-align', 'text-decoration', 'text-indent', 'text-shadow', 'text-transform'],
  ...['white-space', '-webkit-text-fill-color'],
];

/** How each element looks, and the animations that run. */
export interface Appearance {
  elements: Element[];
  /** Undefined for an element that is not displayed. */
  boxes: Array<DOMRect | undefined>;
  styles: string[];
  animations: Animation[];
}

/**
 * Returns undefined if there are too many elements. `prepared` elements count with their boxes and frames alone, and what is `added`
 * does not count.
 */
export function captureAppearance(roots: Root[], prepared = new Set<Element>(), added?: Element): Appearance | undefined {
  const all = roots.flatMap((root) => [...selectIn<Element>(root, '*')]);
  const elements = all.filter((element) => !added?.contains(element));
  if (elements.length > MAX_ELEMENTS) return undefined;
  const isDisplayed = (element: Element) => call(element, 'checkVisibility');
  const isPrepared = (element: Element | null | undefined) => Boolean(element && prepared.has(element));
  const animations = roots.flatMap((root) => call(root, 'getAnimations'));
  return {
    elements,
    boxes: elements.map((element) => (isDisplayed(element) ? measureBox(element) : undefined)),
    styles: elements.map((element) => (isDisplayed(element) ? readStyles(element, isPrepared(element)) : '')),
    animations: animations.filter(({ effect }) => !isPrepared((effect as KeyframeEffect | null)?.target)),
  };
}

/** Reads the styles of an element and its pseudo-elements. Of a prepared one, reads only those that preparing it leaves unchanged. */
function readStyles(element: Element, isPrepared: boolean): string {
  if (isPrepared && /^(?:checkbox|radio)$/.test((element as HTMLInputElement).type)) return ''; // it is hidden as a whole
  const names = isPrepared ? FRAME : PAINTED;
  const styles = (isPrepared ? [''] : ['', '::before', '::after']).map((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return pseudo && style.content === 'none' ? '' : names.map((name) => style.getPropertyValue(name)).join(';');
  });
  return styles.join('|');
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

function isSameBox(before: DOMRect | undefined, after: DOMRect | undefined): boolean {
  if (!before || !after) return before === after;
  return (['left', 'top', 'width', 'height'] as const).every((side) => Math.abs(before[side] - after[side]) < MAX_MOVE_PX);
}
