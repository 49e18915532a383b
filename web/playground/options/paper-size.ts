/** Reads paper sizes and margins from options, to draw them. */
import { PAPERS } from 'virtual:options-schema';
import { isObject, type Options } from '../draft.ts';

export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export type Side = (typeof SIDES)[number];
/** Lengths as the option has them; empty where it says nothing. */
export type Margins = Record<Side, string>;

const PER_INCH: Record<string, number> = { mm: 25.4, cm: 2.54, in: 1, pt: 72, px: 96 };
const A4: [number, number] = [210 / 25.4, 297 / 25.4];
/** The margin of a document that says nothing. */
export const USUAL_MARGIN = '0.4in';

/** In inches. */
export function paperSize({ format, landscape, width, height }: Options): { width: number; height: number } {
  const [w, h] = [toInches(width), toInches(height)];
  const name = String(format ?? 'a4').toLowerCase();
  const [short, long] = w && h ? [w, h] : (PAPERS[name.replace(/(?: landscape|-l)$/, '')] ?? A4);
  const isTurned = landscape === true || /(?: landscape|-l)$/.test(name);
  return isTurned ? { width: long, height: short } : { width: short, height: long };
}

export function readMargins(margin: unknown): Margins {
  if (isObject(margin)) return eachSide((side) => String(margin[side] ?? '0'));
  const parts = String(margin ?? '')
    .trim()
    .split(/\s+/);
  const [top = '', right = top, bottom = top, left = right] = parts;
  return { top, right, bottom, left };
}

/**
 * The option with one margin changed. A side that says nothing keeps what the document has without the option, because the option would
 * make it 0.
 */
export function changeMargin(margins: Margins, side: Side, length: string, without: Margins): unknown {
  const next = { ...margins, [side]: length };
  if (SIDES.every((each) => !next[each])) return undefined;
  const whole = eachSide((each) => next[each] || (each === side ? '0' : without[each]));
  return SIDES.every((each) => whole[each] === whole.top) ? whole.top : whole;
}

/** What the margins, or those of the document without them, leave of the paper, as insets in per cent of its width and height. */
export function printedArea(margins: Margins, paper: { width: number; height: number }, without: Margins): Record<Side, number> {
  return eachSide((side) => {
    const extent = side === 'top' || side === 'bottom' ? paper.height : paper.width;
    return Math.min(45, ((toInches(margins[side] || without[side]) ?? 0) / extent) * 100);
  });
}

export function eachSide<T>(of: (side: Side) => T): Record<Side, T> {
  return { top: of('top'), right: of('right'), bottom: of('bottom'), left: of('left') };
}

export function isLength(text: string): boolean {
  return toInches(text) !== undefined;
}

/** A number counts as pixels. */
function toInches(length: unknown): number | undefined {
  const [, number, unit = 'px'] = /^(\d+(?:\.\d+)?|\.\d+)(mm|cm|in|pt|px)?$/i.exec(String(length ?? '').trim()) ?? [];
  return number === undefined ? undefined : Number(number) / (PER_INCH[unit.toLowerCase()] ?? 1);
}
