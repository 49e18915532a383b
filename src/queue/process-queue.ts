/**
 * Work of many owners in a few child processes, which may be blocked or broken without anybody else noticing: a task and its owner in,
 * the answer of the process out. Owners take turns. A task that takes too long, or whose caller leaves, ends with its process.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Deadline } from '../deadline.ts';
import { queueFull, ServiceError } from '../errors.ts';
import { OwnerQueue } from './owner-queue.ts';
import { ProcessEndedError, ProcessPool } from './process-pool.ts';
import type { TimedTask } from './serve-tasks.ts';

export interface ProcessLimits {
  /** Processes. No owner has the last of them while there is more than one. */
  processes: number;
  /** How many tasks may wait for a process, and how long. */
  maxWaiting: number;
  waitMs: number;
  /** For one task, the start of its process included. The process of one that takes longer is killed. */
  timeoutMs: number;
  /** Processes without work end after this time. */
  idleMs: number;
  /** Of one process. */
  heapMb: number;
}

export interface ProcessWork {
  /** What the processes run. It calls `serveTasks`. */
  module: URL;
  /** Of the libraries it imports. */
  libraries: string[];
  /** More flags of Node. */
  flags?: readonly string[];
  /** What is said to those who find no place. */
  busy: string;
  outOfTime(cause: unknown): ServiceError;
  outOfMemory(cause: unknown): ServiceError;
}

/** As threads of Node have it, four times that of a process: work that calls itself needs it. */
const STACK_KB = 3_900;

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
   * `task` is a function where making it takes memory, which it then does in its turn. Throws `queue_full`, `shutting_down`, what
   * `work` says, what `task` throws, and what `caller` was aborted with.
   */
  async run(owner: string, task: object | (() => Promise<object>), caller?: AbortSignal): Promise<unknown> {
    using waiting = new Deadline(this.#limits.waitMs, caller);
    const leave = await this.#queue.acquire(owner, waiting).catch((error: ServiceError) => {
      caller?.throwIfAborted();
      throw error.code === 'render_timeout' ? queueFull(this.#work.busy, 1) : error;
    });
    try {
      const made = typeof task === 'function' ? await (task as () => Promise<object>)() : task;
      if (this.#closed) throw shuttingDown();
      const { timeoutMs } = this.#limits;
      const over = AbortSignal.timeout(timeoutMs);
      const timed: TimedTask = { task: made, timeoutMs };
      return await this.#pool.run(timed, caller ? AbortSignal.any([caller, over]) : over);
    } catch (error) {
      caller?.throwIfAborted();
      throw this.#translate(error);
    } finally {
      leave();
    }
  }

  /** Ends the processes, whatever they do. What runs or waits is refused, and so is what comes later. */
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

/** Of Node: a limit of the heap, and no way to write, to start anything, or to read what is neither this program nor a library. */
function flags({ libraries, flags: more = [] }: ProcessWork, { heapMb }: ProcessLimits): string[] {
  const { resolve } = createRequire(import.meta.url);
  const readable = [
    fileURLToPath(new URL('..', import.meta.url)),
    ...(resolve.paths('any') ?? []),
    ...libraries.map((name) => fileURLToPath(new URL('.', import.meta.resolve(name)))), // where a package manager links to it
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
