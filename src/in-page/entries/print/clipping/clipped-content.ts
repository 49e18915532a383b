/**
 * Finds content that boxes of a document hide: text and images that a reader could scroll to on a screen, but that the PDF lacks.
 * Content that the design hides on purpose does not count. See docs/decisions/0033-what-a-report-tells.md.
 */
import { CLIPPED_SIDES, type Clipped } from '../../../contract/questions.ts';
import { nameOf } from '../../../dom/names.ts';
import { selectIn, withShadows } from '../../../dom/roots.ts';
import { type ClippingBox, findClippingBoxes } from './clipping-boxes.ts';
import { contentOf, placesOf } from './content.ts';
import { beyond, isMissed, type PixelsBySide, type Side } from './sides.ts';
import { hiddenBy, isVisible } from './visible-overflow.ts';
import { isVertical, mainStyle, scrollsTo } from './writing-mode.ts';

/** Limits the nodes of all boxes together. */
const MAX_NODES = 100_000;

interface Hiding extends ClippingBox {
  hidden: PixelsBySide;
}

/** Ask it in a window that is as large as the page between its margins. */
export function findClippedContent(): Clipped[] {
  const worst = new Map<Side, Clipped>();
  const nodes = { left: MAX_NODES };
  const boxes = findClippingBoxes().map((clipping): Hiding => ({ ...clipping, hidden: hiddenIn(clipping, nodes) }));
  for (const { box, sides, hidden } of [...boxes, ...clippingFrames(nodes)]) {
    for (const side of sides.filter((each) => hidden[each] > 0)) {
      const before = worst.get(side);
      const count = (before?.count ?? 0) + 1;
      const isWorst = !before || hidden[side] > before.pixels;
      worst.set(side, isWorst ? { side, pixels: hidden[side], element: nameOf(box), count } : { ...before, count });
    }
  }
  return [...worst.values(), ...beyondPage()];
}

/** Returns how much is hidden at each side. */
function hiddenIn({ box, sides }: ClippingBox, nodes: { left: number }): PixelsBySide {
  const hidden = {
    left: 0,
    right: box.localName === 'input' && (box as HTMLInputElement).value ? box.scrollWidth - box.clientWidth : 0,
    bottom: box.localName === 'textarea' ? box.scrollHeight - box.clientHeight : 0,
  };
  for (const content of contentOf(box, nodes)) {
    const places = placesOf(content);
    for (const side of sides) hidden[side] = Math.max(hidden[side], hiddenBy(box, content, side, places));
  }
  return hidden;
}

/** Returns the frames whose documents can be accessed, and by how much their content exceeds them. */
function clippingFrames(nodes: { left: number }): Hiding[] {
  const frames = withShadows(document).flatMap((root) => [...selectIn<HTMLIFrameElement>(root, 'iframe')]);
  return frames.flatMap((box) => {
    const root = box.contentDocument?.documentElement;
    if (!root || box.clientWidth <= 2 || box.clientHeight <= 2 || !isVisible(box)) return [];
    const style = getComputedStyle(root);
    const sides = CLIPPED_SIDES.filter((side) => scrollsTo(style, side));
    return [{ box, sides, hidden: beyondFrame(root, sides, nodes) }];
  });
}

/** Returns by how many CSS pixels content exceeds each side of the frame with the document element `root`. */
function beyondFrame(root: HTMLElement, sides: Side[], nodes: { left: number }): PixelsBySide {
  const edges = { left: 0, right: root.clientWidth, bottom: root.clientHeight };
  const hidden = { left: 0, right: 0, bottom: 0 };
  const isLarger = root.scrollWidth - root.clientWidth > 1 || root.scrollHeight - root.clientHeight > 1;
  for (const content of isLarger ? contentOf(root, nodes) : []) {
    const places = placesOf(content);
    for (const side of sides) {
      const missed = places.filter((place) => isMissed(content, place, edges[side], side));
      hidden[side] = missed.reduce((most, place) => Math.max(most, beyond(place, edges[side], side)), hidden[side]);
    }
  }
  return hidden;
}

/** Chromium shrinks a document that goes beyond the right edge of its page, and cuts off what goes beyond the left. */
function beyondPage(): Clipped[] {
  const [box, style] = [document.documentElement, mainStyle()];
  if (isVertical(style) || !scrollsTo(style, 'left')) return [];
  const pixels = hiddenIn({ box, sides: ['left'] }, { left: MAX_NODES }).left;
  return pixels > 0 ? [{ side: 'left', pixels, element: '', count: 1 }] : [];
}
