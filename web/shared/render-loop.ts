/**
 * Renders a draft while the visitor types, after each pause, or at once on request. At most two requests are under way: the older one
 * is shown when it ends, because in steady typing there is always a newer one, and the newest one waits for it in the service. A pause
 * or a request of the visitor aborts the older one, so that the last draft is shown sooner.
 */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { type ProblemBody, ProblemError } from './api.ts';
import { rememberedSignal } from './storage.ts';

/** The last outcome. */
export type RenderState =
  | { kind: 'idle' }
  | { kind: 'done' }
  /** The visitor has stopped the render. */
  | { kind: 'cancelled' }
  /** The request was answered with a problem. */
  | { kind: 'problem'; problem: ProblemBody }
  /** The request was not sent, or got no answer. */
  | { kind: 'unsent'; message: string; offline: boolean }
  /** The request will be repeated automatically. */
  | { kind: 'waiting'; problem: ProblemBody; seconds: number };

/** A result, with the draft that was rendered. */
interface OfDraft<D> {
  draft: D;
}

export interface RenderLoopOptions<D, R extends OfDraft<D>> {
  draft: ReadonlySignal<D>;
  isSame(one: D, other: D): boolean;
  /** Throws `ProblemError`, `TypeError` if there is no connection, and others that are shown to the visitor. */
  render(draft: D, signal: AbortSignal): Promise<R>;
}

interface UnderWay<D> {
  draft: D;
  abort: AbortController;
}

const PAUSE_MS = 400;
/** The longest time between a change and its request while typing does not pause. */
const LONGEST_UNSENT_MS = 600;
/** After a longer wait, the visitor decides whether to retry. */
const MAX_WAIT_SECONDS = 120;
const QUEUE_RETRY_SECONDS = 3;
/** The interval of retries while there is no connection. */
const OFFLINE_RETRY_MS = 5_000;

/** Whether drafts are rendered while the visitor types, in all editors. */
export const live = rememberedSignal('platen.playground.live', true, (text) => text !== 'false');

export class RenderLoop<D, R extends OfDraft<D>> {
  readonly state = signal<RenderState>({ kind: 'idle' });
  /** For how many whole seconds the visitor has waited for an outcome. Undefined while no request is under way. */
  readonly seconds = signal<number | undefined>(undefined);
  /** The last successful render. */
  readonly rendered = signal<R | undefined>(undefined);
  /** Whether the draft has changed since it was rendered. */
  readonly isOutdated: ReadonlySignal<boolean>;
  readonly #options: RenderLoopOptions<D, R>;
  /** The requests under way, the oldest first. */
  readonly #underWay: UnderWay<D>[] = [];
  /** The request that was sent last, even if it has ended. */
  #newest: UnderWay<D> | undefined;
  /** Whether a pause has aborted a request since the last outcome. If each pause did, a slow document might never be shown. */
  #hasAborted = false;
  /** Renders after a pause, or retries. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Renders while typing does not pause. */
  #typingTimer: ReturnType<typeof setTimeout> | undefined;
  #secondsTimer: ReturnType<typeof setInterval> | undefined;

  constructor(options: RenderLoopOptions<D, R>) {
    this.#options = options;
    this.isOutdated = computed(() => {
      const last = this.rendered.value;
      return last !== undefined && !options.isSame(last.draft, options.draft.value);
    });
  }

  /** Call it when the draft has changed. */
  changed(): void {
    if (!live.value || this.state.peek().kind === 'waiting') return; // the waiting retry will send the newest draft
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#renderAfterPause(), PAUSE_MS);
    this.#typingTimer ??= setTimeout(() => void this.#send(1), LONGEST_UNSENT_MS);
  }

  renderNow(): Promise<void> {
    return this.#send(0);
  }

  /** Renders the draft, unless a request for it is under way or will be repeated. */
  renderIfUnsent(): void {
    const { draft, isSame } = this.#options;
    const last = this.#underWay.at(-1);
    const isSent = last !== undefined && isSame(last.draft, draft.peek());
    if (!isSent && this.state.peek().kind !== 'waiting') void this.#send(0);
  }

  /** Sends nothing more. */
  stop(): void {
    this.#clearTimers();
    this.#keepOldest(0);
    this.#countSeconds();
  }

  /** Sends nothing more, and forgets what has been rendered. */
  reset(): void {
    this.stop();
    this.#hasAborted = false;
    batch(() => {
      this.rendered.value = undefined;
      this.state.value = { kind: 'idle' };
    });
  }

  /** Sends nothing by itself until the draft is changed or a render is asked for. What has failed was about another draft. */
  hold(): void {
    this.#clearTimers();
    if (this.state.peek().kind !== 'done') this.#settle({ kind: 'idle' });
  }

  /** For the visitor, who does not want to wait. */
  cancel(): void {
    this.stop();
    this.#settle({ kind: 'cancelled' });
  }

  #renderAfterPause(): void {
    const keep = this.#hasAborted ? 1 : 0;
    this.#hasAborted = this.#underWay.length > 0;
    void this.#send(keep);
  }

  /** Sends the draft, and aborts all but the oldest requests under way. */
  async #send(keep: 0 | 1): Promise<void> {
    this.#clearTimers();
    this.#keepOldest(keep);
    const { kind } = this.state.peek();
    if (kind !== 'done' && kind !== 'problem') this.state.value = { kind: 'idle' };
    const own = { draft: this.#options.draft.peek(), abort: new AbortController() };
    this.#newest = own;
    this.#underWay.push(own);
    if (this.#underWay.length === 1) this.#countSeconds();
    const outcome = await this.#attempt(own);
    if (own.abort.signal.aborted) return;
    this.#take(own, outcome);
  }

  /** Of an older request, only the PDF matters. */
  #take(own: UnderWay<D>, outcome: R | RenderState): void {
    const place = this.#underWay.indexOf(own);
    // With several nodes, a newer request may end first.
    const ended = isResult(outcome) ? this.#underWay.splice(0, place + 1) : this.#underWay.splice(place, 1);
    for (const { abort } of ended) abort.abort();
    this.#hasAborted = false;
    this.#countSeconds();
    batch(() => {
      if (isResult(outcome)) this.rendered.value = outcome;
      if (own === this.#newest) this.#settle(isResult(outcome) ? { kind: 'done' } : outcome);
    });
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#typingTimer);
    this.#typingTimer = undefined;
  }

  #keepOldest(count: 0 | 1): void {
    for (const { abort } of this.#underWay.splice(count)) abort.abort();
  }

  /** Begins to count the seconds until the next outcome, if a request is under way. */
  #countSeconds(): void {
    clearInterval(this.#secondsTimer);
    this.seconds.value = this.#underWay.length ? 0 : undefined;
    if (!this.#underWay.length) return;
    this.#secondsTimer = setInterval(() => {
      this.seconds.value = (this.seconds.peek() ?? 0) + 1;
    }, 1_000);
  }

  #settle(state: RenderState): void {
    this.state.value = state;
    const isOffline = state.kind === 'unsent' && state.offline;
    if (state.kind === 'waiting' || isOffline) this.#clearTimers(); // the retry sends what has changed
    if (state.kind === 'waiting') this.#countDown(state);
    if (isOffline) this.#timer = setTimeout(() => void this.renderNow(), OFFLINE_RETRY_MS);
  }

  async #attempt({ draft: sent, abort }: UnderWay<D>): Promise<R | RenderState> {
    try {
      return await this.#options.render(sent, abort.signal);
    } catch (error) {
      return failure(error);
    }
  }

  #countDown({ problem, seconds }: { problem: ProblemBody; seconds: number }): void {
    this.state.value = { kind: 'waiting', problem, seconds };
    const next = () => (seconds > 1 ? this.#countDown({ problem, seconds: seconds - 1 }) : void this.renderNow());
    this.#timer = setTimeout(next, 1_000);
  }
}

function isResult<R extends OfDraft<unknown>>(outcome: R | RenderState): outcome is R {
  return 'draft' in outcome;
}

function failure(error: unknown): RenderState {
  if (error instanceof ProblemError) return problemState(error.body);
  if (!(error instanceof TypeError)) return { kind: 'unsent', message: (error as Error).message, offline: false };
  return { kind: 'unsent', message: 'The service does not answer. It is tried again in a few seconds.', offline: true };
}

function problemState(problem: ProblemBody): RenderState {
  const seconds = problem.retry_after ?? (isQueueing(problem) ? QUEUE_RETRY_SECONDS : undefined);
  const passes = problem.status === 429 || problem.status === 503 || isQueueing(problem);
  if (!passes || seconds === undefined || seconds > MAX_WAIT_SECONDS) return { kind: 'problem', problem };
  return { kind: 'waiting', problem, seconds: Math.max(1, Math.ceil(seconds)) };
}

/** Whether the render timed out in the queue, because the browser was starting or others were first. */
function isQueueing({ status, phase }: ProblemBody): boolean {
  return status === 504 && phase === 'queue';
}
