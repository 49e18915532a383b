/** Scales pictures down by averaging: pixels in, fewer pixels out. */
import type { Pixels } from './jpeg-codec.ts';

export interface Size {
  width: number;
  height: number;
}

const OPAQUE = 255;

/**
 * `to` must not be larger than the picture. The colours of transparent pixels do not count: `alpha` has a value of 0 to 255 for each
 * pixel.
 */
export function scaleDown(pixels: Pixels, to: Size, alpha?: Uint8Array): Pixels {
  const { channels } = pixels;
  const weighted = scaleData(pixels, to, alpha);
  const weights = alpha && scaleData({ ...pixels, channels: 1, data: alpha }, to);
  const data = new Uint8Array(weighted.length);
  for (let index = 0; index < weighted.length; index++) {
    const weight = weights ? (weights[Math.floor(index / channels)] as number) / OPAQUE : 1;
    data[index] = weight > 0 ? Math.min(255, Math.round((weighted[index] as number) / weight)) : 0;
  }
  return { ...to, channels, data };
}

/** The sums of the shares that each pixel has in the new ones. The shares in a new pixel add up to 1. */
function scaleData({ width, height, channels, data }: Pixels, to: Size, alpha?: Uint8Array): Float32Array {
  const [columns, rows] = [new Shares(width, to.width), new Shares(height, to.height)];
  const line = to.width * channels;
  const sums = new Float32Array(to.height * line);
  // A pixel has a share in at most two new ones. The last one has no next, so there is room for one more.
  const narrow = new Float32Array(line + channels);
  for (let y = 0; y < height; y++) {
    narrow.fill(0);
    for (let x = 0, pixel = y * width; x < width; x++, pixel++) {
      const weight = alpha ? (alpha[pixel] as number) / OPAQUE : 1;
      const at = (columns.at[x] as number) * channels;
      add(narrow, at, data, pixel * channels, channels, (columns.first[x] as number) * weight);
      add(narrow, at + channels, data, pixel * channels, channels, (columns.next[x] as number) * weight);
    }
    const at = (rows.at[y] as number) * line;
    add(sums, at, narrow, 0, line, rows.first[y] as number);
    if (rows.next[y]) add(sums, at + line, narrow, 0, line, rows.next[y] as number);
  }
  return sums;
}

function add(
  sums: Float32Array,
  at: number,
  values: Uint8Array | Float32Array,
  from: number,
  count: number,
  share: number,
): void {
  for (let index = 0; index < count; index++)
    sums[at + index] = (sums[at + index] as number) + (values[from + index] as number) * share;
}

/** For each old position, the first new one that it overlaps, and its shares in that one and in the next. */
class Shares {
  readonly at: Int32Array;
  readonly first: Float32Array;
  readonly next: Float32Array;

  constructor(length: number, newLength: number) {
    this.at = new Int32Array(length);
    this.first = new Float32Array(length);
    this.next = new Float32Array(length);
    for (let index = 0; index < length; index++) {
      const [start, end] = [(index * newLength) / length, ((index + 1) * newLength) / length];
      const at = Math.min(newLength - 1, Math.floor(start));
      const rest = at + 1 < newLength ? Math.max(0, end - at - 1) : 0;
      this.at[index] = at;
      this.first[index] = end - start - rest;
      this.next[index] = rest;
    }
  }
}
