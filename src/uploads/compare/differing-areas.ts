/** Compares the pixels of two pages: bitmaps in, the number of pixels that differ and boxes around them out. */
import type { Size } from '../pdfium.ts';

export interface Bitmap extends Size {
  /** Red, green, blue and alpha of each pixel. */
  pixels: Uint32Array;
}

/** Edges in pixels; the right and the lower one are outside. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels that differ are in one box if they are in cells of this size that touch. */
const CELL = 18;
/** More boxes than this are merged with larger cells, until one box has everything. */
const MAX_BOXES = 40;
const CHANNELS = [0, 8, 16, 24];

/** Channels that differ by up to `tolerance`, of 255, are equal. Pixels that only one of the pages has differ. */
export function compareBitmaps(before: Bitmap, after: Bitmap, tolerance: number): { count: number; boxes: Box[] } {
  const size = { width: Math.max(before.width, after.width), height: Math.max(before.height, after.height) };
  const cells = new Map<number, Box>();
  const columns = Math.ceil(size.width / CELL);
  let count = 0;
  for (const { x, y } of differingPixels(extend(before, size), extend(after, size), size, tolerance)) {
    count++;
    const cell = Math.floor(y / CELL) * columns + Math.floor(x / CELL);
    const box = cells.get(cell);
    if (!box) cells.set(cell, { left: x, top: y, right: x + 1, bottom: y + 1 });
    else widen(box, { left: x, top: y, right: x + 1, bottom: y + 1 });
  }
  return { count, boxes: mergeBoxes([...cells.values()]) };
}

/** Yields one object for all of them. */
function* differingPixels(before: Uint32Array, after: Uint32Array, { width, height }: Size, tolerance: number) {
  const place = { x: 0, y: 0 };
  const row = (pixels: Uint32Array, y: number) => Buffer.from(pixels.buffer, pixels.byteOffset + 4 * y * width, 4 * width);
  for (let y = 0; y < height; y++) {
    if (row(before, y).equals(row(after, y))) continue;
    for (let x = 0; x < width; x++) {
      const [a = 0, b = 0] = [before[y * width + x], after[y * width + x]];
      if (a === b || (tolerance > 0 && !exceeds(a, b, tolerance))) continue;
      [place.x, place.y] = [x, y];
      yield place;
    }
  }
}

function exceeds(a: number, b: number, tolerance: number): boolean {
  return CHANNELS.some((shift) => Math.abs(((a >>> shift) & 255) - ((b >>> shift) & 255)) > tolerance);
}

/** What a smaller page lacks is transparent by default, and no page has transparent pixels. */
export function extend({ width, height, pixels }: Bitmap, size: Size, filling = 0): Uint32Array {
  if (width === size.width && height === size.height) return pixels;
  const extended = new Uint32Array(size.width * size.height).fill(filling);
  for (let y = 0; y < height; y++) extended.set(pixels.subarray(y * width, (y + 1) * width), y * size.width);
  return extended;
}

/** Merges boxes that are closer than a cell. */
export function mergeBoxes(boxes: readonly Box[], distance = CELL): Box[] {
  const merged: Box[] = [];
  for (const box of [...boxes].sort((a, b) => a.top - b.top)) {
    const whole = { ...box };
    for (let near = findNear(merged, whole, distance); near >= 0; near = findNear(merged, whole, distance))
      for (const other of merged.splice(near, 1)) widen(whole, other);
    merged.push(whole);
  }
  return merged.length > MAX_BOXES ? mergeBoxes(merged, 2 * distance) : merged;
}

function findNear(boxes: readonly Box[], { left, top, right, bottom }: Box, distance: number): number {
  return boxes.findIndex(
    (box) =>
      box.left < right + distance && left < box.right + distance && box.top < bottom + distance && top < box.bottom + distance,
  );
}

function widen(box: Box, other: Box): void {
  box.left = Math.min(box.left, other.left);
  box.top = Math.min(box.top, other.top);
  box.right = Math.max(box.right, other.right);
  box.bottom = Math.max(box.bottom, other.bottom);
}
