/** Reads from a printed page how much width it leaves for the document, and at which scale Chromium printed the document. */
import type { Content } from '../../chromium/load/load-settings.ts';
import { WIDEST_LAYOUT } from '../../chromium/print/page-layout.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import { type PrintedView, pageWidths, printedView } from '../../pdf/objects/inspect.ts';
import { PX_PER_INCH, PX_PER_POINT } from '../../units.ts';

/** Lengths are in CSS pixels of the document, at the scale that was set if the PDF does not tell another. */
export interface PaperView {
  /** The scale of the document. At 1, a CSS pixel is 1/96 inch. Undefined if the PDF does not tell it. */
  scale: number | undefined;
  /** Width between the margins of the widest page, at the scale that was set. Undefined if the document was not shrunk. */
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

/** The width of the layout of a document that was shrunk to this scale. What is wider is cut off. */
export function shrunkWidth(roomPx: number, { scale: wanted }: PrintSettings, scale = wanted / WIDEST_LAYOUT): number {
  return (roomPx * wanted) / scale;
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
 * Read from the first page if all are as wide. Otherwise, margins that the document itself may set count as zero, to avoid false
 * warnings.
 */
function roomOf(
  content: Content,
  { margin, marginChosenBy, scale }: PrintSettings,
  printed: readonly Buffer[],
  view: PrintedView | undefined,
): number | undefined {
  if (view && view.scale > scale * (1 - TOLERANCE)) return undefined;
  const widths = pageWidths(printed);
  if (view && widths.size === 1) return (view.widthPx * view.scale) / scale;
  const known = marginChosenBy === 'caller' || (content.kind === 'html' && !PAGE_RULE.test(content.html));
  const margins = known ? (margin.left + margin.right) * PX_PER_INCH : 0;
  return (Math.max(0, ...widths) * PX_PER_POINT - margins) / scale;
}
