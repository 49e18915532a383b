/** Which sizes the pages of a printed document may have: what options and CSS say in, inches out. */
import type { PrintSettings } from './print-options.ts';

export type PageSize = PrintSettings['paper'];

const PER_INCH: Record<string, number> = { in: 1, cm: 2.54, mm: 25.4, q: 101.6, pt: 72, pc: 6, px: 96 };
/** CSS Paged Media Module Level 3, 7.1, in inches. */
const NAMED: Record<string, readonly [width: number, height: number]> = {
  a5: [148 / 25.4, 210 / 25.4],
  a4: [210 / 25.4, 297 / 25.4],
  a3: [297 / 25.4, 420 / 25.4],
  b5: [176 / 25.4, 250 / 25.4],
  b4: [250 / 25.4, 353 / 25.4],
  'jis-b5': [182 / 25.4, 257 / 25.4],
  'jis-b4': [257 / 25.4, 364 / 25.4],
  letter: [8.5, 11],
  legal: [8.5, 14],
  ledger: [11, 17],
};
const LENGTH = /^(\d*\.?\d+(?:e[+-]?\d+)?)(in|cm|mm|q|pt|pc|px)$/i;
const DECLARATION = /\bsize\s*:\s*([^;{}!]{1,80})/gi;
const MAX_DECLARATIONS = 100;

/**
 * The paper, and where the document may choose another, all that its `@page` rules may mean. Those rules may be out of our sight,
 * so that sizes with a name are always among them. A page may be turned.
 */
export function possibleSizes({ paper, paperChosenBy }: PrintSettings, declared: readonly string[]): PageSize[] {
  if (paperChosenBy === 'caller') return [paper];
  const named = Object.values(NAMED).map(([widthInches, heightInches]) => ({ widthInches, heightInches }));
  const upright = [paper, ...declared.flatMap((size) => parseSize(size) ?? []), ...named];
  return [
    ...upright,
    ...upright.map(({ widthInches, heightInches }) => ({ widthInches: heightInches, heightInches: widthInches })),
  ];
}

/** What in a text may be a declaration of a size. */
export function sizesIn(text: string): string[] {
  const found: string[] = [];
  for (const [, size = ''] of text.matchAll(DECLARATION)) if (found.push(size) >= MAX_DECLARATIONS) break;
  return found;
}

function parseSize(size: string): PageSize | undefined {
  const words = size.trim().split(/\s+/);
  const [width, height] = words.map(inchesOf);
  if (width !== undefined) return { widthInches: width, heightInches: height ?? width };
  return undefined;
}

function inchesOf(length: string): number | undefined {
  const [, number, unit = ''] = LENGTH.exec(length) ?? [];
  return number === undefined ? undefined : Number(number) / (PER_INCH[unit.toLowerCase()] ?? Number.NaN);
}
