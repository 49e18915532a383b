/** The paper a document is printed on, where that depends on what is to stand on it. */
import type { Session } from './connection.ts';
import type { Emulation } from './emulation.ts';
import { clearance, MEASURE, measuringDocument } from './header-footer.ts';
import { type PrintSettings, pageRule } from './print-options.ts';
import { ruleExpression } from './settle-document.ts';
import { asSinglePage, CONTENT_HEIGHT, layoutWidth, NO_BREAKS } from './single-page.ts';
import type { Step } from './step.ts';

export class Sheet {
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
    const html = measuringDocument(templates, paper.widthInches);
    await step(this.#session.send('Page.setDocumentContent', { frameId: this.#frameId, html }));
    await step(loaded);
    const [header = 0, footer = 0] = (await step(this.#evaluate(MEASURE))) as number[];
    const top = templates.header === undefined ? margin.top : Math.max(margin.top, clearance(header));
    const bottom = templates.footer === undefined ? margin.bottom : Math.max(margin.bottom, clearance(footer));
    return { ...settings, margin: { ...margin, top, bottom } };
  }

  /** One sheet as high as the document that is loaded. Throws `print_failed`. */
  async onOnePage(settings: PrintSettings, step: Step): Promise<PrintSettings> {
    await step(this.#emulation.resize({ width: layoutWidth(settings), height: 1, deviceScaleFactor: 1 }));
    const single = asSinglePage(settings, Number(await step(this.#evaluate(CONTENT_HEIGHT))));
    await step(this.#evaluate(ruleExpression(`${NO_BREAKS} ${pageRule(single)}`)));
    return single;
  }

  async #evaluate(expression: string): Promise<unknown> {
    const answer = await this.#session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return answer.result.value;
  }
}
