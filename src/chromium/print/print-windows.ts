/** Shows a long document in parts: asks the loaded document, and checks its answers. */
import { Type } from 'typebox';
import { MAX_BLOCKS } from '../../in-page/contract/limits.ts';
import type { LongDocument, ShownWindow, WindowOrder } from '../../in-page/contract/questions.ts';
import { ask, DONE, setCover } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import type { Emulation } from '../devtools/emulation.ts';
import { shape } from '../devtools/evaluate.ts';
import { hideBetweenPrints } from '../devtools/hiding.ts';
import type { Step } from '../devtools/step.ts';

const Count = Type.Integer({ minimum: 0, maximum: MAX_BLOCKS });
const LONG_DOCUMENT = shape(
  Type.Object({
    blocks: Count,
    weight: Type.Number({ minimum: 0 }),
    reason: Type.String({ maxLength: 100 }),
    hasRows: Type.Boolean(),
    countsPages: Type.Boolean(),
    hasSides: Type.Boolean(),
    loadsFonts: Type.Boolean(),
  }),
);
const SHOWN_WINDOW = shape(
  Type.Object({
    end: Count,
    marks: Type.Array(
      Type.Object({ number: Count, name: Type.String({ pattern: '^[\\w-]{1,1000}$' }), isForced: Type.Boolean() }),
      {
        maxItems: MAX_BLOCKS,
      },
    ),
    isInFlow: Type.Boolean(),
  }),
);

export class PrintWindows {
  readonly #session: Session;
  readonly #emulation: Emulation;
  readonly #step: Step;
  readonly #leaveTraces: () => void;

  constructor(session: Session, emulation: Emulation, step: Step, leaveTraces: () => void) {
    this.#session = session;
    this.#emulation = emulation;
    this.#step = step;
    this.#leaveTraces = leaveTraces;
  }

  /** Divides the document into blocks, and hides them all unless there is a reason against it. */
  begin({ isTagged }: { isTagged: boolean }): Promise<LongDocument> {
    this.#leaveTraces();
    return this.#step(ask(this.#session, 'beginWindows', [isTagged], LONG_DOCUMENT));
  }

  /** Lets every window have the columns of the whole table. */
  async findColumnWidths(): Promise<void> {
    await this.#step(ask(this.#session, 'findColumnWidths', [], DONE));
  }

  /** From now on, windows are laid out only while they are printed. */
  async hideBetweenPrints(): Promise<void> {
    await this.#step(hideBetweenPrints(this.#session, this.#emulation));
  }

  /** Frees what the document does not need while it is hidden, above all its layout on the screen. */
  async freeMemory(): Promise<void> {
    await this.#step(this.#session.send('HeapProfiler.collectGarbage'));
  }

  show(order: WindowOrder): Promise<ShownWindow> {
    return this.#step(ask(this.#session, 'showWindow', [order], SHOWN_WINDOW));
  }

  /** Lets the document have all that was taken out of it, after its last window. */
  async putBackContents(): Promise<void> {
    await this.#step(ask(this.#session, 'putBackContents', [], DONE));
  }

  /** Shows the whole document again. */
  async end(): Promise<void> {
    await this.#step(ask(this.#session, 'endWindows', [], DONE));
    setCover(this.#session, undefined);
  }
}
