/**
 * Reads how the controls of a document look, as CSS with which the appearances of their fields are printed. The functions run in the
 * page, sent as text.
 */
import type { BoxLook, BoxLooks, FieldStyle } from '../../../tag-structure.ts';
import type { PreparedControl } from './field-hiding.ts';

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const document: PageElement;
declare const getComputedStyle: (element: PageElement, pseudo?: string | null) => PageElement;
declare const DOMMatrix: new (transform: string) => PageElement;
declare const OffscreenCanvas: new (width: number, height: number) => PageElement;
declare const builtIn: (node: PageElement) => PageElement;
declare const setStyle: (prepared: PreparedControl, element: PageElement, properties: Record<string, string>) => void;

export const FIELD_STYLE_FUNCTIONS = [
  styleOf,
  lengthOf,
  drawnScale,
  opacityOf,
  fractionOf,
  alignmentOf,
  colorOf,
  painted,
  optionStyle,
  declarations,
  textProperties,
  boxProperties,
  boxLooks,
  boxLook,
];

/** `pseudo` is `::placeholder` for an empty control that shows one. */
function styleOf(element: PageElement, pseudo: string | null): FieldStyle {
  const style = getComputedStyle(element);
  const sides = ['top', 'right', 'bottom', 'left'];
  const border = sides.map((side) => lengthOf(style, `border-${side}-width`));
  const inset = sides.map((side, index) => (border[index] ?? 0) + lengthOf(style, `padding-${side}`));
  const isMenu = element.localName === 'select' && !element.multiple && element.size < 2 && style.appearance !== 'none';
  const [start, end] = style.direction === 'rtl' ? [1, 3] : [3, 1];
  if (isMenu) {
    inset[start] = (inset[start] ?? 0) + 4;
    inset[end] = (inset[end] ?? 0) + 16; // the arrow
  }
  const shown = getComputedStyle(element, pseudo);
  const { left, top, width, height } = builtIn(element).getBoundingClientRect();
  const { scrollLeft, scrollTop } = builtIn(document).documentElement;
  return {
    left: left + scrollLeft,
    width,
    height,
    fontSize: lengthOf(style, 'font-size'),
    css: declarations(shown, textProperties(shown, element.localName === 'textarea')),
    opacity: opacityOf(element) * (pseudo ? Number(shown.opacity) : 1),
    color: colorOf(style.color),
    align: alignmentOf(style),
    language: builtIn(element).closest('[lang]')?.getAttribute('lang') ?? '',
    inset,
    border,
    offset: [fractionOf(left + scrollLeft), fractionOf(top + scrollTop)],
  };
}

function lengthOf(style: PageElement, name: string): number {
  return Number.parseFloat(style.getPropertyValue(name)) || 0;
}

/** How much larger than it is laid out an element is drawn; 0 if it is mirrored, turned, or not scaled alike in both directions. */
function drawnScale({ transform, scale }: PageElement): number {
  const { a, b, c, d, is2D } = new DOMMatrix(transform);
  const [x = '1', y = x] = scale === 'none' ? [] : scale.split(' ');
  return is2D && a > 0 && a === d && b === 0 && c === 0 && x > 0 && x === y ? a * Number(x) : 0;
}

/** The opacity of the element and all its ancestors together. */
function opacityOf(element: PageElement): number {
  let opacity = 1;
  for (let each = element; each; each = builtIn(each).parentElement) opacity *= Number(getComputedStyle(each).opacity);
  return opacity;
}

/** Chromium aligns boxes and links with whole pixels, but not the text in them. */
function fractionOf(position: number): number {
  return position - Math.round(position);
}

function alignmentOf({ textAlign, direction }: PageElement): FieldStyle['align'] {
  if (/center$/.test(textAlign)) return 'center';
  return textAlign === 'right' || textAlign === (direction === 'rtl' ? 'start' : 'end') ? 'right' : 'left';
}

/** Red, green and blue, from 0 to 1, of a colour in any space, such as `oklch()`. */
function colorOf(color: string): number[] {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(color)?.slice(1) ?? painted(color);
  return parts.map((part) => Number(part) / 255);
}

/** The same from 0 to 255, as they are in a pixel. */
function painted(color: string): number[] {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

/** How an option looks in a list. */
function optionStyle(option: PageElement): string {
  const style = getComputedStyle(option);
  const box = ['top', 'right', 'bottom', 'left'].map((side) => `padding-${side}`);
  return declarations(style, [...textProperties(style, false), ...box, 'background-color', 'box-sizing', 'height']);
}

function declarations(style: PageElement, names: string[]): string {
  return names.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';');
}

function textProperties(style: PageElement, hasLines: boolean): string[] {
  const names = 'color color-scheme direction letter-spacing line-height print-color-adjust tab-size text-align text-indent';
  const more =
    'text-decoration text-underline-offset text-shadow text-transform unicode-bidi word-spacing -webkit-text-security -webkit-text-stroke';
  const fonts = 'family feature-settings kerning size stretch style variant variation-settings weight synthesis optical-sizing';
  const lines = hasLines ? ['text-wrap-mode', 'overflow-wrap', 'word-break', 'hyphens', 'line-break'] : [];
  const fill = style.webkitTextFillColor === style.color ? [] : ['-webkit-text-fill-color']; // options have a colour of their own
  return [...fill, ...names.split(' '), ...more.split(' '), ...fonts.split(' ').map((name) => `font-${name}`), ...lines];
}

function boxProperties(): string[] {
  const sides = ['top', 'right', 'bottom', 'left'];
  const ofSides = sides.flatMap((side) => [
    ...['color', 'style', 'width'].map((name) => `border-${side}-${name}`),
    ...[side, `padding-${side}`, `margin-${side}`],
  ]);
  const radii = ['top-left', 'top-right', 'bottom-left', 'bottom-right'].map((corner) => `border-${corner}-radius`);
  const images = ['background', 'mask'].flatMap((name) =>
    ['image', 'position', 'size', 'repeat', 'origin', 'clip'].map((part) => `${name}-${part}`),
  );
  const names =
    'accent-color appearance background-color border-image box-shadow box-sizing clip-path color-scheme content display';
  const more =
    'align-content align-items align-self flex float height inset justify-content justify-items justify-self opacity overflow';
  const rest = 'position rotate scale transform transform-origin translate vertical-align visibility width z-index';
  return [...names.split(' '), ...more.split(' '), ...rest.split(' '), ...ofSides, ...radii, ...images];
}

/**
 * How a checkbox or radio button looks when it is on and off. Undefined if it shows an image or a symbol of an icon font, which the
 * print of the appearances does not load. Other buttons of a set are off for a moment; scripts are not told.
 */
function boxLooks(prepared: PreparedControl): BoxLooks | undefined {
  const { control } = prepared;
  const before = control.checked;
  const others = control.type === 'radio' ? [...builtIn(document).querySelectorAll('input[type="radio"]:checked')] : [];
  setStyle(prepared, control, { transition: 'none' });
  const look = (isOn: boolean) => {
    control.checked = isOn;
    return boxLook(control);
  };
  const isPrinted = !before && getComputedStyle(control).appearance !== 'none';
  const looks = { on: look(true), off: look(false), isPrinted, scale: drawnScale(getComputedStyle(control)) };
  control.checked = before;
  for (const other of others) if (!other.checked) other.checked = true;
  return /url\((?!"?data:)|[\ue000-\uf8ff]/i.test(JSON.stringify(looks).replace(/\\"/g, '"')) ? undefined : looks;
}

function boxLook(control: PageElement): BoxLook {
  const own = getComputedStyle(control);
  if (own.appearance !== 'none')
    return {
      box: declarations(own, ['accent-color', 'appearance', 'color-scheme', 'print-color-adjust']),
      before: '',
      after: '',
    };
  const all = (style: PageElement) => declarations(style, [...textProperties(style, false), ...boxProperties()]);
  const part = (pseudo: string) => {
    const style = getComputedStyle(control, pseudo);
    return style.content === 'none' ? '' : all(style);
  };
  return { box: all(own), before: part('::before'), after: part('::after') };
}
