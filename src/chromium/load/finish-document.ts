/** Waits until a loaded document has done what it began, and runs its time forward; what it had not done when the limit was met comes out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deadline } from '../../deadline.ts';
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import { awaitEndExpression, type End, readEnd } from '../in-page/await-end.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { WorkerMonitor } from './worker-monitor.ts';

/** What a document was doing when it was printed. */
export interface Unfinished {
  /** Requests that were under way. */
  urls: string[];
  /** What it was waiting for, or `changes`, or `work`; empty where only for requests. */
  waitsFor: string;
}

export interface FinishOptions {
  /** Whether what the document began is waited for. */
  waits: boolean;
  /** Whether its time is run forward. */
  finishes: boolean;
  /** Whether its markup may declare shadow roots. */
  declaresShadows: boolean;
  deadline: Deadline;
  step: Step;
  /** Resolves when the document goes: then it is not asked any more. */
  leaving: Promise<void> | undefined;
}

/** Without anything new: a long poll, a loop. */
const STALL_MS = 5_000;
/** Of the time that is left, the rest of which is for printing. */
const SHARE_OF_REQUESTS = 1 / 2;
const SHARE_OF_READINESS = 2 / 3;
const LEAST_MS = 200;
/** For a page that is busy. */
const GRACE_MS = 3_000;

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
    const end = await ask(session, options, Math.max(0, readyBy - performance.now()), quietByMs);
    const isAnswered = !workers.any || end.sent === sent; // of what was sent to workers since, they may say something
    const isDone = !waits || (end.whole && network.changes === changes && areIdle && isAnswered);
    sent = end.sent;
    if (isDone || performance.now() >= stallsAt()) return waits ? unfinished(network, end, isDone) : undefined;
  }
}

/** Whether the workers are, too, when nothing is under way; or nothing is to be waited for any longer. */
async function untilIdle(network: NetworkMonitor, workers: WorkerMonitor, latest: () => number): Promise<boolean> {
  await network.quiet(latest);
  if (!workers.any) return true;
  const areIdle = await workers.idle(latest());
  return network.underWay.length && performance.now() < latest() ? untilIdle(network, workers, latest) : areIdle; // they may have asked for something
}

async function ask(session: Session, options: FinishOptions, readyMs: number, quietByMs: number): Promise<End> {
  const { waits, finishes, declaresShadows, step, leaving } = options;
  const expression = awaitEndExpression({ waits, finishes, declaresShadows, readyMs, quietByMs });
  const asked = session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  const answer = asked.then(({ result }) => readEnd(result.value)).catch(() => readEnd(undefined));
  const limit = new AbortController();
  const tooLong = sleep(readyMs + quietByMs + GRACE_MS, { whole: true, waitsFor: 'changes', sent: 0 }, { signal: limit.signal });
  tooLong.catch(() => {});
  try {
    return await step(Promise.race([answer, tooLong, ...(leaving ? [leaving.then(() => readEnd(undefined))] : [])]));
  } finally {
    limit.abort();
  }
}

function unfinished({ underWay }: NetworkMonitor, { waitsFor }: End, isDone: boolean): Unfinished | undefined {
  const isWorking = waitsFor === 'work' || !(waitsFor || isDone);
  const why = isWorking ? (underWay.length ? '' : 'work') : waitsFor;
  return why || underWay.length ? { urls: underWay, waitsFor: why } : undefined;
}
