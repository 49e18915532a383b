/** Finds the fields of a printed document by the links to `KEY:0`, `KEY:1` and so on that cover them. */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';

/** The size of a field in points, and its distance from the left edge of the page. */
export interface FieldSize {
  left: number;
  width: number;
  height: number;
}

/** The number of a field in the address of its link. */
const NUMBER = /^\d{1,5}$/;
/** Maximum length of the entries of a link before its address. */
const MAX_LINK = 200;
const RECT = /\/Rect \[(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)\][^[\]]*$/;
/** A control in repeated content has a link on each page. With more links than this, no sizes are returned. */
const MAX_LINKS = 20_000;

/** The field number in the address of a link; undefined if the link does not mark a field. */
export function fieldNumber(address: string, key: string): number | undefined {
  const number = address.startsWith(`${key}:`) ? address.slice(key.length + 1) : '';
  return NUMBER.test(number) ? Number(number) : undefined;
}

/**
 * The sizes by field number, without the fields that appear on no printed page or more than once. Relies on Chromium writing
 * annotations uncompressed. The work is limited, whatever the document contains.
 */
export function fieldSizes(chunks: readonly Buffer[], key: string): Map<number, FieldSize> {
  const file = new ChunkedBuffer(chunks);
  const start = `(${key}:`;
  const sizes = new Map<number, FieldSize | undefined>();
  let links = 0;
  for (const at of file.findPositions(start)) {
    if (++links > MAX_LINKS) return new Map();
    const number = /^(\d{1,5})\)/.exec(file.text(at + start.length, 6))?.[1];
    if (number === undefined) continue;
    const isKnown = sizes.has(Number(number));
    sizes.set(Number(number), isKnown ? undefined : sizeBefore(file, at));
  }
  return new Map([...sizes].flatMap(([number, size]) => (size ? [[number, size] as const] : [])));
}

function sizeBefore(file: ChunkedBuffer, at: number): FieldSize | undefined {
  const before = Math.max(0, at - MAX_LINK);
  const [, left, bottom, right, top] = RECT.exec(file.text(before, at - before))?.map(Number) ?? [];
  if (left === undefined || bottom === undefined || right === undefined || top === undefined) return undefined;
  return right > 0 && top > 0 ? { left, width: right - left, height: top - bottom } : undefined;
}
