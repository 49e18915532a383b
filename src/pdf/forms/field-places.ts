/** Where the fields of a printed document are: links to `KEY:0` and so on stand over them. */
import { ChunkedBuffer } from '../objects/chunked-buffer.ts';

/** In points. */
export interface FieldSize {
  width: number;
  height: number;
}

/** What a link over a field addresses. */
const NUMBER = /^\d{1,5}$/;
/** The entries of a link that stand before its address. */
const MAX_LINK = 200;
const RECT = /\/Rect \[(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)\][^[\]]*$/;
/** Controls that repeat have one on each page. A document that has more makes them up. */
const MAX_LINKS = 20_000;

/** Of an address; undefined where it is of no field. */
export function fieldNumber(address: string, key: string): number | undefined {
  const number = address.startsWith(`${key}:`) ? address.slice(key.length + 1) : '';
  return NUMBER.test(number) ? Number(number) : undefined;
}

/**
 * By number. A field that no printed page shows, or that is shown more than once, is missing. Chromium writes annotations as plain
 * text. The work is limited, whatever the document contains.
 */
export function fieldSizes(chunks: readonly Buffer[], key: string): Map<number, FieldSize> {
  const file = new ChunkedBuffer(chunks);
  const start = `(${key}:`;
  const sizes = new Map<number, FieldSize | undefined>();
  let links = 0;
  for (const at of file.positionsOf(start)) {
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
  return right > 0 && top > 0 ? { width: right - left, height: top - bottom } : undefined;
}
