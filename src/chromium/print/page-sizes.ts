/** Determines which sizes the pages of a printed document may have: options and CSS in, inches out. */
import { isOfPage, readDeclarations, ruleWithin } from '../page-css/css-statements.ts';
import type { PrintSettings } from './print-options.ts';

export type PageSize = PrintSettings['paper'];

const PER_INCH: Record<string, number> = { in: 1, cm: 2.54, mm: 25.4, q: 101.6, pt: 72, pc: 6, px: 96 };
/** The page sizes that Chromium knows: https://www.w3.org/TR/css-page-3/#page-size-prop */
export const KNOWN_PAPERS = ['a5', 'a4', 'a3', 'b5', 'b4', 'jis-b5', 'jis-b4', 'letter', 'legal', 'ledger'];
/** Series of sizes: width and height of the largest size in millimetres (ISO 216, ISO 269, JIS P 0138). */
const SERIES: Record<string, readonly [width: number, height: number]> = {
  a: [841, 1_189],
  b: [1_000, 1_414],
  c: [917, 1_297],
  'jis-b': [1_030, 1_456],
};
const OF_SERIES = /^(a|b|c|jis-b)(\d|10)$/;
/** Other sizes, in inches. */
const OTHERS: Record<string, readonly [width: number, height: number]> = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  ledger: [11, 17],
  tabloid: [11, 17],
  executive: [7.25, 10.5],
  statement: [5.5, 8.5],
};
const ORIENTATIONS = ['portrait', 'landscape'];
const KEYWORDS = ['auto', 'inherit', 'initial', 'unset', 'revert', 'revert-layer'];
const IMPORTANT = /!\s*important/i;
const NAME = /^[a-z][\w-]*$/;
const LENGTH = /^((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)(in|cm|mm|q|pt|pc|px)$/i;
/**
 * All units of lengths in CSS Values and Units Module Level 4, and in CSS Containment Module Level 3:
 * https://www.w3.org/TR/css-values-4/#lengths, https://www.w3.org/TR/css-contain-3/#container-lengths
 */
const CSS_LENGTH =
  /^\+?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(?:px|in|cm|mm|q|pt|pc|r?em|r?ex|r?ch|r?cap|r?ic|r?lh|[sld]?v(?:w|h|i|b|min|max)|cq(?:w|h|i|b|min|max))$/;
const CONTENT_HIGH = /^(\S+)\s+auto\s*(?:!\s*important)?$/i;
const KNOWN_SIZES = KNOWN_PAPERS.flatMap((name) => namedPaper(name) ?? []);
const DECLARATION = /(?<![-\w])size\s*:\s*([^;{}!]{1,80})/gi;
const MAX_DECLARATIONS = 100;

/**
 * Returns the paper and, if the document may choose another, all sizes that its `@page` rules may mean. Some rules cannot be read,
 * so that all named sizes are included. A page may also be rotated.
 */
export function possibleSizes({ paper, paperChosenBy }: PrintSettings, declared: readonly string[]): PageSize[] {
  if (paperChosenBy === 'caller') return [paper];
  const upright = [paper, ...declared.flatMap((size) => parseSize(size) ?? []), ...KNOWN_SIZES];
  return [
    ...upright,
    ...upright.map(({ widthInches, heightInches }) => ({ widthInches: heightInches, heightInches: widthInches })),
  ];
}

/** Returns the lowest of the sizes that `@page` rules declare, or the paper if they declare none. */
export function lowestSize({ paper, paperChosenBy }: PrintSettings, declared: readonly string[]): PageSize {
  const sizes = paperChosenBy === 'caller' ? [] : declared.flatMap((size) => declaredSize(size, paper) ?? []);
  return sizes.length ? sizes.reduce((lowest, size) => (size.heightInches < lowest.heightInches ? size : lowest)) : paper;
}

/** Returns the width in inches of a page that is as high as its content, such as `80mm auto`. */
export function contentHighWidth(size: string): number | undefined {
  const [, width = ''] = CONTENT_HIGH.exec(size) ?? [];
  return toInches(width);
}

/** Finds text that may declare a size. */
export function findSizes(text: string): string[] {
  const found: string[] = [];
  for (const [, size = ''] of text.matchAll(DECLARATION)) if (found.push(size) >= MAX_DECLARATIONS) break;
  return found;
}

/** Whether the value of `size` is a name that Chromium does not know and ignores. */
export function isUnknownSize(value: string): boolean {
  const { name, more } = namedSize(value);
  return more.length === 0 && NAME.test(name) && !KEYWORDS.includes(name) && !KNOWN_PAPERS.includes(name);
}

/**
 * Whether the value of `size` is not a size in CSS, so that Chromium drops it, or nothing fits on such a page, so that Chromium ignores it.
 * Names that only it does not know are others.
 */
export function isInvalidSize(value: string): boolean {
  const words = value.toLowerCase().replace(IMPORTANT, '').split(/\s+/).filter(Boolean);
  if (value.includes('(') || (words.length === 1 && KEYWORDS.includes(words[0] ?? ''))) return false;
  const lengths = words.filter((word) => word === '0' || CSS_LENGTH.test(word));
  if (lengths.length)
    return lengths.length !== words.length || words.length > 2 || lengths.some((length) => !Number.parseFloat(length));
  const names = words.filter((word) => !ORIENTATIONS.includes(word));
  return words.length - names.length > 1 || names.length > 1 || names.some((name) => !NAME.test(name) || KEYWORDS.includes(name));
}

/**
 * Returns `@page` rules that replace names unknown to Chromium with lengths. They belong after the style sheet. A later rule with
 * another size still takes effect.
 */
export function translateSizes(css: string): string[] {
  const rules = new Map<string, string>();
  for (const declaration of readDeclarations(css)) {
    const { property, value, within } = declaration;
    if (property !== 'size' || !isOfPage(declaration)) continue;
    const place = within.join(' { ');
    const lengths = isUnknownSize(value) ? toLengths(value) : undefined;
    if (lengths) rules.set(place, ruleWithin(within, `size: ${lengths}`));
    else if (!isUnknownSize(value)) rules.delete(place);
  }
  return [...rules.values()];
}

/** Converts a size name that Chromium does not know to CSS lengths. */
export function toLengths(value: string): string | undefined {
  const { name, isTurned, isImportant } = namedSize(value);
  const size = sizeNamed(name);
  if (!size) return undefined;
  const { unit, sides } = size;
  const [width, height] = isTurned ? [...sides].reverse() : sides;
  return `${width}${unit} ${height}${unit}${isImportant ? ' !important' : ''}`;
}

function namedPaper(name: string): PageSize | undefined {
  const [widthInches, heightInches] = lookUpSize(name) ?? [];
  return widthInches && heightInches ? { widthInches, heightInches } : undefined;
}

/** Returns the width and height in inches of a named size of CSS, or of one that Chromium does not know. */
export function lookUpSize(name: string): readonly [width: number, height: number] | undefined {
  const { unit = 'in', sides } = sizeNamed(name) ?? {};
  return sides && [sides[0] / (PER_INCH[unit] ?? 1), sides[1] / (PER_INCH[unit] ?? 1)];
}

/** The size that a declaration of `size` means, if `paper` is the size without one. Undefined if it means none. */
export function declaredSize(value: string, paper: PageSize): PageSize | undefined {
  const { name, isTurned, isUpright, more } = namedSize(value);
  const size = parseSize([name, ...more].join(' ')) ?? namedPaper(name) ?? (name === '' ? paper : undefined);
  if (!size) return undefined;
  const [short, long] = [Math.min(size.widthInches, size.heightInches), Math.max(size.widthInches, size.heightInches)];
  if (isTurned) return { widthInches: long, heightInches: short };
  return isUpright ? { widthInches: short, heightInches: long } : size;
}

function namedSize(value: string) {
  const words = value.toLowerCase().replace(IMPORTANT, '').split(/\s+/).filter(Boolean);
  const [name = '', ...more] = words.filter((word) => !ORIENTATIONS.includes(word));
  const [isTurned, isUpright] = [words.includes('landscape'), words.includes('portrait')];
  return { name, isTurned, isUpright, isImportant: IMPORTANT.test(value), more };
}

function sizeNamed(name: string): { unit: 'mm' | 'in'; sides: readonly [width: number, height: number] } | undefined {
  const [, series = '', number] = OF_SERIES.exec(name) ?? [];
  const largest = SERIES[series];
  if (!largest) return Object.hasOwn(OTHERS, name) && OTHERS[name] ? { unit: 'in', sides: OTHERS[name] } : undefined;
  let [width, height] = largest;
  for (let n = 0; n < Number(number); n++) [width, height] = [Math.floor(height / 2), width];
  return { unit: 'mm', sides: [width, height] };
}

function parseSize(size: string): PageSize | undefined {
  const words = size.trim().split(/\s+/);
  const [width, height = width] = words.map(toInches);
  return width !== undefined && height !== undefined ? { widthInches: width, heightInches: height } : undefined;
}

export function toInches(length: string): number | undefined {
  const [, number, unit = ''] = LENGTH.exec(length) ?? [];
  return number === undefined ? undefined : Number(number) / (PER_INCH[unit.toLowerCase()] ?? Number.NaN);
}
