/** Writes numbers in the predefined counter styles of CSS (css-counter-styles-3, 6). Others are written in decimal digits. */

const ROMAN: ReadonlyArray<readonly [value: number, sign: string]> = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const MAX_ROMAN = 3_999;
const LATIN = Array.from('abcdefghijklmnopqrstuvwxyz');
/** Without the sigma at the end of words. */
const GREEK = Array.from({ length: 24 }, (_, n) => String.fromCodePoint(0x3b1 + n + Number(n > 16)));

const STYLES: Record<string, (value: number) => string> = {
  'lower-roman': roman,
  'upper-roman': (value) => roman(value).toUpperCase(),
  'lower-alpha': (value) => alphabetic(value, LATIN),
  'lower-latin': (value) => alphabetic(value, LATIN),
  'upper-alpha': (value) => alphabetic(value, LATIN).toUpperCase(),
  'upper-latin': (value) => alphabetic(value, LATIN).toUpperCase(),
  'lower-greek': (value) => alphabetic(value, GREEK),
  'decimal-leading-zero': (value) => (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(2, '0'),
  none: () => '',
  disc: () => '•',
  circle: () => '◦',
  square: () => '▪',
};

export function writeNumber(value: number, style: string): string {
  return (Object.hasOwn(STYLES, style) && STYLES[style]?.(value)) || (style === 'none' ? '' : String(value));
}

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return '';
  let rest = value;
  return ROMAN.map(([unit, sign]) => {
    const count = Math.floor(rest / unit);
    rest -= count * unit;
    return sign.repeat(count);
  }).join('');
}

function alphabetic(value: number, letters: readonly string[]): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / letters.length))
    text = (letters[(rest - 1) % letters.length] ?? '') + text;
  return text;
}
