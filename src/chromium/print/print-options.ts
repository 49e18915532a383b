/** What to print and on which paper: our words in, DevTools' parameters out. */
import type { Params } from '../devtools/connection.ts';
import { type HeaderFooterTemplates, templateParameters } from './header-footer.ts';

/** All lengths in inches. */
export interface PrintSettings {
  /** The sheet as it will be, landscape already applied. */
  paper: { widthInches: number; heightInches: number };
  /** `document`: an `@page` size in the markup wins over `paper`. */
  paperChosenBy: 'document' | 'caller';
  margin: { top: number; right: number; bottom: number; left: number };
  /** `document`: an `@page` margin in the markup wins over `margin`. */
  marginChosenBy: 'document' | 'caller';
  printBackground: boolean;
  scale: number;
  /** `1-3, 5`; empty for all pages. */
  pageRanges: string;
  tagged: boolean;
  /** Bookmarks from the headings. */
  outline: boolean;
  /** All of it on one sheet. */
  singlePage: boolean;
  templates: HeaderFooterTemplates;
}

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
    generateTaggedPDF: settings.tagged || settings.outline, // Chromium finds headings by their tags
    generateDocumentOutline: settings.outline,
    ...templateParameters(settings.templates),
    transferMode: 'ReturnAsStream',
  };
}

/**
 * The style sheet that makes the caller's paper and margin win over `@page` rules in the markup, where it is the first of the
 * document. Chromium always lets the markup's margin win, and with `preferCSSPageSize: false` it centres the markup's page on the
 * caller's sheet instead of laying the document out for that sheet; so the caller's choice is stated where Chromium listens.
 * Paper that is only suggested is stated as well: a document is laid out for exactly that, and for whole points otherwise.
 */
export function pageRule(settings: PrintSettings): string {
  const { paper, paperChosenBy } = settings;
  const suggested = paperChosenBy === 'caller' ? '' : `@page { size: ${paper.widthInches}in ${paper.heightInches}in } `;
  return suggested + overrulingRule(settings);
}

/** The part of it that holds wherever it stands. */
export function overrulingRule({ paper, margin, paperChosenBy, marginChosenBy }: PrintSettings): string {
  const declarations: string[] = [];
  if (paperChosenBy === 'caller') declarations.push(`size: ${paper.widthInches}in ${paper.heightInches}in !important`);
  if (marginChosenBy === 'caller')
    declarations.push(`margin: ${margin.top}in ${margin.right}in ${margin.bottom}in ${margin.left}in !important`);
  return declarations.length ? `@page { ${declarations.join('; ')} }` : '';
}

/** Whether the document comes so close to the edge of the paper that whole points would cut off a border there. */
export function reachesEdge({ margin }: PrintSettings): boolean {
  return Math.min(margin.right, margin.bottom) < 1 / 72;
}
