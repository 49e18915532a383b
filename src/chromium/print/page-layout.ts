/** The paper a document is printed on, where that depends on what is to stand on it. */

import type { Session } from '../devtools/connection.ts';
import { type Emulation, setWindow } from '../devtools/emulation.ts';
import type { Step } from '../devtools/step.ts';
import { CLIPPED, type Clipped, readClipped } from './content-clipping.ts';
import { FIX_HEIGHTS, MEASURE, NOTE_HEIGHTS, readMeasure } from './content-height.ts';
import { clearance, MEASURING_DOCUMENT, measureExpression } from './header-footer.ts';
import { stateRuleExpression } from './page-rules.ts';
import { type PrintSettings, pageRule } from './print-options.ts';
import { asSinglePage, higherPage, layoutWidth, NO_BREAKS } from './single-page.ts';

/** In CSS pixels; the content is at least as wide as the viewport. */
interface Extent {
  contentPx: number;
  viewportPx: number;
}

/** Chromium makes a document that is too wide smaller, down to two thirds (`kPrintingMaximumShrinkFactor`). */
export const WIDEST_LAYOUT = 1.5;
const PROBE_HEIGHT_PX = 600;

export class PageLayout {
  readonly #session: Session;
  readonly #frameId: string;
  readonly #emulation: Emulation;

  constructor(session: Session, frameId: string, emulation: Emulation) {
    this.#session = session;
    this.#frameId = frameId;
    this.#emulation = emulation;
  }

  /**
   * Margins that keep the text clear of header and footer, where the caller has named none. Loads the templates as a document:
   * an empty one has to follow.
   */
  async marginsFor(settings: PrintSettings, step: Step): Promise<PrintSettings> {
    const { templates, margin, paper, marginChosenBy } = settings;
    if (marginChosenBy === 'caller' || (templates.header === undefined && templates.footer === undefined)) return settings;
    const loaded = this.#session.next('Page.loadEventFired');
    await step(this.#session.send('Page.setDocumentContent', { frameId: this.#frameId, html: MEASURING_DOCUMENT }));
    await step(loaded);
    const [header = 0, footer = 0] = (await step(this.#evaluate(measureExpression(templates, paper.widthInches)))) as number[];
    const top = templates.header === undefined ? margin.top : Math.max(margin.top, clearance(header));
    const bottom = templates.footer === undefined ? margin.bottom : Math.max(margin.bottom, clearance(footer));
    return { ...settings, margin: { ...margin, top, bottom } };
  }

  /**
   * One sheet as high as the document that is loaded. What follows the height of its window would follow that of the sheet, and
   * might never fit on it: it gets the height it has in a window of `windowPx`. Throws `print_failed`.
   */
  async onOnePage(settings: PrintSettings, windowPx: number, step: Step): Promise<PrintSettings> {
    const width = layoutWidth(settings);
    await step(this.#emulation.resize({ width, height: 1, deviceScaleFactor: 1 }));
    const evaluateAt = async (height: number, expression: string) => {
      await step(setWindow(this.#session, { width, height, deviceScaleFactor: 1 }));
      return step(this.#evaluate(expression));
    };
    const lowest = readMeasure(await step(this.#evaluate(MEASURE)));
    const onSheet = readMeasure(await evaluateAt(lowest.height + 1, MEASURE));
    const fits = onSheet.height <= lowest.height + 1 && (!onSheet.hidden || onSheet.hidden === lowest.hidden);
    if (fits) return this.#stateSinglePage(asSinglePage(settings, lowest.height), step);
    await evaluateAt(windowPx, NOTE_HEIGHTS);
    await evaluateAt(windowPx + 100, FIX_HEIGHTS);
    const { height } = readMeasure(await evaluateAt(1, MEASURE));
    return this.#stateSinglePage(asSinglePage(settings, height), step);
  }

  /** A sheet with room for all pages that came out where one was meant to. Throws `print_failed`. */
  higher(single: PrintSettings, pages: number, step: Step): Promise<PrintSettings> {
    return this.#stateSinglePage(higherPage(single, pages), step);
  }

  async #stateSinglePage(single: PrintSettings, step: Step): Promise<PrintSettings> {
    const rule = `${NO_BREAKS} ${pageRule(single)}`;
    await step(this.#evaluate(stateRuleExpression(rule, rule)));
    return single;
  }

  /** How wide the loaded document is where it stands. */
  #extent(): Promise<Extent> {
    const asked = this.#session.send('Page.getLayoutMetrics').then(({ cssContentSize, cssLayoutViewport }) => ({
      contentPx: cssContentSize.width,
      viewportPx: cssLayoutViewport.clientWidth,
    }));
    asked.catch(() => {}); // a page that is lost says so elsewhere
    return asked;
  }

  /**
   * CSS pixels by which the loaded document is wider than the widest layout Chromium prints between margins that leave `roomPx`;
   * what is there is cut off. 0 where nothing is. Lays the document out anew only where the extent gives reason to.
   */
  async overflow(roomPx: number, step: Step): Promise<number> {
    const { contentPx, viewportPx } = await step(this.#extent());
    const widest = Math.floor(roomPx * WIDEST_LAYOUT);
    if (contentPx <= viewportPx && viewportPx <= widest) return 0;
    const size = { width: widest, height: PROBE_HEIGHT_PX, deviceScaleFactor: 1 };
    setWindow(this.#session, size).catch(() => {});
    const laidOut = this.#extent();
    setWindow(this.#session).catch(() => {});
    return Math.max(0, Math.ceil((await step(laidOut)).contentPx - widest));
  }

  /** What boxes hide of the loaded document where it is laid out as it was printed. */
  async clipped({ widthPx, heightPx }: Record<'widthPx' | 'heightPx', number>, step: Step): Promise<Clipped[]> {
    const size = { width: Math.max(1, Math.floor(widthPx)), height: Math.max(1, Math.floor(heightPx)), deviceScaleFactor: 1 };
    setWindow(this.#session, size).catch(() => {});
    const looked = this.#evaluate(CLIPPED);
    setWindow(this.#session).catch(() => {});
    return readClipped(await step(looked));
  }

  async #evaluate(expression: string): Promise<unknown> {
    const answer = await this.#session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return answer.result.value;
  }
}
