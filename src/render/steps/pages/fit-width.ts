/** Prints a document that is too wide at a smaller scale, instead of cutting it off: Chromium shrinks documents only to two thirds. */
import type { Content } from '../../../chromium/load/load-settings.ts';
import type { LoadedDocument } from '../../../chromium/loaded-document.ts';
import { WIDEST_LAYOUT } from '../../../chromium/print/page-layout.ts';
import { type PaperView, paperView } from '../content-shrinking.ts';
import type { Print } from '../print.ts';
import { layOut } from '../single-page.ts';

/** How often a document is printed again, because its width may follow that of the page. */
const MAX_PRINTS = 3;
/** The least scale of Chromium. */
const MIN_SCALE = 0.1;
/** Leaves the last part to Chromium, which shrinks a document exactly to its width. */
const SHARE = 0.95;

/** Returns the print as it is if the document is always wider than its page. */
export async function fitWidth(document: LoadedDocument, content: Content, print: Print): Promise<Print> {
  if (!print.settings.fitsWidth) return print;
  let fitted = print;
  for (let n = 0; n <= MAX_PRINTS; n++) {
    const { scale } = fitted.settings;
    const layoutPx = cutOffWidth(paperView(content, fitted.settings, fitted.chunks));
    const cutOffPx = layoutPx && (await document.layout.overflow(layoutPx / WIDEST_LAYOUT));
    if (!layoutPx || !cutOffPx) return fitted;
    if (scale === MIN_SCALE) break;
    const smaller = Math.max(MIN_SCALE, (SHARE * scale * layoutPx) / (layoutPx + cutOffPx));
    const settings = await layOut(document, { ...fitted.settings, scale: smaller });
    fitted = { ...(await document.print(settings)), settings };
  }
  return print;
}

/** The width of the layout in CSS pixels, if what is wider may be cut off. */
function cutOffWidth({ scale, roomPx, widthPx }: PaperView): number | undefined {
  if (roomPx === undefined) return undefined;
  return Math.min(roomPx * WIDEST_LAYOUT, scale === undefined ? Number.POSITIVE_INFINITY : widthPx);
}
