/** How much of a printed page is there for the document. */
import type { Content } from '../chromium/load-settings.ts';
import type { PrintSettings } from '../chromium/print-options.ts';
import { WIDEST_LAYOUT } from '../chromium/sheet.ts';
import { printedScale, widestPage } from '../pdf/inspect.ts';

const PX_PER_POINT = 96 / 72;
const PX_PER_INCH = 96;
const PAGE_RULE = /@page|@import|<link/i;

const TOLERANCE = 0.01;

/**
 * CSS pixels between the margins of the widest page, as the document counts them; undefined where nothing can be cut off, since
 * the document was not made as small as may be. Where the margins may be the document's own affair they count as none, so that
 * nothing is called cut off that is not.
 */
export function roomOf(
  content: Content,
  { margin, marginChosenBy, scale }: PrintSettings,
  printed: readonly Buffer[],
): number | undefined {
  const shown = printedScale(printed);
  if (shown !== undefined && shown > (scale / WIDEST_LAYOUT) * (1 + TOLERANCE)) return undefined;
  const known = marginChosenBy === 'caller' || (content.kind === 'html' && !PAGE_RULE.test(content.html));
  const margins = known ? (margin.left + margin.right) * PX_PER_INCH : 0;
  return (widestPage(printed) * PX_PER_POINT - margins) / scale;
}
