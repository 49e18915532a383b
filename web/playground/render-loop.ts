/**
 * Renders the draft after a pause in typing, or at once on request. There is one request at a time: a newer draft aborts the one
 * that is running, and the last draft wins.
 */
import { computed, signal } from '@preact/signals';
import { type ProblemBody, ProblemError } from '../shared/api.ts';
import { draft, isSameDraft } from './draft.ts';
import { type Rendered, renderPdf } from './render-call.ts';

export type RenderState =
  | { kind: 'idle' }
  | { kind: 'rendering' }
  | { kind: 'done' }
  /** The request was answered with a problem. */
  | { kind: 'problem'; problem: ProblemBody }
  /** The request was not sent, or got no answer. */
  | { kind: 'unsent'; message: string; offline: boolean }
  /** The request will be repeated automatically. */
  | { kind: 'waiting'; problem: ProblemBody; seconds: number };

const PAUSE_MS = 400;
/** After a longer wait, the visitor decides whether to retry. */
const MAX_WAIT_SECONDS = 120;
const QUEUE_RETRY_SECONDS = 3;
/** The interval of retries while there is no connection. */
const OFFLINE_RETRY_MS = 5_000;

export const live = signal(true);
export const renderState = signal<RenderState>({ kind: 'idle' });
/** The last successful render. */
export const rendered = signal<Rendered | undefined>(undefined);

/** Whether the draft has changed since it was rendered. */
export const isOutdated = computed(() => rendered.value !== undefined && !isSameDraft(rendered.value.draft, draft.value));

let underWay: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Call it when the draft has changed. */
export function draftChanged(): void {
  if (!live.value || renderState.peek().kind === 'waiting') return; // the waiting retry will send the newest draft
  clearTimeout(timer);
  timer = setTimeout(renderNow, PAUSE_MS);
}

export async function renderNow(): Promise<void> {
  clearTimeout(timer);
  underWay?.abort();
  const own = new AbortController();
  underWay = own;
  renderState.value = { kind: 'rendering' };
  const state = await attempt(own.signal);
  if (own.signal.aborted) return;
  renderState.value = state;
  if (state.kind === 'waiting') countDown(state);
  if (state.kind === 'unsent' && state.offline) timer = setTimeout(renderNow, OFFLINE_RETRY_MS);
}

async function attempt(signal: AbortSignal): Promise<RenderState> {
  try {
    const result = await renderPdf(draft.value, signal);
    if (!signal.aborted) rendered.value = result;
    return { kind: 'done' };
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
