/** Waits until a loaded document has done what it began, and runs its time forward; what it had not done when the limit was met comes out. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deadline } from '../../deadline.ts';
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import { awaitEndExpression, type End, readEnd } from '../in-page/await-end.ts';
import type { NetworkMonitor } from './network-monitor.ts';

/** What a document was doing when it was printed. */
export interface Unfinished {
  /** Requests that were under way. */
  urls: string[];
  /** What it was waiting for, or `changes`; empty where only for requests. */
  waitsFor: string;
}

export interface FinishOptions {
  /** Whether what the document began is waited for. */
  waits: boolean;
  /** Whether its time is run forward. */
  finishes: boolean;
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
  network: NetworkMonitor,
  options: FinishOptions,
): Promise<Unfinished | undefined> {
  const { waits, deadline, step } = options;
  const startedAt = performance.now();
  const latest = startedAt + deadline.remainingMs * SHARE_OF_REQUESTS;
  const readyBy = startedAt + deadline.remainingMs * SHARE_OF_READINESS;
  const stallsAt = () => Math.min(latest, Math.max(startedAt, network.progressAt) + STALL_MS);
  for (;;) {
    if (waits) await step(network.quiet(stallsAt));
    const { changes } = network;
    const quietByMs = Math.max(LEAST_MS, Math.min(STALL_MS, stallsAt() - performance.now()));
    const end = await ask(session, options, Math.max(0, readyBy - performance.now()), quietByMs);
    const isDone = !waits || (end.whole && network.changes === changes);
    if (isDone || performance.now() >= stallsAt()) return waits ? unfinished(network, end, isDone) : undefined;
  }
}

async function ask(session: Session, options: FinishOptions, readyMs: number, quietByMs: number): Promise<End> {
  const { waits, finishes, step, leaving } = options;
  const expression = awaitEndExpression({ waits, finishes, readyMs, quietByMs });
  const asked = session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  const answer = asked.then(({ result }) => readEnd(result.value)).catch(() => readEnd(undefined));
  const limit = new AbortController();
  const tooLong = sleep(readyMs + quietByMs + GRACE_MS, { whole: true, waitsFor: 'changes' }, { signal: limit.signal });
  tooLong.catch(() => {});
  try {
    return await step(Promise.race([answer, tooLong, ...(leaving ? [leaving.then(() => readEnd(undefined))] : [])]));
  } finally {
    limit.abort();
  }
}

function unfinished({ underWay }: NetworkMonitor, { waitsFor }: End, isDone: boolean): Unfinished | undefined {
  const isRestless = !isDone && underWay.length === 0;
  const why = waitsFor || (isRestless ? 'changes' : '');
  return why || underWay.length ? { urls: underWay, waitsFor: why } : undefined;
}
