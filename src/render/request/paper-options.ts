/** Parses the options for paper and margins: the options in, inches out, and an error for each one that is wrong. */
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { FORMAT, LENGTH, MARGIN } from './schemas/length-schema.ts';
import type { PdfOptions } from './schemas/options-schema.ts';
import { findPaper, toInches, toInchesOfSides } from './values/lengths.ts';
import type { ValidationErrors } from './values/validation-errors.ts';

type Paper = PrintSettings['paper'];
type Margin = PrintSettings['margin'];
type Sides = readonly [width: number, height: number];

const DEFAULT_MARGIN_INCHES = 0.4;
/** The largest page side of PDF 1.4 to 1.7 is 200 inches (ISO 32000-1, annex C); the smallest useful one is a pixel. */
const MAX_PAPER_INCHES = 200;
const MIN_PAPER_INCHES = 1 / 96;

/** The settings of the paper. */
export type PaperSettings = Pick<PrintSettings, 'paper' | 'paperChosenBy' | 'margin' | 'marginChosenBy' | 'singlePage'>;

export function parsePaperOptions(sent: PdfOptions, errors: ValidationErrors): PaperSettings {
  const { margin: sentMargin, ...withoutMargin } = sent;
  const given = isAutoMargin(sentMargin) ? withoutMargin : sent;
  const isSized = given.format !== undefined || given.width !== undefined || given.height !== undefined;
  const options = withoutAutoHeight(given, errors);
  const margin = parseMargin(options.margin, errors);
  const paper = parsePaper(options, errors);
  checkRoom(paper, margin, options.margin !== undefined, errors);
  return {
    paper,
    paperChosenBy: (options.preferCSSPageSize ?? !isSized) ? 'document' : 'caller',
    margin,
    marginChosenBy: options.margin === undefined ? 'document' : 'caller',
    singlePage: options.singlePage ?? false,
  };
}

/** A page whose height follows from the content is a single page. */
function withoutAutoHeight(options: PdfOptions, errors: ValidationErrors): PdfOptions {
  const { height, ...rest } = options;
  const isAuto = typeof height === 'string' && height.trim().toLowerCase() === 'auto';
  const name = isAuto ? 'options.height: "auto", which prints one page' : 'options.singlePage';
  if (isAuto && options.singlePage === false)
    errors.add(
      'options.height',
      'cannot be "auto" if options.singlePage is false: "auto" prints one page as high as the document',
    );
  if (!isAuto && !options.singlePage) return options;
  if (!isAuto && height !== undefined) errors.add('options.height', `cannot be combined with ${name}`);
  if (options.pageRanges !== undefined) errors.add('options.pageRanges', `cannot be combined with ${name}`);
  return isAuto ? { ...rest, singlePage: true } : options;
}

function parsePaper(options: PdfOptions, errors: ValidationErrors): Paper {
  checkCombination(options, errors);
  const { sides, isTurned } = parseFormat(options, errors);
  const widthInches = parseSide('width', options.width, sides[0], errors);
  const heightInches = parseSide('height', options.height, sides[1], errors);
  const widthIsMeant = options.singlePage && options.width !== undefined; // there is no height to swap it with
  return isTurned && !widthIsMeant ? { widthInches: heightInches, heightInches: widthInches } : { widthInches, heightInches };
}

function checkCombination({ format, width, height, singlePage }: PdfOptions, errors: ValidationErrors): void {
  if (format !== undefined && (width !== undefined || height !== undefined))
    errors.add(
      'options.format',
      'cannot be combined with options.width or options.height: send options.format, or options.width and options.height',
    );
  if ((width === undefined) === (height === undefined) || singlePage) return;
  const missing = width === undefined ? 'options.width' : 'options.height';
  errors.add(missing, 'is required: options.width and options.height go together');
}

function parseFormat({ format = 'A4', landscape }: PdfOptions, errors: ValidationErrors): { sides: Sides; isTurned: boolean } {
  const named = findPaper(format);
  if (!named) errors.add('options.format', `must be ${FORMAT}; for another size, send options.width and options.height`);
  const { sides, orientation } = named ?? { sides: [1, 1] as const, orientation: undefined };
  if (!orientation) return { sides, isTurned: landscape ?? false };
  const isTurned = orientation === 'landscape';
  if (sides[0] > sides[1])
    errors.add('options.format', 'must be Ledger (17in by 11in) or Tabloid (11in by 17in), without portrait or landscape');
  if (landscape !== undefined && landscape !== isTurned)
    errors.add('options.landscape', `contradicts options.format, which says ${orientation}: send only one of them`);
  return { sides, isTurned };
}

function parseSide(
  name: 'width' | 'height',
  given: string | number | undefined,
  fallback: number,
  errors: ValidationErrors,
): number {
  if (given === undefined) return fallback;
  const inches = toInches(given);
  if (inches !== undefined && inches >= MIN_PAPER_INCHES && inches <= MAX_PAPER_INCHES) return inches;
  const range = `must be from 1px to ${MAX_PAPER_INCHES}in`;
  errors.add(`options.${name}`, inches !== undefined ? range : `must be ${LENGTH}${name === 'height' ? '; or "auto"' : ''}`);
  return 1;
}

/** Whether the margins are those that header and footer need. */
export function isAutoMargin(margin: PdfOptions['margin']): boolean {
  return typeof margin === 'string' && margin.trim().toLowerCase() === 'auto';
}

function parseMargin(given: PdfOptions['margin'], errors: ValidationErrors): Margin {
  if (typeof given === 'string') return parseShorthand(given, errors);
  if (typeof given !== 'object') return allSides(given === undefined ? DEFAULT_MARGIN_INCHES : (toInches(given) ?? 0));
  const side = (name: keyof Margin) => {
    const inches = toInches(given[name] ?? 0);
    if (inches === undefined) errors.add(`options.margin.${name}`, `must be ${LENGTH}`);
    return inches ?? 0;
  };
  return { top: side('top'), right: side('right'), bottom: side('bottom'), left: side('left') };
}

/** Parses the shorthand of CSS. */
function parseShorthand(given: string, errors: ValidationErrors): Margin {
  const lengths = toInchesOfSides(given);
  if (!lengths) errors.add('options.margin', `must be ${MARGIN}`);
  const [top = 0, right = top, bottom = top, left = right] = lengths ?? [];
  return { top, right, bottom, left };
}

function allSides(inches: number): Margin {
  return { top: inches, right: inches, bottom: inches, left: inches };
}

/** Rejects margins that leave no space for content. */
function checkRoom(paper: Paper, margin: Margin, isSent: boolean, errors: ValidationErrors): void {
  if (!isSent) return;
  if (margin.left + margin.right >= paper.widthInches)
    errors.add('options.margin', 'leaves no room between left and right on this paper');
  if (margin.top + margin.bottom >= paper.heightInches)
    errors.add('options.margin', 'leaves no room between top and bottom on this paper');
}
