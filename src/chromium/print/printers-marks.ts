/**
 * Reads which printer's marks and which bleed a document asks for, and makes its pages larger by the bleed (css-page-3:
 * https://drafts.csswg.org/css-page-3/#page-marks). The sheet around them is added to the PDF.
 */
import { type Declaration, readDeclarations } from '../page-css/css-statements.ts';
import { KNOWN_PAPERS, lookUpSize, type PageSize, toInches } from './page-sizes.ts';
import type { PrintSettings } from './print-options.ts';
import { concernsAllPages } from './print-window.ts';

export interface PrintersMarks {
  bleedInches: number;
  /** Whether to draw the corners of the page. */
  crop: boolean;
  /** Whether to draw targets for aligning colours. */
  cross: boolean;
}

/** The bleed of `auto` with crop marks: 6pt. */
const DEFAULT_BLEED_INCHES = 6 / 72;
/** A larger bleed is a mistake. */
const MAX_BLEED_INCHES = 2;

/** Returns undefined if the document asks for neither. Later declarations override earlier ones. */
export function readPrintersMarks(sheets: readonly string[]): PrintersMarks | undefined {
  const stated = new Map(sheets.flatMap((css) => [...readDeclarations(css)].filter(concernsAllPages).map(toEntry)));
  const words = (stated.get('marks') ?? '').split(' ');
  const [crop, cross] = [words.includes('crop'), words.includes('cross')];
  const bleed = stated.get('bleed') ?? 'auto';
  const bleedInches = bleed === 'auto' ? (crop ? DEFAULT_BLEED_INCHES : 0) : (toInches(bleed) ?? 0);
  if (!(crop || cross || bleedInches) || bleedInches > MAX_BLEED_INCHES) return undefined;
  return { bleedInches, crop, cross };
}

function toEntry({ property, value }: Declaration): [property: string, value: string] {
  const words = value.toLowerCase().replaceAll('!', ' ').split(/\s+/);
  return [property, words.filter((word) => word && word !== 'important').join(' ')];
}

/** The width and height in inches of each value of `size` that is not a length. */
export function namedSizes(paper: PageSize): Record<string, [width: number, height: number]> {
  const own: [number, number] = [paper.widthInches, paper.heightInches];
  const named: Record<string, [number, number]> = { auto: own, ...turned('', own) };
  for (const name of KNOWN_PAPERS) {
    const [width, height] = lookUpSize(name) ?? own;
    Object.assign(named, { [name]: [width, height] }, turned(`${name} `, [width, height]));
  }
  return named;
}

function turned(prefix: string, [width, height]: [number, number]): Record<string, [number, number]> {
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  return { [`${prefix}portrait`]: [short, long], [`${prefix}landscape`]: [long, short] };
}

/** The settings of a print with the bleed. */
export function withBleed(settings: PrintSettings, marks: PrintersMarks): PrintSettings {
  const { top, right, bottom, left } = settings.margin;
  const bleed = marks.bleedInches;
  const margin = { top: top + bleed, right: right + bleed, bottom: bottom + bleed, left: left + bleed };
  return { ...settings, paper: addBleed(settings.paper, marks), margin };
}

export function addBleed({ widthInches, heightInches }: PageSize, { bleedInches }: PrintersMarks): PageSize {
  return { widthInches: widthInches + 2 * bleedInches, heightInches: heightInches + 2 * bleedInches };
}
