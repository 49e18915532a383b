/** Writes computed styles as CSS declarations, with which the appearances of fields are printed. */

export const SIDES = ['top', 'right', 'bottom', 'left'];

/** How an option looks in a list. */
export function optionStyle(option: HTMLOptionElement): string {
  const style = getComputedStyle(option);
  const box = SIDES.map((side) => `padding-${side}`);
  return declarations(style, [...textProperties(style, false), ...box, 'background-color', 'box-sizing', 'height']);
}

export function readLength(style: CSSStyleDeclaration, name: string): number {
  return Number.parseFloat(style.getPropertyValue(name)) || 0;
}

export function declarations(style: CSSStyleDeclaration, names: string[]): string {
  return names.map((name) => `${name}:${style.getPropertyValue(name)}`).join(';');
}

export function textProperties(style: CSSStyleDeclaration, hasLines: boolean): string[] {
  const names = 'color color-scheme direction letter-spacing line-height print-color-adjust tab-size text-align text-indent';
  const more =
    'text-decoration text-underline-offset text-shadow text-transform unicode-bidi word-spacing -webkit-text-security -webkit-text-stroke';
  const fonts = 'family feature-settings kerning size stretch style variant variation-settings weight synthesis optical-sizing';
  const lines = hasLines ? ['text-wrap-mode', 'overflow-wrap', 'word-break', 'hyphens', 'line-break'] : [];
  const fill = style.webkitTextFillColor === style.color ? [] : ['-webkit-text-fill-color']; // options have a colour of their own
  return [...fill, ...names.split(' '), ...more.split(' '), ...fonts.split(' ').map((name) => `font-${name}`), ...lines];
}

export function boxProperties(): string[] {
  const ofSides = SIDES.flatMap((side) => [
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
