/** The side of a `ProcessQueue` that works: each task that comes in is done within its time, and its answer goes out. */
import { setPriority } from 'node:os';
import { Script } from 'node:vm';

/** What a process is sent. */
export interface TimedTask {
  task: object;
  /** V8 ends the work at this time, in case the service that would kill the process has ended. */
  timeoutMs: number;
}

/** The CPU priority, the same as that of renderers and lower than that of the service. */
const NICENESS = 5;
/** Goes out before the answer, so that a task which ends its process is told from one that met a dead process. */
const BEGUN = 'begun';
const CALL = new Script('work()');

/** When the task has to have ended, by the clock of `performance`. */
let end = 0;

/** `explain` makes an answer of what `work` throws; without it the process ends. */
export function serveTasks<T extends object>(work: (task: T) => unknown, explain?: (error: unknown, task: T) => unknown): void {
  setPriority(NICENESS);
  const answerTo = (task: T) => {
    try {
      return inTime(() => work(task));
    } catch (error) {
      if (!explain) throw error;
      return explain(error, task);
    }
  };
  process.on('message', async ({ task, timeoutMs }: TimedTask) => {
    process.send?.(BEGUN);
    end = performance.now() + timeoutMs;
    process.send?.(await answerTo(task as T));
  });
}

/** Runs a step of the task that began after something was awaited; throws when the time of the task has come. */
export function inTime<T>(step: () => T): T {
  const outer = (globalThis as { work?: unknown }).work;
  Object.assign(globalThis, { work: step });
  try {
    return CALL.runInThisContext({ timeout: Math.max(1, Math.ceil(end - performance.now())) }) as T;
  } finally {
    Object.assign(globalThis, { work: outer });
  }
}
