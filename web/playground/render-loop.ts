/**
 * Renders the draft while the visitor types, after each pause, or at once on request. At most two requests are under way: the older one
 * is shown when it ends, because in steady typing there is always a newer one, and the newest one waits for it in the service. A pause
 * or a request of the visitor aborts the older one, so that the last draft is shown sooner.
 */
import { batch, computed, signal } from '@preact/signals';
import { type ProblemBody, ProblemError } from '../shared/api.ts';
import { rememberedSignal } from '../shared/storage.ts';
import { type Draft, draft, isSameDraft } from './draft.ts';
import { type Rendered, renderPdf } from './render-call.ts';

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

interface UnderWay {
  draft: Draft;
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

export const live = rememberedSignal('platen.playground.live', true, (text) => text !== 'false');
export const renderState = signal<RenderState>({ kind: 'idle' });
/** For how many whole seconds the visitor has waited for an outcome. Undefined while no request is under way. */
export const renderSeconds = signal<number | undefined>(undefined);
/** The last successful render. */
export const rendered = signal<Rendered | undefined>(undefined);

/** Whether the draft has changed since it was rendered. */
export const isOutdated = computed(() => rendered.value !== undefined && !isSameDraft(rendered.value.draft, draft.value));

/** The requests under way, the oldest first. */
const underWay: UnderWay[] = [];
/** The request that was sent last, even if it has ended. */
let newest: UnderWay | undefined;
/** Whether a pause has aborted a request since the last outcome. If each pause did, a slow document might never be shown. */
let hasAborted = false;
/** Renders after a pause, or retries. */
let timer: ReturnType<typeof setTimeout> | undefined;
/** Renders while typing does not pause. */
let typingTimer: ReturnType<typeof setTimeout> | undefined;
let secondsTimer: ReturnType<typeof setInterval> | undefined;

/** Call it when the draft has changed. */
export function draftChanged(): void {
  if (!live.value || renderState.peek().kind === 'waiting') return; // the waiting retry will send the newest draft
  clearTimeout(timer);
  timer = setTimeout(renderAfterPause, PAUSE_MS);
  typingTimer ??= setTimeout(() => void send(1), LONGEST_UNSENT_MS);
}

export function renderNow(): Promise<void> {
  return send(0);
}

/** Renders the draft, unless a request for it is under way or will be repeated. */
export function renderIfUnsent(): void {
  const last = underWay.at(-1);
  const isSent = last !== undefined && isSameDraft(last.draft, draft.peek());
  if (!isSent && renderState.peek().kind !== 'waiting') void send(0);
}

export function cancelRender(): void {
  clearTimers();
  keepOldest(0);
  countSeconds();
  settle({ kind: 'cancelled' });
}

function renderAfterPause(): void {
  const keep = hasAborted ? 1 : 0;
  hasAborted = underWay.length > 0;
  void send(keep);
}

/** Sends the draft, and aborts all but the oldest requests under way. */
async function send(keep: 0 | 1): Promise<void> {
  clearTimers();
  keepOldest(keep);
  const { kind } = renderState.peek();
  if (kind !== 'done' && kind !== 'problem') renderState.value = { kind: 'idle' };
  const own = { draft: draft.peek(), abort: new AbortController() };
  newest = own;
  underWay.push(own);
  if (underWay.length === 1) countSeconds();
  const outcome = await attempt(own);
  if (own.abort.signal.aborted) return;
  take(own, outcome);
}

/** Of an older request, only the PDF matters. */
function take(own: UnderWay, outcome: Rendered | RenderState): void {
  const isPdf = 'pdf' in outcome;
  // With several nodes, a newer request may end first.
  const ended = underWay.splice(isPdf ? 0 : underWay.indexOf(own), isPdf ? underWay.indexOf(own) + 1 : 1);
  for (const { abort } of ended) abort.abort();
  hasAborted = false;
  countSeconds();
  batch(() => {
    if (isPdf) rendered.value = outcome;
    if (own === newest) settle(isPdf ? { kind: 'done' } : outcome);
  });
}

function clearTimers(): void {
  clearTimeout(timer);
  clearTimeout(typingTimer);
  typingTimer = undefined;
}

function keepOldest(count: 0 | 1): void {
  for (const { abort } of underWay.splice(count)) abort.abort();
}

/** Begins to count the seconds until the next outcome, if a request is under way. */
function countSeconds(): void {
  clearInterval(secondsTimer);
  renderSeconds.value = underWay.length ? 0 : undefined;
  if (!underWay.length) return;
  secondsTimer = setInterval(() => {
    renderSeconds.value = (renderSeconds.peek() ?? 0) + 1;
  }, 1_000);
}

function settle(state: RenderState): void {
  renderState.value = state;
  const isOffline = state.kind === 'unsent' && state.offline;
  if (state.kind === 'waiting' || isOffline) clearTimers(); // the retry sends what has changed
  if (state.kind === 'waiting') countDown(state);
  if (isOffline) timer = setTimeout(renderNow, OFFLINE_RETRY_MS);
}

async function attempt({ draft: sent, abort }: UnderWay): Promise<Rendered | RenderState> {
  try {
    return await renderPdf(sent, abort.signal);
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): RenderState {
  if (error instanceof ProblemError) return problemState(error.body);
  if (!(error instanceof TypeError)) return { kind: 'unsent', message: (error as Error).message, offline: false };
  return { kind: 'unsent', message: 'The service does not answer. The playground tries again in a few seconds.', offline: true };
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

function countDown({ problem, seconds }: { problem: ProblemBody; seconds: number }): void {
  renderState.value = { kind: 'waiting', problem, seconds };
  timer = setTimeout(() => (seconds > 1 ? countDown({ problem, seconds: seconds - 1 }) : void renderNow()), 1_000);
}
