/** The child process's side of a `ProcessQueue`: runs each task within its time, and sends the answer. */
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext, Script } from 'node:vm';

/** The message to a process. */
export interface TimedTask {
  task: object;
  /** V8 ends the work at this time, in case the service that would kill the process has ended. */
  timeoutMs: number;
}

/** The CPU priority, the same as that of renderers and lower than that of the service. */
const NICENESS = 5;
/** What a process asks the service during a task, and what it gets. */
export interface Question {
  question: object;
}
interface Reply {
  reply: unknown;
}

/** Is sent before the answer, to distinguish a task that ended its process from a process that was dead already. */
const BEGUN = 'begun';
const CALL = new Script('work()');
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (how: object) => void;
/**
 * A process that has grown by more than this after its garbage was collected ends, because its memory would not return to the system
 * before it does. Others stay, because starting and compiling takes as long as a task.
 */
const MAX_GROWTH_BYTES = 201_326_592;

/** When the task must have ended, on the clock of `performance`. */
let end = 0;

/** `explain` turns an error of `work` into an answer. Without it, the process ends. */
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
  const maxBytes = process.memoryUsage.rss() + MAX_GROWTH_BYTES;
  let tasks = 0;
  process.on('message', async (message: TimedTask | Reply) => {
    if ('reply' in message) return void takeReply(message.reply);
    const { task, timeoutMs } = message;
    const number = ++tasks;
    process.send?.(BEGUN);
    end = performance.now() + timeoutMs;
    process.send?.(await answerTo(task as T), () => {
      if (number === tasks && hasGrownTo(maxBytes)) process.disconnect?.();
    });
  });
}

function hasGrownTo(bytes: number): boolean {
  if (process.memoryUsage.rss() <= bytes) return false;
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return process.memoryUsage.rss() > bytes;
}

let takeReply: (reply: unknown) => void = () => {};

/** Asks the service something and waits for its reply, so that a task neither gets nor holds everything at once. */
export function ask(question: object): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  takeReply = resolve;
  process.send?.({ question } satisfies Question);
  return promise;
}

/** Runs a step of the task: one that begins after an `await`, or has a limit of its own. Throws when its time is over. */
export function inTime<T>(step: () => T, limitMs = Number.POSITIVE_INFINITY): T {
  const outer = (globalThis as { work?: unknown }).work;
  Object.assign(globalThis, { work: step });
  try {
    return CALL.runInThisContext({ timeout: Math.max(1, Math.min(limitMs, Math.ceil(end - performance.now()))) }) as T;
  } finally {
    Object.assign(globalThis, { work: outer });
  }
}
