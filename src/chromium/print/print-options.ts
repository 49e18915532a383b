/** Converts print settings to the parameters of DevTools. */

import { PX_PER_INCH } from '../../units.ts';
import type { Params } from '../devtools/connection.ts';
import { type HeaderFooterTemplates, templateParameters } from './header-footer.ts';

/** All lengths are in inches. */
export interface PrintSettings {
  /** The size of the sheet, to which `landscape` is already applied. */
  paper: { widthInches: number; heightInches: number };
  /** If it is `document`, an `@page` size in the markup overrides `paper`. */
  paperChosenBy: 'document' | 'caller';
  margin: { top: number; right: number; bottom: number; left: number };
  /** If it is `document`, an `@page` margin in the markup overrides `margin`. */
  marginChosenBy: 'document' | 'caller';
  printBackground: boolean;
  scale: number;
  /** Ranges such as `1-3, 5`. Empty for all pages. */
  pageRanges: string;
  tagged: boolean;
  /** Whether headings become bookmarks. */
  outline: boolean;
  /** Whether the whole document is printed on one sheet. */
  singlePage: boolean;
  /** Whether a document that is too wide is printed at a smaller scale. */
  fitsWidth?: boolean;
  templates: HeaderFooterTemplates;
}

/** The height of a page between its margins in CSS pixels of the document, or 0 without a print. */
export function pageHeight(settings: PrintSettings | undefined): number {
  if (!settings) return 0;
  const { paper, margin, scale } = settings;
  return Math.max(1, ((paper.heightInches - margin.top - margin.bottom) * PX_PER_INCH) / scale);
}

/** The settings of a print as it is, of all pages. */
export const NOTHING_ADDED = {
  scale: 1,
  pageRanges: '',
  tagged: false,
  outline: false,
  singlePage: false,
  templates: { header: undefined, footer: undefined, addressed: false },
} as const satisfies Partial<PrintSettings>;

type PrintToPdf = NonNullable<Params<'Page.printToPDF'>[0]>;

export function printParameters(settings: PrintSettings): PrintToPdf {
  const { paper, margin } = settings;
  return {
    paperWidth: paper.widthInches,
    paperHeight: paper.heightInches,
    marginTop: margin.top,
    marginRight: margin.right,
    marginBottom: margin.bottom,
    marginLeft: margin.left,
    printBackground: settings.printBackground,
    scale: settings.scale,
    pageRanges: settings.pageRanges,
    preferCSSPageSize: true,
    // Chromium finds headings by their tags (`MakePdfDocument`:
    // https://source.chromium.org/chromium/chromium/src/+/main:printing/common/metafile_utils.cc).
    generateTaggedPDF: settings.tagged || settings.outline,
    generateDocumentOutline: settings.outline,
    ...templateParameters(settings.templates, settings.printBackground),
    transferMode: 'ReturnAsStream',
  };
}

/**
 * Returns the style sheet that lets the caller's paper and margin override `@page` rules in the markup, if it is the first of the
 * document. Chromium always prefers the margin of the markup, and with `preferCSSPageSize: false` it centres the page of the
 * markup on the caller's sheet instead of laying the document out for that sheet. Therefore the caller's choice is written as a
 * rule. Paper that the document may override is written, too, because Chromium would otherwise round it to whole points
 * (https://source.chromium.org/chromium/chromium/src/+/main:components/printing/browser/print_to_pdf/pdf_print_utils.cc).
 */
export function pageRule(settings: PrintSettings): string {
  const { paper, paperChosenBy } = settings;
  const suggested = paperChosenBy === 'caller' ? '' : `@page { size: ${paper.widthInches}in ${paper.heightInches}in } `;
  return suggested + overridingRule(settings);
}

/** Returns the part of the style sheet that works in any position. */
export function overridingRule({ paper, margin, paperChosenBy, marginChosenBy }: PrintSettings): string {
  const declarations: string[] = [];
  if (paperChosenBy === 'caller') declarations.push(`size: ${paper.widthInches}in ${paper.heightInches}in !important`);
  if (marginChosenBy === 'caller')
    declarations.push(`margin: ${margin.top}in ${margin.right}in ${margin.bottom}in ${margin.left}in !important`);
  return declarations.length ? `@page { ${declarations.join('; ')} }` : '';
}

/**
 * Whether `pageRule` must be written into a static document. Without `@page` rules of its own, the parameters of printing have the
 * same effect, unless Chromium rounds them, so that its markup can stay as it is. If `pageRule` writes something that they cannot express, this function must
 * return true for it.
 */
export function needsPageRule(settings: PrintSettings, hasPageRules: boolean): boolean {
  return hasPageRules || reachesEdge(settings) || hasRoundedMargin(settings);
}

/** Whether Chromium would round a margin of the caller to whole points. */
function hasRoundedMargin({ margin, marginChosenBy }: PrintSettings): boolean {
  const isRounded = (inches: number) => Math.abs(inches * 72 - Math.round(inches * 72)) > 0.01;
  return marginChosenBy === 'caller' && Object.values(margin).some(isRounded);
}

/** Whether the margin is so small that rounding to whole points would cut off a border at the edge of the paper. */
function reachesEdge({ margin }: PrintSettings): boolean {
  return Math.min(margin.right, margin.bottom) < 1 / 72;
}
