/**
 * Finds content that boxes of a document hide: text and images that a reader could scroll to on a screen, but that the PDF lacks.
 * Content that the design hides on purpose does not count. See docs/decisions/0033-what-a-report-tells.md.
 */
import { CLIPPED_SIDES, type Clipped } from '../../../contract/questions.ts';
import { elementName } from '../../../dom/names.ts';
import { documentIn, selectIn, withShadows } from '../../../dom/roots.ts';
import { isShown } from '../../../dom/visibility.ts';
import { type ClippingBox, findClippingBoxes } from './clipping-boxes.ts';
import { contentPlaces, findContent } from './content.ts';
import { distanceBeyond, isMissed, type PixelsBySide, type Side } from './sides.ts';
import { hiddenLength } from './visible-overflow.ts';
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
  const boxes = findClippingBoxes().map((clipping): Hiding => ({ ...clipping, hidden: measureHidden(clipping, nodes) }));
  for (const { box, sides, hidden } of [...boxes, ...findClippingFrames(nodes)]) {
    for (const side of sides.filter((each) => hidden[each] > 0)) {
      const before = worst.get(side);
      const count = (before?.count ?? 0) + 1;
      const isWorst = !before || hidden[side] > before.pixels;
      worst.set(side, isWorst ? { side, pixels: hidden[side], element: elementName(box), count } : { ...before, count });
    }
  }
  return [...worst.values(), ...findBeyondPage()];
}

/** Returns how much is hidden at each side. */
function measureHidden({ box, sides }: ClippingBox, nodes: { left: number }): PixelsBySide {
  const hidden = {
    left: 0,
    right: box.localName === 'input' && (box as HTMLInputElement).value ? box.scrollWidth - box.clientWidth : 0,
    bottom: box.localName === 'textarea' ? box.scrollHeight - box.clientHeight : 0,
  };
  for (const content of findContent(box, nodes)) {
    const places = contentPlaces(content);
    for (const side of sides) hidden[side] = Math.max(hidden[side], hiddenLength(box, content, side, places));
  }
  return hidden;
}

/** Returns the frames whose documents can be accessed, and by how much their content exceeds them. */
function findClippingFrames(nodes: { left: number }): Hiding[] {
  const frames = withShadows(document).flatMap((root) => [...selectIn<HTMLIFrameElement>(root, 'iframe')]);
  return frames.flatMap((box) => {
    const root = documentIn(box)?.documentElement;
    if (!root || box.clientWidth <= 2 || box.clientHeight <= 2 || !isShown(box)) return [];
    const style = getComputedStyle(root);
    const sides = CLIPPED_SIDES.filter((side) => scrollsTo(style, side));
    return [{ box, sides, hidden: measureBeyondFrame(root, sides, nodes) }];
  });
}

/** Returns by how many CSS pixels content exceeds each side of the frame with the document element `root`. */
function measureBeyondFrame(root: HTMLElement, sides: Side[], nodes: { left: number }): PixelsBySide {
  const edges = { left: 0, right: root.clientWidth, bottom: root.clientHeight };
  const hidden = { left: 0, right: 0, bottom: 0 };
  const isLarger = root.scrollWidth - root.clientWidth > 1 || root.scrollHeight - root.clientHeight > 1;
  for (const content of isLarger ? findContent(root, nodes) : []) {
    const places = contentPlaces(content);
    for (const side of sides) {
      const missed = places.filter((place) => isMissed(content, place, edges[side], side));
      hidden[side] = missed.reduce((most, place) => Math.max(most, distanceBeyond(place, edges[side], side)), hidden[side]);
    }
  }
  return hidden;
}

/** Chromium shrinks a document that goes beyond the right edge of its page, and cuts off what goes beyond the left. */
function findBeyondPage(): Clipped[] {
  const [box, style] = [document.documentElement, mainStyle()];
  if (isVertical(style) || !scrollsTo(style, 'left')) return [];
  const pixels = measureHidden({ box, sides: ['left'] }, { left: MAX_NODES }).left;
  return pixels > 0 ? [{ side: 'left', pixels, element: '', count: 1 }] : [];
}
