/** Reads rectangles of annotations, which may be given by any two opposite corners (ISO 32000-1, 7.9.5). */

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The smallest rectangle around points: their coordinates, x before y. Undefined for fewer than two points. */
export function rectangleOf(coordinates: readonly number[]): Rectangle | undefined {
  if (coordinates.length < 4) return undefined;
  const [across, up] = [0, 1].map((parity) => coordinates.filter((_, index) => index % 2 === parity)) as [number[], number[]];
  const [x, y] = [Math.min(...across), Math.min(...up)];
  return { x, y, width: Math.max(...across) - x, height: Math.max(...up) - y };
}
