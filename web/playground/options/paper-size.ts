/** Reads paper sizes and margins from options, to draw them. */
import { isObject, type Options } from '../draft.ts';

export const SIDES = ['top', 'right', 'bottom', 'left'] as const;
export type Side = (typeof SIDES)[number];
/** Lengths as the option has them; empty where it says nothing. */
export type Margins = Record<Side, string>;

/** Width and height in millimetres. */
const FORMATS: Record<string, [number, number]> = {
  a0: [841, 1189],
  a1: [594, 841],
  a2: [420, 594],
  a3: [297, 420],
  a4: [210, 297],
  a5: [148, 210],
  a6: [105, 148],
  letter: [216, 279],
  legal: [216, 356],
  tabloid: [279, 432],
  ledger: [432, 279],
};
const MILLIMETRES: Record<string, number> = { mm: 1, cm: 10, in: 25.4, pt: 25.4 / 72, px: 25.4 / 96 };
/** The margin of a document that says nothing. */
export const USUAL_MARGIN = '0.4in';

export function paperSize({ format, landscape, width, height }: Options): { width: number; height: number } {
  const [w, h] = [toMillimetres(width), toMillimetres(height)];
  const name = String(format ?? 'a4').toLowerCase();
  const [short, long] = w && h ? [w, h] : (FORMATS[name.replace(/(?: landscape|-l)$/, '')] ?? [210, 297]);
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

/** The option with one margin changed. A side that says nothing becomes the usual margin, because the option would make it 0. */
export function changeMargin(margins: Margins, side: Side, length: string): unknown {
  const next = { ...margins, [side]: length };
  if (SIDES.every((each) => !next[each])) return undefined;
  const whole = eachSide((each) => next[each] || (each === side ? '0' : USUAL_MARGIN));
  return SIDES.every((each) => whole[each] === whole.top) ? whole.top : whole;
}

/** What the margins leave of the paper, as insets in per cent of its width and height. */
export function printedArea(margins: Margins, paper: { width: number; height: number }): Record<Side, number> {
  return eachSide((side) => {
    const extent = side === 'top' || side === 'bottom' ? paper.height : paper.width;
    return Math.min(45, ((toMillimetres(margins[side] || USUAL_MARGIN) ?? 0) / extent) * 100);
  });
}

function eachSide<T>(of: (side: Side) => T): Record<Side, T> {
  return { top: of('top'), right: of('right'), bottom: of('bottom'), left: of('left') };
}

/** A number counts as pixels. */
function toMillimetres(length: unknown): number | undefined {
  const [, number, unit = 'px'] = /^(\d+(?:\.\d+)?|\.\d+)(mm|cm|in|pt|px)?$/i.exec(String(length ?? '').trim()) ?? [];
  return number === undefined ? undefined : Number(number) * (MILLIMETRES[unit.toLowerCase()] ?? 0);
}
