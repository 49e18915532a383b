/** Determines margins and paper sizes that depend on the content of the document. */

import type { Session } from '../devtools/connection.ts';
import type { Emulation, Viewport } from '../devtools/emulation.ts';
import type { Step } from '../devtools/step.ts';
import { CLIPPED, type Clipped, IS_VERTICAL, readClipped } from './content-clipping.ts';
import { FIX_HEIGHTS, MEASURE, NOTE_HEIGHTS, readMeasure } from './content-height.ts';
import { addRuleExpression } from './page-rules.ts';
import { type PrintSettings, pageRule } from './print-options.ts';
import { readUnrepeated, type UnrepeatedRows, unrepeatedExpression } from './repeated-rows.ts';
import { asSinglePage, higherPage, layoutWidth, NO_BREAKS } from './single-page.ts';

/** Lengths in CSS pixels. The content is at least as wide as the viewport. */
interface Extent {
  contentPx: number;
  viewportPx: number;
}

/** The size of a page between its margins. */
type PageArea = Record<'widthPx' | 'heightPx', number>;

/** Chromium shrinks a document that is too wide, down to two thirds (`kPrintingMaximumShrinkFactor`). */
export const WIDEST_LAYOUT = 1.5;
const PROBE_HEIGHT_PX = 600;

export class PageLayout {
  readonly #session: Session;
  readonly #emulation: Emulation;

  constructor(session: Session, emulation: Emulation) {
    this.#session = session;
    this.#emulation = emulation;
  }

  /**
   * Computes a sheet that is as high as the loaded document. Elements that follow the height of the window would follow that of the
   * sheet and might never fit, so that they keep their height in a window of `windowPx`. Throws `print_failed`.
   */
  async onOnePage(settings: PrintSettings, windowPx: number, step: Step): Promise<PrintSettings> {
    const width = layoutWidth(settings);
    const evaluateAt = async (height: number, expression: string) => {
      await step(this.#emulation.resize({ width, height, deviceScaleFactor: 1 }));
      return step(this.#evaluate(expression));
    };
    const lowest = readMeasure(await evaluateAt(1, MEASURE));
    const onSheet = readMeasure(await evaluateAt(lowest.height + 1, MEASURE));
    const fits = onSheet.height <= lowest.height + 1 && (!onSheet.hidden || onSheet.hidden === lowest.hidden);
    if (fits) return this.#applySinglePage(asSinglePage(settings, lowest.height), step);
    await evaluateAt(windowPx, NOTE_HEIGHTS);
    await evaluateAt(windowPx + 100, FIX_HEIGHTS);
    const { height } = readMeasure(await evaluateAt(1, MEASURE));
    return this.#applySinglePage(asSinglePage(settings, height), step);
  }

  /** Computes a sheet that is high enough for all pages, if a single page became several. Throws `print_failed`. */
  higher(single: PrintSettings, pages: number, step: Step): Promise<PrintSettings> {
    return this.#applySinglePage(higherPage(single, pages), step);
  }

  async #applySinglePage(single: PrintSettings, step: Step): Promise<PrintSettings> {
    const rule = `${NO_BREAKS} ${pageRule(single)}`;
    await step(this.#evaluate(addRuleExpression(rule, rule)));
    return single;
  }

  /** Measures the width of the loaded document in its present layout. */
  #extent(): Promise<Extent> {
    const asked = this.#session.send('Page.getLayoutMetrics').then(({ cssContentSize, cssLayoutViewport }) => ({
      contentPx: cssContentSize.width,
      viewportPx: cssLayoutViewport.clientWidth,
    }));
    asked.catch(() => {}); // the loss of a page is reported elsewhere
    return asked;
  }

  #extentAt(width: number): Promise<Extent> {
    return this.#laidOutIn({ width, height: PROBE_HEIGHT_PX, deviceScaleFactor: 1 }, () => this.#extent());
  }

  /**
   * Returns by how many CSS pixels the loaded document exceeds the widest layout that Chromium prints if the margins leave
   * `roomPx`. That part is cut off. The document is laid out again only if its present width suggests it.
   */
  async overflow(roomPx: number, step: Step): Promise<number> {
    const widest = Math.floor(roomPx * WIDEST_LAYOUT);
    const pixels = Math.ceil((await this.#widthIn(widest, step)) - widest);
    return pixels > 0 && (await step(this.#evaluate(IS_VERTICAL))) !== true ? pixels : 0;
  }

  /** Returns the factor by which Chromium shrinks the loaded document to fit in this width. */
  async shrinking(widthPx: number, step: Step): Promise<number> {
    const width = Math.max(1, Math.round(widthPx));
    const contentPx = await this.#widthIn(width, step);
    if (contentPx <= width || (await step(this.#evaluate(IS_VERTICAL))) === true) return 1;
    return Math.max(width / contentPx, 1 / WIDEST_LAYOUT);
  }

  /** Returns the width of the document in a window of this width. It is laid out again only if its present width suggests it. */
  async #widthIn(width: number, step: Step): Promise<number> {
    const { contentPx, viewportPx } = await step(this.#extent());
    const fits = contentPx <= viewportPx && viewportPx <= width;
    return fits ? contentPx : (await step(this.#extentAt(width))).contentPx;
  }

  /** Finds content that boxes hide when the document is laid out as it was printed. */
  async clipped(page: PageArea, step: Step): Promise<Clipped[]> {
    return readClipped(await step(this.#evaluateOnPage(CLIPPED, page)));
  }

  /** Finds rows of tables that should be on every page and are not. */
  async unrepeated(page: PageArea, step: Step): Promise<UnrepeatedRows[]> {
    const suspicious = await step(this.#evaluate(unrepeatedExpression(page.heightPx, false)));
    if (!readUnrepeated(suspicious).length) return [];
    return readUnrepeated(await step(this.#evaluateOnPage(unrepeatedExpression(page.heightPx, true), page)));
  }

  #evaluateOnPage(expression: string, { widthPx, heightPx }: PageArea): Promise<unknown> {
    const size = { width: Math.max(1, Math.floor(widthPx)), height: Math.max(1, Math.floor(heightPx)), deviceScaleFactor: 1 };
    return this.#laidOutIn(size, () => this.#evaluate(expression));
  }

  /** Lays the document out in another window while `look` looks at it. */
  #laidOutIn<T>(size: Viewport, look: () => Promise<T>): Promise<T> {
    const { window } = this.#emulation;
    this.#emulation.resize(size).catch(() => {});
    const looked = look();
    this.#emulation.resize(window).catch(() => {});
    return looked;
  }

  async #evaluate(expression: string): Promise<unknown> {
    const answer = await this.#session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return answer.result.value;
  }
}
