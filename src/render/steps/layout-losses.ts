/** Finds content that the paper does not show, or shows smaller than designed. */
import type { LoadedDocument } from '../../chromium/loaded-document.ts';
import type { Clipped, UnrepeatedRows } from '../../in-page/contract/questions.ts';
import { PrintedPages } from '../../pdf/edit/printed-pages.ts';
import { countPages } from '../../pdf/objects/inspect.ts';
import { findBlankPages } from '../../pdf/paged/blank-pages.ts';
import { findTemplateCovers, type TemplateCover } from '../../pdf/paged/template-covers.ts';
import type { PaperView } from './content-shrinking.ts';
import type { Print } from './print.ts';

export interface LayoutLosses {
  /** Width of the document in CSS pixels that is not on the paper. */
  cutOffPx: number;
  /** Content that boxes of the document hide. */
  clipped: Clipped[];
  shrunkToPercent: number | undefined;
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
  unrepeated: [],
  blankPages: [],
  templateCovers: [],
};

/** A document that is printed larger than this counts as printed in its size, because the difference is not visible. */
const SHRUNK_PERCENT = 98;

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
  const percent = toPercent(scale, requested);
  const factor = (view.scale ?? settings.scale) / scale;
  const page = { widthPx: view.widthPx * factor, heightPx: view.heightPx * factor };
  const pages = countPages(chunks);
  const mayRepeat = document.htmlClass.mayRepeatRows && pages > 1;
  const mayBeBlank = document.htmlClass.mayLeaveBlank && pages > 1 && !document.mayBeLong && !document.hasSidedBreaks; // empty pages before such breaks are meant
  const { header, footer } = settings.templates;
  const mayBeCovered = (header ?? footer) !== undefined && !settings.singlePage && !document.mayBeLong;
  return {
    cutOffPx: view.roomPx === undefined ? 0 : await document.layout.overflow(view.roomPx),
    clipped: document.htmlClass.mayClip ? await document.layout.findClipped(page) : [],
    unrepeated: mayRepeat ? await document.layout.findUnrepeated(page) : [],
    blankPages: mayBeBlank ? findBlankPages(chunks) : [],
    templateCovers: mayBeCovered ? findTemplateCovers(new PrintedPages(Buffer.concat(chunks))) : [],
    shrunkToPercent: percent <= SHRUNK_PERCENT ? percent : undefined,
  };
}

function toPercent(scale: number, requested: number): number {
  return Math.round((100 * scale) / requested);
}
