/** Lets elements begin on a page of their side: asks the loaded document, and checks its answers. */
import { Type } from 'typebox';
import type { MarkedSide } from '../../in-page/contract/questions.ts';
import { ask, BOOLEAN, DONE } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import { shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';

const MARKED_SIDES = shape(
  Type.Array(Type.Object({ name: Type.String({ pattern: '^[\\w-]{1,1000}$' }), isRecto: Type.Boolean() }), { maxItems: 1_000 }),
);

export class SidedBreaks {
  readonly #session: Session;
  readonly #step: Step;
  readonly #leaveTraces: () => void;

  constructor(session: Session, step: Step, leaveTraces: () => void) {
    this.#session = session;
    this.#step = step;
    this.#leaveTraces = leaveTraces;
  }

  /** Marks the elements, in their order, so that the PDF has a destination of this name for each. */
  mark(key: string): Promise<MarkedSide[]> {
    this.#leaveTraces();
    return this.#step(ask(this.#session, 'markSides', [key], MARKED_SIDES));
  }

  /** Puts an empty page before some of the marked elements. Returns false if it cannot do so for all. */
  addBlankPages(numbers: number[]): Promise<boolean> {
    return this.#step(ask(this.#session, 'addBlankPages', [numbers], BOOLEAN));
  }

  async unmark(): Promise<void> {
    await this.#step(ask(this.#session, 'unmarkSides', [], DONE));
  }
}
