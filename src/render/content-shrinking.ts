/** Computes how much width a printed page leaves for the document, and how far Chromium scaled the document down to fit. */
import type { Content } from '../chromium/load/load-settings.ts';
import type { PaperView } from '../chromium/page.ts';
import { WIDEST_LAYOUT } from '../chromium/print/page-layout.ts';
import type { PrintSettings } from '../chromium/print/print-options.ts';
import { type PrintedView, printedView, widestPage } from '../pdf/objects/inspect.ts';

const PX_PER_POINT = 96 / 72;
const PX_PER_INCH = 96;
const PAGE_RULE = /@page|@import|<link/i;

const TOLERANCE = 0.01;

/** A smaller difference is not visible. */
const SHRUNK_PERCENT = 98;

export function paperView(content: Content, print: PrintSettings, printed: readonly Buffer[]): PaperView {
  const view = plausible(printedView(printed), print);
  const percent = view ? Math.round((100 * view.scale) / print.scale) : 100;
  return {
    roomPx: roomOf(content, print, printed, view),
    ...(percent <= SHRUNK_PERCENT && { shrunkToPercent: percent }),
    ...(view ? { widthPx: view.widthPx, heightPx: view.heightPx } : settingsView(print)),
  };
}

/** The scale at which a document is printed. At 1, a CSS pixel is 1/96 inch. */
export function printedScale(print: PrintSettings, printed: readonly Buffer[]): number {
  return plausible(printedView(printed), print)?.scale ?? print.scale;
}

/** Discards a scale that no print can have: the page may begin with a group, or with content that its own styles scale. */
function plausible(view: PrintedView | undefined, { scale }: PrintSettings): PrintedView | undefined {
  const [least, most] = [(scale / WIDEST_LAYOUT) * (1 - TOLERANCE), scale * (1 + TOLERANCE)];
  return view && view.scale >= least && view.scale <= most ? view : undefined;
}

/** An empty page gives no information about the width of the content. */
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
