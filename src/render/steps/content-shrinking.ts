/** Reads from a printed page how much width it leaves for the document, and at which scale Chromium printed the document. */
import type { Content } from '../../chromium/load/load-settings.ts';
import { WIDEST_LAYOUT } from '../../chromium/print/page-layout.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { type PrintedView, printedView, widestPage } from '../../pdf/objects/inspect.ts';
import { PX_PER_INCH, PX_PER_POINT } from '../../units.ts';

/** Lengths are in CSS pixels of the document, at the scale that was set if the PDF does not tell another. */
export interface PaperView {
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. Undefined if the PDF does not tell it. */
  scale: number | undefined;
  /** Width between the margins of the widest page. Undefined if the document was not shrunk to the minimum. */
  roomPx: number | undefined;
  /** The width between the margins of the first page. */
  widthPx: number;
  /** The height between the margins of the first page. */
  heightPx: number;
}

const PAGE_RULE = /@page|@import|<link/i;

const TOLERANCE = 0.01;

export function paperView(content: Content, print: PrintSettings, printed: readonly Buffer[]): PaperView {
  const view = printedView(printed, isPossible(print));
  return { scale: undefined, ...(view ?? settingsView(print)), roomPx: roomOf(content, print, printed, view) };
}

/** Whether a print can have a scale. Otherwise, it is that of content that its own styles scale. */
function isPossible({ scale }: PrintSettings): (printed: number) => boolean {
  const [least, most] = [(scale / WIDEST_LAYOUT) * (1 - TOLERANCE), scale * (1 + TOLERANCE)];
  return (printed) => printed >= least && printed <= most;
}

/** A page without text gives no information about the width of the content. */
function settingsView({ paper, margin, scale }: PrintSettings): Pick<PaperView, 'widthPx' | 'heightPx'> {
  const toPixels = (inches: number) => (inches * PX_PER_INCH) / scale;
  return {
    widthPx: toPixels(paper.widthInches - margin.left - margin.right),
    heightPx: toPixels(paper.heightInches - margin.top - margin.bottom),
  };
}

/**
 * CSS pixels between the margins of the widest page, in the units of the document. Undefined if nothing can be cut off, because
 * the document was not scaled down to the minimum. Margins that the document itself may set count as zero, to avoid false warnings.
 */
function roomOf(
  content: Content,
  { margin, marginChosenBy, scale }: PrintSettings,
  printed: readonly Buffer[],
  view: PrintedView | undefined,
): number | undefined {
  const shown = view?.scale;
  if (shown !== undefined && shown > (scale / WIDEST_LAYOUT) * (1 + TOLERANCE)) return undefined;
  const known = marginChosenBy === 'caller' || (content.kind === 'html' && !PAGE_RULE.test(content.html));
  const margins = known ? (margin.left + margin.right) * PX_PER_INCH : 0;
  return (widestPage(printed) * PX_PER_POINT - margins) / scale;
}
