/** Asks a document about content that depends on its pages, in an isolated world, whose built-ins the document cannot change. */
import type { Questions } from '../../in-page/contract/questions.ts';
import { type Answer, ask, createIsolatedWorld, type Expected } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';

export class PagedWorld {
  readonly #session: Session;
  readonly #frameId: string;
  readonly #step: Step;
  readonly #leaveTraces: () => void;
  #contextId: Promise<number> | undefined;

  constructor(session: Session, frameId: string, step: Step, leaveTraces: () => void) {
    this.#session = session;
    this.#frameId = frameId;
    this.#step = step;
    this.#leaveTraces = leaveTraces;
  }

  /** The answer may change the document, so that the page must be emptied before its next one. Throws `document_interferes`. */
  async ask<K extends keyof Questions>(
    name: K,
    args: Parameters<Questions[K]>,
    expected: Expected<K>,
    { awaitPromise } = { awaitPromise: false },
  ): Promise<Answer<K>> {
    this.#leaveTraces();
    this.#contextId ??= this.#step(createIsolatedWorld(this.#session, this.#frameId));
    const contextId = await this.#contextId;
    return this.#step(ask(this.#session, name, args, expected, { contextId, awaitPromise }));
  }

  /** Asks a document without scripts in its own world, which is faster. The document must be as before when its render ends. */
  askStatic<K extends keyof Questions>(name: K, args: Parameters<Questions[K]>, expected: Expected<K>): Promise<Answer<K>> {
    return this.#step(ask(this.#session, name, args, expected));
  }
}
