/** Measures a document as it is laid out for paper: its height, its width, and what the paper does not show. */

import { Type } from 'typebox';
import { MAX_ROW_GROUPS } from '../../in-page/contract/limits.ts';
import type { Clipped, UnrepeatedRows } from '../../in-page/contract/questions.ts';
import { ask, BOOLEAN, DONE } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import type { Emulation, Viewport } from '../devtools/emulation.ts';
import { answerOr, MAX_LENGTH_PX, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import { CLIPPED_CONTENT, inWholePixels, shortName } from './content-clipping.ts';
import { type PrintSettings, pageRule } from './print-options.ts';
import { growPage, layoutWidth, NO_BREAKS, toSinglePage } from './single-page.ts';

/** The size of a page between its margins. */
export type PageArea = Record<'widthPx' | 'heightPx', number>;

/**
 * Chromium shrinks a document that is too wide, down to two thirds (`kPrintingMaximumShrinkFactor`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/core/page/print_context.h).
 */
export const WIDEST_LAYOUT = 1.5;
const PROBE_HEIGHT_PX = 600;
/** What a window in whole pixels and the width of a print can differ. */
const ROUNDING_PX = 2;
/** The largest window that DevTools accepts. */
const MAX_WINDOW_PX = 10_000_000;
/** The answer to `measureHeight`. */
const DOCUMENT_HEIGHT = shape(
  Type.Object({
    height: Type.Integer({ minimum: 0, maximum: MAX_LENGTH_PX }),
    hidden: Type.Number({ minimum: 0 }),
  }),
);
/** The answer to `findWidest`. */
const NAME = shape(Type.String());
/** The answer to `findUnrepeatedRows`. */
const UNREPEATED_ROWS = shape(
  Type.Array(Type.Object({ element: Type.String(), display: Type.Enum(['table-header-group', 'table-footer-group'] as const) }), {
    maxItems: MAX_ROW_GROUPS,
  }),
);

export class PageLayout {
  readonly #session: Session;
  readonly #emulation: Emulation;
  readonly #step: Step;

  constructor(session: Session, emulation: Emulation, step: Step) {
    this.#session = session;
    this.#emulation = emulation;
    this.#step = step;
  }

  /**
   * Computes a sheet that is as high as the loaded document. Elements that follow the height of the window would follow that of the
   * sheet and might never fit, so that they keep their height in the present window. Throws `print_failed`.
   */
  async onOnePage(settings: PrintSettings): Promise<PrintSettings> {
    await this.#step(this.#uncover());
    const width = layoutWidth(settings);
    const windowPx = this.#emulation.window.height;
    const inWindow = async <T>(height: number, look: () => Promise<T>): Promise<T> => {
      await this.#step(this.#emulation.resize({ width, height: Math.min(height, MAX_WINDOW_PX), deviceScaleFactor: 1 }));
      return this.#step(look());
    };
    const measure = () => ask(this.#session, 'measureHeight', [], DOCUMENT_HEIGHT);
    const lowest = await inWindow(1, measure);
    const onSheet = await inWindow(lowest.height + 1, measure);
    const fits = onSheet.height <= lowest.height + 1 && (!onSheet.hidden || onSheet.hidden === lowest.hidden);
    if (fits) return this.#applySinglePage(toSinglePage(settings, lowest.height));
    await inWindow(windowPx, () => ask(this.#session, 'noteHeights', [], DONE));
    await inWindow(windowPx + 100, () => ask(this.#session, 'fixHeights', [], DONE));
    const { height } = await inWindow(1, measure);
    return this.#applySinglePage(toSinglePage(settings, height));
  }

  /** Computes a sheet that is high enough for all pages, if a single page became several. Throws `print_failed`. */
  growPage(single: PrintSettings, pages: number): Promise<PrintSettings> {
    return this.#applySinglePage(growPage(single, pages));
  }

  async #applySinglePage(single: PrintSettings): Promise<PrintSettings> {
    const rule = `${NO_BREAKS} ${pageRule(single)}`;
    await this.#step(ask(this.#session, 'addRule', [rule, rule], DONE));
    return single;
  }

  /** Measures the width of the loaded document in its present layout. The content is at least as wide as the viewport. */
  async #extent(): Promise<Record<'contentPx' | 'viewportPx', number>> {
    await this.#uncover();
    const { cssContentSize, cssLayoutViewport } = await this.#session.send('Page.getLayoutMetrics');
    return { contentPx: cssContentSize.width, viewportPx: cssLayoutViewport.clientWidth };
  }

  /**
   * Returns by how many CSS pixels the loaded document is wider than a layout of this width, if that is visible. The document is laid
   * out again only if its present width suggests it.
   */
  async overflow(layoutPx: number): Promise<number> {
    const width = Math.round(layoutPx);
    const pixels = Math.ceil((await this.#measureWidth(width)) - width);
    return pixels > ROUNDING_PX && !(await this.#step(this.#isVertical())) ? pixels : 0;
  }

  /** Returns the factor by which Chromium shrinks the loaded document to fit in this width. */
  async measureShrinking(widthPx: number): Promise<number> {
    const width = Math.max(1, Math.round(widthPx));
    const contentPx = await this.#measureWidth(width);
    if (contentPx <= width || (await this.#step(this.#isVertical()))) return 1;
    return Math.max(width / contentPx, 1 / WIDEST_LAYOUT);
  }

  /** Returns the width of the document in a window of this width. It is laid out again only if its present width suggests it. */
  async #measureWidth(width: number): Promise<number> {
    const { contentPx, viewportPx } = await this.#step(this.#extent());
    if (contentPx <= viewportPx && viewportPx <= width) return contentPx;
    const size = { width, height: PROBE_HEIGHT_PX, deviceScaleFactor: 1 };
    return (await this.#step(this.#withLayout(size, () => this.#extent()))).contentPx;
  }

  /** Names the element that makes the document wider than a page of this width. Empty if none reaches as far. */
  async findWidest(widthPx: number): Promise<string> {
    const size = { width: Math.max(1, Math.floor(widthPx)), height: PROBE_HEIGHT_PX, deviceScaleFactor: 1 };
    const find = () => answerOr(ask(this.#session, 'findWidest', [], NAME), '');
    return shortName(await this.#step(this.#withLayout(size, find)));
  }

  /** From now on, the width of the document does not follow that of the page. */
  keepWidth(px: number): Promise<null> {
    return this.#step(ask(this.#session, 'keepWidth', [px], DONE));
  }

  /** Finds content that boxes hide when the document is laid out as it was printed. */
  async findClipped(page: PageArea): Promise<Clipped[]> {
    const find = () => ask(this.#session, 'findClippedContent', [], CLIPPED_CONTENT);
    return (await this.#askOnPage(find, page)).map(inWholePixels);
  }

  /** Finds rows of tables that should be on every page and are not. */
  async findUnrepeated(page: PageArea): Promise<UnrepeatedRows[]> {
    const find = (isPage: boolean) => ask(this.#session, 'findUnrepeatedRows', [page.heightPx, isPage], UNREPEATED_ROWS);
    if (!(await this.#step(answerOr(find(false), []))).length) return [];
    const rows = await this.#askOnPage(() => find(true), page);
    return rows.map((each) => ({ ...each, element: shortName(each.element) }));
  }

  /** Asks in a window of the size of the page. */
  #askOnPage<T>(find: () => Promise<T[]>, { widthPx, heightPx }: PageArea): Promise<T[]> {
    const size = { width: Math.max(1, Math.floor(widthPx)), height: Math.max(1, Math.floor(heightPx)), deviceScaleFactor: 1 };
    return this.#step(this.#withLayout(size, () => answerOr(find(), [])));
  }

  /** Lays the document out in another window until `look` has its answer, which may take more than one message. */
  async #withLayout<T>(size: Viewport, look: () => Promise<T>): Promise<T> {
    await this.#uncover();
    const { window } = this.#emulation;
    this.#emulation.resize(size).catch(() => {});
    return look().finally(() => {
      this.#emulation.resize(window).catch(() => {});
    });
  }

  /** Shows the document and gives it its window, which the cover would do later than the window is changed. */
  #uncover(): Promise<null> {
    return ask(this.#session, 'removeCover', [], DONE);
  }

  #isVertical(): Promise<boolean> {
    return answerOr(ask(this.#session, 'isVertical', [], BOOLEAN), false);
  }
}
