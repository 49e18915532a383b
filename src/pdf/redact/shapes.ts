/** Areas as convex polygons, and whether they overlap. */
import type { Point } from '../objects/matrix.ts';

export type Polygon = readonly Point[];

/** Of two polygons that touch, in points. */
const TOUCHING = 0.01;

/** Whether no line separates them (the separating axis theorem). */
export function overlaps(one: Polygon, other: Polygon): boolean {
  return ![...edges(one), ...edges(other)].some(([x, y]) => {
    const [a, b] = [project(one, x, y), project(other, x, y)];
    return Math.min(a.to, b.to) - Math.max(a.from, b.from) < TOUCHING;
  });
}

/** The directions across the edges, of length 1. */
function edges(polygon: Polygon): Point[] {
  return polygon.flatMap(([x, y], index): Point[] => {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length] as Point;
    const length = Math.hypot(nextX - x, nextY - y);
    return length ? [[(y - nextY) / length, (nextX - x) / length]] : [];
  });
}

function project(polygon: Polygon, x: number, y: number): { from: number; to: number } {
  const places = polygon.map((point) => point[0] * x + point[1] * y);
  return { from: Math.min(...places), to: Math.max(...places) };
}

export function boundsOf(points: Polygon): { left: number; bottom: number; right: number; top: number } {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...xs), bottom: Math.min(...ys), right: Math.max(...xs), top: Math.max(...ys) };
}

export function rectangle(left: number, bottom: number, right: number, top: number): Polygon {
  return [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ];
}

const FAR = 1_000_000;
/** Where something may be that has no known place. */
export const EVERYWHERE = rectangle(-FAR, -FAR, FAR, FAR);
/** Where an image is drawn, before it is transformed. */
export const UNIT_SQUARE = rectangle(0, 0, 1, 1);
