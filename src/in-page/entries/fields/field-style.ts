/** Reads how a control shows its text. */
import type { FieldStyle } from '../../../tag-structure.ts';
import { read } from '../../dom/nodes.ts';
import { type Control, isSelect, isTextArea } from './control.ts';
import { declarations, readLength, SIDES, textProperties } from './style-declarations.ts';

/** What a menu leaves free at the start and at the end, where its arrow is, in CSS pixels. */
const MENU_START = 4;
const MENU_END = 16;

/** `pseudo` is `::placeholder` for an empty control that shows one. */
export function readFieldStyle(control: Control, pseudo: '::placeholder' | null): FieldStyle {
  const style = getComputedStyle(control);
  const border = SIDES.map((side) => readLength(style, `border-${side}-width`));
  const shown = getComputedStyle(control, pseudo);
  const { left, top, width, height } = control.getBoundingClientRect();
  const { scrollLeft, scrollTop } = read(document, 'documentElement');
  return {
    left: left + scrollLeft,
    width,
    height,
    fontSize: readLength(style, 'font-size'),
    css: declarations(shown, textProperties(shown, isTextArea(control))),
    opacity: totalOpacity(control) * (pseudo ? Number(shown.opacity) : 1),
    color: readColor(style.color),
    align: alignment(style),
    language: control.closest('[lang]')?.getAttribute('lang') ?? '',
    inset: readInset(control, style, border),
    border,
    offset: [fraction(left + scrollLeft), fraction(top + scrollTop)],
  };
}

function readInset(control: Control, style: CSSStyleDeclaration, border: number[]): number[] {
  const inset = SIDES.map((side, index) => (border[index] ?? 0) + readLength(style, `padding-${side}`));
  const isMenu = isSelect(control) && !control.multiple && control.size < 2 && style.appearance !== 'none';
  if (!isMenu) return inset;
  const [start, end] = style.direction === 'rtl' ? [1, 3] : [3, 1];
  inset[start] = (inset[start] ?? 0) + MENU_START;
  inset[end] = (inset[end] ?? 0) + MENU_END;
  return inset;
}

/** Returns the opacity of the element and all its ancestors together. */
function totalOpacity(control: Control): number {
  let opacity = 1;
  for (let each: Element | null = control; each; each = read(each, 'parentElement'))
    opacity *= Number(getComputedStyle(each).opacity);
  return opacity;
}

/** Chromium aligns boxes and links with whole pixels, but not the text in them. */
function fraction(position: number): number {
  return position - Math.round(position);
}

function alignment({ textAlign, direction }: CSSStyleDeclaration): FieldStyle['align'] {
  if (/center$/.test(textAlign)) return 'center';
  return textAlign === 'right' || textAlign === (direction === 'rtl' ? 'start' : 'end') ? 'right' : 'left';
}

/** Returns red, green and blue, from 0 to 1, of a colour in any space, such as `oklch()`. */
function readColor(color: string): number[] {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(color)?.slice(1) ?? paintPixel(color);
  return parts.map((part) => Number(part) / 255);
}

/** Returns the same from 0 to 255, as they are in a pixel. */
function paintPixel(color: string): number[] {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) throw new Error('there is no canvas');
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
