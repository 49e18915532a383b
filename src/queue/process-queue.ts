/**
 * Runs tasks of many owners in a few child processes, so that a task that blocks or crashes affects nothing else: a task and its owner
 * in, the answer of the process out. Owners take turns. If a task takes too long or its caller aborts, its process is killed.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Deadline } from '../deadline.ts';
import { queueFull, ServiceError } from '../errors.ts';
import { OwnerQueue } from './owner-queue.ts';
import { ProcessEndedError, ProcessPool, type Replies } from './process-pool.ts';
import type { TimedTask } from './serve-tasks.ts';

export interface ProcessLimits {
  /** Number of processes. If there are several, the last is reserved for owners whose tasks use none. */
  processes: number;
  /** Number of tasks that may wait for a process, and how long each may wait. */
  maxWaiting: number;
  waitMs: number;
  /** Limits one task without a deadline of its own, including the start of its process, which is killed after this time. */
  timeoutMs: number;
  /** Processes without work end after this time. */
  idleMs: number;
  heapMb: number;
}

export interface ProcessWork {
  /** The module that the processes run. It calls `serveTasks`. */
  module: URL;
  libraries: string[];
  flags?: readonly string[];
  /** The detail of the error when no process is available in time. */
  busy: string;
  outOfTime(cause: unknown): ServiceError;
  outOfMemory(cause: unknown): ServiceError;
}

/** The stack size of Node's threads, four times that of a process. Recursive work needs it. */
const STACK_KB = 3_900;

/** The time of a request, which limits its tasks. */
export type TaskDeadline = Deadline;

export class ProcessQueue {
  readonly #work: ProcessWork;
  readonly #limits: ProcessLimits;
  readonly #pool: ProcessPool;
  readonly #queue: OwnerQueue;
  #closed = false;

  /** Starts no process yet. */
  constructor(work: ProcessWork, limits: ProcessLimits) {
    this.#work = work;
    this.#limits = limits;
    const { processes, maxWaiting, idleMs } = limits;
    const reserved = processes > 1 ? 1 : 0;
    this.#queue = new OwnerQueue({ capacity: processes - reserved, reserved, limit: maxWaiting });
    this.#pool = new ProcessPool({ module: work.module, execArgv: flags(work, limits), env: { TZ: 'UTC' }, idleMs });
  }

  /**
   * If creating `task` takes memory, pass a function, which is called only when a process is available. A task has the time that is left
   * to `caller`, if that is a deadline. `replies` answers what the process asks. Throws `queue_full`, `shutting_down`, the errors of `work`, those of the functions, and the reason of `caller`.
   */
  async run(
    owner: string,
    task: object | (() => Promise<object>),
    caller?: AbortSignal | Deadline,
    replies?: Replies,
  ): Promise<unknown> {
    const deadline = caller instanceof Deadline ? caller : undefined;
    const signal = caller instanceof Deadline ? caller.signal : caller;
    using waiting = new Deadline(this.#limits.waitMs, signal);
    const leave = await this.#queue.acquire(owner, waiting).catch((error: ServiceError) => {
      signal?.throwIfAborted();
      throw error.code === 'render_timeout' ? queueFull(this.#work.busy, 1) : error;
    });
    try {
      const made = typeof task === 'function' ? await (task as () => Promise<object>)() : task;
      if (this.#closed) throw shuttingDown();
      const timeoutMs = Math.ceil(deadline?.remainingMs ?? this.#limits.timeoutMs);
      const ends = [signal ?? [], deadline ? [] : AbortSignal.timeout(timeoutMs)].flat();
      const timed: TimedTask = { task: made, timeoutMs };
      return await this.#pool.run(timed, AbortSignal.any(ends), replies);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#translate(error);
    } finally {
      leave();
    }
  }

  /** Kills the processes. Running, waiting and later tasks fail with `shutting_down`. */
  close(): void {
    this.#closed = true;
    this.#pool.close();
  }

  #translate(error: unknown): unknown {
    if (this.#closed) return shuttingDown();
    if (error instanceof ProcessEndedError && error.signal) return this.#work.outOfMemory(error);
    return error instanceof DOMException ? this.#work.outOfTime(error) : error;
  }
}

/**
 * Flags for Node that limit the heap, and forbid writing files, starting processes, and reading files other than program and
 * libraries.
 */
function flags({ libraries, flags: more = [] }: ProcessWork, { heapMb }: ProcessLimits): string[] {
  const { resolve } = createRequire(import.meta.url);
  const readable = [
    fileURLToPath(new URL('..', import.meta.url)),
    ...(resolve.paths('any') ?? []),
    ...libraries.map((name) => fileURLToPath(new URL('.', import.meta.resolve(name)))), // a package manager may link to it
  ];
  const limits = [`--max-old-space-size=${heapMb}`, `--stack-size=${STACK_KB}`];
  return [
    ...limits,
    ...more,
    '--disable-warning=ExperimentalWarning',
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
}

function shuttingDown(): ServiceError {
  return new ServiceError('shutting_down', 'the service is shutting down');
}
