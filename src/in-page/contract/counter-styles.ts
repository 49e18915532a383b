/** Writes numbers in the predefined counter styles of CSS (css-counter-styles-3, 6), except the longhand East Asian ones. Others are written in decimal digits. */

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

const HIRAGANA = Array.from('あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん');
const KATAKANA = HIRAGANA.map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0x60));
/** The letters for units, tens, hundreds and thousands. */
const ARMENIAN = Array.from({ length: 36 }, (_, n) => String.fromCodePoint(0x531 + n));
const GEORGIAN = Array.from('აბგდევზჱთიკლმნჲოპჟრსტჳფქღყშჩცძწჭხჴჯჰ'); // cspell:disable-line
const HEBREW = Array.from('אבגדהוזחטיכלמנסעפצקרשת'); // cspell:disable-line
const MAX_ADDITIVE = 9_999;

/** The zero of each set of ten digits. */
const ZEROS = {
  'arabic-indic': 0x660,
  persian: 0x6f0,
  devanagari: 0x966,
  bengali: 0x9e6,
  gurmukhi: 0xa66,
  gujarati: 0xae6,
  oriya: 0xb66,
  tamil: 0xbe6,
  telugu: 0xc66,
  kannada: 0xce6,
  malayalam: 0xd66,
  thai: 0xe50,
  lao: 0xed0,
  tibetan: 0xf20,
  myanmar: 0x1040,
  khmer: 0x17e0,
  cambodian: 0x17e0,
  mongolian: 0x1810,
};
const CJK_DIGITS = Array.from('〇一二三四五六七八九');

const STYLES: Record<string, (value: number) => string> = {
  'lower-roman': roman,
  'upper-roman': (value) => roman(value).toUpperCase(),
  'lower-alpha': (value) => alphabetic(value, LATIN),
  'lower-latin': (value) => alphabetic(value, LATIN),
  'upper-alpha': (value) => alphabetic(value, LATIN).toUpperCase(),
  'upper-latin': (value) => alphabetic(value, LATIN).toUpperCase(),
  'lower-greek': (value) => alphabetic(value, GREEK),
  'decimal-leading-zero': (value) => (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(2, '0'),
  hiragana: (value) => alphabetic(value, HIRAGANA),
  katakana: (value) => alphabetic(value, KATAKANA),
  armenian: (value) => additive(value, ARMENIAN),
  'upper-armenian': (value) => additive(value, ARMENIAN),
  'lower-armenian': (value) => additive(value, ARMENIAN).toLowerCase(),
  georgian: (value) => additive(value, GEORGIAN),
  hebrew,
  'cjk-decimal': (value) => inDigits(value, (digit) => CJK_DIGITS[digit] ?? ''),
  ...Object.fromEntries(
    Object.entries(ZEROS).map(([name, zero]) => [
      name,
      (value: number) => inDigits(value, (digit) => String.fromCodePoint(zero + digit)),
    ]),
  ),
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

function inDigits(value: number, toDigit: (digit: number) => string): string {
  return String(value).replace(/\d/g, (digit) => toDigit(Number(digit)));
}

/** Each decimal place has nine letters of its own. */
function additive(value: number, letters: readonly string[]): string {
  if (value < 1 || value > MAX_ADDITIVE) return '';
  const digits = Array.from(String(value), Number);
  return digits.map((digit, n) => (digit ? (letters[(digits.length - 1 - n) * 9 + digit - 1] ?? '') : '')).join('');
}

/** 15 and 16 are 9 + 6 and 9 + 7, hundreds end with 400, and thousands are marked. */
function hebrew(value: number): string {
  if (value < 1 || value > MAX_ADDITIVE) return '';
  const [thousands, below, rest] = [Math.floor(value / 1000), value % 1000, value % 100];
  const hundreds = Math.floor(below / 100);
  const marked = thousands ? `${HEBREW[thousands - 1]}\u05F3` : '';
  const whole = 'ת'.repeat(Math.floor(hundreds / 4)) + (HEBREW[17 + (hundreds % 4)] ?? '').repeat(Number(hundreds % 4 > 0));
  const isHoly = rest === 15 || rest === 16;
  return marked + whole + (isHoly ? additive(9, HEBREW) + additive(rest - 9, HEBREW) : additive(rest, HEBREW));
}
