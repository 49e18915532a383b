/**
 * Waits until a loaded document has finished its work, and runs its time forward. Returns what it had not finished at the time
 * limit.
 */
import { Type } from 'typebox';
import type { Deadline } from '../../deadline.ts';
import { type FinishState, READINESS_SIGNALS } from '../../in-page/contract/questions.ts';
import { ask } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import { type Shape, shape } from '../devtools/evaluate.ts';
import type { Step } from '../devtools/step.ts';
import type { NetworkMonitor } from './monitors/network-monitor.ts';
import type { WorkerMonitor } from './monitors/worker-monitor.ts';
import { withinTime } from './time-limit.ts';

/** What a document was doing when it was printed. */
export interface Unfinished {
  /** Requests that were under way. */
  urls: string[];
  /** What it was waiting for, as in `FinishState`. Empty if it was waiting only for requests. */
  waitsFor: string;
}

export interface FinishOptions {
  /** Whether to wait for the work of the document. */
  waits: boolean;
  /** Whether to run time forward and to finish animations. */
  finishesAnimations: boolean;
  /** Whether the markup may declare shadow roots. */
  declaresShadows: boolean;
  deadline: Deadline;
  step: Step;
  /** Resolves when the document navigates, because it may not answer then. */
  leaving: Promise<void> | undefined;
}

/** How long to wait without progress, such as during a long poll or an endless loop. */
const STALL_MS = 5_000;
/** Shares of the time that is left. The rest is for printing. */
const SHARE_OF_REQUESTS = 1 / 2;
const SHARE_OF_READINESS = 2 / 3;
const LEAST_MS = 200;
/** Additional time for the answer of a busy page. */
const GRACE_MS = 3_000;

const FINISH_STATE: Shape<FinishState> = shape(
  Type.Object({
    whole: Type.Boolean(),
    waitsFor: Type.Enum(['', ...READINESS_SIGNALS, 'changes', 'work'] as const),
    sent: Type.Integer({ minimum: 0 }),
    workers: Type.Integer({ minimum: 0 }),
  }),
);
/** The state of a document that gives no valid answer. */
const NO_FINISH_STATE: FinishState = { whole: true, waitsFor: '', sent: 0, workers: 0 };

export async function finishDocument(
  session: Session,
  { network, workers }: { network: NetworkMonitor; workers: WorkerMonitor },
  options: FinishOptions,
): Promise<Unfinished | undefined> {
  const { waits, deadline, step } = options;
  const startedAt = performance.now();
  const latest = startedAt + deadline.remainingMs * SHARE_OF_REQUESTS;
  const readyBy = startedAt + deadline.remainingMs * SHARE_OF_READINESS;
  const stallsAt = () => Math.min(latest, Math.max(startedAt, network.progressAt) + STALL_MS);
  for (let sent: number | undefined; ; ) {
    const areIdle = !waits || (await step(untilIdle(network, workers, stallsAt)));
    const { changes } = network;
    const quietByMs = Math.max(LEAST_MS, Math.min(STALL_MS, stallsAt() - performance.now()));
    const end = await askState(session, options, Math.max(0, readyBy - performance.now()), quietByMs);
    const areReported = !waits || (await step(workers.areReported(end.workers)));
    const total = end.sent + workers.sent;
    const isAnswered = !workers.any || total === sent; // workers may still answer messages that were sent since
    const isDone = !waits || (end.whole && network.changes === changes && areIdle && areReported && isAnswered);
    sent = total;
    if (isDone || performance.now() >= stallsAt()) return waits ? findUnfinished(network, end, isDone) : undefined;
  }
}

/**
 * Waits, until `latest`, for all requests to end and the workers to handle their messages. Resolves to whether the workers have.
 */
async function untilIdle(network: NetworkMonitor, workers: WorkerMonitor, latest: () => number): Promise<boolean> {
  await network.quiet(latest);
  if (!workers.any) return true;
  const areIdle = await workers.idle(latest());
  return network.underWay.length && performance.now() < latest() ? untilIdle(network, workers, latest) : areIdle; // workers may make requests
}

async function askState(session: Session, options: FinishOptions, readyMs: number, quietByMs: number): Promise<FinishState> {
  const { waits, finishesAnimations, declaresShadows, step, leaving } = options;
  const wait = { waits, finishesAnimations, declaresShadows, readyMs, quietByMs };
  const answer = ask(session, 'waitUntilFinished', [wait], FINISH_STATE).catch(() => NO_FINISH_STATE);
  const first = leaving ? Promise.race([answer, leaving.then(() => NO_FINISH_STATE)]) : answer;
  const busy: FinishState = { ...NO_FINISH_STATE, waitsFor: 'changes' };
  return step(withinTime(first, readyMs + quietByMs + GRACE_MS, busy));
}

function findUnfinished({ underWay }: NetworkMonitor, { waitsFor }: FinishState, isDone: boolean): Unfinished | undefined {
  const isWorking = waitsFor === 'work' || !(waitsFor || isDone);
  const why = isWorking ? (underWay.length ? '' : 'work') : waitsFor;
  return why || underWay.length ? { urls: underWay, waitsFor: why } : undefined;
}
