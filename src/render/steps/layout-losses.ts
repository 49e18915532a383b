/** Finds content that the paper does not show, or shows smaller than designed. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { PrintSettings } from '../../chromium/print/print-options.ts';
import type { Clipped, UnrepeatedRows } from '../../in-page/contract/questions.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import { findBlankPages } from '../../pdf/paged/blank-pages.ts';
import { findTemplateCovers, type TemplateCover } from '../../pdf/paged/template-covers.ts';
import type { PagedOutcome } from '../paged-outcome.ts';
import { type PaperView, shrunkWidth } from './content-shrinking.ts';
import type { Print } from './print.ts';

/** The element that makes a document too wide. */
interface WidestElement {
  /** Empty if none reaches as far as the document. */
  element: string;
  /** The option `scale` with which the document fits. Undefined if it would be smaller than Chromium prints. */
  fittingScale: number | undefined;
}

export interface LayoutLosses {
  /** Width of the document in CSS pixels that is not on the paper. */
  cutOffPx: number;
  /** Content that boxes of the document hide. */
  clipped: Clipped[];
  shrunkToPercent: number | undefined;
  /** What makes the document too wide for its page. Undefined if it is not. */
  widest: WidestElement | undefined;
  /** Rows of tables that should be on every page and are not. */
  unrepeated: UnrepeatedRows[];
  /** Numbers of pages, from 1, that show nothing. */
  blankPages: number[];
  /** Headers and footers that cover text. */
  templateCovers: TemplateCover[];
}

/** The value for images, which have no paper. */
export const NO_LOSSES: LayoutLosses = {
  cutOffPx: 0,
  clipped: [],
  shrunkToPercent: undefined,
  widest: undefined,
  unrepeated: [],
  blankPages: [],
  templateCovers: [],
};

/** A document that is printed larger than this counts as printed in its size, because the difference is not visible. */
const SHRUNK_PERCENT = 98;
/** The least scale of the option. */
const LEAST_SCALE = 0.1;

/**
 * The scale at which the document was printed. A document that looks shrunk in the PDF, because its own styles scale all of its first
 * page down, is told apart by its layout. The PDF of a document that shows only pictures does not tell the scale at all.
 */
export async function findScale(document: LoadedDocument, { settings }: Print, view: PaperView): Promise<number> {
  const { scale, roomPx, widthPx } = view;
  if (scale === undefined) return settings.scale * (await document.layout.measureShrinking(roomPx ?? widthPx));
  if (toPercent(scale, settings.scale) > SHRUNK_PERCENT) return scale;
  return (await document.layout.measureShrinking((widthPx * scale) / settings.scale)) < 1 ? scale : settings.scale;
}

/** `scale` is that of `findScale`, and `requested` that of the request. */
export async function measureLosses(
  document: LoadedDocument,
  { settings, chunks }: Print,
  view: PaperView,
  scale: number,
  requested: number,
): Promise<LayoutLosses> {
  const factor = (view.scale ?? settings.scale) / scale;
  const page = { widthPx: view.widthPx * factor, heightPx: view.heightPx * factor };
  const pages = countPages(chunks);
  const mayRepeat = document.htmlClass.mayRepeatRows && pages > 1;
  const mayBeBlank = document.htmlClass.mayLeaveBlank && pages > 1 && !document.mayBeLong && !document.hasSidedBreaks; // empty pages before such breaks are meant
  const { header, footer } = settings.templates;
  const mayBeCovered = (header ?? footer) !== undefined && !settings.singlePage && !document.mayBeLong;
  return {
    ...(await measureWidth(document, view, settings, { scale, requested, widthPx: page.widthPx })),
    clipped: document.htmlClass.mayClip ? await document.layout.findClipped(page) : [],
    unrepeated: mayRepeat ? await document.layout.findUnrepeated(page) : [],
    blankPages: mayBeBlank ? findBlankPages(chunks) : [],
    templateCovers: mayBeCovered ? findTemplateCovers(new PrintedPages(Buffer.concat(chunks))) : [],
  };
}

/** The blank pages on which nothing is painted, and which do not end a picture that is cut. */
export function withoutShown(blankPages: readonly number[], { painted = [], pageWarnings = [] }: PagedOutcome = {}): number[] {
  const cut = pageWarnings.filter(({ kind }) => kind === 'box_cut').flatMap(({ pages }) => pages);
  return blankPages.filter((page) => !painted.includes(page) && !cut.includes(page));
}

/** The scale of the document, that of the request, and the width of its page. */
type Scales = Record<'scale' | 'requested' | 'widthPx', number>;

/** The document is laid out for its page only if it is too wide. */
async function measureWidth(
  { layout }: LoadedDocument,
  { roomPx }: PaperView,
  settings: PrintSettings,
  { scale, requested, widthPx }: Scales,
): Promise<Pick<LayoutLosses, 'cutOffPx' | 'shrunkToPercent' | 'widest'>> {
  const percent = toPercent(scale, requested);
  const shrunkToPercent = percent <= SHRUNK_PERCENT ? percent : undefined;
  const layoutPx = roomPx === undefined ? widthPx : shrunkWidth(roomPx, settings, scale);
  const cutOffPx = roomPx === undefined ? 0 : await layout.overflow(layoutPx);
  if (!cutOffPx && shrunkToPercent === undefined) return { cutOffPx, shrunkToPercent, widest: undefined };
  const fittingScale = Math.floor(((scale * layoutPx) / (layoutPx + cutOffPx)) * 100) / 100;
  const widest = {
    element: await layout.findWidest((widthPx * scale) / requested),
    fittingScale: fittingScale >= LEAST_SCALE ? fittingScale : undefined,
  };
  return { cutOffPx, shrunkToPercent, widest };
}

function toPercent(scale: number, requested: number): number {
  return Math.round((100 * scale) / requested);
}
