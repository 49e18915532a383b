/** Parses lengths and paper formats: the caller's text in, inches out. */
import { lookUpSize } from '../../../chromium/print/page-sizes.ts';
import { POINTS_PER_INCH } from '../../../units.ts';

/** The absolute units of CSS, and other spellings of the inch. */
const PER_INCH: Readonly<Record<string, number>> = {
  ...{ px: 96, in: 1, cm: 2.54, mm: 25.4, q: 101.6, pt: POINTS_PER_INCH, pc: 6 },
  ...{ inch: 1, inches: 1, '"': 1, '″': 1 },
};

const [A = [], ...OTHER_SERIES] = ['A', 'B', 'JIS-B', 'C'].map((name) => Array.from({ length: 11 }, (_, n) => `${name}${n}`));
const OF_AMERICA = ['Letter', 'Legal', 'Tabloid', 'Ledger', 'Executive', 'Statement'];

export const FORMAT_NAMES = [...A, ...OF_AMERICA, ...OTHER_SERIES.flat()];

export const FORMATS = `A0 to A10, ${OF_AMERICA.join(', ')}, B0 to B10 (ISO), JIS-B0 to JIS-B10, C0 to C10`;

/** Tabloid on its side, unlike in CSS. */
const LEDGER = [17, 11] as const;
/** Words that may precede or follow the names of some formats. */
const QUALIFIERS: Readonly<Record<string, RegExp>> = {
  iso: /^[abc]\d/,
  din: /^[abc]\d/,
  jis: /^jis-b\d/,
  us: /^[a-z]{3}/,
};
const ORIENTATIONS: Readonly<Record<string, Orientation>> = {
  ...{ portrait: 'portrait', p: 'portrait' },
  ...{ landscape: 'landscape', l: 'landscape' },
};

const MAX_NAME = 64;
const MAX_LENGTHS = 4;
/** Each has at most 50 digits and a unit. */
const MAX_LENGTHS_TEXT = 500;

/** The pattern in the OpenAPI document. `toInches` also accepts spaces, upper case and other spellings of the inch. */
export const LENGTH_PATTERN = '^(\\d{1,9}(\\.\\d{1,40})?|\\.\\d{1,40})(px|in|cm|mm|pt|pc|q)?$';
const LENGTH = /^(\d{1,9}(?:\.\d{1,40})?|\.\d{1,40})\s*(?:(["″]|[a-z]+)\.?)?$/i;

type Orientation = 'portrait' | 'landscape';

export interface NamedPaper {
  /** Width and height in inches, upright unless the format itself lies on its side. */
  sides: readonly [width: number, height: number];
  /** Is set if the text states it. */
  orientation: Orientation | undefined;
}

/** The inches of a length such as `10mm`, `1.5in`, `96px` or `96` (pixels), or undefined if it is not valid. */
export function toInches(length: string | number): number | undefined {
  if (typeof length === 'number') return length / 96;
  const [, digits, unit = 'px'] = LENGTH.exec(length.trim()) ?? [];
  const perInch = Object.hasOwn(PER_INCH, unit.toLowerCase()) && PER_INCH[unit.toLowerCase()];
  return digits === undefined || !perInch ? undefined : Number(digits) / perInch;
}

/** The inches of one to four lengths, separated by spaces. Undefined if the text is anything else. */
export function toInchesOfSides(lengths: string): number[] | undefined {
  if (lengths.length > MAX_LENGTHS_TEXT) return undefined;
  const parts: string[] = [];
  for (const word of lengths.split(/\s+/).filter(Boolean)) {
    if (/^["″a-z]/i.test(word) && parts.length)
      parts.push(`${parts.pop()}${word}`); // `10 mm` is one length
    else parts.push(word);
  }
  const inches = parts.flatMap((length) => toInches(length) ?? []);
  return parts.length >= 1 && parts.length <= MAX_LENGTHS && inches.length === parts.length ? inches : undefined;
}

/** Parses the name of a format in any case, such as `A4`, `US Letter`, `JIS B5`, `A4 landscape` or `A4-L`. */
export function findPaper(format: string): NamedPaper | undefined {
  if (format.length > MAX_NAME) return undefined;
  const words = format
    .toLowerCase()
    .split(/[\s_,()-]+/)
    .filter(Boolean);
  const stated = words.filter((word) => Object.hasOwn(ORIENTATIONS, word));
  const qualifiers = words.filter((word) => Object.hasOwn(QUALIFIERS, word));
  const names = words.filter((word) => !stated.includes(word) && !qualifiers.includes(word));
  const name = `${qualifiers.includes('jis') ? 'jis-' : ''}${names.join(' ')}`;
  if (stated.length > 1 || qualifiers.length > 1 || qualifiers.some((word) => !QUALIFIERS[word]?.test(name))) return undefined;
  const sides = name === 'ledger' ? LEDGER : lookUpSize(name);
  return sides && { sides, orientation: ORIENTATIONS[stated[0] ?? ''] };
}
