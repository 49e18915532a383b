/** Parses lengths and paper formats: the caller's text in, inches out. */

export const POINTS_PER_INCH = 72;

const PER_INCH: Record<string, number> = { px: 96, in: 1, cm: 2.54, mm: 25.4, pt: POINTS_PER_INCH };

const MM = 25.4;

/** Portrait sizes in inches (ISO 216; ANSI/ASME Y14.1; Ledger is Tabloid on its side). */
const FORMATS: Record<string, readonly [width: number, height: number]> = {
  a0: [841 / MM, 1189 / MM],
  a1: [594 / MM, 841 / MM],
  a2: [420 / MM, 594 / MM],
  a3: [297 / MM, 420 / MM],
  a4: [210 / MM, 297 / MM],
  a5: [148 / MM, 210 / MM],
  a6: [105 / MM, 148 / MM],
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  ledger: [17, 11],
};

export const FORMAT_NAMES = ['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'];

/** Longer texts are refused before they are matched, because matching takes quadratic time. */
const MAX_CHARACTERS = 64;

/** The pattern in the OpenAPI document. `toInches` also accepts spaces and upper case. */
export const LENGTH_PATTERN = '^(\\d{1,9}(\\.\\d{1,9})?|\\.\\d{1,9})(px|in|cm|mm|pt)?$';

/** The inches of a length such as `10mm`, `1.5in`, `96px` or `96` (pixels), or undefined if it is not valid. */
export function toInches(length: string | number): number | undefined {
  if (typeof length === 'number') return length / 96;
  if (length.length > MAX_CHARACTERS) return undefined;
  const [, digits, unit = 'px'] = /^\s*(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\s*(px|in|cm|mm|pt)?\s*$/i.exec(length) ?? [];
  const perInch = PER_INCH[unit.toLowerCase()];
  return digits === undefined || !perInch ? undefined : Number(digits) / perInch;
}

/** Width and height in inches of a named format, in any case. */
export function paperOf(format: string): readonly [width: number, height: number] | undefined {
  const name = format.trim().toLowerCase();
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}
