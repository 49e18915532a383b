/** Measures how far content exceeds one side of a box. */
import type { Clipped } from '../../../contract/questions.ts';
import { isText } from '../../../dom/nodes.ts';
import type { Content } from './content.ts';

export type Side = Clipped['side'];

/** CSS pixels by side. */
export type PixelsBySide = Record<Side, number>;

/** Returns the number of CSS pixels by which a rectangle exceeds an edge. */
export function distanceBeyond(place: DOMRect, edge: number, side: Side): number {
  return side === 'left' ? edge - place.left : place[side] - edge;
}

/** Whether so much of the content is beyond the edge that a reader misses it. */
export function isMissed(content: Content, place: DOMRect, edge: number, side: Side): boolean {
  return distanceBeyond(place, edge, side) >= Math.max(1, significantLength(content, place, side) - 0.5);
}

/** How much must be hidden to count: the part of a line that makes it hard to read, or a whole image. */
function significantLength(content: Content, { width, height }: DOMRect, side: Side): number {
  if (!isText(content)) return side === 'bottom' ? height : width;
  return side === 'bottom' ? height / 2 : Math.min(width, height) / 2;
}
